"""Attempts overlap, in one process and in workers, and pytest still reports its items in order."""

import json
import re
from pathlib import Path

import pytest
from xdist.plugin import pytest_cmdline_main

from pytest_mcpbench.runs.records import read_report

SERVERS = "servers:\n  notes: {factory: fixtures.notes_server:server}\n"
AGENT = """
import os
from pathlib import Path

import anyio
import pytest
from pytest_mcpbench.core.trajectory import Trajectory

LOG = Path(__file__).parent / "log.txt"

def log(*words):
    with LOG.open("a") as file:
        file.write(" ".join((os.environ.get("PYTEST_XDIST_WORKER", "main"), *words)) + "\\n")

class Agent:
    name = "ours"

    def __init__(self):
        self.in_flight = 0
        self.met = anyio.Event()

    async def attempt(self, task, arena):
        log("begin", task.id)
        self.in_flight += 1
        if self.in_flight == MEETING:
            self.met.set()
        if task.id in HANGING:
            await anyio.sleep_forever()
        with anyio.fail_after(30):
            await self.met.wait()
        if task.id in KILLING and "killed" not in LOG.read_text():
            log("killed")
            os.kill(os.getpid(), 9)
        return Trajectory()

def pytest_mcpbench_make_agent(model):
    return Agent() if model == "ours" else None

def pytest_runtest_logreport(report):
    if report.when == "setup" and not hasattr(report, "node"):
        log("report", report.nodeid.partition("::")[2].partition("[")[0])
"""
OTHER_SCHEDULER = """
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadFileScheduling
    return LoadFileScheduling(config, log)
"""
RUN = ("--model=ours", "--mcpbench-floor=ast=0")


