"""The files server: bound to its directory, and the same in every attempt."""

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.files.server import server, simulation
from tests.servers.subjects import a_suite, an_arena, result_of

HOME = "/home/ann"


class Desk:
    """The tools over one directory."""

    def __init__(self, directory: Path, shown_as: str | None = HOME, allowed: tuple[str, ...] = ()) -> None:
        now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.simulation = simulation(shown_as, allowed)
        self.state = self.simulation.state(Sandbox(path=directory, now=now, identity="a-task").world("files"))

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.simulation.call(self.state, tool, arguments)

    def refusal(self, tool: str, **arguments: Any) -> str:
        with pytest.raises(ToolFailure) as caught:
            self.call(tool, **arguments)
        return str(caught.value)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "attempt"
    (made / "notes").mkdir(parents=True)
    (made / "notes" / "todo.md").write_text("- call Bo\n- pay rent\n")
    (made / "cat.png").write_bytes(b"\x89PNG")
    (tmp_path / "secret.txt").write_text("nobody may read this")
    return made


@pytest.mark.parametrize(
    "path", ["notes/todo.md", "/home/ann/notes/todo.md", "~/notes/todo.md", "./notes/../notes/todo.md"]
)
def test_a_path_may_be_relative_absolute_or_begin_at_home(directory: Path, path: str) -> None:
    assert Desk(directory).call("read_text_file", path=path) == "- call Bo\n- pay rent\n"


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/home/ann/../secret.txt", "~/../secret.txt", "/home/annabel/x", "/etc/hostname"]
)
def test_a_path_that_leads_outside_is_refused(directory: Path, path: str) -> None:
    assert Desk(directory).refusal("read_text_file", path=path).startswith("Access denied - path outside allowed")


def test_the_real_place_of_the_directory_is_no_path(directory: Path) -> None:
    refusal = Desk(directory).refusal("read_text_file", path=str(directory / "notes" / "todo.md"))
    assert refusal.endswith("/notes/todo.md not in /home/ann")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_text_file", {"path": "way-out/secret.txt"}),
        ("write_file", {"path": "way-out/new.txt", "content": "x"}),
        ("create_directory", {"path": "way-out/new"}),
        ("move_file", {"source": "notes", "destination": "way-out/notes"}),
        ("edit_file", {"path": "way-out/secret.txt", "edits": [{"oldText": "may", "newText": "must"}]}),
        ("list_directory", {"path": "way-out"}),
        ("get_file_info", {"path": "file-out"}),
    ],
)
def test_a_symbolic_link_is_no_way_out(directory: Path, tool: str, arguments: dict[str, Any]) -> None:
    (directory / "way-out").symlink_to(directory.parent)
    (directory / "file-out").symlink_to(directory.parent / "secret.txt")
    assert "symlink target outside allowed directories" in Desk(directory).refusal(tool, **arguments)
    assert sorted(entry.name for entry in directory.parent.iterdir()) == ["attempt", "secret.txt"]
    assert (directory.parent / "secret.txt").read_text() == "nobody may read this"


def test_links_that_lead_outside_are_neither_found_nor_measured(directory: Path) -> None:
    (directory / "file-out").symlink_to(directory.parent / "secret.txt")
    desk = Desk(directory)
    assert desk.call("search_files", path=".", pattern="*out") == "No matches found"
    assert "[FILE] file-out                              0 B" in desk.call("list_directory_with_sizes", path=".")


def test_only_the_allowed_parts_may_be_entered(directory: Path) -> None:
    desk = Desk(directory, allowed=("notes",))
    assert desk.call("list_allowed_directories") == "Allowed directories:\n/home/ann/notes"
    assert desk.call("read_text_file", path="todo.md").startswith("- call Bo")
    assert "not in /home/ann/notes" in desk.refusal("read_media_file", path="/home/ann/cat.png")


def test_without_another_path_the_directory_is_shown_where_it_is(directory: Path) -> None:
    desk = Desk(directory, shown_as=None)
    assert desk.call("search_files", path=".", pattern="**/*.md") == f"{directory.resolve()}/notes/todo.md"


