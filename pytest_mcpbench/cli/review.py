"""``mcpbench review``: show tasks to people, who accept, edit or reject them."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio

from pytest_mcpbench.cli.arguments import port, positive
from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.server_names import import_from_working_directory
from pytest_mcpbench.cli.suites import load_named_suite
from pytest_mcpbench.cli.view import default_author
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation.review.applying import AppliedReview, apply_review
from pytest_mcpbench.generation.review.decision_file import FILE_NAME, DecisionFile
from pytest_mcpbench.generation.review.documents import Plays, review_document, verdict_counts
from pytest_mcpbench.generation.review.playing import play_references
from pytest_mcpbench.generation.review.recording import Review, problems_of
from pytest_mcpbench.generation.review.reviewed_suite import ReviewedSuite, read_reviewed_suite
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.page.review_page import review_page
from pytest_mcpbench.reporting.texts import agreement
from pytest_mcpbench.suite_files.discovery import find_suites


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="DIR", help="directory of a suite or of task files, a task file, or a name")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--agreement", action="store_true", help="print the verdicts and the agreement of reviewers")
    action.add_argument("--apply", action="store_true", help="write accepted edits, and move rejected tasks away")
    action.add_argument("--add", type=Path, metavar="FILE", help="add decisions that a page of --out has downloaded")
    action.add_argument("--out", type=Path, metavar="FILE", help="write one HTML file, without a server")
    parser.add_argument(
        "--reviewers", type=positive, default=1, metavar="N", help="decisions that a verdict needs (default: 1)"
    )
    parser.add_argument("--play", action="store_true", help="play the references and show the results of their calls")
    parser.add_argument(
        "--decisions",
        type=Path,
        metavar="FILE",
        help="file of the decisions (default: review.jsonl beside the tasks; for a suite of the package, "
        "NAME.review.jsonl in the working directory)",
    )
    parser.add_argument("--reviewer", metavar="NAME", help="your name in the decisions; default: your user name")
    parser.add_argument("--port", type=port, default=0, metavar="N", help="port of 127.0.0.1; default: a free one")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")


def run(options: argparse.Namespace) -> int:
    suite = read_reviewed_suite(options.suite, find_suites(options.suite, Path.cwd()))
    # The file of decisions: beside the tasks, unless these were found by name outside the project.
    if options.decisions is not None:
        decisions = Path(options.decisions)
    else:
        decisions = suite.directory / FILE_NAME if _is_own(options, suite) else Path.cwd() / f"{suite.name}.{FILE_NAME}"
    review = Review(suite, DecisionFile(decisions), options.reviewers)
    if options.add is not None:
        print(f"{review.add(options.add)} decisions added: {review.file.path}")
        return 0
    if options.out is not None:
        document = review_document(review, options.reviewer or "", _plays(options))
        write_text(review_page(f"Review of {review.suite.name}", data=document), options.out)
        print(options.out)
        return _exit_code(review, options)
    if options.agreement:
        read = review.file.read()
        tasks = review.suite.tasks(read.decisions, review.reviewers)
        stale = sum(each.hash != task.version.hash for task in tasks for each in task.decisions)
        counts = ", ".join(f"{count} {verdict}" for verdict, count in verdict_counts(tasks).items())
        print(f"{len(tasks)} tasks: {counts}; {stale} stale decisions are not counted")
        print("\n".join(agreement.review_lines(read.decisions)))
        for problem in problems_of(read.damaged, review.suite.unknown(read.decisions)):
            print(f"mcpbench: {problem}", file=sys.stderr)
        return 2 if read.damaged else 0
    if options.apply:
        if not _is_own(options, suite):
            raise UsageError(f"--apply would change {suite.directory}, which is not below the working directory.")
        for line in _summary(apply_review(review)):
            print(line)
        return 0
    return _serve(review, options)


def _is_own(options: argparse.Namespace, suite: ReviewedSuite) -> bool:
    """Return whether a suite was named by its path, or lies below the working directory."""
    return Path(options.suite).exists() or suite.directory.is_relative_to(Path.cwd())


def _serve(review: Review, options: argparse.Namespace) -> int:
    from pytest_mcpbench.generation.review.application import application  # imports starlette
    from pytest_mcpbench.viewer.application import (
        ViewSettings,
        serve_application,  # imports uvicorn
    )

    if not review.file.can_be_written:
        raise UsageError(
            f"{review.file.path} cannot be written; name another file with --decisions, or write a page that needs no "
            "writing with --out FILE."
        )
    print(f"decisions: {review.file.path}")
    reviewer = options.reviewer or default_author()
    plays = _plays(options)
    settings = ViewSettings(options.port, reviewer, opens_browser=not options.no_browser)
    serve_application(
        lambda guard: application(review, guard=guard, reviewer=reviewer, plays=plays),
        settings,
        lambda url: print(f"{url} (Ctrl-C ends it)", flush=True),
    )
    return _exit_code(review, options)


def _exit_code(review: Review, options: argparse.Namespace) -> int:
    """Return 1 if references were to be played and a record cannot be read, so that its play is missing."""
    return 1 if options.play and review.suite.problems else 0


def _plays(options: argparse.Namespace) -> Plays:
    """Return the plays of the references if they are to be played."""
    if not options.play:
        return {}
    import_from_working_directory()
    return anyio.run(play_references, [load_named_suite(path) for path in find_suites(options.suite, Path.cwd())])


def _summary(applied: AppliedReview) -> Iterator[str]:
    edited = sum(task.is_edited for task in applied.accepted)
    yield f"{len(applied.accepted)} accepted, {edited} of them edited; {len(applied.rejected)} rejected"
    for task in applied.rejected:
        reasons = "; ".join(f"{each.label}: {each.reason}" for each in task.fresh)
        yield one_line(f"rejected: {task.version.task.id}: {reasons}", 500)
    if applied.undecided:
        yield f"{len(applied.undecided)} not decided, which stay: " + one_line(
            ", ".join(task.version.task.id for task in applied.undecided), 500
        )