@pytest.fixture
def tasks(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Sixteen tasks t00 … t15, whose attempts end when four of a process have been in flight at once."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    pytester.makefile(".mcpbench.yaml", many=_tasks(16))
    _agent(pytester)
    return pytester


def test_attempts_overlap_and_are_reported_in_order(tasks: pytest.Pytester) -> None:
    tasks.runpytest_inprocess(*RUN, "--mcpbench-concurrency=4").assert_outcomes(passed=16)
    assert _log(tasks, "report") == {"main": [f"t{number:02}" for number in range(16)]}


@pytest.mark.long
def test_attempts_overlap_in_each_worker_in_the_items_that_it_was_given(tasks: pytest.Pytester) -> None:
    result = tasks.runpytest_inprocess(*RUN, "--mcpbench-concurrency=4", "-v", "-n", "2")
    result.assert_outcomes(passed=16)
    result.stdout.fnmatch_lines(["scheduling tests via TaskScheduling"])
    begun, reported = _log(tasks, "begin"), _log(tasks, "report")
    assert {worker: set(items) for worker, items in begun.items()} == {
        worker: set(items) for worker, items in reported.items()
    }
    assert sorted(item for items in begun.values() for item in items) == [f"t{number:02}" for number in range(16)]
    assert begun.keys() == {"gw0", "gw1"}


def test_a_concurrency_of_one_is_the_plain_order(tasks: pytest.Pytester) -> None:
    _agent(tasks, meeting=1)
    tasks.runpytest_inprocess(*RUN, "--mcpbench-concurrency=1").assert_outcomes(passed=16)
    expected = [f"main {what} t{number:02}" for number in range(16) for what in ("begin", "report")]
    assert (tasks.path / "log.txt").read_text().splitlines() == expected


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.long)], ids=["one process", "a worker"]
)
def test_items_with_a_function_scoped_fixture_of_a_user_are_not_begun_ahead(
    tasks: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    _agent(tasks, "@pytest.fixture(autouse=True)\ndef prepared(): log('prepared')\n", meeting=1)
    result = tasks.runpytest_inprocess(*RUN, "--mcpbench-concurrency=4", *workers)
    result.assert_outcomes(passed=16)
    lines = [line for line in (tasks.path / "log.txt").read_text().splitlines() if line.startswith(("main", "gw0"))]
    assert [line.split()[1] for line in lines[:6]] == ["prepared", "begin", "report"] * 2
    assert result.stdout.str().count("attempts of many.mcpbench.yaml ran one at a time: the fixture 'prep") == 1


def test_tasks_of_a_file_that_overrides_a_fixture_are_not_begun_from_another_file(tasks: pytest.Pytester) -> None:
    other = tasks.mkdir("other")
    (other / "more.mcpbench.yaml").write_text(_tasks(1, first=90))
    (other / "conftest.py").write_text(
        "import pytest\nfrom pytest_mcpbench.agents.noop import NoopAgent\n"
        "@pytest.fixture(scope='session')\ndef mcp_agent(): return NoopAgent()\n"
    )
    tasks.runpytest_inprocess(*RUN, "--mcpbench-concurrency=4").assert_outcomes(passed=17)
    assert "t90" not in _log(tasks, "begin")["main"]


def test_tests_that_people_write_themselves_overlap_too(tasks: pytest.Pytester) -> None:
    tasks.makepyfile(
        """
        import pytest

        @pytest.mark.mcpbench(suite="many.mcpbench.yaml")
        def test_it(mcp_run):
            assert mcp_run.calls == ()
        """
    )
    written = "test_tests_that_people_write_themselves_overlap_too.py"
    tasks.runpytest_inprocess(written, *RUN, "--mcpbench-concurrency=4").assert_outcomes(passed=16)


def test_what_is_skipped_is_not_begun(tasks: pytest.Pytester) -> None:
    skip = (
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items[1:15]: item.add_marker(pytest.mark.skip('not now'))\n"
    )
    _agent(tasks, skip, meeting=1)
    tasks.runpytest_inprocess(*RUN, "--mcpbench-concurrency=4").assert_outcomes(passed=2, skipped=14)
    assert _log(tasks, "begin") == {"main": ["t00", "t15"]}


def test_stopping_at_a_failure_cancels_what_is_in_flight_and_keeps_what_is_finished(tasks: pytest.Pytester) -> None:
    _agent(tasks, meeting=4, hanging=("t02",))
    result = tasks.runpytest_inprocess(
        "--model=ours", "-x", "--mcpbench-concurrency=8", "--mcpbench-out=kept", "--mcpbench-json=kept.json"
    )
    result.assert_outcomes(failed=1)
    (told,) = re.findall(r"(\d+) attempts finished ahead of the end", result.stdout.str())
    assert int(told) >= 2
    # The files of the run count what its records hold.
    assert len(json.loads(tasks.path.joinpath("kept.json").read_text())["entries"]) == 1 + int(told)
    tasks.path.joinpath("log.txt").unlink()
    _agent(tasks, meeting=1)
    tasks.runpytest_inprocess(*RUN, "--mcpbench-resume=kept").assert_outcomes(passed=16)
    assert len(_log(tasks, "begin")["main"]) == 16 - 1 - int(told)


@pytest.mark.extra
def test_ctrl_c_while_an_attempt_is_being_begun_leaves_no_directory(
    tasks: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    conftest = tasks.path / "conftest.py"
    conftest.write_text(
        conftest.read_text() + "\nfrom pytest_mcpbench.plugin.execution import scheduler\n"
        "held = []\n"
        "def interrupted(*begun):\n    held.append(begun)\n    raise KeyboardInterrupt\n\n"
        "def pytest_unconfigure():\n    log('left', *(path.name for path in Path(os.environ['TMPDIR']).iterdir()))\n\n"
        "scheduler.PendingAttempt = interrupted\n"
    )
    scratch = tasks.mkdir("scratch")
    monkeypatch.setenv("TMPDIR", str(scratch))
    result = tasks.runpytest_subprocess(*RUN, "--mcpbench-concurrency=4", "-p", "no:cacheprovider", "--basetemp=own")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert _log(tasks, "left") == {"main": []}


@pytest.mark.long
def test_a_failure_in_one_worker_stops_the_attempts_of_the_others(tasks: pytest.Pytester) -> None:
    hanging = tuple(f"t{number:02}" for number in range(8, 16))
    _agent(tasks, meeting=4, hanging=hanging)
    result = tasks.runpytest_inprocess("--model=ours", "-x", "--mcpbench-concurrency=4", "-n", "2")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*replacing crashed worker*")


@pytest.mark.extra
def test_what_a_killed_worker_had_not_reported_is_given_to_others(tasks: pytest.Pytester) -> None:
    _agent(tasks, meeting=1, killing=("t01",))
    result = tasks.runpytest_inprocess(*RUN, "--mcpbench-concurrency=4", "-n", "2")
    result.assert_outcomes(passed=15, failed=1)
    result.stdout.fnmatch_lines(["FAILED many.mcpbench.yaml::t0* - worker 'gw?' crashed while running*"])


@pytest.mark.extra
def test_what_a_killed_run_had_finished_ahead_of_its_items_is_reported_and_resumed(tasks: pytest.Pytester) -> None:
    ends_with_four = (
        "async def killing_attempt(self, task, arena):\n"
        "    journal = LOG.parent / 'out' / 'evidence-main.jsonl'\n"
        "    while task.id == 't05' and (not journal.exists() or journal.read_text().count('\\n') < 4):\n"
        "        await anyio.sleep(0.01)\n"
        "    return await attempt(self, task, arena)\n"
        "attempt, Agent.attempt = Agent.attempt, killing_attempt\n"
    )
    hanging = ("t00", *(f"t{number:02}" for number in range(6, 16)))
    _agent(tasks, ends_with_four, meeting=1, hanging=hanging, killing=("t05",))
    tasks.runpytest_subprocess(*RUN, "--mcpbench-concurrency=8", "--mcpbench-out=out")
    killed = read_report(tasks.path / "out").entries
    assert [(entry.task_id, entry.outcome) for entry in killed] == [(f"t0{n}", "passed") for n in range(1, 5)]
    tasks.path.joinpath("log.txt").unlink()
    _agent(tasks, meeting=1)
    tasks.runpytest_inprocess(*RUN, "--mcpbench-out=out", "--mcpbench-resume=out").assert_outcomes(passed=16)
    assert sorted(_log(tasks, "begin")["main"]) == ["t00", *(f"t{number:02}" for number in range(5, 16))]
    assert len(read_report(tasks.path / "out").entries) == 16
    assert not list(tasks.path.glob("out/evidence-*"))


@pytest.mark.extra
@pytest.mark.parametrize(
    ("arguments", "more", "scheduler"),
    [
        pytest.param(("--mcpbench-concurrency=4",), "", "TaskScheduling", id="default"),
        pytest.param(("--mcpbench-concurrency=1",), "", "LoadScheduling", id="no look-ahead"),
        pytest.param(("--dist=load",), "", "LoadScheduling", id="chosen"),
        pytest.param(("--dist=worksteal",), "", "WorkStealingScheduling", id="another chosen"),
        pytest.param(("--maxschedchunk=1",), "", "LoadScheduling", id="chunks chosen"),
        pytest.param((), OTHER_SCHEDULER, "LoadFileScheduling", id="another plugin"),
    ],
)
def test_the_scheduler_is_ours_unless_the_user_or_another_plugin_chooses_one(
    tasks: pytest.Pytester, arguments: tuple[str, ...], more: str, scheduler: str
) -> None:
    _agent(tasks, more)
    config = tasks.parseconfig(*RUN, "-n", "2", *arguments)
    pytest_cmdline_main(config)
    config._do_configure()
    chosen = config.hook.pytest_xdist_make_scheduler(config=config, log=None)
    assert type(chosen).__name__ == scheduler


def _tasks(count: int, *, first: int = 0) -> str:
    numbers = range(first, first + count)
    lines = (f"  - {{id: t{number:02}, ask: Hello, tool: read_note, arguments: {{}}}}\n" for number in numbers)
    return f"{SERVERS}tasks:\n{''.join(lines)}"


def _agent(
    pytester: pytest.Pytester,
    more: str = "",
    *,
    meeting: int = 4,
    hanging: tuple[str, ...] = (),
    killing: tuple[str, ...] = (),
) -> None:
    """The agent ``ours``, whose attempts begin to end when ``meeting`` are in flight, those of ``hanging`` never."""
    settings = f"\nMEETING, HANGING, KILLING = {meeting}, {hanging!r}, {killing!r}\n"
    (pytester.path / "conftest.py").write_text(AGENT + settings + more)


def _log(pytester: pytest.Pytester, what: str) -> dict[str, list[str]]:
    """By process, in order."""
    logged: dict[str, list[str]] = {}
    for line in Path(pytester.path / "log.txt").read_text().splitlines():
        process, said, *rest = line.split()
        if said == what:
            logged.setdefault(process, []).extend(rest)
    return logged
