"""``mcpbench comment``: show a Markdown report as one comment on a pull request or merge request."""

import argparse
import os
import sys
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.reporting.pull_request.comment_parts import REPORT, mark_of, with_name, without_mark
from pytest_mcpbench.runs.review_comment import CommentRefusedError, replace_comment, review_thread


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="report of --mcpbench-markdown or of mcpbench compare")
    parser.add_argument(
        "--name",
        default=None,
        metavar="NAME",
        help="name of the comment, if several jobs write one each (default: workflow and job, as CI names them)",
    )


_NO_REPORT = (
    "✗ **There is no report of this run.** pytest ended before it could write one, as with an option that does not "
    "exist: see the log of the job."
)
"""Comment in place of a report that is missing: that of the run before must not stay."""


def run(options: argparse.Namespace) -> int:
    """Show the report; one that is missing is an error too."""
    has_report = options.file.is_file()
    text = options.file.read_text(encoding="utf-8") if has_report else f"{REPORT}\n## mcpbench\n\n{_NO_REPORT}\n"
    # Workflow and job of GitHub, or the job of GitLab, so that each has a comment of its own.
    names = [os.environ.get(name, "") for name in ("GITHUB_WORKFLOW", "GITHUB_JOB")]
    name_of_job = "/".join(filter(None, names)) or os.environ.get("CI_JOB_NAME", "")
    mark = with_name(mark_of(text), options.name or name_of_job)
    body = f"{mark}\n{without_mark(text)}"
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(f"{body}\n")
    thread = review_thread(os.environ)
    if thread is None:
        print("This job is not for a pull request: there is nothing to comment on.")
    else:
        try:
            print(f"The comment was {replace_comment(thread, body, mark)}.")
        except CommentRefusedError as error:
            # The token of a workflow for a fork's pull request may only read; the summary of the job has the report.
            print(f"mcpbench: warning: the token may not write comments ({error}).", file=sys.stderr)
    if not has_report:
        raise UsageError(f"{options.file} does not exist; `pytest --mcpbench-markdown={options.file}` writes it.")
    return 0
