"""Pipeline ``persona``: trees, units, chains, fuzzification and checkpoints, without a model."""

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from fixtures.chat_server import Answer, chat_server, says
from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.command_line import main
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.world import Change, WorldRecord
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipelines.persona.asking import prototype_fault, rewriting_fault, with_texts
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    FuzzyRequest,
    Lookup,
    NeededValue,
    PrototypeCandidate,
    Record,
    SituationCandidate,
    Slot,
    ToolUnit,
    UnitCandidate,
    UnitChain,
)
from pytest_mcpbench.generation.pipelines.persona.casting import cast_for, read_people, recast
from pytest_mcpbench.generation.pipelines.persona.checkpoints import answer_check, is_passed_over, wrong_answers
from pytest_mcpbench.generation.pipelines.persona.contexts import inject
from pytest_mcpbench.generation.pipelines.persona.records import records_in
from pytest_mcpbench.generation.pipelines.persona.stages import (
    CONSTRAINTS,
    Surroundings,
    chain_key,
    draw_chains,
    first_fault,
)
from pytest_mcpbench.generation.pipelines.persona.trees import field_words, find_things, methods_of
from pytest_mcpbench.generation.pipelines.persona.units import leaves_of
from pytest_mcpbench.generation.pipelines.persona.worlds import App
from pytest_mcpbench.generation.proof.playing import read_task
from pytest_mcpbench.metrics.answer import wrong_answer
from tests.builders import a_call, evidence_of
from tests.generation.made_suites import passes, tasks_of
from tests.servers.subjects import npm

PEOPLE = Slot(name="thing", role="thing", parameter="query", lookup="users")
CHANNEL = Slot(name="channel", role="thing", parameter="channel", lookup="channels", field="id")
TEXT = Slot(name="text", role="text", parameter="text")
READ = ToolUnit(kind="read", server="slack", tool="find_users", noun="user", slots=(PEOPLE,), field="phone")
POST = ToolUnit(kind="change", server="slack", tool="send_message", noun="message", slots=(CHANNEL, TEXT))
REMOVE = ToolUnit(kind="change", server="slack", tool="delete_message", noun="message", slots=(CHANNEL,))
CREATE = ToolUnit(kind="change", server="slack", tool="create_message", noun="message", slots=(TEXT,))
TO_PERSON = ToolUnit(
    kind="change",
    server="slack",
    tool="send_message",
    noun="message",
    slots=(CHANNEL.model_copy(update={"lookup": "users"}), TEXT),
)
AROUND = Surroundings(lookups=("users", "channels"), personal=("slack",))


def chain(*units: ToolUnit, flows: Sequence[NeededValue] = ()) -> UnitChain:
    return UnitChain(id="c", person="owner", units=units, flows=tuple(flows))


def a_setup() -> Setup:
    suite = SuiteManifest(name="mine", directory="/", files=(TaskFileRef(path="tasks.jsonl", loader="native"),))
    return Setup(PipelineSettings(pipeline="persona", tasks=3), suite, {}, ServerPool())


COPY = chain(READ, POST, flows=[NeededValue(source=0, target=1, slot="text")])


def test_a_parameter_whose_name_is_a_number_has_no_words() -> None:
    tool = ToolDefinition({"name": "t", "inputSchema": {"type": "object", "properties": {"0": {"type": "string"}}}})
    assert [(leaf.path, leaf.words) for leaf in leaves_of(tool)] == [("0", [])]


def test_a_chain_that_keeps_all_constraints_is_kept() -> None:
    assert len(CONSTRAINTS) == 5
    assert first_fault(COPY, AROUND) is None


