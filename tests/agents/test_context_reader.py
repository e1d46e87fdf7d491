"""Resources, prompts and skills: what a model sees of them, what it reads, what is recorded, and what metrics say."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.server import MCPServer

from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.programs.call_recorder import CallRecorder
from pytest_mcpbench.agents.programs.proxy import proxy_server
from pytest_mcpbench.agents.programs.proxy_settings import ProxySettings
from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.skill import Skill
from pytest_mcpbench.core.task import Expected, Limits, Task
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.metrics.resources import resources
from pytest_mcpbench.metrics.skill_triggered import skill_triggered
from tests.agents.test_tool_search import Listener
from tests.builders import a_task
from tests.servers.subjects import a_suite, an_arena

pytestmark = pytest.mark.anyio
SKILLS = (
    Skill(name="forms", description="Fill in forms.", text="Ask first."),
    Skill(name="mail", description="Write mail.", text="Be brief."),
)


def library() -> MCPServer:
    server = MCPServer("library")

    @server.tool()
    def lend(title: str) -> str:
        return f"lent {title}"

    @server.resource("book://list")
    def books() -> str:
        return "Emma, Ulysses"

    @server.resource("book://{title}/shelf")
    def shelf(title: str) -> str:
        return f"{title} stands on shelf 3"

    @server.resource("mcpbench://world")
    def world() -> str:
        return "{}"

    @server.prompt()
    def advise(genre: str) -> str:
        """Recommend a book."""
        return f"Recommend a {genre}."

    return server


SERVER = ServerRef(name="library", transport="in_process", factory=library)


async def play(
    task: Task, directory: Path, *calls: Call, limits: Limits | None = None, **conditions: Any
) -> tuple[Trajectory, Listener]:
    model = Listener([*(Reply(calls=(call,)) for call in calls), Reply(text="Done.")])
    async with an_arena(a_suite(SERVER, **conditions), Sandbox(path=directory), task) as arena:
        return await LlmAgent(model, limits=limits or Limits()).attempt(task, arena), model


def a_use(tool: str, **arguments: Any) -> Call:
    return Call(id="1", name=tool, arguments=arguments)


READS = {
    "a resource": (a_use("read_mcp_resource", server="library", uri="book://list"), "Emma, Ulysses"),
    "a resource of a template": (a_use("read_mcp_resource", uri="book://Emma/shelf"), "Emma stands on shelf 3"),
    "a skill": (a_use("load_skill", name="mail"), "# Skill: mail\n\nWrite mail.\n\nBe brief."),
}
ERRORS = {
    "the world": (a_use("read_mcp_resource", uri="mcpbench://world"), "Resource not found: mcpbench://world"),
    "another server": (
        a_use("read_mcp_resource", server="libary", uri="book://list"),
        "No server 'libary' offers that; there are: library.",
    ),
    "no URI": (a_use("read_mcp_resource"), "`uri` is missing."),
    "another skill": (a_use("load_skill", name="fax"), "No skill is called 'fax'; there are: forms, mail."),
}


@pytest.mark.parametrize("is_error", [False, True])
async def test_a_model_reads_what_there_is_and_is_told_what_there_is_not(is_error: bool, tmp_path: Path) -> None:
    cases = ERRORS if is_error else READS
    calls = [call for call, _ in cases.values()]
    trajectory, model = await play(a_task(offered_skills=SKILLS), tmp_path, *calls, server_resources="tools")
    assert model.shown[0] == ("lend", "list_mcp_resources", "read_mcp_resource", "load_skill")
    assert model.read[1:] == [text for _, text in cases.values()]
    assert {read.is_error for read in trajectory.reads} == {is_error}
    assert trajectory.calls == ()


async def test_lists_have_resources_and_templates_and_a_prompt_is_got_by_name(tmp_path: Path) -> None:
    get = a_use("get_mcp_prompt", server="library", name="advise", arguments={"genre": "novel"})
    calls = (a_use("list_mcp_resources"), get)
    trajectory, model = await play(a_task(), tmp_path, *calls, server_resources="tools", server_prompts="tools")
    listed = json.loads(model.read[1])
    assert [each["uri"] for each in listed["resources"]] == ["book://list"]
    assert [each["uriTemplate"] for each in listed["resourceTemplates"]] == ["book://{title}/shelf"]
    assert json.loads(model.read[2])["messages"][0]["content"]["text"] == "Recommend a novel."
    assert [(read.kind, read.target, read.server) for read in trajectory.reads] == [
        ("resources/list", "", None),
        ("prompts/get", "advise", "library"),
    ]


async def test_nothing_is_offered_unless_a_task_or_a_client_wants_it(tmp_path: Path) -> None:
    expecting = a_task(expected=Expected(resources=("book://list",)))
    shown = [
        (await play(a_task(), tmp_path))[1].shown,
        (await play(expecting, tmp_path, server_resources="none"))[1].shown,
        (await play(expecting, tmp_path))[1].shown,
    ]
    assert shown == [[("lend",)], [("lend",)], [("lend", "list_mcp_resources", "read_mcp_resource")]]


async def test_reads_beyond_a_limit_are_not_made_and_do_not_count_as_calls(tmp_path: Path) -> None:
    calls = [a_use("read_mcp_resource", uri="book://list")] * 3
    limits = Limits(repeats=2, tool_calls=0)
    trajectory, _ = await play(a_task(), tmp_path, *calls, limits=limits, server_resources="tools")
    assert ([read.result is not None for read in trajectory.reads], trajectory.stop) == (
        [True, True, False],
        "repetition",
    )


SCORES = [
    pytest.param({"resources": ("book://list",)}, resources, 1.0, (), id="a resource that was read"),
    pytest.param(
        {"resources": ("book://list", "book://x")}, resources, 0.5, ("book://x was not read",), id="one that was not"
    ),
    pytest.param({"loads": ("mail",)}, skill_triggered, 1.0, (), id="the right skill"),
    pytest.param(
        {"loads": ("forms",)},
        skill_triggered,
        0.0,
        ("forms was not loaded", "mail was loaded, and the task is not for it"),
        id="the wrong skill",
    ),
    pytest.param(
        {"loads": "none"}, skill_triggered, 0.0, ("mail was loaded, and the task is not for it",), id="a false alarm"
    ),
    pytest.param({}, resources, None, (), id="no resource is expected"),
    pytest.param({}, skill_triggered, None, (), id="no skill is expected"),
]


@pytest.mark.parametrize(("expected", "metric", "value", "reasons"), SCORES)
async def test_metrics_say_what_was_read(
    expected: dict[str, Any], metric: Any, value: float | None, reasons: tuple[str, ...], tmp_path: Path
) -> None:
    task = a_task(expected=Expected(**expected), offered_skills=SKILLS)
    calls = (a_use("read_mcp_resource", uri="book://list"), a_use("load_skill", name="mail"))
    trajectory, _ = await play(task, tmp_path, *calls, server_resources="tools")
    score: Score = metric(task, AttemptEvidence(task_id=task.id, model="m", trajectory=trajectory))
    assert (score.value, score.reasons) == (value, reasons)


def test_a_task_for_a_skill_is_unscored_where_none_is_offered_and_counts_positives_and_negatives_elsewhere() -> None:
    def score(task: Task, trajectory: Trajectory) -> Score:
        return skill_triggered(task, AttemptEvidence(task_id=task.id, model="m", trajectory=trajectory))

    task = a_task(expected=Expected(loads=("mail",)))
    unoffered = score(task, Trajectory())
    assert (unoffered.value, unoffered.applies) == (None, True)
    silent = Trajectory(offered_skills=("forms", "mail"))
    assert score(task, silent).counts == {"positives": 1, "triggered": 0, "negatives": 1, "false_alarms": 0}
    assert score(a_task(expected=Expected(loads="none")), silent).value == 1.0


async def test_the_oracle_reads_what_the_task_expects_and_says_what_is_not_there(tmp_path: Path) -> None:
    async def attempt(**expected: Any) -> Trajectory:
        task = a_task(expected=Expected(**expected), offered_skills=SKILLS)
        async with an_arena(a_suite(SERVER), Sandbox(path=tmp_path), task) as arena:
            return await OracleAgent().attempt(task, arena)

    trajectory = await attempt(resources=("book://list",), loads=("mail",))
    assert [(read.target, read.is_error) for read in trajectory.reads] == [("book://list", False), ("mail", False)]
    evidence = AttemptEvidence(task_id="t", model="oracle", trajectory=trajectory)
    assert skill_triggered(a_task(expected=Expected(loads=("mail",))), evidence).value == 1.0
    with pytest.raises(TaskError, match="resources: 'book://gone' cannot be read: "):
        await attempt(resources=("book://gone",))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_programs_read_through_the_proxies(mode: str, tmp_path: Path) -> None:
    async with an_arena(a_suite(SERVER), Sandbox(path=tmp_path)) as arena:
        recorder = CallRecorder(arena, Limits())
        server = proxy_server(arena.servers[0], recorder, ProxySettings())
        async with Client(server, mode=mode) as client:
            listed = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
            prompt = await client.get_prompt("advise", {"genre": "novel"})
            read = (await client.read_resource("book://list")).contents
            with pytest.raises(MCPError, match="mcpbench://world"):
                await client.read_resource("mcpbench://world")
    assert [str(each.uri) for each in listed] == ["book://list"]
    assert [each.uri_template for each in templates] == ["book://{title}/shelf"]
    assert prompt.messages[0].content.model_dump()["text"] == "Recommend a novel."
    assert read[0].model_dump()["text"] == "Emma, Ulysses"
    assert [(before, each.target, each.is_error) for before, each in recorder.reads] == [
        (0, "advise", False),
        (0, "book://list", False),
        (0, "mcpbench://world", True),
    ]
