"""Loading of suites: the manifest of a suite, and the tasks of its files as an attempt sees them.

The plugin and the command line both load with :func:`load_suite`; they differ in the names that they know.
"""

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.errors import McpBenchError, SourceLocation, TaskError
from pytest_mcpbench.core.loading import LoadedTask, Loader, LoadOptions
from pytest_mcpbench.core.sandbox import FILES
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.files.confinement import Confinement
from pytest_mcpbench.loaders import manifest
from pytest_mcpbench.loaders.catalogue import BUILT_IN
from pytest_mcpbench.loaders.effects import read_effects, with_effects
from pytest_mcpbench.loaders.json_records import decode_text
from pytest_mcpbench.loaders.task_building import to_record_error
from pytest_mcpbench.suite_files import server_paths
from pytest_mcpbench.suite_files.briefing.suite_briefing import brief_tasks
from pytest_mcpbench.suite_files.references import import_object
from pytest_mcpbench.text.suggestions import did_you_mean, hint


@dataclass(frozen=True)
class KnownNames:
    """Names that task files may use, and the place of public data; pytest's hooks add to the built-in ones."""

    loaders: Mapping[str, Any] = field(default_factory=lambda: BUILT_IN)
    metrics: Collection[str] | None = None
    """``None``: not known, as outside pytest, where the metrics of hooks are missing."""
    servers: Mapping[str, ServerRef] | None = field(default_factory=dict)
    """Servers that every suite has; ``None``: not known, so a server that a suite lacks may exist."""
    data: Path | None = None
    """Directory of a benchmark's public files, for suites that read them."""
    display_path: Callable[[Path], str] = os.path.relpath
    """Name of a file in messages."""
    root: Path | None = None
    """Root of the project, up to which servers' files and ``mcp.json`` are searched; ``None``: working directory."""
    allowed_paths: tuple[Path, ...] = ()
    """Further directories and files that suites may read; see :class:`Confinement`."""

    def confinement(self, suite: SuiteManifest) -> Confinement:
        """Return the directories that a suite may read."""
        return Confinement.of_suite(Path(suite.directory), self.root or Path.cwd(), self.allowed_paths)


BUILT_IN_NAMES = KnownNames(servers=None)
"""The names that are known without pytest."""


@dataclass(frozen=True)
class LoadedSuite:
    """A suite under the conditions of a run, with its records."""

    manifest: SuiteManifest
    records: tuple[LoadedTask, ...]
    """The records as the files define them."""
    attempts: tuple[LoadedTask, ...]
    """The same records with the instructions and context that the conditions add for the agent."""
    file_errors: tuple[TaskError, ...] = ()
    """Errors that keep a complete file from being read; each is also the error of one record."""

    @property
    def tasks(self) -> list[Task]:
        """Return the tasks that can be attempted; raises the first error of a complete file."""
        for error in self.file_errors:
            raise error
        return [record.task for record in self.attempts if record.task is not None]

    @property
    def errors(self) -> list[TaskError]:
        """Return the errors of the records that cannot be read."""
        return [record.error for record in self.records if record.error is not None]

    @property
    def drawn(self) -> tuple[LoadedTask, ...]:
        """Return the records of the suite's sample, and those that are broken; all if it has none."""
        sample = self.manifest.sample
        if sample is None:
            return self.records
        tasks = {each.id: sample.sampled("", each.id, each.task.tags) for each in self.records if each.task is not None}
        drawn = sample.draw(tasks.values())
        return tuple(each for each in self.records if each.id not in tasks or tasks[each.id] in drawn)


def load_suite(path: Path, conditions: Mapping[str, Any], names: KnownNames = BUILT_IN_NAMES) -> LoadedSuite:
    """Return the suite of a ``suite.toml`` or of a stand-alone task file.

    A broken file or record becomes a record with an error and does not hide the others. Raises TaskError if the
    manifest itself is wrong, and UsageError if the conditions do not fit the suite.
    """
    suite = read_suite(path, names).under(conditions)
    # Documents that the command line names are allowed by that.
    named = (*conditions.get("skills", ()), conditions.get("context_pool"))
    allowed = (*names.allowed_paths, *(Path(suite.directory) / each for each in named if each))
    return load_tasks(suite, replace(names, allowed_paths=allowed))


