"""Agreement as text: of a judge with human labels, and of reviewers with each other."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from statistics import fmean

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.review import DIMENSIONS, Decision, latest_decisions
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import NONE, percent, quantity, score, two_decimals
from pytest_mcpbench.reporting.tables.table import Table, filled_table
from pytest_mcpbench.reporting.texts.terminal import render_table
from pytest_mcpbench.statistics.agreement import Agreement, agreement, weighted_kappa

# Report of the agreement between a judge and human labels.


def lines(judge: str, agreement: Agreement, *, undecided: int) -> list[str]:
    """Return overall agreement and kappa, both by label, and the confusion table."""
    suffix = f"; {undecided} undecided by the judge and not counted" if undecided else ""
    sentence = f"{percent(agreement.agreement)} of {agreement.n} labels agree, kappa {score(agreement.kappa)}"
    labels = tuple(agreement.labels)
    rows = tuple((first, *(str(agreement.confusion.get((first, second), 0)) for second in labels)) for first in labels)
    by_label = tuple(
        (name, str(one.first), str(one.second), str(one.both), percent(one.agreement), score(one.kappa))
        for name, one in agreement.labels.items()
    )
    headings = ("label", "people", "judge", "both", "agreement", "kappa")
    return [
        f"judge {judge}: {sentence}{suffix}",
        "",
        *render_table(filled_table("By label", headings, by_label, 1)),
        "",
        *render_table(Table("People (rows) and judge (columns)", ("", *labels), rows)),
    ]


def disagreement(question: Question, label: str, verdict: Verdict) -> list[str]:
    """Return the lines for one question on which people and the judge disagree."""
    return [
        "",
        f"people: {label}; judge: {verdict.label}: {one_line(verdict.reason)}",
        f"  statement: {one_line(question.statement)}",
        f"  evidence: {one_line(question.evidence)}",
    ]


# Report of the agreement between reviewers of tasks: kappa of their decisions, and weighted kappa of their scores.

Pair = tuple[Decision, Decision]


def review_lines(decisions: Iterable[Decision]) -> Iterator[str]:
    """Yield the agreement of each two reviewers about the versions of tasks that both have decided on.

    Decisions about tasks that have left the suite count, too: without the rejected ones agreement would look better.
    """
    latest = latest_decisions(decisions)
    names = {decision.reviewer_key: decision.label for decision in latest}
    if len(names) < 2:
        yield f"agreement needs two reviewers; there is {next(iter(names.values()), 'none')}"
    for number, (first, second) in enumerate(combinations(names, 2)):
        yield from [""] if number else []
        of_second = {each.task: each for each in latest if each.reviewer_key == second}
        of_first = [each for each in latest if each.reviewer_key == first]
        pairs = [
            (each, of_second[each.task])
            for each in of_first
            if each.task in of_second and of_second[each.task].hash == each.hash
        ]
        yield from _pair_lines(one_line(names[first]), one_line(names[second]), pairs)


def _pair_lines(first: str, second: str, pairs: Sequence[Pair]) -> Iterator[str]:
    if not pairs:
        yield f"{first} and {second}: no task that both have decided on in one version"
        return
    labels = agreement((_label(one), _label(other)) for one, other in pairs)
    tasks = quantity(labels.n, "task")
    yield f"{first} and {second}: {percent(labels.agreement)} of {tasks} agree, kappa {score(labels.kappa)}"
    scored = [(one, other) for one, other in pairs if one.scores and other.scores]
    if not scored:
        yield "no task with scores of both"
        return
    rows = [
        (name, *_cells([(one.scores[key], other.scores[key]) for one, other in scored]))
        for key, name in DIMENSIONS.items()
    ]
    every = [(one.scores[key], other.scores[key]) for one, other in scored for key in DIMENSIONS]
    headings = ("dimension", "n", first, second, "equal", "within 1", "weighted kappa")
    note = "means of the scores from 1 to 5; kappa with quadratic weights; n/a: no variation"
    yield from ["", *render_table(Table("Scores", headings, (*rows, ("all", *_cells(every))), note=note))]


def _label(decision: Decision) -> str:
    return "accept" if decision.accepts else "reject"


def _cells(pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    kappa = weighted_kappa(pairs)
    return (
        str(len(pairs)),
        two_decimals(fmean(one for one, _ in pairs)),
        two_decimals(fmean(other for _, other in pairs)),
        percent(sum(one == other for one, other in pairs) / len(pairs)),
        percent(sum(abs(one - other) <= 1 for one, other in pairs) / len(pairs)),
        NONE if kappa is None else score(kappa),
    )
