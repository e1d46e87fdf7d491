"""Loader of MCP-Atlas tasks: a prompt, an allow-list of tools, and claims about the answer (arXiv 2602.00933)."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Context, Derivation, Expected, ExpectedCall, Source, Task, Turn
from pytest_mcpbench.loaders import atlas_servers
from pytest_mcpbench.loaders.chat_messages import call_groups, parse_conversation
from pytest_mcpbench.loaders.field_errors import FieldError, field_path, to_field_error, type_name
from pytest_mcpbench.loaders.json_records import decode_text, is_undecodable, read_json_records
from pytest_mcpbench.loaders.literal_parsing import LiteralError, parse_literal
from pytest_mcpbench.loaders.loader_options import parse_options
from pytest_mcpbench.loaders.task_building import build_task
from pytest_mcpbench.loaders.task_ids import TaskIds, id_from_place, normalize_id
from pytest_mcpbench.text.json_reading import read_json

# Parser of the claims of an MCP-Atlas task, which are published in four encodings.

_BULLET = re.compile(r"^\s*(?:[•*–-]\s+|•|\d+[.)]\s+)")
_PUNCTUATION = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."})


def parse_claims(value: Any, *, official: bool = False) -> tuple[str, ...]:
    """Parse claims from a JSON array, a Python list, objects with ``claim``, or a text with one claim per line.

    Claims stay unchanged unless ``official`` is true: then they are cleaned as in the authors' scorer. Raises
    :class:`FieldError`.
    """
    claims = [claim for claim in (part.strip() for part in _claim_entries(value)) if claim]
    if official:
        claims = [
            cleaned_claim for claim in claims if len(cleaned_claim := official_claim(claim)) > _LEAST_OFFICIAL_LENGTH
        ]
    return tuple(claims)


_LEAST_OFFICIAL_LENGTH = 3


def official_claim(claim: str) -> str:
    """Clean a claim as ``clean_claim_text`` of the authors' scorer does: "-18.4% was" becomes "4% was"."""
    text = re.sub(r"^[\s•*-]+", "", claim)
    text = re.sub(r"^\d+[.)]\s*", "", text)
    return re.sub(r"[\"']+\.*$", "", text.translate(_PUNCTUATION).strip()).strip()


