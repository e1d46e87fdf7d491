"""Loader of the project's native task format, with short forms for tasks that are written by hand."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import yaml
from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.loaders import yaml_parsing
from pytest_mcpbench.loaders.field_errors import FieldError, require_metrics, to_field_error
from pytest_mcpbench.loaders.json_records import decode_text, is_undecodable, read_json_records, undecodable_line
from pytest_mcpbench.loaders.loader_options import NoOptions, parse_options
from pytest_mcpbench.loaders.short_forms import author_field, expand_short_forms
from pytest_mcpbench.loaders.task_ids import TaskIds, id_from_place, normalize_id, slug

_ID = re.compile(r"[A-Za-z0-9_.-]+")


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Load YAML (a list, a mapping with ``tasks:``, or one task per document), JSON lines or a JSON array."""
    parse_options(options, NoOptions)
    ids = TaskIds()
    is_yaml = PurePath(options.file).suffix.lower() in (".yaml", ".yml")
    if is_yaml:
        records = _yaml_records(content, options.file)
    else:
        json_records = read_json_records(content, options.file)
        records = (_Record(record.place, record.value, record.problem) for record in json_records)
    for record in records:
        yield _load_record(record, ids, options.metrics)


@dataclass(frozen=True)
class _Record:
    """One task before validation, or the problem that prevents reading it."""

    place: SourceLocation
    value: Any = None
    problem: str | None = None
    remedy: str | None = "The other records of the file are not affected."
    """Remedy that is shown with the problem."""
    node: yaml.Node | None = None

    def place_of(self, field: str | None) -> SourceLocation:
        """Return the line of the field in YAML files, else the place of the record."""
        if self.node is None or field is None:
            return self.place
        return SourceLocation(self.place.file, line=yaml_parsing.line_at(self.node, field))


def _yaml_records(content: bytes, file: str) -> Iterator[_Record]:
    text = decode_text(content)
    if is_undecodable(text):
        place = SourceLocation(file, line=undecodable_line(text))
        yield _Record(place, problem="the line contains bytes that are not UTF-8", remedy=None)
        return
    try:
        nodes = yaml_parsing.documents(text)
    except yaml_parsing.YamlError as error:
        yield _Record(SourceLocation(file, line=error.line), problem=error.problem, remedy=error.remedy)
        return
    for node in nodes:
        # A document that is neither a list nor has ``tasks:`` is a single task.
        tasks = yaml_parsing.child(node, "tasks") or node
        for task in list(tasks.value) if isinstance(tasks, yaml.SequenceNode) else [tasks]:
            try:
                yaml_record = _Record(
                    SourceLocation(file, line=yaml_parsing.line_of(task)), yaml_parsing.plain(task), node=task
                )
            except yaml_parsing.YamlError as error:
                yaml_record = _Record(SourceLocation(file, line=error.line), problem=error.problem)
            yield yaml_record


def _load_record(record: _Record, ids: TaskIds, metrics: Collection[str] | None) -> LoadedTask:
    task_id = id_from_place(record.place)
    try:
        task_id = _author_id(record) or task_id
        first_use = ids.first_place(task_id)
        if first_use is not None and record.value.get("id") is not None:
            raise FieldError(
                "id", f"{task_id!r} is already used by the task at {first_use}.", "Give each task a unique id."
            )
        task_id, _ = ids.take(task_id, record.place)
        value: dict[str, Any] = record.value
        fields = expand_short_forms(value)
        written_id = value.get("id")
        fields["id"] = task_id
        upstream_id = str(written_id) if written_id not in (None, task_id) else None
        # The rest of ``source`` is set by the loader.
        if isinstance(source := value.get("source"), dict):
            upstream_id = source.get("upstream_id", upstream_id)
        if upstream_id is not None:
            fields["source"] = {"upstream_id": upstream_id}
        try:
            task = Task.model_validate(fields)
        except ValidationError as error:
            raise to_field_error(error, Task, lambda location: author_field(value, location)) from None
        require_metrics(((f"floors.{name}", name) for name in task.floors), metrics)
        require_metrics(((f"guards.{name}", name) for name in task.guards), metrics)
        return LoadedTask(record.place, id=task_id, task=task)
    except FieldError as error:
        if ids.first_place(task_id) is not record.place:
            task_id, _ = ids.take(task_id, record.place)
        return LoadedTask(record.place, id=task_id, error=error.at(record.place_of(error.field)))


def _author_id(record: _Record) -> str:
    """Return the author's id, or one made of the first message; "" if the message has no Latin letter or digit."""
    if record.problem is not None:
        raise FieldError(None, record.problem + ".", record.remedy)
    if not isinstance(record.value, dict):
        raise FieldError(
            None, "a task must be a mapping of fields.", "It needs at least `ask:` with the user's message."
        )
    written_id = record.value.get("id")
    if written_id is None:
        value = record.value
        message = value.get("ask")
        turns = value.get("turns")
        if message is None and isinstance(turns, list) and turns:
            first = turns[0]
            message = first.get("user", first.get("ask")) if isinstance(first, dict) else first
        return slug(message if isinstance(message, str) else "")
    if not isinstance(written_id, str | int) or isinstance(written_id, bool):
        raise FieldError("id", "must be text.")
    text = str(written_id)
    normalized = text if _ID.fullmatch(text) else normalize_id(text)
    if not normalized:
        raise FieldError(
            "id", f"{text!r} has no letter or digit.", "An id consists of A-Z, a-z, 0-9, dots, dashes and underscores."
        )
    return normalized
