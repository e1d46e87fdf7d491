"""The suite ``finmcp``: its records are the benchmark's, its references decidable, its answers those of the data."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from pytest_mcpbench.core.task import CallGroup, ExpectedCall, Task
from pytest_mcpbench.generation import finmcp
from pytest_mcpbench.generation.finmcp.policy import POLICY
from tests.suites import shipped
from tests.suites.finmcp_figures import FIGURES, differences

SUITE = shipped.SUITES / "finmcp"
TASKS = shipped.tasks("finmcp")
RECORDS = [row for path in finmcp.task_files() for row in json.loads((SUITE / path).read_text(encoding="utf-8"))]
ORDER = re.compile(r"先|再|然后|接着|最后|依次|之后|[Ff]irst|\bthen\b|after that|finally")
CONDITION = re.compile(r"如果|要是|\b[Ii]f\b")

of_each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)


def test_regenerating_gives_the_files_that_are_checked_in() -> None:
    made = finmcp.task_files()
    assert {path: (SUITE / path).read_text(encoding="utf-8") for path in made} == made


def test_records_have_the_keys_of_the_released_ones_the_id_and_the_language() -> None:
    keys = {"scenery", "diff_level", "tool_list", "task", "question", "messages"}
    assert {frozenset(row) for row in RECORDS} == {frozenset(keys | {"id", "language"})}
    assert {row["task"] for row in RECORDS} == {"single step", "multi step", "multi turn"}


def test_every_conversation_has_the_policy_of_the_suite() -> None:
    assert shipped.suite("finmcp").system == POLICY
    assert {task.system for task in TASKS} == {None, POLICY}


def test_every_scenario_of_the_paper_is_there() -> None:
    codes = {"PTS", "MAR", "FP", "PSC", "IE", "IPA", "OC", "ASM", "CLA", "TEO"}
    assert {task.tags["scenario"] for task in TASKS} == codes


@of_each_task
def test_every_recorded_result_follows_from_the_data(task: Task) -> None:
    wrong = [
        (call.tool, call.arguments, differences(FIGURES[call.tool](**call.arguments), json.loads(call.result or "")))
        for call in task.expected.flat_calls
    ]
    assert [each for each in wrong if each[2]] == []


@of_each_task
def test_every_number_of_a_reply_was_said_or_found_before(task: Task) -> None:
    unfounded = [
        (turn.user, number)
        for turn, known in zip(task.turns, _known_at_the_end_of_each_turn(task), strict=True)
        for number in _numbers(turn.gold[-1].text)
        if number not in known
    ]
    assert unfounded == []


@of_each_task
def test_every_argument_was_said_or_found_before(task: Task) -> None:
    unsaid = [
        (call.tool, value)
        for group, known in _with_what_is_known(task)
        for call in group.calls
        for value in _texts(call)
        if not _is_known(value, known)
    ]
    assert unsaid == []


@of_each_task
def test_a_call_waits_only_for_what_it_needs_or_for_its_place_in_the_order_asked_for(task: Task) -> None:
    """So that the grouping of the reference is the only right one under the policy."""
    early = [
        [call.tool for call in group.calls]
        for group, asked, earlier, before in _later_groups(task)
        if not (ORDER.search(asked) or CONDITION.search(asked))
        and any(not _needs(call, earlier, before) for call in group.calls)
    ]
    assert early == []


def test_nothing_can_be_passed_without_a_call() -> None:
    assert [task.id for task in TASKS if not task.expected.flat_calls] == []


def test_no_reference_call_is_made_twice() -> None:
    twice = [
        (task.id, name)
        for task in TASKS
        for name, count in Counter(
            json.dumps([call.tool, call.arguments], sort_keys=True) for call in task.expected.flat_calls
        ).items()
        if count > 1
    ]
    assert twice == []


def test_what_one_call_can_ask_for_is_asked_for_by_one() -> None:
    """The policy wants several codes in one call where the tool takes several."""
    split = [
        (task.id, tool)
        for task in TASKS
        for group in task.expected.calls
        for tool, count in Counter(_without_codes(call) for call in group.calls).items()
        if count > 1
    ]
    assert split == []


def test_no_request_shares_twelve_characters_with_a_description() -> None:
    said = {
        run
        for tool in shipped.tools("finmcp")
        for run in _windows(tool.description + json.dumps(tool.input_schema, ensure_ascii=False))
    }
    quoting = [task.id for task in TASKS if _windows(shipped.request(task)) & said]
    assert quoting == []


def test_the_spread_is_what_the_source_says() -> None:
    said = (SUITE / "SOURCE.md").read_text(encoding="utf-8")
    kinds = ("single_tool", "multi_tool", "multi_turn")
    rows = [_row(kind, [task for task in TASKS if task.tags["kind"] == kind]) for kind in kinds]
    scenarios = Counter(task.tags["scenario"] for task in TASKS)
    rows += [f"| {code} | {count} |" for code, count in scenarios.items()]
    assert [row for row in (*rows, _row("all", list(TASKS))) if row not in said] == []


def _row(name: str, tasks: list[Task]) -> str:
    """Tasks; easy, medium, hard; mean calls, groups, turns; those with parallel calls; English ones."""
    levels = Counter(task.tags["difficulty"] for task in tasks)
    calls = sum(len(task.expected.flat_calls) for task in tasks) / len(tasks)
    groups = sum(len(task.expected.calls) for task in tasks) / len(tasks)
    turns = sum(len(task.turns) for task in tasks) / len(tasks)
    parallel = sum("parallel" in task.tags for task in tasks)
    english = sum(task.tags["language"] == "en" for task in tasks)
    counts = f"{len(tasks)} | {levels['easy']} | {levels['medium']} | {levels['hard']}"
    return f"| {name} | {counts} | {calls:.2f} | {groups:.2f} | {turns:.2f} | {parallel} | {english} |"


def _with_what_is_known(task: Task) -> Iterator[tuple[CallGroup, str]]:
    """Each group with all that the user said up to its turn and all results of earlier groups."""
    known = ""
    for number, turn in enumerate(task.turns):
        known += "\n" + turn.user
        for group in task.expected.calls:
            if group.turn == number:
                yield group, known
                known += "\n" + "\n".join(call.result or "" for call in group.calls)


def _known_at_the_end_of_each_turn(task: Task) -> Iterator[set[str]]:
    known: set[str] = set()
    for number, turn in enumerate(task.turns):
        known |= set(_numbers(turn.user))
        for group in task.expected.calls:
            if group.turn == number:
                known |= {found for call in group.calls for found in _numbers(call.result or "", as_json=True)}
        yield known | _COUNTS
        known |= set(_numbers(turn.gold[-1].text))


_COUNTS = {"0", "1", "4", "28", "20", "12"}
"""Numbers of replies that count or name what results show otherwise: how many, on which day, in how many years."""


def _later_groups(task: Task) -> Iterator[tuple[CallGroup, str, str, str]]:
    """Each group that is not its turn's first, with the turn's request, what the group before it gave, and the rest."""
    before: dict[int, CallGroup] = {}
    known = dict(enumerate(_conversation_before(task)))
    for group in task.expected.calls:
        earlier = before.get(group.turn)
        if earlier is not None:
            given = "\n".join(call.result or "" for call in earlier.calls)
            yield group, task.turns[group.turn].user, given, known[group.turn]
        before[group.turn] = group


def _conversation_before(task: Task) -> Iterator[str]:
    said = ""
    for number, turn in enumerate(task.turns):
        said += turn.user
        yield said
        said += "".join(
            call.result or "" for group in task.expected.calls if group.turn == number for call in group.calls
        )


def _needs(call: ExpectedCall, earlier: str, before: str) -> bool:
    """Whether an argument stands in what the group before gave, and not in what was known before the turn's calls."""
    return any(value in earlier and value not in before for value in _texts(call))