def test_the_facts_of_a_file_do_not_depend_on_who_unpacked_it(directory: Path) -> None:
    os.utime(directory / "cat.png", (0, 0))
    (directory / "cat.png").chmod(0o660)
    time = "Mon Mar 02 2026 09:00:00 GMT+0000 (Coordinated Universal Time)"
    assert Desk(directory).call("get_file_info", path="cat.png") == (
        f"size: 4\ncreated: {time}\nmodified: {time}\naccessed: {time}\n"
        "isDirectory: false\nisFile: true\npermissions: 644"
    )


def test_a_picture_is_an_image(directory: Path) -> None:
    image = Content(type="image", data="iVBORw==", mime_type="image/png")
    assert Desk(directory).call("read_media_file", path="cat.png") == image


def test_an_edit_changes_the_file_and_shows_the_difference(directory: Path) -> None:
    edits = [{"oldText": "- pay rent", "newText": "- pay rent (done)"}]
    diff = Desk(directory).call("edit_file", path="notes/todo.md", edits=edits)
    assert diff == (
        "```diff\nIndex: /home/ann/notes/todo.md\n" + "=" * 67 + "\n"
        "--- /home/ann/notes/todo.md\toriginal\n+++ /home/ann/notes/todo.md\tmodified\n"
        "@@ -1,2 +1,2 @@\n - call Bo\n-- pay rent\n+- pay rent (done)\n```\n\n"
    )
    assert (directory / "notes" / "todo.md").read_text() == "- call Bo\n- pay rent (done)\n"


def test_a_pipe_is_not_waited_for(directory: Path) -> None:
    os.mkfifo(directory / "pipe")
    assert Desk(directory).refusal("read_text_file", path="pipe") == "EINVAL: invalid argument, open '/home/ann/pipe'"


def test_a_pattern_full_of_stars_is_not_slow(directory: Path) -> None:
    (directory / ("a" * 200)).touch()
    assert Desk(directory).call("search_files", path=".", pattern="*a" * 40 + "b") == "No matches found"


def test_answers_come_with_structured_content_and_tools_with_hints(directory: Path) -> None:
    (directory / "model.bin").write_bytes(b"\x00\x01")
    ref = ServerRef(name="files", transport="in_process", factory=partial(server, shown_as=HOME))

    async def results() -> list[Any]:
        async with an_arena(a_suite(ref), Sandbox(path=directory)) as arena:
            text = await result_of(arena, "read_text_file", path="notes/todo.md", head=1)
            binary = await result_of(arena, "read_media_file", path="model.bin")
            hints = {tool.name: tool.annotations["readOnlyHint"] for tool in arena.tools}
            return [text.structured, binary.content, sorted(name for name, reads in hints.items() if not reads)]

    assert anyio.run(results) == [
        {"content": "- call Bo"},
        (
            Content(
                type="resource", data="AAE=", mime_type="application/octet-stream", uri="file:///home/ann/model.bin"
            ),
        ),
        ["create_directory", "edit_file", "move_file", "write_file"],
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "complaints"),
    [
        ("read_text_file", {}, "Invalid input: expected string, received undefined at path"),
        (
            "read_text_file",
            {"path": 5, "head": "2"},
            "Invalid input: expected string, received number at path\n"
            "Invalid input: expected number, received string at head",
        ),
        ("read_multiple_files", {"paths": []}, "Too small: expected array to have >=1 items at paths"),
        (
            "list_directory_with_sizes",
            {"path": ".", "sortBy": "date"},
            'Invalid option: expected one of "name"|"size" at sortBy',
        ),
        (
            "edit_file",
            {"path": "x", "edits": [{"oldText": "a"}]},
            "Invalid input: expected string, received undefined at edits[0].newText",
        ),
    ],
)
def test_arguments_are_checked_as_by_zod(
    directory: Path, tool: str, arguments: dict[str, Any], complaints: str
) -> None:
    start = f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: "
    assert Desk(directory).refusal(tool, **arguments) == start + complaints
