"""Loads tasks in the project's own format, with short forms for those who write them by hand."""

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
from pytest_mcpbench.loaders import yaml_nodes
from pytest_mcpbench.loaders.complaint import FieldError, complaint, require_metrics
from pytest_mcpbench.loaders.identity import Ids, clean_id, place_id, slug
from pytest_mcpbench.loaders.settings import NoOptions, options_of
from pytest_mcpbench.loaders.short_forms import author_name, written_out
from pytest_mcpbench.loaders.text_records import decode_text, is_undecodable, read_records, undecodable_line

_ID = re.compile(r"[A-Za-z0-9_.-]+")


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """The tasks of a YAML file (a list, ``tasks:`` of a mapping, one document a task), of JSON lines or an array."""
    options_of(options, NoOptions)
    ids = Ids()
    is_yaml = PurePath(options.file).suffix.lower() in (".yaml", ".yml")
    records = _yaml_records(content, options.file) if is_yaml else _json_records(content, options.file)
    for record in records:
        yield _loaded(record, ids, options.metrics)


@dataclass(frozen=True)
class _Record:
    """One task as it was written."""

    place: SourceLocation
    value: Any = None
    problem: str | None = None
    remedy: str | None = "The other records of the file are not affected."
    """Beside the problem."""
    node: yaml.Node | None = None

    def place_of(self, field: str | None) -> SourceLocation:
        """The line of the field, where the file's format tells it."""
        if self.node is None or field is None:
            return self.place
        return SourceLocation(self.place.file, line=yaml_nodes.line_at(self.node, field))


def _json_records(content: bytes, file: str) -> Iterator[_Record]:
    for record in read_records(content, file):
        yield _Record(record.place, record.value, record.problem)


def _yaml_records(content: bytes, file: str) -> Iterator[_Record]:
    text = decode_text(content)
    if is_undecodable(text):
        place = SourceLocation(file, line=undecodable_line(text))
        yield _Record(place, problem="the line holds bytes that are not UTF-8", remedy=None)
        return
    try:
        nodes = yaml_nodes.documents(text)
    except yaml_nodes.YamlError as wrong:
        yield _Record(SourceLocation(file, line=wrong.line), problem=wrong.problem, remedy=None)
        return
    for node in nodes:
        for task in _tasks_in(node):
            yield _yaml_record(task, file)


def _tasks_in(document: yaml.Node) -> list[yaml.Node]:
    """The elements of a list or of ``tasks:``; any other document is one task."""
    tasks = yaml_nodes.child(document, "tasks") or document
    return list(tasks.value) if isinstance(tasks, yaml.SequenceNode) else [tasks]


def _yaml_record(node: yaml.Node, file: str) -> _Record:
    try:
        return _Record(SourceLocation(file, line=yaml_nodes.line_of(node)), yaml_nodes.plain(node), node=node)
    except yaml_nodes.YamlError as wrong:
        return _Record(SourceLocation(file, line=wrong.line), problem=wrong.problem)


def _loaded(record: _Record, ids: Ids, metrics: Collection[str] | None) -> LoadedTask:
    chosen = place_id(record.place)
    try:
        chosen = _wanted_id(record) or chosen
        _refuse_second(record, chosen, ids)
        chosen = ids.take(chosen, record.place)
        task = _task(record, chosen)
        require_metrics(((f"floors.{name}", name) for name in task.floors), metrics)
        return LoadedTask(record.place, id=chosen, task=task)
    except FieldError as wrong:
        if ids.holder(chosen) is not record.place:
            chosen = ids.take(chosen, record.place)
        return LoadedTask(record.place, id=chosen, error=wrong.at(record.place_of(wrong.field)))


def _wanted_id(record: _Record) -> str:
    """The id that the author gave or, where there is none, one made of what is asked; empty if neither has a letter."""
    if record.problem is not None:
        raise FieldError(None, record.problem + ".", record.remedy)
    if not isinstance(record.value, dict):
        raise FieldError(None, "a task must be a mapping of fields.", "The least is `ask:` with the user's message.")
    given = record.value.get("id")
    if given is None:
        return slug(_asked(record.value))
    if not isinstance(given, str | int) or isinstance(given, bool):
        raise FieldError("id", "must be text.")
    text = str(given)
    wanted = text if _ID.fullmatch(text) else clean_id(text)
    if not wanted:
        raise FieldError(
            "id", f"{text!r} has no letter or digit.", "An id is made of A-Z, a-z, 0-9, dot, dash and underscore."
        )
    return wanted


def _asked(value: dict[str, Any]) -> str:
    """The first thing that the user says, as far as it is there."""
    asked = value.get("ask")
    turns = value.get("turns")
    if asked is None and isinstance(turns, list) and turns:
        first = turns[0]
        asked = first.get("user", first.get("ask")) if isinstance(first, dict) else first
    return asked if isinstance(asked, str) else ""


def _refuse_second(record: _Record, wanted: str, ids: Ids) -> None:
    first = ids.holder(wanted)
    if first is not None and record.value.get("id") is not None:
        raise FieldError("id", f"{wanted!r} is already the id of the task at {first}.", "Give each task its own.")


def _task(record: _Record, chosen: str) -> Task:
    value: dict[str, Any] = record.value
    fields = written_out(value)
    given = value.get("id")
    fields["id"] = chosen
    upstream_id = _upstream_id(value.get("source"), str(given) if given not in (None, chosen) else None)
    if upstream_id is not None:
        fields["source"] = {"upstream_id": upstream_id}
    try:
        return Task.model_validate(fields)
    except ValidationError as error:
        raise complaint(error, Task, lambda location: author_name(value, location)) from None


def _upstream_id(source: Any, own: str | None) -> str | None:
    """The id in the record's first home: all that is kept of what it says of its source."""
    return source.get("upstream_id", own) if isinstance(source, dict) else own
