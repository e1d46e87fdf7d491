"""``mcpbench judge-agreement``: measure a judge against labels of people."""

import argparse
from pathlib import Path
from typing import Any

from pytest_mcpbench.cli.models import call_with_judge
from pytest_mcpbench.cli.output import print_problem
from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.judges.agreement import JudgeAgreement, judge_agreement, labelled_of
from pytest_mcpbench.reporting.texts import agreement
from pytest_mcpbench.text.json_reading import read_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "labels", type=Path, metavar="LABELS.jsonl", help='lines of {"claim": …, "answer": …, "label": …}'
    )
    parser.add_argument("--judge", default="keyfacts", metavar="NAME", help="keyfacts (default), or a model")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="show every disagreement")


def run(options: argparse.Namespace) -> int:
    questions: list[Any] = []
    path = options.labels
    lines = enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1)
    rows = [(number, line) for number, line in lines if line.strip()]
    if not rows:
        raise TaskError("the file has no labelled question.", SourceLocation(str(path)))
    for number, line in rows:
        place = SourceLocation(str(path), line=number)
        try:
            row = read_json(line)
        except ValueError as error:
            raise TaskError(f"not JSON: {error}.", place) from None
        questions.append(labelled_of(row, place))
    result: JudgeAgreement = call_with_judge(judge_agreement, questions, name=options.judge)
    if result.agreement is None:
        return print_problem(f"judge {result.judge!r} decided nothing: {result.undecided[0][1].error}")
    print("\n".join(agreement.lines(result.judge, result.agreement, undecided=len(result.undecided))))
    for row, verdict in result.disagreements if options.verbose else ():
        print("\n".join(agreement.disagreement(row.question, row.label, verdict)))
    return 0
