# ruff: noqa: N803 (parameter names match the real server)
"""Files server: the tools of ``@modelcontextprotocol/server-filesystem`` 2026.8.31 over the attempt's directory.

The deprecated tool ``read_file`` is omitted, as in MCP-RADAR. Names, parameters, results and errors match the real
server, and a test compares them call by call. The values that are fixed for reproducibility are listed in
:mod:`pytest_mcpbench.simulated.files.world`. No file outside the directory is read, written or inspected.
"""

import json
import math
import unicodedata
from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.engine import ZOD4, Simulation, ToolFailure
from pytest_mcpbench.simulated.files.world import DirectoryEntry, FileWorld
from pytest_mcpbench.text.normal_forms import normal_form

if TYPE_CHECKING:
    from mcp.server import Server

Paths = Annotated[list[str], Field(min_length=1, description="Where the files are")]
Patterns = Annotated[list[str] | None, Field(json_schema_extra={"default": []})]


class Edit(TypedDict):
    """One replacement."""

    oldText: Annotated[str, Field(description="What stands there now")]
    newText: Annotated[str, Field(description="What is to stand there instead")]


def read_text_file(
    files: FileWorld,
    path: str,
    tail: Annotated[float | None, Field(description="How many lines to show from the end")] = None,
    head: Annotated[float | None, Field(description="How many lines to show from the beginning")] = None,
) -> str:
    """Show the text of one file, whole or only its first (head) or last (tail) lines."""
    if head and tail:
        raise ToolFailure("Cannot specify both head and tail parameters simultaneously")
    if tail:
        return files.tail(path, tail)
    return files.head(path, head) if head else files.text(path)


def read_media_file(files: FileWorld, path: str) -> Content:
    """Load a picture or a sound; anything else comes back as a binary resource."""
    return files.media(path)


def read_multiple_files(files: FileWorld, paths: Paths) -> str:
    """Show the texts of several files one after the other; one that cannot be read does not hinder the others."""
    texts: list[str] = []
    for path in paths:
        try:
            texts.append(f"{path}:\n{files.text(path)}\n")
        except ToolFailure as failure:
            texts.append(f"{path}: Error - {failure}")
    return "\n---\n".join(texts)


def write_file(files: FileWorld, path: str, content: str) -> str:
    """Save text under a path: as a new file, or in place of all that the file held before."""
    files.write(path, content)
    return f"Successfully wrote to {path}"


def edit_file(
    files: FileWorld,
    path: str,
    edits: list[Edit],
    dryRun: Annotated[bool, Field(description="Only show what would change")] = False,
) -> str:
    """Replace passages of a text file and show the difference."""
    diff = files.edit(path, [(edit["oldText"], edit["newText"]) for edit in edits], is_dry_run=dryRun)
    fence = "```"
    while fence in diff:
        fence += "`"
    return f"{fence}diff\n{diff}{fence}\n\n"


def create_directory(files: FileWorld, path: str) -> str:
    """Make a folder, with its parents if need be; one that exists already is left alone."""
    files.make_directory(path)
    return f"Successfully created directory {path}"


def list_directory(files: FileWorld, path: str) -> str:
    """List what one folder holds, files as [FILE] and folders as [DIR]."""
    return "\n".join(f"{_kind(entry)} {entry.name}" for entry in files.entries(path))


def list_directory_with_sizes(
    files: FileWorld,
    path: str,
    sortBy: Annotated[Literal["name", "size"], Field(description="What decides the order")] = "name",
) -> str:
    """List what one folder holds together with how big each file is, and the sum of it."""
    entries = files.entries(path)
    in_order = sorted(entries, key=_name_sort_key if sortBy == "name" else lambda entry: -entry.size)
    lines = [
        f"{_kind(entry)} {entry.name:<30} {'' if entry.is_directory else _format_size(entry.size).rjust(10)}"
        for entry in in_order
    ]
    sizes = [entry.size for entry in entries if not entry.is_directory]
    total = f"Total: {len(sizes)} files, {len(entries) - len(sizes)} directories"
    return "\n".join([*lines, "", total, f"Combined size: {_format_size(sum(sizes))}"])


def directory_tree(files: FileWorld, path: str, excludePatterns: Patterns = None) -> str:
    """Show a folder and everything below it as nested JSON; names that match a pattern are left out."""
    return json.dumps(files.tree(path, excludePatterns or ()), indent=2, ensure_ascii=False)


def move_file(files: FileWorld, source: str, destination: str) -> str:
    """Give a file or a folder another name or another place, where nothing may exist yet."""
    files.move(source, destination)
    return f"Successfully moved {source} to {destination}"