def load_tasks(suite: SuiteManifest, names: KnownNames = BUILT_IN_NAMES) -> LoadedSuite:
    """Return a suite with the records of its files."""
    errors: list[TaskError] = []
    confinement = names.confinement(suite)
    found = _with_effects(_records(suite, names, errors), suite, names)
    if names.data:
        # Here, as below: few suites have public files or recorded results.
        from pytest_mcpbench.suite_files.public_data import first_of_each

        records = list(first_of_each(found))
    else:
        records = list(_with_unique_ids(found))
    tags = [record.task.tags for record in records if record.task is not None]
    problem = suite.sample.find_problem(tags) if suite.sample is not None and tags else None
    if problem is not None:
        raise TaskError(problem, SourceLocation(names.display_path(Path(suite.directory))), "sample.tag")
    if suite.recorded:
        from pytest_mcpbench.suite_files.public_data import on_recorded_servers

        suite, records = on_recorded_servers(suite, records)
    briefed = brief_tasks(suite, records, confinement)
    if names.servers is not None:
        briefed = [_with_known_servers(record, suite) for record in briefed]
    return LoadedSuite(suite, tuple(records), tuple(briefed), tuple(errors))


def read_suite(path: Path, names: KnownNames = BUILT_IN_NAMES) -> SuiteManifest:
    """Return the manifest of a ``suite.toml`` or of a stand-alone task file, with the servers that every suite has."""
    require_name_in_utf8(names.display_path(path))
    text = decode_text(path.read_bytes())
    try:
        if path.suffix == ".toml":
            suite = manifest.read_manifest(text, path, os.environ, names.data, names.metrics)
        else:
            suite = manifest.standalone_manifest(text, path, os.environ, names.metrics, names.root or Path.cwd())
    except TaskError as error:
        error.place = replace(error.place, file=names.display_path(Path(error.place.file)))
        raise
    root = names.root or Path.cwd()
    own = {name: server_paths.locate(ref, Path(suite.directory), root) for name, ref in suite.servers.items()}
    return suite.model_copy(update={"servers": {**(names.servers or {}), **own}})


def require_name_in_utf8(shown: str) -> None:
    """Raise TaskError for a file that ids, records and reports could not name."""
    name = os.fsencode(shown)
    try:
        name.decode()
    except UnicodeDecodeError:
        raise TaskError(
            f"its name {name!r} is not UTF-8, so that no report could name its tasks.",
            SourceLocation(name.decode(errors="replace")),
            remedy="Rename the file, or the directory.",
        ) from None


def load_task_file(suite: SuiteManifest, file: TaskFileRef, names: KnownNames = BUILT_IN_NAMES) -> Iterator[LoadedTask]:
    """Yield the records of one task file."""
    if file.loader not in names.loaders:
        problem = f"no loader is called {file.loader!r}."
        remedy = hint(file.loader, names.loaders)
        if names.metrics is None:
            remedy += " Those of packages and conftest files are known in runs of pytest only."
        raise TaskError(problem, SourceLocation(file.path), remedy=remedy)
    path = Path(suite.directory) / file.path
    require_name_in_utf8(names.display_path(path))
    # The directory of public data comes from the command line; the cache of a hub consists of links.
    if names.data is None:
        names.confinement(suite).check(path, SourceLocation(names.display_path(Path(suite.directory))), "files")
    loader: Loader = import_object(names.loaders[file.loader])
    options = LoadOptions(names.display_path(path), file.options, names.metrics)
    try:
        for record in loader(content_of(path, file.sha256), options):
            yield _with_known_metrics(record, names.metrics)
    except (McpBenchError, RecursionError):
        raise
    except Exception as error:  # whatever a loader of someone else raises
        wrong = to_record_error(error) if isinstance(error, ValidationError) else None
        told = f"{wrong.field}: {wrong.problem}" if wrong else f"{type(error).__name__}: {error}."
        raise TaskError(
            f"the loader {file.loader!r} raised {told}",
            SourceLocation(options.file),
            remedy="A loader makes each record with `load_record`, so that its error has a line and hides no other.",
        ) from error


