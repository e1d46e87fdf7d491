"""The suite ``persona``: twelve apps, personal contexts, checkpoints that follow from the seeds."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cache
from typing import Any

import pytest

from pytest_mcpbench.core.placeholders import payload
from pytest_mcpbench.core.selection import TaskSample
from pytest_mcpbench.core.task import Context, ExecCheckpoint, Expected, Task
from pytest_mcpbench.metrics.comparison.containment import GAP, contains, mentions
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.instagram import seed as instagram
from pytest_mcpbench.simulated.websearch.world import PAGES
from tests.builders import a_call, a_task, evidence_of
from tests.simulated.generic_servers import GENERIC_SERVERS
from tests.suites import shipped
from tests.suites.reference_attempts import one_worker, reference_attempts
from tests.suites.shown_values import unshown_values
from tests.suites.worlds import APPS, SIMULATIONS, entities, seed_of

pytestmark = one_worker("persona")

SUITE = shipped.SUITES / "persona"
MAPS = {"amap-maps", "baidu-maps"}
SEARCHES = ("personalized_search", "generic_search")
REFUSALS = (
    "不好意思，我去不了。",
    "抱歉，不可以。",
    "I am not sure yet.",
    "Yes or no? I do not know.",
    "No, I cannot go.",
    "好吧，再说。",
)


def test_records_have_the_keys_of_the_released_ones() -> None:
    keys = {"id", "query_type", "instruction", "context", "chains", "sampled_contexts", "gt", "gt_annotation"}
    assert {frozenset(row) - {"claims"} for row in shipped.records("persona")} == {
        frozenset(keys)
    }  # claims are a field of ours
    assert {frozenset(row["context"]) for row in shipped.records("persona")} == {
        frozenset({"necessary_context", "unnecessary_context"})
    }
    assert {frozenset(row["gt_annotation"]) for row in shipped.records("persona")} == {
        frozenset({"tool_calling_sequence", "summary"})
    }
    ids = [row["id"] for row in shipped.records("persona")]
    assert len(set(ids)) == len(ids)


def test_there_are_at_least_as_many_tasks_as_in_the_paper() -> None:
    assert len(shipped.tasks("persona")) >= 173


def test_nobody_has_more_than_a_fifth_of_the_tasks_and_the_sample_has_all_categories() -> None:
    tasks = shipped.tasks("persona")
    sample = shipped.suite("persona").sample
    assert isinstance(sample, TaskSample)
    drawn = {each.id for each in sample.draw(sample.sampled("persona", task.id, task.tags) for task in tasks)}
    sampled = [task for task in tasks if task.id in drawn]
    for some in (tasks, sampled):
        of_a_person = Counter(task.context.necessary["My name"] for task in some)
        assert len(of_a_person) == 8
        assert max(of_a_person.values()) <= len(some) / 5
    assert {task.tags["category"] for task in sampled} == {task.tags["category"] for task in tasks}


def test_every_task_has_a_necessary_and_an_unnecessary_context() -> None:
    assert [
        task.id
        for task in shipped.tasks("persona")
        if len(task.context.necessary) < 1 or len(task.context.unnecessary) != 5
    ] == []


def test_all_kinds_of_checkpoints_and_of_operations_are_there() -> None:
    asked = [checkpoint for row in shipped.records("persona") for checkpoint in row["gt"]]
    assert {each["checkpoint_type"] for each in asked} == {*SEARCHES, "operate", "other"}
    assert {each["operate_type"] for each in asked if "operate_type" in each} == {"create", "modify", "delete"}


def test_every_tool_is_needed_by_some_task() -> None:
    """Tools of the maps are excepted; the suite ``toolbench`` needs the others of them."""
    called = {(call.server, call.tool) for task in shipped.tasks("persona") for call in task.expected.flat_calls}
    offered = {(server, tool) for server in set(SIMULATIONS) - MAPS for tool in SIMULATIONS[server].table}
    assert offered - called == set()
    assert {server for server, _ in called} == set(SIMULATIONS)


@pytest.mark.extra
def test_the_results_of_the_reference_calls_hold_the_values_of_the_checkpoints() -> None:
    """The oracle's answer does not count: it repeats the checkpoints."""
    missing = {}
    for attempt in reference_attempts("persona"):
        results = [payload(call.result) for call in attempt.evidence.calls if call.result]
        values = _searched_values(attempt.task)
        missing[attempt.task.id] = [each for each in values if not any(contains(result, each) for result in results)]
    assert {task_id: values for task_id, values in missing.items() if values} == {}


