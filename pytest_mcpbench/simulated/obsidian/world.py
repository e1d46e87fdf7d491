"""A vault over a context tree, as accessed through the plugin "Local REST API".

The tree is ``{vault, vault_path, notes: {relative_path: {relative_path, content, created_time, modified_time, author,
periodic: {type, period_key}}}}``; directories exist only as parts of the paths of notes. Contexts of MCP-Persona, which
are notes by id with a ``metadata`` object, are converted to this form.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure
from pytest_mcpbench.simulated.obsidian.markdown import Operation, PatchError, apply_patch, front_matter, sections, tags
from pytest_mcpbench.simulated.obsidian.seed import convert_contexts, empty, period_key, seed

SHAPE = Shape((Collection("notes", id_field="relative_path"),))
NOT_FOUND = "Error 40400: Not Found"
_ONLY_FILES = "Error 40510: Request method is valid only for file paths, not directories."
_NO_SUCH_NOTE = "Error 40461: Periodic note does not exist for the specified period."
_NOT_ENABLED = "Error 40060: Specified period is not enabled."
_NOT_APPLIED = "Error 40080: The patch you provided could not be applied to the target content.\n{reason}"
_LONGEST_CONTEXT = 10_000
_MOST_MATCHES = 200
"""Matches of one note that are shown; with their contexts they stay within two megabytes."""

Note = dict[str, Any]


class Vault:
    """The vault of one attempt."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty}, convert=convert_contexts)
        self._notes = Entities(self.tree, "notes", NOT_FOUND)

    def note(self, path: str) -> Note:
        """Return one note."""
        return self._notes.get(self._file(path))

    def names(self, directory: str = "") -> list[str]:
        """Return the files and directories in a directory; the names of directories end with a slash."""
        prefix = f"{directory.strip('/')}/" if directory.strip("/") else ""
        below = [path.removeprefix(prefix) for path in self.tree.get("notes") if path.startswith(prefix)]
        if prefix and not below:
            raise ToolFailure(NOT_FOUND)
        return sorted({head + slash for head, slash, _ in (path.partition("/") for path in below)})

    def search(self, query: str, context_length: int) -> list[dict[str, Any]]:
        """Return the notes that contain every word of the query, ignoring case, best score first."""
        words = dict.fromkeys(query.casefold().split())
        context_length = min(context_length, _LONGEST_CONTEXT)
        hits = [_hit(note, words, context_length) for note in self._notes.all()]
        return sorted((each for each in hits if each["matches"]), key=lambda each: (each["score"], each["filename"]))

    def append(self, path: str, content: str) -> None:
        """Append text to a note; a missing note is created."""
        path = self._file(path)
        old = self.tree.find("notes", path)
        if old is None:
            self._notes.create({"relative_path": path, "content": content, **self._creation_times()})
        else:
            gap = "" if not old["content"] or old["content"].endswith("\n") else "\n"
            self._write(path, old["content"] + gap + content)

    def patch(self, path: str, operation: Operation, kind: str, target: str, content: str) -> None:
        """Edit a part of a note; a heading may be given without its path if it is unambiguous."""
        note = self.note(path)
        if kind == "heading" and "::" not in target:
            target = _qualify_heading(note["content"], target)
        try:
            text = apply_patch(note["content"], operation, kind, target, content)
        except PatchError as error:
            raise ToolFailure(_NOT_APPLIED.format(reason=error)) from error
        self._write(note["relative_path"], text)

    def delete(self, path: str) -> None:
        """Delete a note."""
        self._notes.delete(self._file(path))

    def current(self, period: str) -> Note:
        """Return the note of the current day, week, month, quarter or year."""
        notes = self._periodic(period)
        if not notes:
            raise ToolFailure(_NOT_ENABLED)
        key = period_key(period, self._world.now.date())
        if key not in notes:
            raise ToolFailure(_NO_SUCH_NOTE)
        return notes[key]

    def recent(self, period: str, limit: int) -> list[Note]:
        """Return the latest notes of a period, newest first."""
        notes = self._periodic(period)
        return [notes[key] for key in sorted(notes, reverse=True)[:limit]]

    def _periodic(self, period: str) -> dict[str, Note]:
        """Return the notes of a period by key."""
        periodic_notes = [each for each in self._notes.all() if isinstance(each.get("periodic"), dict)]
        return {
            each["periodic"]["period_key"]: each for each in periodic_notes if each["periodic"].get("type") == period
        }

    def _file(self, path: str) -> str:
        """Return a path in the vault, which must not be that of a directory."""
        plain = path.lstrip("/")
        if not plain or plain.endswith("/") or self._is_directory(plain):
            raise ToolFailure(_ONLY_FILES)
        return plain

    def _is_directory(self, path: str) -> bool:
        return any(each.startswith(f"{path}/") for each in self.tree.get("notes"))

    def _write(self, path: str, content: str) -> None:
        self._notes.update(path, {"content": content, "modified_time": self._now()})

    def _creation_times(self) -> dict[str, str]:
        return {"created_time": self._now(), "modified_time": self._now()}

    def _now(self) -> str:
        return self._world.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def describe_note(note: Mapping[str, Any]) -> dict[str, Any]:
    """Return a note with the metadata that the plugin adds."""
    content = note["content"]
    times = {name: _milliseconds(note.get(field)) for name, field in _TIMES}
    fields = {
        name: value if isinstance(value, str | int | float | list) else str(value)
        for name, value in front_matter(content).items()
    }
    return {
        "content": content,
        "frontmatter": fields,
        "path": note["relative_path"],
        "stat": {**times, "size": len(content.encode())},
        "tags": tags(content),
    }


_TIMES = (("ctime", "created_time"), ("mtime", "modified_time"))


def _milliseconds(moment: Any) -> int:
    """Return milliseconds since 1970, or 0 if the time is unknown."""
    try:
        return int(datetime.fromisoformat(moment).timestamp() * 1000)
    except (TypeError, ValueError):
        return 0


def _qualify_heading(content: str, heading: str) -> str:
    """Return the path of a heading if just one heading has the name."""
    paths = ["::".join(each.path) for each in sections(content) if each.path[-1] == heading]
    if len(paths) > 1:
        candidates = ", ".join(paths)
        raise ToolFailure(
            f"Ambiguous heading '{heading}'. Candidates: {candidates}. Specify the qualified path with '::' delimiter."
        )
    return paths[0] if paths else heading


def _hit(note: Note, words: Iterable[str], length: int) -> dict[str, Any]:
    """Return the positions of the words in a note, or none if a word is missing.

    As in Obsidian, a lower score is better.
    """
    text = note["content"]
    folded = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    is_hit = all(word in folded for word in words)
    found = (re.finditer(re.escape(word), folded) for word in words if is_hit)
    spans = sorted(match.span() for matches in found for match in matches)
    matches = [
        {"context": text[max(0, start - length) : end + length], "match_position": {"start": start, "end": end}}
        for start, end in spans[:_MOST_MATCHES]
    ]
    return {
        "filename": note["relative_path"],
        "score": -round(len(spans) / (1 + len(text) / 1000), 4),
        "matches": matches,
    }
