"""The requests about the terminal: commands word by word, times said, and processes that are there."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from pytest_mcpbench.generation.radar import HOME, home_worlds, terminal_requests
from pytest_mcpbench.generation.radar.request import RadarRequest
from pytest_mcpbench.simulated.terminal.server import SIMULATION
from pytest_mcpbench.simulated.terminal.world import TerminalMachine, seed
from tests.suites.reference_attempts import one_worker

pytestmark = [one_worker("radar"), pytest.mark.extra]


@cache
def _requests() -> list[RadarRequest]:
    return terminal_requests()


def _calls() -> list[tuple[RadarRequest, Any]]:
    return [(request, call) for request in _requests() for call in request.calls]


def test_every_tool_has_five_requests_and_chains_follow() -> None:
    tools = [tuple(call.tool for call in request.calls) for request in _requests()]
    assert list(dict.fromkeys(tools[:45])) == [(tool,) for tool in SIMULATION.table]
    assert set(Counter(tools[:45]).values()) == {5}
    assert (len(tools), {tool for chain in tools[45:] for tool in chain}) == (
        63,
        {"start_process", "interact_with_process", "read_process_output"},
    )


def test_commands_inputs_and_times_are_in_the_request() -> None:
    missing = [
        (request.prompt, name)
        for request, call in _calls()
        for name, value in call.arguments.items()
        if not _is_stated(name, value, request.prompt)
    ]
    # What is typed to count characters may be worded in several ways, of which the request states none.
    assert [(prompt.partition(",")[0], name) for prompt, name in missing] == [
        ("We pay the engraver by the character", "input")
    ]


def _is_stated(name: str, value: Any, prompt: str) -> bool:
    if name == "timeout_ms":
        # A time that the request does not state is one of many that are right.
        return isinstance(value, Mapping) or (value, "twenty seconds" in prompt) == (20000, True)
    if name not in ("command", "input"):
        return True
    forms = value["one_of"] if isinstance(value, Mapping) else [value]
    return any(len(form) <= 1 or f"`{form}`" in prompt for form in forms)


def test_sessions_and_processes_are_there_or_started_before() -> None:
    sessions, processes = ({int(pid) for pid in seed()[kind]} for kind in ("sessions", "processes"))
    with home_worlds("terminal") as world:
        for request in _requests():
            machine, known = TerminalMachine(world(), HOME), set(sessions)
            for call in request.calls:
                if call.tool == "start_process":
                    known.add(machine.start(str(call.arguments["command"]), 0, "/bin/sh").pid)
                elif "pid" in call.arguments:
                    assert call.arguments["pid"] in (processes if call.tool == "kill_process" else known), (
                        request.prompt
                    )


def test_no_request_names_the_id_that_must_be_looked_up() -> None:
    named = [
        request.prompt
        for request, call in _calls()
        if "pid" in call.arguments and str(call.arguments["pid"]) in request.prompt
    ]
    assert named == []