def content_of(path: Path, sha256: str | None) -> bytes:
    """Return the content of a task file; raise TaskError if it is not the one that the suite expects."""
    if not path.is_file():
        raise TaskError(
            "the file does not exist.",
            SourceLocation(str(path)),
            remedy="See the suite's SOURCE.md for where to get it.",
        )
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if sha256 and found != sha256:
        raise TaskError(
            f"sha256 is {found}, the suite expects {sha256}.", SourceLocation(str(path)), remedy="Fetch the file again."
        )
    return content


def _records(suite: SuiteManifest, names: KnownNames, errors: list[TaskError]) -> Iterator[LoadedTask]:
    """Yield the records of all files in order; a file that cannot be read is one record with an error."""
    for file in suite.files:
        place = SourceLocation(file.path)
        try:
            yield from load_task_file(suite, file, names)
        except RecursionError:
            errors.append(TaskError("it has more levels of objects and lists than can be read.", place))
        except McpBenchError as error:
            errors.append(error if isinstance(error, TaskError) else TaskError(str(error), place))
        else:
            continue
        yield LoadedTask(place, id=Path(file.path).stem, error=errors[-1])


def _with_effects(records: Iterator[LoadedTask], suite: SuiteManifest, names: KnownNames) -> Iterator[LoadedTask]:
    """Yield the records with the effects that the suite has recorded of their references."""
    if suite.effects is None:
        return records
    path = Path(suite.directory) / suite.effects.file
    names.confinement(suite).check(path, SourceLocation(names.display_path(Path(suite.directory))), "effects.file")
    if not path.is_file():
        remedy = "Write it with `mcpbench record-effects`."
        raise TaskError("the file does not exist.", SourceLocation(names.display_path(path)), "effects.file", remedy)
    return with_effects(records, read_effects(decode_text(path.read_bytes()), names.display_path(path)))


def _with_known_metrics(record: LoadedTask, metrics: Collection[str] | None) -> LoadedTask:
    """Return the record; with an error if a loader has accepted a floor of a metric that does not exist."""
    if record.task is None or metrics is None:
        return record
    for name in record.task.floors:
        if name not in metrics:
            problem = f"no metric is called {name!r}."
            error = TaskError(problem, record.place, field=f"floors.{name}", remedy=hint(name, metrics))
            return replace(record, task=None, error=error)
    return record


def _with_unique_ids(records: Iterable[LoadedTask]) -> Iterator[LoadedTask]:
    """Yield the records; one whose id an earlier record has becomes an error that names both places."""
    first: dict[str, LoadedTask] = {}
    for record in records:
        earlier = first.setdefault(record.id, record)
        if earlier is record:
            yield record
            continue
        problem = TaskError(f"the id {record.id!r} is already used at {earlier.place}", record.place, field="id")
        copy = LoadedTask(record.place, id=f"{record.id}.{len(first)}", error=record.error or problem)
        first[copy.id] = copy
        yield copy


def _with_known_servers(record: LoadedTask, suite: SuiteManifest) -> LoadedTask:
    """Return the record; with an error if its seeds, state checks or verify checks name a server that the suite lacks.

    A suite without servers is not checked: a fixture may provide them.
    """
    if record.task is None or not suite.servers:
        return record
    servers, expected = tuple(suite.servers), record.task.expected
    # The field, the server that it names, and the servers that exist.
    references: list[tuple[str, str, Collection[str]]] = []
    references += [(f"context.seeds.{name}", name, servers) for name in record.task.context.seeds]
    for at, check in enumerate(expected.state):
        if check.world is not None:
            references.append((f"state[{at}].world", check.world, (*servers, FILES)))
    for at, verify in enumerate(expected.verify):
        if verify.server is not None:
            references.append((f"verify[{at}].server", verify.server, servers))
    for place, name, known in references:
        if name not in known:
            problem = f"no server is called {name!r}; there are: {', '.join(known)}."
            return replace(record, task=None, error=TaskError(problem, record.place, place, did_you_mean(name, known)))
    return record
