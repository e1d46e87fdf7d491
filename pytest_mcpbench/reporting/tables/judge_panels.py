"""Panels of judges in a run: their members' verdicts and cost, and the agreement among them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.model_names import KEYFACTS
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.summary import UsageSum
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.results import cost_text, tokens_text
from pytest_mcpbench.reporting.tables.table import Table, filled_table
from pytest_mcpbench.statistics.agreement import PanelAgreement, panel_agreement
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key


@dataclass(frozen=True)
class PanelMember:
    """Verdicts of one judge of a panel in a suite."""

    judge: str
    questions: int
    verdicts: int
    """Number of the questions on which it gave a label."""
    decided: int
    """Number of these that the panel decided by a majority."""
    with_majority: int
    """Number of those on which its label is that of the majority."""
    usage: UsageSum


@dataclass(frozen=True)
class Panel:
    """Panel of judges in a suite."""

    suite: str
    members: tuple[PanelMember, ...]
    questions: int
    decided: int
    agreement: PanelAgreement


def panels(report: Report) -> tuple[Panel, ...]:
    """Return the panels by suite; suites whose questions a single judge decided have none."""
    groups = group_by(
        (entry for entry in report.entries if entry.panel.labels),
        lambda entry: (entry.suite, tuple(entry.panel.labels[0])),
    )
    return tuple(
        _panel(suite, members, groups[suite, members])
        for suite, members in sorted(groups, key=lambda key: (natural_key(key[0]), key[1]))
    )


def panel_table(report: Report) -> Table:
    """Return the table of the verdicts and the cost of each member."""
    rows = [
        (
            one_line(panel.suite, 40),
            one_line(member.judge, 60),
            str(member.questions),
            str(member.verdicts),
            str(member.questions - member.verdicts),
            f"{member.with_majority} of {member.decided}",
            tokens_text(member.usage),
            cost_text(member.usage),
        )
        for panel in panels(report)
        for member in panel.members
    ]
    headings = ("suite", "judge", "questions", "verdicts", "missing", "with the majority", "tokens", "cost")
    return filled_table("Judges of the panel", headings, rows, 2, ("missing",))


def agreement_table(report: Report) -> Table:
    """Return the table of the agreement among the members."""
    rows = [
        (
            one_line(panel.suite, 40),
            str(panel.questions),
            str(panel.decided),
            str(panel.questions - panel.decided),
            f"{panel.agreement.unanimous} of {panel.agreement.items}",
            number_formats.score(panel.agreement.alpha),
        )
        for panel in panels(report)
    ]
    headings = ("suite", "questions", "decided", "undecided", "unanimous", "alpha")
    note = (
        "decided: more than half of all judges gave the same label; unanimous and alpha (Krippendorff, nominal): of "
        "the questions with two verdicts or more"
    )
    return filled_table("Agreement of the judges", headings, rows, 1, ("undecided",), note)


def cascade_table(report: Report) -> Table:
    """Return the table of what each judge of a cascade decided, and what it took."""
    stages = [(entry.suite, judge, stage) for entry in report.entries for judge, stage in entry.cascade.items()]
    asked = Counter({suite: 0 for suite, _, _ in stages})
    for suite, judge, stage in stages:
        asked[suite] += stage.asked if judge == KEYFACTS else 0
    rows = []
    for (suite, judge), group in group_by(stages, lambda one: one[:2]).items():
        decided = sum(stage.decided for _, _, stage in group)
        rows.append(
            (
                one_line(suite, 40),
                one_line(judge, 60),
                number_formats.count(sum(stage.asked for _, _, stage in group)),
                number_formats.count(decided),
                number_formats.percent(decided / asked[suite]),
                *(form(UsageSum.of(stage.usage for _, _, stage in group)) for form in (tokens_text, cost_text)),
            )
        )
    headings = ("suite", "judge", "asked", "decided", "share", "tokens", "cost")
    return filled_table("Judges of the cascade", headings, rows, 2, note="share: of all questions of the suite")


def same_family_sentences(report: Report) -> Iterator[str]:
    """Yield a sentence for each judge whose model is of the family of an agent's."""
    pairs = report.facts.get("same_family")
    for pair in pairs if isinstance(pairs, list) else ():
        if isinstance(pair, Mapping):
            judge, agent, family = (one_line(str(pair.get(name)), 80) for name in ("judge", "agent", "family"))
            yield f"The judge {judge} is of the same family as the agent {agent} ({family}), which it may favour."


def _panel(suite: str, members: Sequence[str], entries: Sequence[Entry]) -> Panel:
    votes = [pair for entry in entries for pair in zip(entry.panel.labels, entry.panel.decisions, strict=True)]
    labels = [[label for label in by_judge.values() if label is not None] for by_judge, _ in votes]
    panel_members: list[PanelMember] = []
    for judge in members:
        given = [(by_judge[judge], decision) for by_judge, decision in votes if by_judge.get(judge) is not None]
        panel_members.append(
            PanelMember(
                judge=judge,
                questions=len(votes),
                verdicts=len(given),
                decided=sum(decision is not None for _, decision in given),
                with_majority=sum(label == decision for label, decision in given),
                usage=UsageSum.of(entry.panel.usage[judge] for entry in entries if judge in entry.panel.usage),
            )
        )
    return Panel(
        suite=suite,
        members=tuple(panel_members),
        questions=len(votes),
        decided=sum(decision is not None for _, decision in votes),
        agreement=panel_agreement(labels),
    )


# Verdicts of a judge with their statements, also in records of versions that did not store these.

_CLAIM = re.compile(r"claim \d+: (.*)", re.DOTALL)


def stated_verdicts(record: RunRecord) -> Iterator[Verdict]:
    """Yield the verdicts of an attempt, each with the statement of its question if it is known.

    A verdict without a statement is about one of the record's claims if the question about that claim has its key.
    """
    verdicts = record.evidence.verdicts if record.evidence else {}
    claims: dict[str, str] = {}
    if not all(verdict.statement for verdict in verdicts.values()):
        answer = record.evidence.answer if record.evidence else ""
        for claim in (found[1] for found in map(_CLAIM.fullmatch, record.expected) if found):
            claims |= {Question.about_claim(claim, answer, request).key: claim for request in (None, record.prompt)}
    for key, verdict in verdicts.items():
        statement = verdict.statement or claims.get(key, "")
        yield verdict.model_copy(update={"statement": statement})
