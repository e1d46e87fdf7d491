"""The Obsidian server: ten of the tools of ``mcp-obsidian`` (Markus Pfundstein), over a simulated vault.

Names, parameters, responses and errors are the real server's, with two exceptions: search scores come from our own
word counts, and the recent periodic notes are returned, although the plugin behind the real server has no such
request.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Entities, Simulation, ToolFailure
from pytest_mcpbench.simulated.obsidian.seed import convert_contexts, empty, period_key, seed

# Edits of a part of a Markdown note: under a heading, at a block, or in a field of the front matter.

Operation = Literal["append", "prepend", "replace"]
_FRONT = re.compile(r"\A---\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d][\w/-]*)")


class PatchError(Exception):
    """The reason why an edit cannot be made, in the wording of the plugin's library."""


@dataclass(frozen=True)
class NoteSection:
    """A heading and the text under it, including subsections."""

    path: tuple[str, ...]
    """The headings above it and its own."""
    start: int
    """The offset at which the text under the heading begins."""
    end: int


def apply_patch(content: str, operation: Operation, kind: str, target: str, text: str) -> str:
    """Return the note after an edit at a ``heading`` (a path with ``::``), a ``block`` or a ``frontmatter`` field."""
    changes: Mapping[str, Callable[[str, Operation, str, str], str]] = {
        "heading": _edit_heading,
        "block": _edit_block,
        "frontmatter": _edit_front_matter,
    }
    return changes[kind](content, operation, target, text)


def sections(content: str) -> Iterator[NoteSection]:
    """Yield the sections of a note, in order."""
    # A line that follows an odd number of fences is code.
    headings = [
        match
        for match in _HEADING.finditer(content)
        if len(re.findall(r"^```", content[: match.start()], re.MULTILINE)) % 2 == 0
    ]
    above: list[tuple[int, str]] = []
    for number, match in enumerate(headings):
        level = len(match[1])
        above = [each for each in above if each[0] < level] + [(level, match[2])]
        below = (each.start() for each in headings[number + 1 :] if len(each[1]) <= level)
        start = min(match.end() + 1, len(content))
        yield NoteSection(tuple(name for _, name in above), start, next(below, len(content)))


def front_matter(content: str) -> dict[str, Any]:
    """Return the fields of a note's front matter, or an empty mapping if it is missing or invalid."""
    match = _FRONT.match(content)
    try:
        fields = yaml.safe_load(match[1]) if match else {}
    except yaml.YAMLError:
        return {}
    return fields if isinstance(fields, dict) else {}


def tags(content: str) -> list[str]:
    """Return the tags of a note without duplicates, those of the front matter first."""
    declared = front_matter(content).get("tags") or []
    declared = declared if isinstance(declared, list) else str(declared).split()
    return list(dict.fromkeys([*map(str, declared), *_TAG.findall(_FRONT.sub("", content))]))


def _edit_heading(content: str, operation: Operation, target: str, text: str) -> str:
    section = next((each for each in sections(content) if each.path == tuple(target.split("::"))), None)
    if section is None:
        raise PatchError("invalid-target")
    body = content[section.start : section.end].rstrip("\n")
    gap = content[section.start + len(body) : section.end]
    body = {"append": _join_lines(body, text), "prepend": _join_lines(text, body), "replace": text}[operation].rstrip(
        "\n"
    )
    return _join_lines(content[: section.start], body) + (gap or "\n") + content[section.end :]


def _join_lines(first: str, second: str) -> str:
    """Join two texts so that the second begins on its own line."""
    return f"{first}\n{second}" if first and second and not first.endswith("\n") else first + second