@pytest.mark.parametrize(
    ("violating", "around", "reason"),
    [
        (chain(POST), Surroundings(("users",), ("slack",)), "dependency: no tool of the unit finds a thing that it"),
        (COPY, Surroundings(("users", "channels"), ("gmail",)), "personalization: no tool works in the world of a"),
        (COPY, Surroundings(AROUND.lookups, ("slack",), {chain_key(COPY)}), "deduplication: another chain has the"),
        (chain(READ, POST), AROUND, "coherence: no later tool needs what a tool finds"),
        (
            chain(READ, POST, READ, flows=[NeededValue(source=0, target=1, slot="text")]),
            AROUND,
            "coherence: a tool needs nothing of those before it",
        ),
        (
            chain(READ, CREATE, REMOVE, flows=[NeededValue(source=0, target=at, slot="text") for at in (1, 2)]),
            AROUND,
            "realism: the tools undo one another",
        ),
        (
            chain(READ, POST, POST, flows=[NeededValue(source=0, target=at, slot="text") for at in (1, 2)]),
            AROUND,
            "realism: the same tool changes something twice",
        ),
        (
            chain(READ, TO_PERSON, flows=[NeededValue(source=0, target=1, slot="text")]),
            AROUND,
            "realism: a value is copied to a thing of the same kind",
        ),
    ],
)
def test_a_chain_that_violates_a_constraint_is_dropped_and_says_why(
    violating: UnitChain, around: Surroundings, reason: str
) -> None:
    fault = first_fault(violating, around)
    assert fault is not None
    assert fault.reason.startswith(reason)


def test_people_get_chains_in_turn_and_single_units_alternate_with_longer_ones() -> None:
    lookups = [Lookup(id=slot.lookup, server="slack", tool="find", noun="thing") for slot in (PEOPLE, CHANNEL)]
    units = [*(READ.model_copy(update={"field": field}) for field in ("phone", "title", "email")), POST]
    candidates = [
        UnitCandidate(id=f"{person}{at}", person=person, unit=unit, lookups=tuple(lookups))
        for person in ("ann", "bo")
        for at, unit in enumerate(units)
    ]
    chains = [each for each in draw_chains(a_setup(), candidates).kept if isinstance(each, UnitChain)]
    assert [each.person for each in chains[:4]] == ["ann", "bo", "ann", "bo"]
    assert [len(each.units) > 1 for each in chains[:4]] == [False, False, True, True]


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (
            {"members": [{"id": "U1", "name": "mei.zhao", "profile": {"real_name": "Mei Zhao"}}]},
            [("member", "mei.zhao", {"id": "U1", "name": "mei.zhao", "profile.real_name": "Mei Zhao"})],
        ),
        ({"results": [{"object": "page", "title": "Plan"}]}, [("page", "Plan", {"object": "page", "title": "Plan"})]),
        ("ID: 7\nSubject: Tea\n\nID: 8\nSubject: Rent", [("", "Tea", None), ("", "Rent", None)]),
        ("Chat ID: 7, Name: Nina Berg\nChat ID: 8, Name: Sam Li", [("", "Nina Berg", None), ("", "Sam Li", None)]),
        ({"items": [{"id": "81f3a9c0"}]}, []),
    ],
)
def test_things_are_read_from_json_and_from_lines(result: Any, found: list[tuple[str, str, Any]]) -> None:
    read = [(noun, thing) for noun, thing in records_in(result)]
    assert [noun for noun, _ in read] == [noun for noun, _, _ in found]
    for (_, thing), (_, label, fields) in zip(read, found, strict=True):
        assert thing == Record(label=label, fields=fields or thing.fields) or thing.label == "Mei Zhao"


def test_each_field_has_the_method_that_makes_such_values() -> None:
    names = ["Ledger close", "Autumn hiring", "Harbour billing", "Juniper launch"]
    things = [
        {"id": f"C06I0K{number}AQ", "kind": "channel", "name": name, "text": f"{name} " * 9}
        for number, name in enumerate(names, 1000)
    ]
    assert methods_of(things) == {"id": "random", "kind": "enumerate", "name": "free_form", "text": "authentic"}


@pytest.mark.parametrize(("path", "words"), [("topic.value", "topic"), ("text", "text"), ("first_name", "first name")])
def test_a_field_has_words(path: str, words: str) -> None:
    assert " ".join(field_words(path)) == words


def test_a_search_finds_things_of_a_server_of_which_no_name_is_known() -> None:
    class Desk(App):
        async def read(self, tool: str, arguments: dict[str, Any]) -> Any:
            people = [{"id": "c1", "name": "Ida Moen"}, {"id": "c2", "name": "Per Aune"}]
            return [each for each in people if tool == "search_people" and arguments["query"] in each["name"]]

    tool = ToolDefinition({"name": "search_people", "inputSchema": {"properties": {"query": {"type": "string"}}}})
    found = anyio.run(find_things, Desk(None, None), tool, "query", ())  # type: ignore[arg-type] # nothing connects
    assert [record.label for _, record in found] == ["Ida Moen", "Per Aune"]


