"""``mcpbench comment``: show a Markdown report as one comment on a pull request or merge request."""

import argparse
import os
import sys
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.reporting.markdown import MARK
from pytest_mcpbench.runtime.review_comment import CommentRefusedError, replace_comment, review_thread


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="report of --mcpbench-markdown or of mcpbench compare")
    parser.add_argument(
        "--name", default="", metavar="NAME", help="name of the comment, if several jobs write one each (default: none)"
    )


def run(options: argparse.Namespace) -> int:
    if not options.file.is_file():
        raise UsageError(f"{options.file} does not exist; `pytest --mcpbench-markdown={options.file}` writes it.")
    mark = MARK if not options.name else MARK.replace(" -->", f" {options.name} -->")
    body = f"{mark}\n{options.file.read_text(encoding='utf-8').removeprefix(MARK).lstrip()}"
    _add_to_summary(body)
    thread = review_thread(os.environ)
    if thread is None:
        print("This job is not for a pull request: there is nothing to comment on.")
        return 0
    try:
        print(f"The comment was {replace_comment(thread, body, mark)}.")
    except CommentRefusedError as error:
        # The token of a workflow for a fork's pull request may only read; the summary of the job has the report.
        print(f"mcpbench: warning: the token may not write comments ({error}).", file=sys.stderr)
    return 0


def _add_to_summary(body: str) -> None:
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(f"{body}\n")