def _without_codes(call: ExpectedCall) -> str:
    """A call without the lists of codes that another one might have had too."""
    rest = {key: value for key, value in call.arguments.items() if not key.endswith("Codes")}
    return json.dumps([call.tool, rest], sort_keys=True)


def _texts(call: ExpectedCall) -> Iterator[str]:
    """The texts of the arguments that are codes, names, words or dates; what the schema lists is no such text."""
    schema = shipped.tool_of(call, "finmcp").input_schema["properties"]
    for key, value in call.arguments.items():
        if "enum" not in schema[key] and not any("enum" in each for each in schema[key].get("anyOf", ())):
            yield from _leaves(value)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.split()
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif isinstance(value, dict):
        yield from _leaves(value.get("fundCode"))


def _is_known(value: str, known: str) -> bool:
    if value.casefold() in known.casefold():
        return True
    if re.fullmatch(r"\d{4}-\d\d", value):
        value += "-01"
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value)) and _is_said_day(date.fromisoformat(value), known)


def _is_said_day(day: date, known: str) -> bool:
    """In words, or counted from a day that is known: today, or last month."""
    words = (f"{day.month}月{day.day}日", f"{day.month} 月", f"{day.month}月", f"{day:%B} {day.year}", "五一")
    return any(word in known for word in words) or "上个月" in known


def _numbers(text: str, *, as_json: bool = False) -> list[str]:
    """Numbers without needless zeros, so that 5, 5.0 and 5,000 are found however they are written."""
    plain = text if as_json else re.sub(r"(?<=\d),(?=\d{3})", "", text)
    found = re.findall(r"(?<![A-Za-z\d.])\d+(?:\.\d+)?", plain)
    return [f"{float(number):.4f}".rstrip("0").rstrip(".") for number in found]


def _windows(text: str, length: int = 12) -> set[str]:
    plain = re.sub(r"\s+", "", text)
    return {
        plain[start : start + length]
        for start in range(len(plain) - length + 1)
        if re.search(r"[\u4e00-\u9fff]", plain[start : start + length])
    }