def test_everybody_has_the_same_new_name_in_all_apps_of_a_person() -> None:
    cast = {"Mei Zhao": "Ida Moen", "Bo Li": "Per Aune"}
    own = {"real_name": "Mei Zhao", "display_name": "赵梅", "first_name": "Mei", "last_name": "Zhao"}
    slack = {"users": {"U00RH5FRWN8": {"id": "U00RH5FRWN8", "name": "mei.zhao", **own}}}
    mail = {"messages": [{"from": "Mei Zhao <mei.zhao@a.example>", "body": "Bo Li says hello, Mei. Meiringen!"}]}
    (new_id, user), *others = dict(recast(slack, cast)["users"]).items()  # type: ignore[index,arg-type,call-overload]
    assert not others
    assert new_id == user["id"] != "U00RH5FRWN8"
    assert (new_id[0], len(new_id)) == ("U", 11)
    assert (user["name"], user["real_name"], user["display_name"]) == ("ida.moen", "Ida Moen", "Ida Moen")
    assert (user["first_name"], user["last_name"]) == ("Ida", "Moen")
    assert recast(mail, cast) == {
        "messages": [{"from": "Ida Moen <ida.moen@a.example>", "body": "Per Aune says hello, Ida. Meiringen!"}]
    }


def test_the_owner_of_the_worlds_becomes_the_person_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "people.yaml"
    file.write_text("- name: Ida Moen\n  contacts: [Per Aune]\n")
    (person,) = read_people([file])
    worlds = {"mail": ["Mei Zhao", "Mei Zhao", "Mei Zhao", "Bo Li", "Bo Li", "Cy Fox"]}
    cast = cast_for(person, ["Bo Li", "Cy Fox", "Mei Zhao"], worlds, random.Random(1))
    assert (cast["Mei Zhao"], cast["Bo Li"]) == ("Ida Moen", "Per Aune")
    assert len(set(cast.values())) == 3


@pytest.mark.parametrize(
    ("said", "is_right"),
    [
        ("It is +8613800000019.", True),
        ("It is +86 138 0000 0019.", True),
        ("+86-138-0000-0019", True),
        ("It is +8613800000018.", False),
        ("It is +86138000000190.", False),
        ("I do not know.", False),
    ],
)
def test_a_telephone_number_is_right_in_groups_too(said: str, *, is_right: bool) -> None:
    content = {"id": "call", "ask": "What is Rohan's number?", "answer": answer_check("+8613800000019")}
    task = read_task(TaskCandidate(id="call", task=content))
    assert isinstance(task, Task)
    evidence = AttemptEvidence(task_id="call", model="m", trajectory=Trajectory(steps=(Step(text=said),)))
    assert (wrong_answer(task, evidence) is None) is is_right
    assert answer_check("Backend Engineer") == {"contains": ["Backend Engineer"]}


def test_the_answer_about_another_thing_is_wrong_even_if_it_contains_the_right_one() -> None:
    titles = {"Mei Zhao": "Engineer", "Bo Li": "Nurse", "Cy Fox": "Backend Engineer", "Ada Roy": "Engineer"}
    things = [Record(label=name, fields={"title": title}) for name, title in titles.items()]
    lookup = Lookup(id="users", server="slack", tool="find_users", noun="user", records=tuple(things))
    unit = READ.model_copy(update={"field": "title"})
    asked = {**REQUEST, "units": [unit], "lookups": [lookup], "things": {"1_thing": things[0]}, "request": "?"}
    candidate = FuzzyRequest.model_validate({**asked, "answer": "Engineer"})
    assert wrong_answers(candidate) == ["Backend Engineer", "Nurse"]


ONE, TWO = (Change(kind="created", collection="notes", id=name, after={}) for name in ("1", "2"))


def test_people_do_not_write_to_themselves() -> None:
    people = tuple(Record(label=name, fields={"id": name}) for name in ("Ida Moen", "Per Aune"))
    lookup = Lookup(id="users", server="slack", tool="find_users", noun="user", is_person=True, records=people)
    told = TO_PERSON.model_copy(update={"slots": (TO_PERSON.slots[0].model_copy(update={"field": "id"}),)})
    for number in range(6):
        fields = {"units": [told], "lookups": [lookup], "cast": {"Mei Zhao": "Ida Moen"}, "prototype": "<1_channel>"}
        candidate = PrototypeCandidate.model_validate({"id": str(number), "person": "ida-moen", **fields})
        outcome = anyio.run(inject, a_setup(), candidate)
        assert not isinstance(outcome, Drop)
        assert '"label":"Per Aune"' in outcome[0].model_dump_json(include={"things"})


