"""Deeds in Obsidian: reading, writing and deleting notes."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.deed import Deed, Fact, changed, found, spellings
from pytest_mcpbench.metrics.comparison.containment import GAP
from pytest_mcpbench.simulated.obsidian.seed import seed

SERVER = "obsidian"


def read(path: str, *values: Any) -> Deed:
    """Read a note."""
    assert path in note_paths(), path
    return found(SERVER, "obsidian_get_file_contents", {"filepath": path}, f"read the note {path}", *values)


def read_all(*paths: str, values: tuple[Any, ...] = ()) -> Deed:
    """Read several notes at once."""
    arguments = {"filepaths": list(paths)}
    return found(SERVER, "obsidian_batch_get_file_contents", arguments, "read the notes", *values)


def search(query: str, *values: Any) -> Deed:
    """Find notes with some words."""
    arguments = {"query": query, "context_length": 60}
    return found(SERVER, "obsidian_simple_search", arguments, f"find the note about '{query}'", *values)


def vault() -> Deed:
    """List what is at the root of the vault."""
    return found(SERVER, "obsidian_list_files_in_vault", {}, "see what is in the vault")


def directory(path: str) -> Deed:
    """List a directory."""
    return found(SERVER, "obsidian_list_files_in_dir", {"dirpath": path}, f"see what is in {path}")


def current(period: str, *values: Any) -> Deed:
    """Get the note of this day, week or month."""
    return found(SERVER, "obsidian_get_periodic_note", {"period": period}, f"read the current {period} note", *values)


def recent(period: str, limit: int, *values: Any) -> Deed:
    """Get the last notes of days, weeks or months."""
    arguments = {"period": period, "limit": limit, "include_content": True}
    purpose = f"read the last {limit} {period} notes"
    return found(SERVER, "obsidian_get_recent_periodic_notes", arguments, purpose, *values)


def append(path: str, text: str, *facts: Fact) -> Deed:
    """Put text at the end of a note, which is made where there is none; what was there stays."""
    operation = "modify" if path in note_paths() else "create"
    return changed(
        operation,
        SERVER,
        "obsidian_append_content",
        {"filepath": path, "content": text},
        f"write to the note {path}",
        *facts,
        *_kept(path),
        collection="notes",
        entity=path,
    )


def under(path: str, heading: str, text: str, *facts: Fact, kept: tuple[str, ...] = ()) -> Deed:
    """Put text under a heading of a note."""
    placed = tuple(_between(path, heading, fact) for fact in facts)
    return _patch(path, "append", "heading", heading, text, (*placed, *_kept(path), *kept))


def replace(path: str, heading: str, text: str, *facts: Fact) -> Deed:
    """Replace what stands under a heading."""
    return _patch(path, "replace", "heading", heading, text, (*facts, *_kept(path)))


def field(path: str, name: str, value: str) -> Deed:
    """Set a field of the front matter."""
    return _patch(path, "replace", "frontmatter", name, value, (f"{name}: {value}",))


def delete(path: str) -> Deed:
    """Delete a note."""
    assert path in note_paths(), path
    return changed(
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
    """The paths of all notes."""
    return frozenset(seed()["notes"])


def _patch(  # noqa: PLR0913 (the tool's own arguments)
    path: str, operation: str, kind: str, target: str, text: str, facts: tuple[Fact, ...]
) -> Deed:
    assert path in note_paths(), path
    arguments = {"filepath": path, "operation": operation, "target_type": kind, "target": target, "content": text}
    return changed(
        "modify",
        SERVER,
        "obsidian_patch_content",
        arguments,
        f"change the note {path}",
        *facts,
        collection="notes",
        entity=path,
    )


def _between(path: str, heading: str, fact: Fact) -> Fact:
    """A fact that must stand under a heading, which is before the next one."""
    lines = [line for line in seed()["notes"][path]["content"].splitlines() if line.startswith("## ")]
    following = lines[lines.index(f"## {heading}") + 1 :][:1]
    return tuple(GAP.join((f"## {heading}", each, *following)) for each in spellings(fact))


def _kept(path: str) -> tuple[str, ...]:
    """The title of a note, which no change may lose."""
    notes = seed()["notes"]
    lines = notes[path]["content"].splitlines() if path in notes else []
    return tuple(line for line in lines if line.startswith("# "))[:1]