@pytest.mark.extra
def test_no_reference_knows_an_id_an_address_or_a_path_that_nothing_has_shown() -> None:
    assert [
        each for attempt in reference_attempts("persona") for each in unshown_values(attempt.task, attempt.evidence)
    ] == []


LISTED = a_call("list_notes", {"dirpath": "Work"}, result='["Ideas.md"]')
FOUND = a_call("find_users", {"query": "Mei"}, result='{"id": "U0MEI"}')


@pytest.mark.parametrize(
    ("calls", "values"),
    [
        ((FOUND, a_call("send", {"channel": "U0MEI", "text": "U0OTHER"})), []),
        ((a_call("send", {"channel": "U0MEI"}), FOUND), ["call 1 (send): channel = U0MEI"]),
        ((FOUND, a_call("send", {"data": {"user_ids": ["U0MEI", 7]}})), ["call 2 (send): data.user_ids = 7"]),
        ((FOUND, a_call("send", {"channel": "U0ME"})), ["call 2 (send): channel = U0ME"]),
        ((a_call("search", {"query": "from:ann@post.example"}),), []),
        ((a_call("search", {"query": "from:bea@post.example"}),), ["call 1 (search): query = from:bea@post.example"]),
        ((LISTED, a_call("read", {"filepath": "Work/Ideas.md"})), []),
        ((a_call("read", {"filepath": "Work/Ideas.md"}),), ["call 1 (read): filepath = Work/Ideas.md"]),
        ((a_call("append", {"filepath": "Work/Plan.md"}),), []),
    ],
)
def test_a_value_must_be_shown_before_a_call_uses_it(calls: Any, values: list[str]) -> None:
    task = a_task(
        ask="Add my ideas to a new note Plan in the folder Work.",
        context=Context(necessary={"Ann": "ann@post.example"}),
        expected=Expected(exec=(ExecCheckpoint(kind="operate", operation="create", entity="Work/Plan.md"),)),
    )
    assert [*unshown_values(task, evidence_of(calls))] == [f"a-task, {each}" for each in values]


def test_no_request_contains_everything_that_is_searched_for() -> None:
    solved = []
    for task in shipped.tasks("persona"):
        known = task.prompt + json.dumps(task.context.necessary, ensure_ascii=False)
        contained = [value for value in _searched_values(task) if contains(known, value)]
        if contained and len(contained) >= len(task.expected.exec):
            solved.append(task.id)
    assert solved == []


@pytest.mark.long
def test_every_required_fact_is_in_the_request_in_a_world_or_derived() -> None:
    unknown = [
        (task.id, spellings)
        for task in shipped.tasks("persona")
        for checkpoint in task.expected.exec
        for spellings in checkpoint.contains
        if not _can_be_known(task, spellings)
    ]
    assert unknown == []


def test_no_checkpoint_accepts_a_refusal_as_consent() -> None:
    accepted = [
        (task.id, text, spellings)
        for task in shipped.tasks("persona")
        for checkpoint in task.expected.exec
        for spellings in checkpoint.contains
        for text in REFUSALS
        if any(mentions(text, each) for each in spellings)
    ]
    assert accepted == []


def test_a_pair_of_tasks_never_has_the_same_messages_to_send() -> None:
    sent = Counter(
        json.dumps([dict(row) for row in record["gt"]], ensure_ascii=False) for record in shipped.records("persona")
    )
    assert [each for each, count in sent.items() if count > 1] == []


def test_every_app_has_a_world_of_at_least_two_hundred_entities() -> None:
    assert [app for app in APPS if entities(app) < 200] == []