SHOWN = WorldRecord(name="server", changes=(ONE,))
CHANGED = WorldRecord(name="server", changes=(ONE, TWO))
REFUSED = ToolResult.failure("no such note", "tool")


@pytest.mark.parametrize(
    ("added", "worlds", "others", "is_over"),
    [
        (a_call("add"), [SHOWN], [SHOWN], True),
        (a_call("add"), [SHOWN], [CHANGED], False),
        (a_call("add"), [], [], False),
        (a_call("add", result=REFUSED), [], [], True),
    ],
)
def test_an_added_call_is_passed_over_if_it_is_refused_or_the_world_shows_no_change(
    added: CallRecord, worlds: list[WorldRecord], others: list[WorldRecord], *, is_over: bool
) -> None:
    wrong = evidence_of((a_call("add"),), (added,), worlds=tuple(others))
    assert is_passed_over(wrong, evidence_of((a_call("add"),), worlds=tuple(worlds))) is is_over


REQUEST = {
    "id": "r",
    "person": "owner",
    "units": [POST],
    "prototype": "Post <1_text> in <1_channel>.",
    "things": {"1_channel": {"label": "random", "fields": {"id": "C05YETYQ3RG"}}},
    "values": {"1_channel": "C05YETYQ3RG", "1_text": "Tea at 5"},
}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ('Put "Tea at 5" in random, please', ""),
        ('Put "Tea at 6" in random', "the rewritten request lacks a value"),
        ('Put "Tea at 5" there', "the rewritten request lacks a value"),
        ('Put "Tea at 5" in random (C05YETYQ3RG)', "the rewritten request tells what can be looked up"),
        ('Put "Tea at 5" in random (C0INVENTED)', "the rewritten request has a value that nobody gave"),
        ('Put "Tea at 5" in random for bo@a.example', "the rewritten request has a value that nobody gave"),
        ('Put "Tea at 5" in random, and "Lunch" too', "the rewritten request has a value that nobody gave"),
    ],
)
def test_a_rewritten_request_keeps_names_and_texts_and_adds_no_value(said: str, reason: str) -> None:
    candidate = FuzzyRequest.model_validate({**REQUEST, "request": 'Post "Tea at 5" in the channel random.'})
    fault = rewriting_fault(candidate, said)
    assert (fault.reason if fault else "") == reason


@pytest.mark.parametrize(
    ("prototype", "reason"),
    [
        ("Post <1_text> in <1_channel>.", ""),
        ("Post <1_text> there.", "the prototype has other placeholders than the units"),
        ('Post <1_text> and "Lunch" in <1_channel>.', "the prototype has a value that nobody gave"),
        ("Post <1_text> in <1_channel> at 5.", "the prototype has a value that nobody gave"),
    ],
)
def test_a_prototype_has_the_placeholders_of_the_units_and_no_other_value(prototype: str, reason: str) -> None:
    fault = prototype_fault(prototype, "1. Slack, send_message: Send a message.", ["1_channel", "1_text"])
    assert (fault.reason if fault else "") == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Tea at 5 in random", ""),
        ("", "the model has no text for a placeholder"),
        ("<1_result.id>", "the model has no text for a placeholder"),
        ('say "hi" now', "the model has no text for a placeholder"),
        ("Tea in C05YETYQ3RG", "the text of the model tells what can be looked up"),
    ],
)
def test_a_text_of_the_model_is_no_reference_and_tells_no_id(text: str, reason: str) -> None:
    outcome = with_texts(SituationCandidate.model_validate(REQUEST), {"1_text": text})
    assert (outcome.reason if isinstance(outcome, Drop) else "") == reason


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def generate(*arguments: str, out: str) -> int:
    return main(["generate", "--pipeline", "persona", "--out", out, *arguments])


