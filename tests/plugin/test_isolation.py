"""Attempts that take turns, in one process or in two workers, and some that crash, never see each other's state."""

import json
from pathlib import Path

import pytest

SERVER = '''
import sqlite3
from contextlib import closing

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.simulated.engine import Entities, Simulation

SHAPE = Shape((Collection("notes", id_field="id"),))

class Desk:
    def __init__(self, world):
        self.world = world
        self.tree = world.tree(lambda: {"notes": {}}, shape=SHAPE)
        self.notes = Entities(self.tree, "notes", missing="no {id}")
        with closing(sqlite3.connect(world.path / "desk.db")) as database:
            database.execute("CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY)")

def write(desk: Desk) -> str:
    """Write a note into the tree, the directory and the database."""
    key = desk.notes.create({"at": desk.world.now.isoformat()})["id"]
    (desk.world.path / f"{key}.txt").write_text(key)
    with closing(sqlite3.connect(desk.world.path / "desk.db")) as database:
        database.execute("INSERT INTO notes VALUES (?)", [key])
        database.commit()
    return key

def look(desk: Desk) -> dict:
    """Everything that is there."""
    with closing(sqlite3.connect(desk.world.path / "desk.db")) as database:
        rows = [key for key, in database.execute("SELECT id FROM notes ORDER BY id")]
    return {
        "tree": desk.tree.to_json(),
        "files": sorted(path.name for path in desk.world.path.glob("*.txt")),
        "rows": rows,
    }

server = Simulation(name="desk", state=Desk, tools=(write, look)).server
'''

CONFTEST = """
from pathlib import Path

import anyio
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.core.trajectory import Step, Trajectory

MEETING = Path(__file__).parent / "meeting"
MEETING.mkdir(exist_ok=True)

class Turns:
    name = "turns"

    async def attempt(self, task, arena):
        calls = [await self.call(arena, "write")]
        await self.meet(arena.trial, "first")
        calls += [await self.call(arena, "look")]
        await self.meet(arena.trial, "second")
        if arena.trial == CRASHING:
            raise RuntimeError("the agent broke down")
        calls += [await self.call(arena, "write"), await self.call(arena, "look")]
        return Trajectory(steps=(Step(calls=tuple(calls)),))

    async def call(self, arena, tool):
        return await arena.call(Call(id=tool, name=tool))

    async def meet(self, trial, when):
        "Wait until every attempt has come to this point, in whichever process it is made."
        (MEETING / f"{when}-{trial}").touch()
        with anyio.fail_after(30):
            while len(list(MEETING.glob(f"{when}-*"))) < ATTEMPTS:
                await anyio.sleep(0.01)

def pytest_mcpbench_make_agent(model):
    return Turns() if model == "turns" else None
"""

TASKS = """\
servers: {desk: "desk_server:server"}
tasks:
  - id: desk
    ask: Write two notes.
    state: {created: notes, count: 2}
"""

ATTEMPTS = 4


@pytest.fixture
def desk(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A task whose four attempts meet after the first note of each, and again before the second."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    pytester.makefile(".mcpbench.yaml", desk=TASKS)
    (pytester.path / "desk_server.py").write_text(SERVER)
    return pytester


def attempted(desk: pytest.Pytester, *arguments: str, crashing: int | None = None) -> pytest.RunResult:
    desk.makeconftest(f"CRASHING, ATTEMPTS = {crashing}, {ATTEMPTS}\n{CONFTEST}")
    options = ("--model=turns", f"--mcpbench-trials={ATTEMPTS}", f"--mcpbench-concurrency={ATTEMPTS}")
    return desk.runpytest_inprocess(*options, "--mcpbench-out=out", "-p", "no:cacheprovider", *arguments)


def answers(desk: pytest.Pytester) -> list[list[str]]:
    """What the calls of each attempt that ended were answered, to the byte."""
    lines = [
        line for path in sorted(Path(desk.path, "out").glob("records-*")) for line in path.read_text().splitlines()
    ]
    runs = [record["run"] for record in map(json.loads, lines) if record["outcome"] == "passed"]
    return [
        [call["result"]["content"][0]["text"] for step in run["trajectory"]["steps"] for call in step["calls"]]
        for run in runs
    ]


def sees_itself_alone(said: list[str]) -> bool:
    first, early, second, late = said
    seen = [(list(look["tree"]["notes"]), look["files"], look["rows"]) for look in map(json.loads, (early, late))]
    both = sorted([first, second])
    return seen == [
        ([first], [f"{first}.txt"], [first]),
        ([first, second], [f"{key}.txt" for key in both], both),
    ]


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.long)], ids=["one process", "two workers"]
)
def test_attempts_that_take_turns_see_only_themselves_and_the_same_bytes(
    desk: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    attempted(desk, *workers).assert_outcomes(passed=ATTEMPTS)
    assert len([path for path in Path(desk.path, "out").glob("records-*") if path.read_text()]) == (2 if workers else 1)
    made = answers(desk)
    assert len(made) == ATTEMPTS
    assert sees_itself_alone(made[0])
    assert made == [made[0]] * ATTEMPTS


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.long)], ids=["one process", "two workers"]
)
def test_an_attempt_that_crashes_leaves_the_others_as_they_are(desk: pytest.Pytester, workers: tuple[str, ...]) -> None:
    attempted(desk, *workers, crashing=1).assert_outcomes(passed=ATTEMPTS - 1, errors=1)
    made = answers(desk)
    assert sees_itself_alone(made[0])
    assert made == [made[0]] * (ATTEMPTS - 1)
