"""Actions in Obsidian: reading, writing and deleting notes."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup, spellings
from pytest_mcpbench.metrics.comparison.containment import GAP
from pytest_mcpbench.simulated.obsidian.seed import seed

SERVER = "obsidian"


def read_note(path: str, *values: Any) -> Action:
    """Read a note."""
    assert path in note_paths(), path
    return lookup(SERVER, "obsidian_get_file_contents", {"filepath": path}, f"read the note {path}", *values)


def read_notes(*paths: str, values: tuple[Any, ...] = ()) -> Action:
    """Read several notes with one call."""
    arguments = {"filepaths": list(paths)}
    return lookup(SERVER, "obsidian_batch_get_file_contents", arguments, "read the notes", *values)


def search(query: str, *values: Any) -> Action:
    """Find notes by words."""
    arguments = {"query": query, "context_length": 60}
    return lookup(SERVER, "obsidian_simple_search", arguments, f"find the note about '{query}'", *values)


def list_vault() -> Action:
    """List the root of the vault."""
    return lookup(SERVER, "obsidian_list_files_in_vault", {}, "see what is in the vault")


def list_directory(path: str) -> Action:
    """List a directory."""
    return lookup(SERVER, "obsidian_list_files_in_dir", {"dirpath": path}, f"see what is in {path}")


def read_current_note(period: str, *values: Any) -> Action:
    """Read the periodic note of this day, week or month."""
    return lookup(SERVER, "obsidian_get_periodic_note", {"period": period}, f"read the current {period} note", *values)


def list_recent_notes(period: str, limit: int, *values: Any) -> Action:
    """List the latest daily, weekly or monthly notes."""
    arguments = {"period": period, "limit": limit, "include_content": True}
    purpose = f"read the last {limit} {period} notes"
    return lookup(SERVER, "obsidian_get_recent_periodic_notes", arguments, purpose, *values)


def append_text(path: str, text: str, *facts: Fact) -> Action:
    """Append text to a note, which is created if it does not exist. The existing text must be kept."""
    operation = "modify" if path in note_paths() else "create"
    return change(
        operation,
        SERVER,
        "obsidian_append_content",
        {"filepath": path, "content": text},
        f"write to the note {path}",
        *facts,
        *_title_to_keep(path),
        collection="notes",
        entity=path,
    )


def insert_under_heading(path: str, heading: str, text: str, *facts: Fact, kept: tuple[str, ...] = ()) -> Action:
    """Insert text under a heading of a note."""
    placed = tuple(_fact_under_heading(path, heading, fact) for fact in facts)
    return _patch(path, "append", "heading", heading, text, (*placed, *_title_to_keep(path), *kept))


def replace_under_heading(path: str, heading: str, text: str, *facts: Fact) -> Action:
    """Replace the text under a heading."""
    return _patch(path, "replace", "heading", heading, text, (*facts, *_title_to_keep(path)))


def set_field(path: str, name: str, value: str) -> Action:
    """Set a field of the front matter."""
    return _patch(path, "replace", "frontmatter", name, value, (f"{name}: {value}",))


def delete_note(path: str) -> Action:
    """Delete a note."""
    assert path in note_paths(), path
    return change(
        "delete",
        SERVER,
        "obsidian_delete_file",
        {"filepath": path, "confirm": True},
        f"delete the note {path}",
        collection="notes",
        entity=path,
    )


@cache
def note_paths() -> frozenset[str]:
    """Return the paths of all notes."""
    return frozenset(seed()["notes"])


def _patch(  # noqa: PLR0913 (the tool's own arguments)
    path: str, operation: str, kind: str, target: str, text: str, facts: tuple[Fact, ...]
) -> Action:
    assert path in note_paths(), path
    arguments = {"filepath": path, "operation": operation, "target_type": kind, "target": target, "content": text}
    return change(
        "modify",
        SERVER,
        "obsidian_patch_content",
        arguments,
        f"change the note {path}",
        *facts,
        collection="notes",
        entity=path,
    )


def _fact_under_heading(path: str, heading: str, fact: Fact) -> Fact:
    """Return a fact that matches only between a heading and the next one."""
    lines = [line for line in seed()["notes"][path]["content"].splitlines() if line.startswith("## ")]
    following = lines[lines.index(f"## {heading}") + 1 :][:1]
    return tuple(GAP.join((f"## {heading}", each, *following)) for each in spellings(fact))


def _title_to_keep(path: str) -> tuple[str, ...]:
    """Return the title of a note, which every change must preserve."""
    notes = seed()["notes"]
    lines = notes[path]["content"].splitlines() if path in notes else []
    return tuple(line for line in lines if line.startswith("# "))[:1]