def _edit_block(content: str, operation: Operation, target: str, text: str) -> str:
    """Edit a block: the list item or paragraph that ends with the reference ``^name``."""
    name = target.removeprefix("^")
    match = re.search(rf"^(?P<last>.*?)[ \t]*\^{re.escape(name)}[ \t]*$", content, re.MULTILINE)
    if match is None:
        raise PatchError("invalid-target")
    start = match.start() if _ITEM.match(match["last"]) else content.rfind("\n\n", 0, match.start()) + 2
    start = 0 if start == 1 else start
    block = content[start : match.end("last")]
    block = {"append": block + text, "prepend": text + block, "replace": text}[operation]
    return content[:start] + block + content[match.end("last") :]


def _edit_front_matter(content: str, operation: Operation, target: str, text: str) -> str:
    fields = front_matter(content)
    if target not in fields:
        raise PatchError("invalid-target")
    old = fields[target]
    if operation != "replace" and not isinstance(old, str):
        raise PatchError("content-not-mergeable")
    fields[target] = {"append": f"{old}{text}", "prepend": f"{text}{old}", "replace": text}[operation]
    dumped = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)
    return f"---\n{dumped}---\n{_FRONT.sub('', content)}"


# A vault over a context tree, as accessed through the plugin "Local REST API".
#
# The tree is ``{vault, vault_path, notes: {relative_path: {relative_path, content, created_time, modified_time, author,
# periodic: {type, period_key}}}}``; directories exist only as parts of the paths of notes. Contexts of MCP-Persona,
# which are notes by id with a ``metadata`` object, are converted to this form.

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
        hits: list[dict[str, Any]] = []
        for note in self._notes.all():
            # As in Obsidian, a lower score is better.
            text = note["content"]
            folded = text.casefold() if len(text.casefold()) == len(text) else text.lower()
            is_hit = all(word in folded for word in words)
            found = (re.finditer(re.escape(word), folded) for word in words if is_hit)
            spans = sorted(match.span() for matches in found for match in matches)
            matches = [
                {
                    "context": text[max(0, start - context_length) : end + context_length],
                    "match_position": {"start": start, "end": end},
                }
                for start, end in spans[:_MOST_MATCHES]
            ]
            hits.append(
                {
                    "filename": note["relative_path"],
                    "score": -round(len(spans) / (1 + len(text) / 1000), 4),
                    "matches": matches,
                }
            )
        return sorted((each for each in hits if each["matches"]), key=lambda each: (each["score"], each["filename"]))

    def append(self, path: str, content: str) -> None:
        """Append text to a note; a missing note is created."""
        path = self._file(path)
        old = self.tree.find("notes", path)
        if old is None:
            creation_times = {"created_time": self._now(), "modified_time": self._now()}
            self._notes.create({"relative_path": path, "content": content, **creation_times})
        else:
            gap = "" if not old["content"] or old["content"].endswith("\n") else "\n"
            self._write(path, old["content"] + gap + content)

    def patch(self, path: str, operation: Operation, kind: str, target: str, content: str) -> None:
        """Edit a part of a note; a heading may be given without its path if it is unambiguous."""
        note = self.note(path)
        if kind == "heading" and "::" not in target:
            paths = ["::".join(each.path) for each in sections(note["content"]) if each.path[-1] == target]
            if len(paths) > 1:
                candidates = ", ".join(paths)
                raise ToolFailure(
                    f"Ambiguous heading '{target}'. Candidates: {candidates}. "
                    "Specify the qualified path with '::' delimiter."
                )
            target = paths[0] if paths else target
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
        if not plain or plain.endswith("/") or any(each.startswith(f"{plain}/") for each in self.tree.get("notes")):
            raise ToolFailure(_ONLY_FILES)
        return plain

    def _write(self, path: str, content: str) -> None:
        self._notes.update(path, {"content": content, "modified_time": self._now()})

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


# The tools.

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
    text = ""
    for path in filepaths:
        try:
            content = vault.note(path)["content"]
        except ToolFailure as failure:
            content = f"Error reading file: {failure}"
        text += f"# {path}\n\n{content}\n\n---\n\n"
    return text


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