@pytest.mark.long
def test_several_apps_lead_to_requests_that_leave_out_what_can_be_looked_up(project: Path) -> None:
    servers = ("--server", "slack", "--server", "gmail")
    assert generate(*servers, "--tasks", "3", out="mine") == 0
    assert anyio.run(passes, project / "mine", OracleAgent()) == [True] * 3
    assert anyio.run(passes, project / "mine", NoopAgent()) == [False] * 3
    made = tasks_of("mine")
    assert len({task["tags"]["person"] for task in made}) > 1
    calls = [call for task in made for step in task["calls"] for call in step]
    found = [value for call in calls for value in call["arguments"].values() if "_result" in str(value)]
    assert found, "no value comes from a lookup"
    assert not any("U0" in task["ask"] or "@" in task["ask"] for task in made)
    # A run that was stopped goes on to the same bytes.
    whole = (project / "mine/tasks.jsonl").read_bytes()
    work = project / "mine.work"
    for file in work.iterdir():
        if file.name[:2].isdigit() and int(file.name[:2]) > 6:
            file.unlink()
    lines = (work / "06-fuzzy.jsonl").read_text().splitlines(keepends=True)
    (work / "06-fuzzy.jsonl").write_text("".join(lines[:5]))
    (work / "06-fuzzy.state.json").unlink()
    assert generate(*servers, "--tasks", "3", out="mine") == 0
    assert (project / "mine/tasks.jsonl").read_bytes() == whole


def model(body: dict[str, Any]) -> Answer:
    """Answer as a good model does: it swaps the words of the rules for its own."""
    instructions, prompt = (message["content"] for message in body["messages"][:2])
    return says(json.dumps(_reply(instructions, prompt)))


def _reply(instructions: str, prompt: str) -> dict[str, Any]:
    if "data of an app" in instructions:
        return {"methods": {"id": "random", "name": "unknown"}}
    if "skeletons of requests" in instructions:
        places = [f'"{place}"' for place in re.findall(r"<\w+>", prompt)]
        return {"request": f"Take care of this for me, please: {', '.join(places) or 'the usual thing'}."}
    if "make up texts" in instructions:
        names = prompt.partition("Placeholders: ")[2].split(", ")
        return {"texts": {name: f"Nothing but {name} today" for name in names}}
    if "rewrite requests" in instructions:
        said = prompt.removeprefix("Request: ").partition("\n\nSteps:")[0]
        return {"request": said.replace("Take care", "Do take care"), "is_decidable": "tomorrow" not in said}
    return {"is_realistic": True}


@pytest.mark.extra
def test_a_model_writes_texts_and_requests_of_a_proven_suite(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(model) as server:
        assert generate("--server", "slack", "--tasks", "3", "--model", f"{server.url}#m", "--yes", out="mine") == 0
        kinds = {body["messages"][0]["content"].split(". ")[0] for body in server.bodies}
    assert len(kinds) >= 4
    made = tasks_of("mine")
    assert all(task["ask"].startswith("Do take care of this") and '""' not in task["ask"] for task in made)
    assert anyio.run(passes, project / "mine", OracleAgent()) == [True] * len(made)
    assert "rewrite" in capsys.readouterr().out
    dropped = (project / "mine.work/09-rewrite.dropped.jsonl").read_text()
    assert "the request is not decidable" in dropped


@pytest.mark.long
def test_a_strangers_server_with_a_state_leads_to_a_proven_suite(project: Path) -> None:
    server = npm("server-memory", name="memory")
    entry = {
        "command": server.command,
        "args": list(server.arguments),
        "env": {"MEMORY_FILE_PATH": "{sandbox}/m.jsonl"},
    }
    (project / "mcp.json").write_text(json.dumps({"mcpServers": {"memory": entry}}))
    (project / "home").mkdir()
    entities = [("Nora Lindqvist", "person"), ("Fernhill", "company"), ("Lisbon fair", "event"), ("Ian Sol", "person")]
    lines = [
        {"type": "entity", "name": name, "entityType": kind, "observations": ["is known"]} for name, kind in entities
    ]
    (project / "home/m.jsonl").write_text("\n".join(map(json.dumps, lines)))
    options = ("--mcp-config", "mcp.json", "--files", "home", "--call", "all", "--tasks", "1")
    assert generate(*options, out="mine") == 0
    made = tasks_of("mine")
    assert len(made) == 1
    assert anyio.run(passes, project / "mine", OracleAgent()) == [True] * len(made)
    assert anyio.run(passes, project / "mine", NoopAgent()) == [False] * len(made)
