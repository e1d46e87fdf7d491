"""How far a judge agrees with people, as lines."""

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.statistics.agreement import Agreement
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.number_formats import percent, score
from pytest_mcpbench.reporting.tables import Table
from pytest_mcpbench.reporting.terminal import drawn


def lines(judge: str, made: Agreement, *, undecided: int) -> list[str]:
    """Agreement and kappa, in all and by label, and the confusion table."""
    beside = f"; {undecided} that the judge left undecided are in no number" if undecided else ""
    found = f"{percent(made.agreement)} of {made.n} labels as people gave them, kappa {score(made.kappa)}"
    return [f"judge {judge}: {found}{beside}", "", *drawn(_labels(made)), "", *drawn(_confusion(made))]


def disagreement(question: Question, label: str, verdict: Verdict) -> list[str]:
    """One question on which people and judge differ."""
    return [
        "",
        f"people: {label}; judge: {verdict.label}: {one_line(verdict.reason)}",
        f"  asked: {one_line(question.statement)}",
        f"  shown: {one_line(question.evidence)}",
    ]


def _labels(made: Agreement) -> Table:
    rows = tuple(
        (name, str(one.first), str(one.second), str(one.both), percent(one.agreement), score(one.kappa))
        for name, one in made.labels.items()
    )
    return Table("By label", ("label", "people", "judge", "both", "agreement", "kappa"), rows)


def _confusion(made: Agreement) -> Table:
    labels = tuple(made.labels)
    rows = tuple((first, *(str(made.confusion.get((first, second), 0)) for second in labels)) for first in labels)
    return Table("People (rows) and judge (columns)", ("", *labels), rows)
