"""Servers of other authors: mcp-server-time from PyPI, filesystem, everything and memory from npm."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import Content, ToolResult
from tests.servers.subjects import a_suite, an_arena, isolated, npm, result_of


def results(server: ServerRef, directory: Path, *calls: tuple[str, dict[str, Any]]) -> list[ToolResult]:
    async def call_all() -> list[ToolResult]:
        async with an_arena(a_suite(server), Sandbox(path=directory)) as arena:
            return [await result_of(arena, tool, **arguments) for tool, arguments in calls]

    return anyio.run(call_all)


@pytest.mark.isolated
def test_the_time_server_converts_times_and_refuses_zones_that_there_are_not(tmp_path: Path) -> None:
    conversion = {"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "Asia/Kolkata"}
    good, bad = results(
        isolated("mcp-server-time", name="time"),
        tmp_path,
        ("convert_time", conversion),
        ("get_current_time", {"timezone": "Atlantis"}),
    )
    assert json.loads(good.text)["time_difference"] == "-3.5h"
    assert (bad.is_error, bad.error_kind) == (True, "tool")


@pytest.mark.npm
def test_the_filesystem_server_works_in_the_sandbox_directory_only(tmp_path: Path) -> None:
    written, inside, outside = results(
        npm("server-filesystem", ".", name="files"),
        tmp_path,
        ("write_file", {"path": "note.txt", "content": "milk"}),
        ("read_text_file", {"path": str(tmp_path / "note.txt")}),
        ("read_text_file", {"path": "/etc/hostname"}),
    )
    assert not written.is_error
    assert (inside.text, inside.structured) == ("milk", {"content": "milk"})
    assert (outside.is_error, outside.error_kind) == (True, "tool")
    assert (tmp_path / "note.txt").read_text() == "milk"


@pytest.mark.npm
def test_the_filesystem_server_shows_images_and_audio(tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG\r\n")
    (tmp_path / "beep.wav").write_bytes(b"RIFF")
    image, audio = results(
        npm("server-filesystem", ".", name="files"),
        tmp_path,
        ("read_media_file", {"path": "dot.png"}),
        ("read_media_file", {"path": "beep.wav"}),
    )
    assert image.content == (Content(type="image", mime_type="image/png", data="iVBORw0K"),)
    assert audio.content == (Content(type="audio", mime_type="audio/wav", data="UklGRg=="),)
    assert (image.text, audio.text) == ("[image: image/png, 6 bytes]", "[audio: audio/wav, 6 bytes]")


@pytest.mark.npm
def test_everything_that_the_everything_server_gives_reaches_the_result(tmp_path: Path) -> None:
    image, links, resource, structured, roots = results(
        npm("server-everything", name="everything"),
        tmp_path,
        ("get-tiny-image", {}),
        ("get-resource-links", {"count": 2}),
        ("get-resource-reference", {"resourceType": "Blob", "resourceId": 1}),
        ("get-structured-content", {"location": "New York"}),
        ("get-roots-list", {}),
    )
    assert [block.type for block in image.content] == ["text", "image", "text"]
    assert [block.uri for block in links.content[1:]] == [
        "demo://resource/dynamic/blob/1",
        "demo://resource/dynamic/text/2",
    ]
    assert (resource.content[1].type, resource.content[1].data is not None) == ("resource", True)
    assert structured.structured == {"temperature": 33, "conditions": "Cloudy", "humidity": 82}
    assert tmp_path.as_uri() in roots.text


@pytest.mark.npm
def test_the_memory_server_keeps_its_graph_where_its_environment_says(tmp_path: Path) -> None:
    server = npm("server-memory", name="memory", environment={"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")})
    entity = {"name": "Ada", "entityType": "person", "observations": ["likes tea"]}
    _, graph = results(server, tmp_path, ("create_entities", {"entities": [entity]}), ("read_graph", {}))
    assert graph.structured == {"entities": [entity], "relations": []}
    assert "Ada" in (tmp_path / "memory.jsonl").read_text()
