"""The suite ``radar``: generated, decidable, solvable, and not passed by doing nothing."""

import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.generation import radar
from pytest_mcpbench.generation.radar.home import FILES, HOME
from pytest_mcpbench.generation.radar.math import KINDS
from pytest_mcpbench.simulated.calendar.server import SIMULATION as CALENDAR
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.files.server import simulation as files
from pytest_mcpbench.simulated.mail.server import SIMULATION as MAIL
from pytest_mcpbench.simulated.math.server import SIMULATION as MATH
from pytest_mcpbench.simulated.terminal.server import simulation as terminal
from pytest_mcpbench.simulated.websearch.server import SIMULATION as WEB
from tests.suites import shipped

SUITE = shipped.SUITES / "radar"
PROMPTS = (shipped.suite("radar").system, *shipped.suite("radar").prompts.values())
SIMULATIONS: dict[str, Simulation] = {
    "mail": MAIL,
    "calendar": CALENDAR,
    "math": MATH,
    "websearch": WEB,
    "files": files(HOME),
    "terminal": terminal(HOME),
}
READING = {
    "read_email",
    "search_emails",
    "list_email_labels",
    "list_filters",
    "get_filter",
    "list_calendars",
    "list_events",
    "read_text_file",
    "read_media_file",
    "read_multiple_files",
    "list_directory",
    "list_directory_with_sizes",
    "directory_tree",
    "search_files",
    "get_file_info",
    "list_allowed_directories",
    "get_config",
    "read_process_output",
    "list_sessions",
    "list_processes",
}


TASKS = shipped.tasks("radar")
OPERATIONS = [task for task in TASKS if task.tags["kind"] == "fuzzy"]


def _fresh(task: Task, directory: Path) -> tuple[Simulation, World]:
    (server,) = task.servers
    return SIMULATIONS[server], World(server, directory, DEFAULT_NOW, Ids(task.id))


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The task files, generated anew."""
    return radar.task_files()


def test_regenerating_gives_the_files_that_are_checked_in(made: dict[str, str]) -> None:
    assert {path: (SUITE / path).read_text(encoding="utf-8") for path in made} == made


def test_generating_writes_every_file(tmp_path: Path, made: dict[str, str]) -> None:
    radar.write(tmp_path, seed=1)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.jsonl")} == set(made)


def test_every_domain_has_as_many_tasks_as_the_benchmark_and_all_have_49_tools() -> None:
    counts = Counter((task.tags["domain"], task.tags["kind"], task.tags.get("steps")) for task in TASKS)
    assert counts == {
        ("email", "fuzzy", "single"): 85,
        ("email", "fuzzy", "multi"): 34,
        ("calendar", "fuzzy", "single"): 20,
        ("calendar", "fuzzy", "multi"): 8,
        ("math", "precise", None): 120,
        ("websearch", "precise", None): 94,
        ("filemanagement", "fuzzy", "single"): 65,
        ("filemanagement", "fuzzy", "multi"): 26,
        ("terminal", "fuzzy", "single"): 45,
        ("terminal", "fuzzy", "multi"): 18,
    }
    assert len(TASKS) == 515
    assert sum(len(simulation.table) for simulation in SIMULATIONS.values()) == 49


def test_the_settings_are_those_of_the_benchmark() -> None:
    suite = shipped.suite("radar")
    assert (suite.limits.rounds, suite.exposure) == (10, "selected")


@pytest.mark.parametrize("prompt", PROMPTS, ids=["concise", "react"])
def test_the_prompts_say_what_day_it_is_and_how_to_answer(prompt: str) -> None:
    day = f"{DEFAULT_NOW:%A}, {DEFAULT_NOW.day} {DEFAULT_NOW:%B %Y}, {DEFAULT_NOW:%H:%M}"
    assert (day in prompt, "<answer>" in prompt) == (True, True)


def test_no_answer_stands_in_its_question() -> None:
    given_away = [
        task.id
        for task in TASKS
        if task.expected.answer and re.search(rf"(?<![\d.]){re.escape(task.expected.answer)}(?![\d.])", task.prompt)
    ]
    assert given_away == []


def test_no_id_of_the_world_stands_in_a_request() -> None:
    ids = re.compile(r"\b[0-9a-f]{16}\b|ANGjdJ|ANe1Bm|Label_\d|[0-9A-F]{8}-[0-9A-F]{4}|\S@\S+\.example")
    assert [task.id for task in OPERATIONS if ids.search(task.prompt)] == []


def test_who_wants_names_wants_neither_sizes_nor_a_tree() -> None:
    """All three tools that list a directory give names: the request says which is meant."""
    asked = [task for task in OPERATIONS if task.expected.flat_calls[0].tool == "list_directory"]
    assert [task.id for task in asked if not ("sizes" in task.prompt and "tree" in task.prompt)] == []
    assert len(asked) == 5


@pytest.mark.parametrize("task", OPERATIONS, ids=lambda task: task.id)
def test_the_reference_calls_validate_succeed_and_change_the_world(task: Task, tmp_path: Path) -> None:
    if task.context.files is not None:
        shutil.copytree(SUITE / task.context.files, tmp_path, dirs_exist_ok=True)
    simulation, world = _fresh(task, tmp_path)
    state = simulation.state(world)
    for call in task.expected.flat_calls:
        before = _everything(world, tmp_path)
        simulation.call(state, call.tool, call.arguments)
        writes = call.tool not in READING and not call.arguments.get("dryRun")
        assert (_everything(world, tmp_path) != before) is writes, call.tool


def test_the_shape_of_the_domains_is_what_the_source_says() -> None:
    said = (SUITE / "SOURCE.md").read_text(encoding="utf-8")
    chains = Counter(", ".join(call.tool for call in task.expected.flat_calls) for task in OPERATIONS)
    rows = [f"| {chain} | {count} |" for chain, count in chains.items() if "," in chain]
    levels = Counter((kind.area, kind.level) for kind in KINDS for _ in range(2))
    for area in {kind.area for kind in KINDS}:
        counts = [levels[area, "easy"], levels[area, "medium"], levels[area, "hard"]]
        rows.append(f"| {area} | {' | '.join(map(str, counts))} | {sum(counts)} |")
    assert [row for row in rows if row not in said] == []


def _everything(world: World, directory: Path) -> Any:
    tree = world.after
    files = sorted((path.as_posix(), path.read_bytes() if path.is_file() else b"") for path in directory.rglob("*"))
    return (tree.text() if tree else None, files)


def test_the_files_are_those_that_the_generator_knows() -> None:
    assert {task.context.files for task in TASKS if task.context.files} == {"files/home"}
    assert SUITE / "files" / "home" == FILES