def search_files(files: FileWorld, path: str, pattern: str, excludePatterns: Patterns = None) -> str:
    """Find files and folders by a glob on their paths below a folder ('*.txt' in it, '**/*.txt' at any depth)."""
    return "\n".join(files.search(path, pattern, excludePatterns or ())) or "No matches found"


def get_file_info(files: FileWorld, path: str) -> str:
    """Tell the size, times, kind and permissions of a file or folder."""
    facts = files.facts(path)
    time = f"{facts.time:%a %b %d %Y %H:%M:%S} GMT+0000 (Coordinated Universal Time)"
    lines = {
        "size": facts.size,
        "created": time,
        "modified": time,
        "accessed": time,
        "isDirectory": json.dumps(facts.is_directory),
        "isFile": json.dumps(facts.is_file),
        "permissions": facts.permissions,
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items())


def list_allowed_directories(files: FileWorld) -> str:
    """Tell in which folders all of these tools work."""
    return "Allowed directories:\n" + "\n".join(files.view.allowed)


def _kind(entry: DirectoryEntry) -> str:
    return "[DIR]" if entry.is_directory else "[FILE]"


def _name_sort_key(entry: DirectoryEntry) -> tuple[list[tuple[int, str]], str]:
    """Return a sort key similar to ICU's order: punctuation, digits, then letters.

    Accents and case are ignored first; lower case sorts before upper case among otherwise equal names.
    """
    plain = normal_form("NFKD", entry.name)
    letters = [
        (2 if sign.isalpha() else 1 if sign.isdigit() else 0, sign.casefold())
        for sign in plain
        if not unicodedata.combining(sign)
    ]
    return letters, entry.name.swapcase()


def _format_size(count: int) -> str:
    if count < 1024:
        return f"{count} B"
    power = min(int(math.log(count) / math.log(1024)), 4)
    return f"{count / 1024**power:.2f} {('B', 'KB', 'MB', 'GB', 'TB')[power]}"


def _structured_content(_tool: str, result: str | Content) -> dict[str, Any]:
    if isinstance(result, str):
        return {"content": result}
    if result.type == "resource":
        resource = {"uri": result.uri, "mimeType": result.mime_type, "blob": result.data}
        return {"content": [{"type": "resource", "resource": resource}]}
    return {"content": [{"type": result.type, "data": result.data, "mimeType": result.mime_type}]}


_TEXT_SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"content": {"type": "string"}},
    "required": ["content"],
    "additionalProperties": False,
}
_TOOLS = (
    read_text_file,
    read_media_file,
    read_multiple_files,
    write_file,
    edit_file,
    create_directory,
    list_directory,
    list_directory_with_sizes,
    directory_tree,
    move_file,
    search_files,
    get_file_info,
    list_allowed_directories,
)
_WRITE_ANNOTATIONS = {
    "write_file": {"readOnlyHint": False, "idempotentHint": True, "destructiveHint": True, "openWorldHint": False},
    "edit_file": {"readOnlyHint": False, "idempotentHint": False, "destructiveHint": True, "openWorldHint": False},
    "create_directory": {
        "readOnlyHint": False,
        "idempotentHint": True,
        "destructiveHint": False,
        "openWorldHint": False,
    },
    "move_file": {"readOnlyHint": False, "idempotentHint": False, "destructiveHint": True, "openWorldHint": False},
}
_READ_ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": False}


@cache
def simulation(shown_as: str | None = None, allowed: tuple[str, ...] = ()) -> Simulation:
    """Return the simulation for a directory shown under another path, or with restricted access."""
    return Simulation(
        name="secure-filesystem-server",
        version="0.2.0",
        state=partial(FileWorld, shown_as=shown_as, allowed=allowed),
        tools=_TOOLS,
        dialect=ZOD4,
        structured=_structured_content,
        output_schemas={tool.__name__: _TEXT_SCHEMA for tool in _TOOLS if tool is not read_media_file},
        annotations={tool.__name__: _WRITE_ANNOTATIONS.get(tool.__name__, _READ_ANNOTATIONS) for tool in _TOOLS},
    )


SIMULATION = simulation()


def server(world: World, shown_as: str | None = None, allowed: Sequence[str] = ()) -> "Server[Any]":
    """Create a server over the directory of one attempt.

    Args:
        world: World of the attempt.
        shown_as: Absolute path under which agents see the directory; by default its real path. If it is set, results
            are the same in every attempt.
        allowed: Parts of the directory that agents may access, relative to it; by default all of it.
    """
    return simulation(shown_as, tuple(allowed)).server(world)
