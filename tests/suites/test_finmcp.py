"""The suite ``finmcp``: records in the benchmark's format, references that follow from requests and data."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from pytest_mcpbench.core.task import CallGroup, ExpectedCall, Task
from pytest_mcpbench.generation.finmcp import policy
from pytest_mcpbench.simulated.wealth.rows import funds
from tests.suites import dictation, shipped
from tests.suites.finmcp_figures import FIGURES, differences
from tests.suites.reference_attempts import one_worker

pytestmark = one_worker("finmcp")

SUITE = shipped.SUITES / "finmcp"
CONDITION = re.compile(r"如果|要是|\b[Ii]f\b")


def test_records_have_the_keys_of_the_released_ones_and_those_of_the_suite() -> None:
    keys = {"scenery", "diff_level", "tool_list", "task", "question", "messages", "id", "language"}
    assert {frozenset(row.keys()) for row in shipped.records("finmcp")} == {frozenset(keys)}
    assert {row["task"] for row in shipped.records("finmcp")} == {"single step", "multi step", "multi turn"}


def test_every_conversation_has_the_policy_of_the_suite() -> None:
    assert shipped.suite("finmcp").system == policy()
    assert {task.system for task in shipped.tasks("finmcp")} == {None, policy()}


def test_there_are_33_sub_scenarios_in_one_language_as_in_the_papers_figure_1() -> None:
    found = {(task.tags["scenario"], task.tags["sub_scenario"]) for task in shipped.tasks("finmcp")}
    assert len(found) == 33
    assert all(name.isascii() for _, name in found)


def test_every_scenario_of_the_paper_is_there() -> None:
    codes = {"PTS", "MAR", "FP", "PSC", "IE", "IPA", "OC", "ASM", "CLA", "TEO"}
    assert {task.tags["scenario"] for task in shipped.tasks("finmcp")} == codes


@pytest.mark.parametrize("step", [pytest.param(8, id="sample"), pytest.param(1, id="all", marks=pytest.mark.long)])
def test_every_recorded_result_follows_from_the_data(step: int) -> None:
    wrong = [
        (task.id, call.tool, found)
        for task in shipped.tasks("finmcp")[::step]
        for call in task.expected.flat_calls
        if (found := differences(FIGURES[call.tool](**call.arguments), json.loads(call.result or "")))
    ]
    assert wrong == []


def test_every_number_of_a_reply_was_said_or_found_before() -> None:
    unfounded = [
        (task.id, number)
        for task in shipped.tasks("finmcp")
        for turn, known in zip(task.turns, _known_at_the_end_of_each_turn(task), strict=True)
        for number in _numbers(turn.gold[-1].text)
        if number not in known
    ]
    assert unfounded == []


def test_a_reply_is_written_in_the_language_of_the_customer() -> None:
    """Chinese clauses with a comma or stop between them are prose; names and titles have none."""
    foreign = [
        (task.id, clauses)
        for task, reply in _replies("en")
        if (clauses := re.findall(r"[\u4e00-\u9fff]{4,}[，；。][\u4e00-\u9fff]{2,}", re.sub("“.*?”", "", reply)))
    ]
    assert foreign == []


def test_a_chinese_reply_has_no_gaps_between_sentences_and_no_number_right_behind_the_name_of_a_class() -> None:
    """Some names of funds end in a letter: ``债券A35%`` cannot be read."""
    names = "|".join(re.escape(fund.name) for fund in funds().values() if fund.name[-1].isascii())
    clumsy = [
        (task.id, found)
        for task, reply in _replies("zh")
        if (found := re.findall(rf"[。，；：！？] |(?:{names})[0-9A-Za-z-]", reply))
    ]
    assert clumsy == []


def test_every_argument_was_said_or_found_before() -> None:
    unknown = [
        (task.id, call.tool, value)
        for task in shipped.tasks("finmcp")
        for group, known in _with_what_is_known(task)
        for call in group.calls
        for value in _texts(call)
        if not _is_known(value, known)
    ]
    assert unknown == []


def test_a_keyword_of_a_conversation_is_in_the_words_of_the_customer_or_of_a_result() -> None:
    """Otherwise the policy, which asks for the customer's own words, would allow other keywords."""
    other = [
        (task.id, keyword)
        for task in shipped.tasks("finmcp")
        if task.tags["kind"] == "multi_turn"
        for group, known in _with_what_is_known(task)
        for call in group.calls
        if (keyword := str(call.arguments.get("keyword", ""))) not in known
    ]
    assert other == []