def _claim_entries(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        written = value.strip()
        if not written.startswith("["):
            return [_BULLET.sub("", line) for line in written.splitlines()]
        try:
            parsed = parse_literal(written)
        except LiteralError:
            raise FieldError("GTFA_CLAIMS", "starts with [ but is neither a JSON array nor a Python list.") from None
        return _claim_entries(parsed)
    if isinstance(value, list | tuple):
        claim_texts: list[str] = []
        for element in value:
            text = element.get("claim", element.get("text")) if isinstance(element, dict) else element
            if not isinstance(text, str):
                raise FieldError("GTFA_CLAIMS", f"each claim must be text, not {type_name(text)}.")
            claim_texts.append(text)
        return claim_texts
    raise FieldError("GTFA_CLAIMS", f"must be a list of claims, not {type_name(value)}.")


# Reader of table rows from parquet, CSV or JSON.

_CELL_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class PublishedRow:
    """Cells of one row by column, or the problem that prevents reading it."""

    place: SourceLocation
    values: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None
    warnings: tuple[str, ...] = ()


def read_rows(content: bytes, file: str) -> Iterator[PublishedRow]:
    """Yield the rows in order; the first bytes of the content determine its format."""
    if content.startswith(b"PAR1"):
        yield from _parquet_rows(content, file)
        return
    text = decode_text(content)
    if text.lstrip()[:1] not in ("{", "["):
        yield from _csv_rows(text, file)
        return
    for record in read_json_records(content, file):
        if record.problem is not None:
            yield PublishedRow(record.place, problem=record.problem + ".")
        elif isinstance(record.value, dict):
            yield PublishedRow(record.place, record.value, warnings=record.warnings)
        else:
            yield PublishedRow(record.place, problem=f"a record must be an object, not {type_name(record.value)}.")


def _csv_rows(text: str, file: str) -> Iterator[PublishedRow]:
    reader = csv.reader(io.StringIO(text, newline=""))
    header: list[str] | None = None
    while True:
        place = SourceLocation(file, line=reader.line_num + 1)
        # Recorded trajectories are cells larger than the default limit. The limit applies to the process, so it is
        # restored before any other code can see it.
        previous_limit = csv.field_size_limit(_CELL_BYTES)
        problem = None
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"not valid CSV: {error}."
        finally:
            csv.field_size_limit(previous_limit)
        if header is None:
            if problem is not None:
                yield PublishedRow(place, problem=problem)
                return
            header = cells
            continue
        if cells and len(cells) != len(header):
            problem = f"the row has {len(cells)} cells, the header {len(header)}; it may be cut off."
        elif any(map(is_undecodable, cells)):
            problem = "the row contains bytes that are not UTF-8."
        if problem is not None:
            yield PublishedRow(place, problem=problem)
        elif cells:
            yield PublishedRow(place, dict(zip(header, cells, strict=True)))


def _parquet_rows(content: bytes, file: str) -> Iterator[PublishedRow]:
    try:
        from pyarrow import ArrowException, BufferReader, parquet
    except ImportError:
        problem = "reading parquet requires pyarrow, which is not installed: pip install 'pytest-mcpbench[fetch]'."
        yield PublishedRow(SourceLocation(file), problem=problem)
        return
    index = 0
    try:
        for batch in parquet.ParquetFile(BufferReader(content)).iter_batches(batch_size=64):
            for values in batch.to_pylist():
                yield PublishedRow(SourceLocation(file, index=index), values)
                index += 1
    except (ArrowException, OSError) as error:
        yield PublishedRow(SourceLocation(file, index=index), problem=f"not a valid parquet file: {error}.")


_OFFICIAL_COLUMNS = {
    "task": "TASK",
    "taskid": "TASK",
    "id": "TASK",
    "prompt": "PROMPT",
    "enabledtools": "ENABLED_TOOLS",
    "gtfaclaims": "GTFA_CLAIMS",
    "claims": "GTFA_CLAIMS",
    "trajectory": "TRAJECTORY",
    "gtfa": "GTFA",
    "split": "SPLIT",
    "requiredtools": "REQUIRED_TOOLS",
    "requiredservers": "REQUIRED_SERVERS",
    "image": "IMAGE",
    "derivation": "DERIVATION",
    "conditional": "CONDITIONAL",
}
_REQUIRED_COLUMNS = ("PROMPT", "ENABLED_TOOLS")


class AtlasOptions(FrozenModel):
    """Options of ``loader = "atlas"``."""

    official: bool = False
    """Clean claims as the authors' scorer does, which damages some claims that begin with a number."""
    results: bool = False
    """Keep the recorded results of reference calls for replay; they take up to 0.7 MB per task."""
    files: str | None = None
    """Directory, relative to the suite, that is copied for each attempt; the benchmark mounts it as ``/data``."""
    git: str | bool = False
    """The attempt's directory is a repository, with the history of this file, as in ``context.git``."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Load a parquet file (requires ``pyarrow``), CSV, JSON lines or a JSON array; column names ignore case.

    Each tool name contains its server. A task itself requires no server, so that it can run with the servers that are
    available; tools of other servers are reported as unavailable.
    """
    atlas_options = parse_options(options, AtlasOptions)
    ids = TaskIds()
    for row in read_rows(content, options.file):
        squeezed = (
            (str(name).strip().lower().replace("_", "").replace(" ", ""), value) for name, value in row.values.items()
        )
        values = {_OFFICIAL_COLUMNS[name]: value for name, value in squeezed if name in _OFFICIAL_COLUMNS}
        preferred_id = normalize_id(str(values.get("TASK") or "")) or id_from_place(row.place)
        task_id, repetition = ids.take(preferred_id, row.place)
        warnings = (*row.warnings, *repetition)
        try:
            if row.problem is not None:
                raise FieldError(None, row.problem)
            task, task_warnings = _task(values, task_id, row.place, atlas_options)
        except FieldError as error:
            yield LoadedTask(row.place, id=task_id, error=error.at(row.place), warnings=warnings)
        else:
            yield LoadedTask(row.place, id=task_id, task=task, warnings=(*warnings, *task_warnings))


def _task(
    values: Mapping[str, Any], task_id: str, place: SourceLocation, options: AtlasOptions
) -> tuple[Task, list[str]]:
    for name in _REQUIRED_COLUMNS:
        if name not in values:
            raise FieldError(name, "the column is missing.", f"Columns found: {', '.join(values) or 'none'}.")
    prompt = values["PROMPT"]
    if not isinstance(prompt, str) or not prompt.strip():
        raise FieldError("PROMPT", "is empty." if prompt in (None, "") else f"must be text, not {type_name(prompt)}.")
    tools = enabled_tools(values["ENABLED_TOOLS"])
    claims = parse_claims(values.get("GTFA_CLAIMS"), official=options.official)
    groups, warnings = _reference_calls(values.get("TRAJECTORY"), options)
    called = {str(call.server) for group in groups for call in group.calls} or _required_servers(values)
    server_tags = atlas_servers.server_tags(tools, called) + atlas_servers.environment_tags(called)
    tags = {mark: mark for mark in server_tags}
    split = values.get("SPLIT")
    if isinstance(split, str) and split:
        tags["split"] = split
    # A column of our own tasks: what to do follows from what a call finds out.
    if isinstance(is_conditional := values.get("CONDITIONAL"), bool):
        tags["conditional"] = "yes" if is_conditional else "no"
    fields = {
        "id": task_id,
        "turns": (Turn(user=prompt),),
        "tools": tools,
        "context": Context(files=options.files, git=options.git),
        "expected": _expected(groups, claims, values.get("DERIVATION")),
        "tags": tags,
        "source": Source(file=place.file, place=str(place), upstream_id=str(values.get("TASK") or "") or None),
    }
    if not claims:
        warnings.append("GTFA_CLAIMS contains no claim: coverage cannot be computed")
    if dead := atlas_servers.dead_servers(tools):
        warnings.append(f"enables tools of servers that no longer exist: {', '.join(dead)}")
    return build_task(fields), warnings


def _expected(groups: tuple[CallGroup, ...], claims: tuple[str, ...], value: Any) -> Expected:
    """Return what a run is compared with; the column ``DERIVATION`` exists only in tasks of our own."""
    derivation = None
    if value not in (None, ""):
        try:
            derivation = Derivation.model_validate(read_json(value) if isinstance(value, str) else value)
        except ValidationError as error:
            raise to_field_error(error, Derivation, lambda place: field_path(("DERIVATION", *place))) from error
        except ValueError as error:
            raise FieldError("DERIVATION", f"is not valid JSON: {error}") from error
    try:
        return Expected(calls=groups, claims=claims, derivation=derivation)
    except ValidationError as error:
        raise to_field_error(error, Expected, lambda _place: "DERIVATION") from error


def enabled_tools(value: Any) -> tuple[str, ...]:
    """Return the tool names of an allow-list: names or objects with ``name``, as a list or text (JSON or commas).

    Raises:
        FieldError: The list is empty, which must not mean all tools, or an element has no name.
    """
    entries = _tool_entries(value)
    names = [tool.get("name") if isinstance(tool, dict) else tool for tool in entries]
    if not names:
        raise FieldError("ENABLED_TOOLS", "is empty; an empty list does not mean all tools.")
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise FieldError("ENABLED_TOOLS", "an element is not the name of a tool.")
    return tuple(dict.fromkeys(atlas_servers.current_name(str(name).strip()) for name in names))


def _tool_entries(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    if value is None:
        return []
    if not isinstance(value, str):
        raise FieldError("ENABLED_TOOLS", f"must be a list of tool names, not {type_name(value)}.")
    text = value.strip()
    if not text.startswith("["):
        return [name for name in text.split(",") if name.strip()]
    for spelling in (text, text.replace('""', '"'), text.replace("'", '"')):
        try:
            parsed = read_json(spelling)
        except ValueError:
            continue
        if isinstance(parsed, list):
            return parsed
    raise FieldError("ENABLED_TOOLS", "starts with [ but is not a valid JSON array.")


def _reference_calls(value: Any, options: AtlasOptions) -> tuple[tuple[CallGroup, ...], list[str]]:
    """Return the calls of the recorded trajectory, numbered from 1, with ``<server>_<tool>`` split into both."""
    if value is None or value == "":
        return (), []
    try:
        messages = read_json(value) if isinstance(value, str) else value
        parsed = parse_conversation(messages, "TRAJECTORY", results=options.results)
    except ValueError as error:
        # A warning suffices: only diagnostics use the reference calls.
        return (), [f"TRAJECTORY is unreadable, so the task has no reference calls: {error}"]
    groups: list[CallGroup] = []
    numbers = count(1)
    for recorded in call_groups(parsed.messages):
        calls: list[ExpectedCall] = []
        for call in recorded:
            server, tool = atlas_servers.split_tool_name(atlas_servers.current_name(call.tool))
            calls.append(call.model_copy(update={"server": server, "tool": tool, "id": str(next(numbers))}))
        groups.append(CallGroup(calls=tuple(calls)))
    return tuple(groups), list(parsed.warnings)


def _required_servers(values: Mapping[str, Any]) -> set[str]:
    """Return the servers of the column ``REQUIRED_SERVERS``, for records without a trajectory."""
    text = values.get("REQUIRED_SERVERS")
    try:
        entries = read_json(text) if isinstance(text, str) else text
    except ValueError:
        return set()
    return {server for server in entries if isinstance(server, str)} if isinstance(entries, list) else set()
