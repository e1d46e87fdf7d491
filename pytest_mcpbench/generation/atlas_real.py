"""Generator of the suite ``atlas-real``: tasks in the format of MCP-Atlas with references played on real servers."""

import functools
import json
from pathlib import Path

import anyio

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.generation.atlas.draft import Draft, drafts
from pytest_mcpbench.generation.atlas.rows import Catalogue, require_shown, row, shown_by, with_results
from pytest_mcpbench.generation.directories import output_directory, suite_directory, write_files
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.generation.source.files import source_directory
from pytest_mcpbench.loaders.atlas import load
from pytest_mcpbench.suite_files.loading import read_suite

SEED = 2026
NAME = "atlas-real"
TOPICS = ("fleet", "people", "money")

_OUT_OF_REACH = {
    "desktop-commander": (
        *("set_config_value", "start_process", "read_process_output", "interact_with_process", "force_terminate"),
        *("list_sessions", "list_processes", "kill_process", "get_usage_stats", "give_feedback_to_desktop_commander"),
    ),
    "git": ("git_add", "git_commit", "git_reset", "git_create_branch", "git_checkout"),
}
"""Tools that no task offers: their changes lie outside of the attempt's files, where no metric sees them."""


def task_files(seed: int = SEED) -> dict[str, str]:
    """Return the content of every task file; the servers of the suite have to be installed."""
    return {"tasks.jsonl": _content(seed)}


def write(directory: Path | None = None, seed: int = SEED) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory(NAME), task_files(seed))


# `mcpbench generate` asks for the files and then for their names; playing the references takes a minute.
@functools.lru_cache(maxsize=1)
def _content(seed: int) -> str:
    return anyio.run(_lines, seed)


async def _lines(seed: int) -> str:
    suite = read_suite(suite_directory(NAME) / "suite.toml")
    async with ServerPool() as pool:
        offer = await _catalogue(suite, pool)
        player = Player(suite.model_copy(update={"effects": None}), pool)

        async def line(draft: Draft) -> str | TaskError:
            try:
                unplayed = row(draft, offer, seed, [(call, "") for call in draft.calls])
                (record,) = load(json.dumps(unplayed).encode(), LoadOptions("tasks.jsonl", suite.files[0].options))
                if record.task is None:
                    raise record.error or TaskError("the task cannot be loaded.", record.place)
                calls = await _play(record.task, player, draft)
                shown = draft.prompt
                for call, result in calls:
                    require_shown(call, shown, draft)
                    shown += shown_by(call, result)
            except TaskError as error:
                return error
            return json.dumps({**unplayed, "TRAJECTORY": with_results(calls)}, ensure_ascii=False) + "\n"

        lines = await concurrent_map([*drafts(source_directory(NAME), TOPICS)], line, concurrency=4)
    for error in lines:
        if isinstance(error, TaskError):
            raise error
    return "".join(map(str, lines))


async def _catalogue(suite: SuiteManifest, pool: ServerPool) -> Catalogue:
    tools = {}
    for name, server in suite.servers.items():
        definition = await pool.definition(server)
        tools[name] = [tool.name for tool in definition.tools if tool.name not in _OUT_OF_REACH.get(name, ())]
    return Catalogue(
        tools=tools,
        lookups={
            "filesystem": ("list_allowed_directories", "search_files"),
            "memory": ("search_nodes",),
            "git": ("git_log",),
            "cli-mcp-server": ("show_security_rules",),
            "desktop-commander": ("list_directory",),
        },
        # Each attempt starts its own, even if no call needs them.
        only_on_demand=[name for name, server in suite.servers.items() if not server.is_shared],
        rivals={},
    )


async def _play(task: Task, player: Player, draft: Draft) -> list[tuple[ReferenceCall, str]]:
    """Play the reference on the real servers and return each call with its result.

    Raises ``TaskError`` if a server refuses a call.
    """
    attempt = await player.play(task, OracleAgent(records_effects=True))
    if attempt.error is not None:
        raise TaskError(f"{draft.task_id!r}: {attempt.error}", draft.place) from attempt.error
    made = [call for step in attempt.evidence.trajectory.steps for call in step.calls]
    return [
        (ReferenceCall(tool=call.name, arguments=call.arguments), "" if call.result is None else call.result.text)
        for call in made
    ]