def test_a_call_of_a_later_group_needs_an_earlier_result_or_depends_on_a_condition() -> None:
    """Otherwise the policy, which asks for parallel calls, would allow another grouping than the reference's."""
    early = [
        (task.id, [call.tool for call in group.calls])
        for task in shipped.tasks("finmcp")
        for group, request, earlier, before in _later_groups(task)
        if not CONDITION.search(request) and any(not _needs(call, earlier, before) for call in group.calls)
    ]
    assert early == []


def test_no_multi_tool_request_dictates_an_order() -> None:
    """The order follows from the calls, so that ``emr`` measures planning and not obedience."""
    tasks = [task for task in shipped.tasks("finmcp") if task.tags["kind"] == "multi_tool"]
    assert [task.id for task in tasks if dictation.ORDER.search(shipped.request(task))] == []


def test_nothing_can_be_passed_without_a_call() -> None:
    assert [task.id for task in shipped.tasks("finmcp") if not task.expected.flat_calls] == []


def test_no_reference_call_is_made_twice() -> None:
    twice = [
        (task.id, name)
        for task in shipped.tasks("finmcp")
        for name, count in Counter(
            json.dumps([call.tool, call.arguments], sort_keys=True) for call in task.expected.flat_calls
        ).items()
        if count > 1
    ]
    assert twice == []


def test_codes_that_one_call_can_take_are_not_split_over_several_calls() -> None:
    """The policy requires one call for several codes where the tool takes several."""
    split = [
        (task.id, tool)
        for task in shipped.tasks("finmcp")
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
    quoting = [task.id for task in shipped.tasks("finmcp") if _windows(shipped.request(task)) & said]
    assert quoting == []


def _replies(language: str) -> Iterator[tuple[Task, str]]:
    """Yield the replies of the conversations in a language."""
    languages = {row["id"]: row["language"] for row in shipped.records("finmcp")}
    for task in shipped.tasks("finmcp"):
        if languages[task.id] == language:
            yield from ((task, turn.gold[-1].text) for turn in task.turns)


def _with_what_is_known(task: Task) -> Iterator[tuple[CallGroup, str]]:
    """Yield each group with the user's messages up to its turn and all results of earlier groups."""
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
"""Numbers in replies that count results or repeat them in another form: amounts, days, years."""


def _later_groups(task: Task) -> Iterator[tuple[CallGroup, str, str, str]]:
    """Yield each later group of a turn with the request, the previous group's results and the earlier conversation."""
    before: dict[int, CallGroup] = {}
    known = dict(enumerate(_conversation_before(task)))
    for group in task.expected.calls:
        earlier = before.get(group.turn)
        if earlier is not None:
            results = "\n".join(call.result or "" for call in earlier.calls)
            yield group, task.turns[group.turn].user, results, known[group.turn]
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
    """Return whether an argument is in the results of the group before and was not known before the turn's calls."""
    return any(value in earlier and value not in before for value in _texts(call))


def _without_codes(call: ExpectedCall) -> str:
    """Return a call as text, without lists of codes."""
    rest = {key: value for key, value in call.arguments.items() if not key.endswith("Codes")}
    return json.dumps([call.tool, rest], sort_keys=True)


def _texts(call: ExpectedCall) -> Iterator[str]:
    """Yield the texts of the arguments that are not values of an enumeration."""
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
    """Return whether the day is stated in words or counts from a known day."""
    words = (f"{day.month}月{day.day}日", f"{day.month} 月", f"{day.month}月", f"{day:%B} {day.year}", "五一")
    return any(word in known for word in words) or "上个月" in known


def _numbers(text: str, *, as_json: bool = False) -> list[str]:
    """Return the numbers of a text in one form, so that 5 equals 5.0 and 5,000 equals 5000."""
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
