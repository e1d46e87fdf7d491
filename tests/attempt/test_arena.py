"""Calls in an arena, and lifetimes of its servers."""

import json
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.attempt.arena import Arena, ResultBudget
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import ServerError, TaskError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.definitions.canonical import ServerDefinition
from tests.builders import a_task
from tests.servers.subjects import IMPATIENT, a_suite, an_arena, in_process, is_alive, odd, result_of


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(path=tmp_path)


PING = in_process("without_arguments", name="ping")
WORK = in_process("one_at_a_time", name="work")


async def pid_of(arena: Arena) -> int:
    """Return the pid of the server ``odd``."""
    return int(json.loads((await result_of(arena, "about")).text)["pid"])


def test_a_call_goes_to_the_server_that_offers_the_tool(sandbox: Sandbox) -> None:
    async def make_call() -> CallRecord:
        async with an_arena(a_suite(WORK, PING, tool_names="prefixed"), sandbox) as arena:
            return await arena.call(Call(id="7", name="ping_ping"))

    record = anyio.run(make_call)
    assert record.seconds > 0
    assert record.model_copy(update={"seconds": 0.0}) == CallRecord(
        id="7",
        name="ping_ping",
        tool="ping",
        server="ping",
        result=ToolResult.of_text("pong").model_copy(update={"structured": {"result": "pong"}}),
    )


@pytest.mark.parametrize(
    ("call", "record"),
    [
        pytest.param(
            Call(id="1", name="pong"),
            CallRecord(
                id="1",
                name="pong",
                problem="unknown_tool",
                result=ToolResult.failure("There is no tool 'pong'. Did you mean 'ping'?", "protocol"),
            ),
            id="nobody offers it",
        ),
        pytest.param(
            Call(id="1", name="work", arguments={"number": 1}),
            CallRecord(
                id="1",
                name="work",
                arguments={"number": 1},
                problem="not_exposed",
                result=ToolResult.failure("The tool 'work' may not be used here.", "protocol"),
            ),
            id="offered and not exposed",
        ),
        pytest.param(
            Call(id="1", name="ping", raw_arguments="{'a': 1"),
            CallRecord(
                id="1",
                name="ping",
                tool="ping",
                server="ping",
                raw_arguments="{'a': 1",
                problem="malformed_arguments",
                result=ToolResult.failure(
                    "The arguments of the call of 'ping' are not a JSON object: Expecting property name enclosed in "
                    "double quotes: line 1 column 2 (char 1). The call was not made.",
                    "protocol",
                ),
            ),
            id="arguments that are not a JSON object",
        ),
    ],
)
def test_a_call_with_a_problem_is_a_result_that_the_agent_reads(
    call: Call, record: CallRecord, sandbox: Sandbox
) -> None:
    async def make_call() -> CallRecord:
        async with an_arena(a_suite(PING, WORK), sandbox, a_task(tools=("ping",))) as arena:
            return await arena.call(call)

    assert anyio.run(make_call) == record


def test_read_reaches_tools_that_are_not_exposed(sandbox: Sandbox) -> None:
    async def read() -> list[str]:
        async with an_arena(a_suite(PING, WORK), sandbox, a_task(tools=("work",))) as arena:
            return [(await arena.read(server, "ping", {})).text for server in (None, "ping")]

    assert anyio.run(read) == ["pong", "pong"]


@pytest.mark.parametrize(
    ("server", "tool", "message"),
    [
        pytest.param(None, "pnig", "'pnig' is not offered by any connected server. Did you mean 'ping'?", id="nobody"),
        pytest.param("work", "ping", "'ping' is not offered by server 'work'.", id="another"),
        pytest.param(
            "wrok",
            "ping",
            "no server of the task is called 'wrok'; there are: ping, pong, work. Did you mean 'work'?",
            id="unknown server",
        ),
        pytest.param(None, "ping", "'ping' is offered by ping, pong; name the server.", id="several"),
    ],
)
def test_read_must_find_one_server(server: str | None, tool: str, message: str, sandbox: Sandbox) -> None:
    async def read() -> None:
        suite = a_suite(PING, in_process("without_arguments", name="pong"), WORK)
        async with an_arena(suite, sandbox) as arena:
            with pytest.raises(TaskError) as caught:
                await arena.read(server, tool, {})
            assert str(caught.value) == f"suite::a-task: verify: {message}"

    anyio.run(read)


def test_the_arena_has_the_facts_that_servers_report_about_themselves(sandbox: Sandbox) -> None:
    async def facts() -> tuple[ServerFacts, ...]:
        async with an_arena(a_suite(odd()), sandbox) as arena:
            return arena.servers

    ((found,)) = anyio.run(facts)
    assert found.tools_hash is not None
    assert found == ServerFacts(
        name="odd",
        implementation="odd",
        version="1",
        protocol="2025-11-25",
        tools_hash=found.tools_hash,
        capabilities=("tools",),
    )


