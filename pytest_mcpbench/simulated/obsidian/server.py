"""The Obsidian server: ten of the tools of ``mcp-obsidian`` (Markus Pfundstein), over a simulated vault.

Names, parameters, responses and errors are the real server's, with two exceptions: search scores come from our own word
counts, and the recent periodic notes are returned, although the plugin behind the real server has no such request.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure
from pytest_mcpbench.simulated.obsidian.world import Vault, describe_note

FilePath = Annotated[str, Field(description="Path of the note in the vault", json_schema_extra={"format": "path"})]
Period = Annotated[
    Literal["daily", "weekly", "monthly", "quarterly", "yearly"], Field(description="Which notes: daily, weekly, …")
]


def obsidian_list_files_in_vault(vault: Vault) -> str:
    """List the files and directories at the root of the vault."""
    return _json(vault.names())


def obsidian_list_files_in_dir(
    vault: Vault, dirpath: Annotated[str, Field(description="Path of the directory in the vault")]
) -> str:
    """List the files and directories in a directory of the vault."""
    return _json(vault.names(dirpath))


def obsidian_get_file_contents(vault: Vault, filepath: FilePath) -> str:
    """Read one note."""
    return _json(vault.note(filepath)["content"])


def obsidian_simple_search(
    vault: Vault,
    query: Annotated[str, Field(description="Words to look for")],
    context_length: Annotated[int, Field(description="Characters to show around each of them (default: 100)")] = 100,
) -> str:
    """Find notes with a text in them."""
    return _json(vault.search(query, context_length))


def obsidian_append_content(
    vault: Vault, filepath: FilePath, content: Annotated[str, Field(description="What to append")]
) -> str:
    """Put text at the end of a note, which is made where there is none."""
    vault.append(filepath, content)
    return f"Successfully appended content to {filepath}"


def obsidian_patch_content(  # noqa: PLR0913 (parameters of the real tool)
    vault: Vault,
    filepath: FilePath,
    operation: Annotated[Literal["append", "prepend", "replace"], Field(description="What to do at the target")],
    target_type: Annotated[Literal["heading", "block", "frontmatter"], Field(description="What the target is")],
    target: Annotated[str, Field(description="Path of headings with '::', id of a block, or name of a field")],
    content: Annotated[str, Field(description="The text")],
) -> str:
    """Change a part of a note: what stands under a heading, a block, or a field of the front matter."""
    vault.patch(filepath, operation, target_type, target, content)
    return f"Successfully patched content in {filepath}"


def obsidian_delete_file(
    vault: Vault,
    filepath: FilePath,
    confirm: Annotated[bool, Field(description="Must be true")],
) -> str:
    """Delete a note."""
    if not confirm:
        raise ToolFailure("confirm must be set to true to delete a file")
    vault.delete(filepath)
    return f"Successfully deleted {filepath}"


def obsidian_batch_get_file_contents(
    vault: Vault, filepaths: Annotated[list[str], Field(description="Paths of the notes in the vault")]
) -> str:
    """Read several notes."""
    return "".join(f"# {path}\n\n{_content_or_error(vault, path)}\n\n---\n\n" for path in filepaths)


def obsidian_get_periodic_note(
    vault: Vault,
    period: Period,
    type: Annotated[  # noqa: A002 (the real tool's parameter)
        Literal["content", "metadata"], Field(description="Only the text, or also path, tags and times")
    ] = "content",
) -> str:
    """Get the note of this day, week, month, quarter or year."""
    note = vault.current(period)
    content: str = note["content"]
    return content if type == "content" else json.dumps(describe_note(note), indent=2)


def obsidian_get_recent_periodic_notes(
    vault: Vault,
    period: Period,
    limit: Annotated[int, Field(ge=1, le=50, description="How many at most (default: 5)")] = 5,
    include_content: Annotated[bool, Field(description="Whether to give the texts too (default: false)")] = False,
) -> str:
    """List the last notes of days, weeks, months, quarters or years."""
    notes = [describe_note(each) for each in vault.recent(period, limit)]
    return _json(notes if include_content else [{key: each[key] for key in ("path", "stat", "tags")} for each in notes])


def _content_or_error(vault: Vault, path: str) -> str:
    try:
        content: str = vault.note(path)["content"]
    except ToolFailure as failure:
        return f"Error reading file: {failure}"
    return content


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)


SIMULATION = Simulation(
    name="mcp-obsidian",
    state=Vault,
    tools=(
        obsidian_append_content,
        obsidian_batch_get_file_contents,
        obsidian_delete_file,
        obsidian_get_file_contents,
        obsidian_get_periodic_note,
        obsidian_get_recent_periodic_notes,
        obsidian_list_files_in_dir,
        obsidian_list_files_in_vault,
        obsidian_patch_content,
        obsidian_simple_search,
    ),
    dialect=PYTHON_SDK,
    failure="Caught Exception. Error: {message}",
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
