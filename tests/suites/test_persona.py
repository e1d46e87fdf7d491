"""The suite ``persona``: twelve apps, personal contexts, checkpoints that follow from the seeds."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.payload import payload
from pytest_mcpbench.core.placeholders import fill_placeholders
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Content, ToolResult
from pytest_mcpbench.generation import persona
from pytest_mcpbench.metrics.comparison.containment import GAP, contains, mentions
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.instagram import seed as instagram
from pytest_mcpbench.simulated.websearch.world import PAGES
from tests.suites import shipped
from tests.suites.worlds import SIMULATIONS, entities, seed_of

SUITE = shipped.SUITES / "persona"
TASKS = shipped.tasks("persona")
RECORDS = [row for path in persona.task_files() for row in json.loads((SUITE / path).read_text(encoding="utf-8"))]
APPS = tuple(name for name in SIMULATIONS if name != "websearch")
SEARCHES = ("personalized_search", "generic_search")


def test_regenerating_gives_the_files_that_are_checked_in() -> None:
    made = persona.task_files()
    assert {path: (SUITE / path).read_text(encoding="utf-8") for path in made} == made


def test_records_have_the_keys_of_the_released_ones() -> None:
    keys = {"id", "query_type", "instruction", "context", "chains", "sampled_contexts", "gt", "gt_annotation"}
    assert {frozenset(row) for row in RECORDS} == {frozenset(keys)}
    assert {frozenset(row["context"]) for row in RECORDS} == {frozenset({"necessary_context", "unnecessary_context"})}
    assert {frozenset(row["gt_annotation"]) for row in RECORDS} == {frozenset({"tool_calling_sequence", "summary"})}
    assert [row["id"] for row in RECORDS] == list(range(1, len(RECORDS) + 1))


def test_there_are_at_least_as_many_tasks_as_in_the_paper() -> None:
    assert len(TASKS) >= 173


def test_every_task_has_a_necessary_and_an_unnecessary_context() -> None:
    assert [task.id for task in TASKS if len(task.context.necessary) < 1 or len(task.context.unnecessary) != 5] == []


def test_all_kinds_of_checkpoints_and_of_operations_are_there() -> None:
    asked = [checkpoint for row in RECORDS for checkpoint in row["gt"]]
    assert {each["checkpoint_type"] for each in asked} == {*SEARCHES, "operate", "other"}
    assert {each["operate_type"] for each in asked if "operate_type" in each} == {"create", "modify", "delete"}


def test_every_tool_of_every_app_is_needed_by_some_task() -> None:
    called = {(call.server, call.tool) for task in TASKS for call in task.expected.flat_calls}
    offered = {(app, tool) for app in SIMULATIONS for tool in SIMULATIONS[app].table}
    assert offered - called == set()


def test_the_spread_is_what_the_source_says() -> None:
    said = (SUITE / "SOURCE.md").read_text(encoding="utf-8")
    lines, decided = Counter[str](), Counter[str]()
    for row in RECORDS:
        lines[row["query_type"]] += len(row["gt_annotation"]["summary"])
        decided[row["query_type"]] += len(row["gt"])
    rows = [f"| `{kind}` | {count} | {lines[kind]} | {decided[kind]} |" for kind, count in _kinds().items()]
    rows.append(f"| all | {len(RECORDS)} | {lines.total()} | {decided.total()} | 970 |")
    in_paper = lines.total() - sum(lines[kind] for kind in ("telegram_single", "discord_single", "gmail_single"))
    rows.append(f"without these our summaries have {in_paper} lines")
    rows.append(f"ours are {lines.total()} in {len(RECORDS)}, {lines.total() / len(RECORDS):.1f} a task")
    rows.append(f"checkpoints in `gt` are what `exec` decides, {decided.total() / len(RECORDS):.1f} a task")
    rows += [f"| `{app}` | {len(SIMULATIONS[app].table)} | {entities(app)} | {_tasks_on(app)} |" for app in APPS]
    kinds = Counter(
        each["checkpoint_type"] + f" {each.get('operate_type', '')}" for row in RECORDS for each in row["gt"]
    )
    rows += [f"| {kind.strip()} | {count} |" for kind, count in kinds.items()]
    assert [row for row in rows if row not in said] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_reference_calls_find_what_the_checkpoints_ask_for(task: Task, tmp_path: Path) -> None:
    """Without the oracle's answer, which says what is wanted."""
    results = [payload(result) for result in _played(task, tmp_path)]
    wanted = [checkpoint.value for checkpoint in task.expected.exec if checkpoint.kind in SEARCHES]
    assert [value for value in wanted if not any(contains(result, value) for result in results)] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_what_is_searched_for_stands_in_no_request(task: Task) -> None:
    told = task.prompt + json.dumps(task.context.necessary, ensure_ascii=False)
    wanted = [checkpoint.value for checkpoint in task.expected.exec if checkpoint.kind in SEARCHES]
    assert len([value for value in wanted if contains(told, value)]) < max(1, len(task.expected.exec))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_what_is_to_be_said_is_said_by_the_user_or_stands_in_a_seed_or_is_worked_out(task: Task) -> None:
    told = {"request": task.prompt, "known": task.context.necessary, "worked out": _worked_out()}
    facts = [spellings for checkpoint in task.expected.exec for spellings in checkpoint.contains]
    unknown = [
        spellings
        for spellings in facts
        if not any(
            all(mentions(told, part) or _stands_in_a_world(part) for part in each.split(GAP)) for each in spellings
        )
    ]
    assert unknown == []