def test_listed_tools_that_nobody_offers_are_unavailable(sandbox: Sandbox) -> None:
    async def unavailable() -> tuple[str, ...]:
        async with an_arena(a_suite(PING), sandbox, a_task(tools=("ping", "fax"))) as arena:
            return arena.unavailable_tools

    assert anyio.run(unavailable) == ("fax",)


def test_an_unknown_server_is_an_error_before_anything_is_started(sandbox: Sandbox) -> None:
    async def enter() -> None:
        with pytest.raises(TaskError, match="no server is called 'pnig'"):
            async with an_arena(a_suite(PING), sandbox, a_task(servers=("pnig",))):
                pass

    anyio.run(enter)


def test_the_world_that_a_server_shows_is_compared_before_and_after(sandbox: Sandbox) -> None:
    async def use() -> tuple[object, object]:
        async with an_arena(a_suite(odd("world")), sandbox) as arena:
            before = await arena.world("odd")
            await result_of(arena, "echo", text="hello")
            return before, await arena.world("odd")

    assert anyio.run(use) == ({"echoes": 0}, {"echoes": 1})
    assert (sandbox.before["odd"], sandbox.after["odd"]) == ({"echoes": 0}, {"echoes": 1})


@pytest.mark.parametrize(
    ("worlds", "problem"),
    [
        (["{"], "its resource mcpbench://world is not valid JSON: Expecting property name"),
        (["[" * 100_000], "its resource mcpbench://world is not valid JSON: it has more than 150 levels"),
        (['{"n": ' + "9" * 5_000 + "}"], "its resource mcpbench://world is not valid JSON: an integer has more digits"),
        (["[1]"], "its resource mcpbench://world must be a JSON object, not list"),
        (["null"], "its resource mcpbench://world must be a JSON object, not NoneType"),
        (["{}", '{"a": '], "its resource mcpbench://world is not valid JSON"),
        (["{}"], "it does not publish its resource mcpbench://world any more"),
    ],
    ids=["cut", "deep", "digits", "list", "null", "cut later", "gone"],
)
def test_a_world_that_cannot_be_read_is_an_error_of_its_server(
    worlds: list[str], problem: str, sandbox: Sandbox
) -> None:
    async def use() -> None:
        async with an_arena(a_suite(odd("worlds", *worlds)), sandbox):
            pass

    with pytest.raises(ServerError) as caught:
        anyio.run(use)
    assert (caught.value.server, caught.value.phase) == ("odd", "call")
    assert caught.value.problem.startswith(problem)


def test_results_of_an_attempt_that_are_too_large_together_are_an_error_of_the_server(sandbox: Sandbox) -> None:
    async def use() -> None:
        async with an_arena(a_suite(odd()), sandbox) as arena:
            small = replace(arena, budget=ResultBudget(remaining=1_500))
            await small.call(Call(id="1", name="echo", arguments={"text": "x" * 1_000}))
            with pytest.raises(ServerError, match="the results of this attempt have more than 134,217,728 characters"):
                await small.call(Call(id="2", name="echo", arguments={"text": "x" * 1_000}))

    anyio.run(use)


def test_a_server_that_shows_no_world_has_none(sandbox: Sandbox) -> None:
    async def world() -> object:
        async with an_arena(a_suite(PING), sandbox) as arena:
            return await arena.world("ping")

    assert anyio.run(world) is None


def test_a_server_is_asked_once_for_its_resources_and_for_no_world_that_it_does_not_list(sandbox: Sandbox) -> None:
    async def crash_twice() -> list[str]:
        complaints = []
        async with ServerPool() as pool:
            for _ in range(2):
                with pytest.raises(ServerError) as caught:
                    async with pool.arena(a_task(), a_suite(odd("worldless")), sandbox) as arena:
                        await arena.call(Call(id="1", name="crash"))
                complaints.append(caught.value.stderr.strip())
        return complaints

    complaint = "Traceback: out of cheese"
    assert anyio.run(crash_twice) == [f"0 resources listed\n{complaint}", complaint]


async def pids_of_two_attempts(suite: SuiteManifest, sandbox: Sandbox) -> tuple[list[int], list[bool]]:
    """Return the server's pid in each attempt, and whether it still runs after the arena is closed."""
    pids, alive = [], []
    async with ServerPool() as pool:
        for _ in range(2):
            async with pool.arena(a_task(), suite, sandbox) as arena:
                pids.append(await pid_of(arena))
            alive.append(is_alive(pids[-1]))
    assert not any(is_alive(pid) for pid in pids)
    return pids, alive


def test_a_shared_server_is_started_once_and_lives_as_long_as_the_pool(sandbox: Sandbox) -> None:
    pids, alive = anyio.run(pids_of_two_attempts, a_suite(odd(state="shared")), sandbox)
    assert (len(set(pids)), alive) == (1, [True, True])


def test_a_private_server_is_started_for_each_attempt_and_ends_with_it(sandbox: Sandbox) -> None:
    pids, alive = anyio.run(pids_of_two_attempts, a_suite(odd()), sandbox)
    assert (len(set(pids)), alive) == (2, [False, False])


