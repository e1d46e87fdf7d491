"""The requests about files: about what is there, and with one way to do them."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.generation.radar import FILES, file_requests, home_worlds
from pytest_mcpbench.generation.radar.request import RadarRequest
from pytest_mcpbench.loaders.short_forms import split_arguments
from pytest_mcpbench.simulated.files.server import SIMULATION
from tests.suites.reference_attempts import one_worker

pytestmark = [one_worker("radar"), pytest.mark.extra]


@cache
def _requests() -> list[RadarRequest]:
    return file_requests()


def _calls() -> list[tuple[RadarRequest, Any]]:
    return [(request, call) for request in _requests() for call in request.calls]


def of(tool: str) -> list[tuple[RadarRequest, Any]]:
    return [(request, call) for request, call in _calls() if call.tool == tool]


def test_every_tool_has_five_requests_and_chains_follow() -> None:
    tools = [tuple(call.tool for call in request.calls) for request in _requests()]
    assert list(dict.fromkeys(tools[:65])) == [(tool,) for tool in SIMULATION.table]
    assert set(Counter(tools[:65]).values()) == {5}
    assert (len(tools), {tool for chain in tools[65:] for tool in chain}) == (
        91,
        {"create_directory", "move_file", "write_file"},
    )


def test_what_is_read_is_there() -> None:
    paths = [call.arguments["path"] for tool in ("read_text_file", "read_media_file") for _, call in of(tool)]
    paths += [path for _, call in of("read_multiple_files") for path in call.arguments["paths"]]
    assert [path for path in paths if not (FILES / path).is_file()] == []


def test_what_is_made_is_not_there_yet() -> None:
    paths = [call.arguments["path"] for _, call in of("create_directory")]
    paths += [call.arguments["destination"] for _, call in of("move_file")]
    assert [path for path in paths if (FILES / path).exists()] == []


def test_what_is_replaced_stands_once_in_the_file_and_in_the_request() -> None:
    for request, call in of("edit_file"):
        (edit,) = call.arguments["edits"]
        counts = (
            (FILES / call.arguments["path"]).read_text().count(edit["oldText"]),
            request.prompt.count(edit["oldText"]),
        )
        assert counts == (1, 1), request.prompt


def test_the_text_to_write_is_in_the_request_word_by_word() -> None:
    lines = [
        (request.prompt, line) for request, call in of("write_file") for line in call.arguments["content"].split("\n")
    ]
    assert [(prompt, line) for prompt, line in lines if line not in prompt] == []


def test_every_search_finds_something() -> None:
    searches = [split_arguments(call.arguments, call.tool).arguments for _, call in of("search_files")]
    assert all(
        any(path.match(search["pattern"].split("/")[-1]) for path in (FILES / search["path"]).rglob("*"))
        for search in searches
    )


def test_copies_of_the_home_directory_are_apart() -> None:
    with home_worlds("files") as world:
        first, second = world(), world()
        (first.path / "notes" / "todo.md").unlink()
        assert (second.path / "notes" / "todo.md").read_bytes() == (FILES / "notes" / "todo.md").read_bytes()
        kept = first.path
    assert not Path(kept).exists()