def test_the_same_person_has_the_same_name_and_address_in_every_app() -> None:
    lark, slack, notion = (seed_of(app)["users"] for app in ("lark_mcp", "slack", "notion"))
    wecom, vault = seed_of("wecome")["members"], seed_of("obsidian")["notes"]
    notion_by_mail = {each["person"]["email"]: each for each in notion.values() if each["type"] == "person"}
    for person in CAST.colleagues:
        found = lark[person.lark_user_id]
        assert (found["open_id"], found["email"], found["en_name"]) == (person.lark_open_id, person.email, person.name)
        assert (slack[person.slack_id]["profile"]["email"], slack[person.slack_id]["real_name"]) == (
            person.email,
            person.name,
        )
        assert notion_by_mail[person.email]["name"] == person.name
        if person.chinese_name:
            assert wecom[person.wecom_id] | {"email": person.email, "name": found["name"]} == wecom[person.wecom_id]
        if person is not CAST.me:
            assert person.email in vault[f"People/{person.name}.md"]["content"]


def test_friends_and_family_are_the_same_people_in_every_app() -> None:
    telegram, gmail = seed_of("telegram")["users"], seed_of("gmail")["messages"].values()
    conversations = seed_of("instagram")["conversations"].values()
    writing = {each["id"] for found in conversations for each in found["participants"]}
    for person in (*CAST.friends, *CAST.family):
        assert telegram[str(person.telegram_id)]["username"] == person.handle
        assert any(person.private_email in each["from"] for each in gmail)
        assert instagram.account(person)["id"] in writing


def _searched_values(task: Task) -> list[Any]:
    return [checkpoint.value for checkpoint in task.expected.exec if checkpoint.kind in SEARCHES]


def _can_be_known(task: Task, spellings: Sequence[str]) -> bool:
    """Return whether all parts of a spelling are in the request, in a world, in a looked-up result or derived."""
    known = {
        "request": task.prompt,
        "context": task.context.necessary,
        "own worlds": list(_texts(task.context.seeds)),
        "results": _looked_up()[task.id],
        "derived": _derived_facts(),
    }
    return any(all(_is_known(known, part) for part in each.split(GAP)) for each in spellings)


def _is_known(known: Any, part: str) -> bool:
    """Return whether a part is known as a whole, or is a line composed of words that are."""
    words = re.findall(r"\w[\w.,-]*\w|\w", part)
    return any(
        all(mentions(known, each) or _is_in_a_world(each) for each in candidates)
        for candidates in ([part], words)
        if candidates
    )


@cache
def _looked_up() -> dict[str, list[str]]:
    """Return the results of the calls of generic servers in each task's reference, which they do not write."""
    return {
        attempt.task.id: [
            f"result: {call.result.text}"
            for call in attempt.evidence.calls
            if call.result and call.server in GENERIC_SERVERS
        ]
        for attempt in reference_attempts("persona")
    }


@cache
def _derived_facts() -> tuple[str, ...]:
    """Return facts that no world holds and that follow from the worlds; and WeCom's word for all members."""
    harbour = next(each for each in CAST.projects if each.key == "harbour")
    review = next(each for each in CAST.meetings if each.key == "harbour-review")
    likes = next(each for each in seed_of("xiaohongshu")["feeds"].values() if each["title"] == "季度结账不加班")
    later = (review.start + timedelta(hours=1), review.end + timedelta(hours=1))
    sums = (harbour.budget * (100 - 37) // 100, 460 // 2, 2 * 320, 566 + 420 + 354, likes["liked_count"] + 1)
    return (*(str(each) for each in sums), *(str(int(each.timestamp())) for each in later), "@all")


@cache
def _worlds_text() -> str:
    """Return the texts of the worlds and of the pages of the simulated web."""
    texts = [text for app in APPS for text in _texts(seed_of(app))]
    return "\n".join([*texts, *(page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.md")))]).casefold()


def _texts(value: Any) -> Iterator[str]:
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(child)
    if isinstance(value, str | int):
        yield str(value)


@cache
def _is_in_a_world(text: str) -> bool:
    return text.casefold() in _worlds_text() and mentions(_worlds_text(), text)