@pytest.mark.parametrize("state", ["shared", "per_task"])
def test_a_server_that_does_not_start_fails_its_tasks_and_no_others(state: str, sandbox: Sandbox) -> None:
    async def attempts() -> list[str]:
        suite = a_suite(odd("silent", state=state, timeouts=IMPATIENT), PING, exposure="selected")
        async with ServerPool() as pool:
            return [await outcome(pool, suite, sandbox, a_task(servers=(name,))) for name in ("odd", "odd", "ping")]

    hint = "if it needs longer, raise `timeouts: {start_seconds: …}` of the server"
    failure = f"server 'odd' failed to start: it did not answer within 0.2 seconds; {hint}"
    assert anyio.run(attempts) == [failure, failure, "pong"]


async def outcome(pool: ServerPool, suite: SuiteManifest, sandbox: Sandbox, task: Task) -> str:
    try:
        async with pool.arena(task, suite, sandbox) as arena:
            return (await result_of(arena, "ping")).text
    except ServerError as error:
        return str(error)


def test_a_shared_server_that_failed_to_start_is_not_started_again(sandbox: Sandbox, tmp_path: Path) -> None:
    script = "import pathlib, sys; pathlib.Path('starts').open('a').write('x'); sys.exit(1)"
    suite = a_suite(odd(arguments=("-c", script), state="shared", working_directory=str(tmp_path)))

    async def attempts() -> set[str]:
        async with ServerPool() as pool:
            return {await outcome(pool, suite, sandbox, a_task()) for _ in range(3)}

    failure = "server 'odd' failed to start: its process ended before it was ready (exit code 1)"
    assert anyio.run(attempts) == {failure}
    assert (tmp_path / "starts").read_text() == "x"


def test_a_shared_server_that_died_is_started_again_for_the_next_attempt(sandbox: Sandbox) -> None:
    suite = a_suite(odd(state="shared"))

    async def attempts() -> list[int]:
        async with ServerPool() as pool:
            async with pool.arena(a_task(), suite, sandbox) as arena:
                first = await pid_of(arena)
                with pytest.raises(ServerError, match="its process ended"):
                    await arena.call(Call(id="1", name="crash"))
            async with pool.arena(a_task(), suite, sandbox) as arena:
                return [first, await pid_of(arena)]

    assert len(set(anyio.run(attempts))) == 2


def test_an_attempt_that_is_cancelled_while_its_servers_start_leaves_none_behind(sandbox: Sandbox) -> None:
    script = "import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(300)"

    async def cancel_during_start() -> int:
        pid = sandbox.path / "pid"
        async with ServerPool() as pool, anyio.create_task_group() as group:
            group.start_soon(outcome, pool, a_suite(odd(arguments=("-c", script))), sandbox, a_task())
            while not (pid.exists() and pid.read_text()):
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        return int(pid.read_text())

    assert not is_alive(anyio.run(cancel_during_start))


def test_private_servers_of_one_arena_are_started_side_by_side(sandbox: Sandbox) -> None:
    silent = [odd("silent", name=f"odd-{number}", timeouts=IMPATIENT) for number in range(6)]

    async def seconds() -> float:
        began = anyio.current_time()
        with pytest.raises(ServerError):
            async with an_arena(a_suite(*silent), sandbox):
                pass
        return anyio.current_time() - began

    assert anyio.run(seconds) < 6 * 0.5


def test_the_definition_of_a_server_can_be_read_without_a_task() -> None:
    async def definition() -> ServerDefinition:
        async with ServerPool() as pool:
            return await pool.definition(in_process("notes"))

    notes = anyio.run(definition)
    assert [(tool.name, list(tool.properties)) for tool in notes.tools] == [("add_note", ["text"])]
    assert notes.protocol


def test_a_server_that_needs_files_to_start_finds_them_when_its_definition_is_read(tmp_path: Path) -> None:
    (tmp_path / "seed.txt").write_text("seed")
    plain = odd()
    script = 'test -f "$0" && exec "$@"'
    needs_file = ("-c", script, "{sandbox}/seed.txt", str(plain.command), *plain.arguments)
    server = plain.model_copy(update={"command": "sh", "arguments": needs_file})

    async def definition(files: Path | None) -> ServerDefinition:
        async with ServerPool() as pool:
            return await pool.definition(server, files=files)

    assert anyio.run(definition, tmp_path).tools
    with pytest.raises(ServerError):
        anyio.run(definition, None)


@pytest.mark.parametrize(("search_from", "is_searched"), [(None, True), (1, True), (100_000, False)])
def test_models_search_only_where_the_definitions_are_long_enough(
    search_from: int | None, is_searched: bool, sandbox: Sandbox
) -> None:
    async def searches() -> bool:
        async with an_arena(a_suite(PING, presentation="search", search_from=search_from), sandbox) as arena:
            return arena.searcher is not None

    assert anyio.run(searches) == is_searched
