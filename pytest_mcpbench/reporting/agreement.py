"""Report of the agreement between a judge and human labels."""

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.statistics.agreement import Agreement
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.number_formats import percent, score
from pytest_mcpbench.reporting.table import Table, filled_table
from pytest_mcpbench.reporting.terminal import render_table


def lines(judge: str, agreement: Agreement, *, undecided: int) -> list[str]:
    """Return overall agreement and kappa, both by label, and the confusion table."""
    suffix = f"; {undecided} undecided by the judge and not counted" if undecided else ""
    sentence = f"{percent(agreement.agreement)} of {agreement.n} labels agree, kappa {score(agreement.kappa)}"
    return [
        f"judge {judge}: {sentence}{suffix}",
        "",
        *render_table(_labels(agreement)),
        "",
        *render_table(_confusion(agreement)),
    ]


def disagreement(question: Question, label: str, verdict: Verdict) -> list[str]:
    """Return the lines for one question on which people and the judge disagree."""
    return [
        "",
        f"people: {label}; judge: {verdict.label}: {one_line(verdict.reason)}",
        f"  statement: {one_line(question.statement)}",
        f"  evidence: {one_line(question.evidence)}",
    ]


def _labels(agreement: Agreement) -> Table:
    rows = tuple(
        (name, str(one.first), str(one.second), str(one.both), percent(one.agreement), score(one.kappa))
        for name, one in agreement.labels.items()
    )
    return filled_table("By label", ("label", "people", "judge", "both", "agreement", "kappa"), rows, 1)


def _confusion(agreement: Agreement) -> Table:
    labels = tuple(agreement.labels)
    rows = tuple((first, *(str(agreement.confusion.get((first, second), 0)) for second in labels)) for first in labels)
    return Table("People (rows) and judge (columns)", ("", *labels), rows)