@pytest.mark.parametrize(
    "text",
    [
        "不好意思，我去不了。",
        "抱歉，不可以。",
        "I am not sure yet.",
        "Yes or no? I do not know.",
        "No, I cannot go.",
        "好吧，再说。",
    ],
)
def test_no_checkpoint_takes_a_refusal_for_a_yes(text: str) -> None:
    """Where yes or no is to be said, the request gives the words."""
    facts = [(task.id, each) for task in TASKS for checkpoint in task.expected.exec for each in checkpoint.contains]
    assert [(name, spellings) for name, spellings in facts if any(mentions(text, each) for each in spellings)] == []


def test_a_pair_of_tasks_never_has_the_same_messages_to_send() -> None:
    sent = Counter(json.dumps([dict(row) for row in record["gt"]], ensure_ascii=False) for record in RECORDS)
    assert [each for each, count in sent.items() if count > 1] == []


@pytest.mark.parametrize("app", APPS)
def test_every_app_has_a_world_of_at_least_two_hundred_entities(app: str) -> None:
    assert entities(app) >= 200


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


def _kinds() -> Counter[str]:
    return Counter(row["query_type"] for row in RECORDS)


def _tasks_on(app: str) -> int:
    return sum(app in task.servers for task in TASKS)


def _played(task: Task, directory: Path) -> Iterator[ToolResult]:
    """The results of the reference calls on fresh worlds, one after the other."""
    shutil.copytree(SUITE / str(task.context.files), directory, dirs_exist_ok=True)
    states = {
        name: SIMULATIONS[name].state(World(name, directory, DEFAULT_NOW, Ids(task.id), task.context.seeds.get(name)))
        for name in task.servers
    }
    results: dict[str, ToolResult] = {}
    for call in task.expected.flat_calls:
        simulation = SIMULATIONS[str(call.server)]
        arguments = fill_placeholders(dict(call.arguments), results, simulation.table[call.tool].input_schema)
        assert isinstance(arguments, dict)
        results[call.id] = _result(simulation.call(states[str(call.server)], call.tool, arguments), simulation)
        yield results[call.id]


def _result(value: Any, simulation: Simulation) -> ToolResult:
    if isinstance(value, list) and value and isinstance(value[0], Content):
        return ToolResult(content=tuple(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=simulation.indent)
    return ToolResult.of_text(text)


def _worked_out() -> tuple[str, ...]:
    """What stands nowhere and follows from what the worlds say; and how WeCom writes that all are meant."""
    harbour = next(each for each in CAST.projects if each.key == "harbour")
    review = next(each for each in CAST.meetings if each.key == "harbour-review")
    likes = next(each for each in seed_of("xiaohongshu")["feeds"].values() if each["title"] == "季度结账不加班")
    later = (review.start + timedelta(hours=1), review.end + timedelta(hours=1))
    sums = (harbour.budget * (100 - 37) // 100, 460 // 2, 2 * 320, 566 + 420 + 354, likes["liked_count"] + 1)
    weekly = next(each for each in CAST.meetings if each.key == "product-20260303")
    notes = seed_of("obsidian")["notes"]
    others = [each for each in CAST.persons(weekly.attendees) if each is not CAST.me]
    (guest,) = [each for each in others if "Vegetarian" in notes[f"People/{each.name}.md"]["content"]]
    lunch = f"Lunch without meat for {guest.given_name}"
    return (lunch, *(str(each) for each in sums), *(str(int(each.timestamp())) for each in later), "@all")


@cache
def _worlds_text() -> str:
    """Every text that the worlds and the small web hold."""
    texts = [text for app in APPS for text in _texts(seed_of(app))]
    return "\n".join([*texts, *(page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.md")))]).casefold()


def _texts(value: Any) -> Iterator[str]:
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(child)
    if isinstance(value, str | int):
        yield str(value)


def _stands_in_a_world(text: str) -> bool:
    return text.casefold() in _worlds_text() and mentions(_worlds_text(), text)
