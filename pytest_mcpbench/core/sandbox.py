"""Sandbox of one attempt: its worlds, scratch directory, clock, ids."""

import hashlib
import json
import random
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from pytest_mcpbench.core.context import ContextTree, Shape
from pytest_mcpbench.core.context import Path as TreePath
from pytest_mcpbench.core.context.check_paths import find_path_problem
from pytest_mcpbench.core.context.shape import shape_violations, unknown_names
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.task import StateCheck
from pytest_mcpbench.core.world import Observation, WorldRecord
from pytest_mcpbench.text.json_reading import map_texts
from pytest_mcpbench.text.normal_forms import without_surrogates
from pytest_mcpbench.text.paths import SANDBOX

DEFAULT_NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""The frozen clock of a task that sets none: a Monday morning."""

FILES = "files"
"""Name of the world that is the sandbox directory."""

Model = TypeVar("Model", bound=BaseModel)

_SEEN_IN_CHANGES = ("created", "updated", "deleted", "unchanged")


class Ids:
    """Ids that look random and are the same in every attempt: the n-th depends on the seed alone."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(hashlib.sha256(seed.encode()).digest())

    def hex(self, length: int) -> str:
        """Return lower-case hexadecimal digits."""
        return f"{self._random.getrandbits(4 * length):0{length}x}"

    def uuid(self) -> str:
        """Return a version 4 UUID."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def number(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        return self._random.randint(low, high)

    def text(self, length: int, alphabet: str) -> str:
        """Return characters of an alphabet."""
        return "".join(self._random.choices(alphabet, k=length))


@dataclass(frozen=True)
class World:
    """World of one server in one attempt: everything that the server may change."""

    name: str
    path: Path
    """The attempt's directory, which it shares with the task's other servers."""
    now: datetime
    ids: Ids
    seed: Any = None
    """Initial tree from the task, name of one of the server's seeds, or ``None`` for its default."""
    is_public: bool = False
    """Whether the seed is a benchmark's own, of which a server may read only a part."""
    unread_fields: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """Fields of a public seed that the server does not read."""
    _states: list[ContextTree] = field(default_factory=list, init=False, repr=False, compare=False)

    def tree(
        self,
        default: Callable[[], Any] = dict,
        *,
        shape: Shape | None = None,
        seeds: Mapping[str, Callable[[], Any]] | None = None,
        convert: Callable[[Any], Any] | None = None,
    ) -> ContextTree:
        """Return the live tree, always the same object; the first call creates it from the task's seed or ``default``.

        ``seeds`` are the server's named seeds: those that a task may name instead of giving a tree. ``convert`` makes
        the server's tree of one that a task gives in another form, as public benchmarks do.
        """
        if not self._states:
            initial = self._initial_tree(default, seeds or {})
            if convert is not None and isinstance(self.seed, dict):
                initial = convert(initial)
            if shape is not None and isinstance(self.seed, dict) and isinstance(initial, dict):
                self._check_seed(initial, shape, default)
            tree = ContextTree.of(initial, shape, self.ids)
            self._states.extend((tree.fork(), tree))
        return self._states[1]

    def restart(self) -> None:
        """Make the present tree the initial one."""
        if self._states:
            self._states[0] = self._states[1].fork()

    @property
    def before(self) -> ContextTree | None:
        """Return the initial tree; ``None`` if the server has not created one."""
        return self._states[0] if self._states else None

    @property
    def after(self) -> ContextTree | None:
        """Return the tree as it is now."""
        return self._states[1] if self._states else None

    def _check_seed(self, initial: dict[str, Any], shape: Shape, default: Callable[[], Any]) -> None:
        usual = {} if initial.keys() <= shape.root_names else default()
        if self.is_public:
            self.unread_fields.extend(unknown_names(initial, shape, usual))
            initial = {name: value for name, value in initial.items() if name not in self.unread_fields}
        if problem := list(shape_violations(initial, shape, usual)):
            more = f" ({len(problem) - 1} more)" if len(problem) > 1 else ""
            raise SandboxError(f"the seed of server {self.name!r}: {problem[0]}{more}")

    def _initial_tree(self, default: Callable[[], Any], seeds: Mapping[str, Callable[[], Any]]) -> Any:
        if self.seed is None:
            return default()
        if not isinstance(self.seed, str):
            return self.seed
        if self.seed not in seeds:
            known = ", ".join(sorted(seeds)) or "none"
            raise SandboxError(f"server {self.name!r} knows no seed {self.seed!r}; it knows: {known}.")
        return seeds[self.seed]()


class Files(Protocol):
    """The sandbox directory as a tree (see :mod:`pytest_mcpbench.attempt.sandbox`)."""

    before: ContextTree

    def start(self) -> None: ...

    def after(self) -> ContextTree: ...


@dataclass
class Sandbox:
    """Everything that one attempt may change. Attempts share only the seeds, which are never modified."""

    path: Path
    now: datetime = DEFAULT_NOW
    identity: str = ""
    """Seed of generated ids: the task's id, so that all attempts at a task get the same ids."""
    seeds: Mapping[str, Any] = field(default_factory=dict)
    """Server -> seed of its world."""
    has_public_seeds: bool = False
    """Whether the seeds are a benchmark's own; see :attr:`World.is_public`."""
    checks: tuple[StateCheck, ...] = ()
    """The task's state checks, whose paths :meth:`diff` observes."""
    files: Files | None = None
    _worlds: dict[str, World] = field(default_factory=dict, init=False, repr=False)
    _adopted: dict[str, tuple[ContextTree, ContextTree]] = field(default_factory=dict, init=False, repr=False)
    _observed: tuple[WorldRecord, ...] | None = field(default=None, init=False, repr=False)

    @property
    def is_made(self) -> bool:
        """Return whether the directory exists; one that nothing has asked for may not yet."""
        return True

    @property
    def location(self) -> Path:
        """Return the path for comparisons with texts, for which the directory need not exist."""
        return self.path

    def world(self, server: str) -> World:
        """Return the world of a server, the same object on each call."""
        if server not in self._worlds:
            ids = Ids(f"{self.identity}/{server}")
            self._worlds[server] = self._new_world(server, ids, self.seeds.get(server))
        return self._worlds[server]

    def _new_world(self, server: str, ids: Ids, seed: Any) -> World:
        return World(server, self.path, self.now, ids, seed, self.has_public_seeds)

    def filled(self, value: Model) -> Model:
        """Return a value with the attempt's directory in place of ``{sandbox}``."""
        return _with_text(value, SANDBOX, lambda: str(self.path))

    def portable(self, value: Model) -> Model:
        """Return a value with ``{sandbox}`` in place of the attempt's directory."""
        if not self.is_made or not self.location.is_absolute():
            return value
        return _with_text(value, str(self.location), lambda: SANDBOX)

    @property
    def unread_fields(self) -> dict[str, tuple[str, ...]]:
        """Return the fields of public seeds that no server reads, by server."""
        return {world.name: tuple(world.unread_fields) for world in self._worlds.values() if world.unread_fields}

    def start(self) -> None:
        """Make the present content of the directory its state before the attempt, once the servers have started."""
        if self.files is not None:
            self.files.start()

    def restart_worlds(self) -> None:
        """Make the present worlds of servers in this process their states before the attempt."""
        for world in self._worlds.values():
            world.restart()

    def observe(self, records: tuple[WorldRecord, ...]) -> None:
        """Adopt the world records of an attempt that another process made."""
        self._observed = records

    def adopt(self, server: str, before: Any, after: Any) -> None:
        """Take over the world of a server in another process, as read from its resource ``mcpbench://world``."""
        self._adopted[server] = (ContextTree.of(before), ContextTree.of(after))

    @property
    def before(self) -> dict[str, Any]:
        """Return world -> its tree at the beginning, the directory under ``files``."""
        return {name: before.to_json() for name, (before, _) in self._states().items()}

    @property
    def after(self) -> dict[str, Any]:
        """Return world -> its tree as it is now, the directory under ``files``."""
        return {name: after.to_json() for name, (_, after) in self._states().items()}

    def diff(self) -> tuple[WorldRecord, ...]:
        """Return each world's changes since the beginning, with the observations for the task's state checks."""
        if self._observed is not None:
            return self._observed
        return tuple(world_record(name, before, after, self.checks) for name, (before, after) in self._states().items())

    def _states(self) -> dict[str, tuple[ContextTree, ContextTree]]:
        trees = {world.name: (world.before, world.after) for world in self._worlds.values()}
        states = {name: (before, after) for name, (before, after) in trees.items() if before and after}
        if self.files is not None:
            states[FILES] = (self.files.before, self.files.after())
        return states | self._adopted


def with_directory(value: Any, directory: Callable[[], Path]) -> Any:
    """Return a text, list, tuple or mapping with the directory in place of ``{sandbox}``.

    The function that returns the directory is called if a text names it: a sandbox makes its directory then.
    """
    return map_texts(value, lambda text: text.replace(SANDBOX, str(directory())) if SANDBOX in text else text)


def _with_text(value: Model, old: str, new: Callable[[], str]) -> Model:
    """Return a value with another text in place of one, in keys and texts; the value itself if it has none."""
    try:
        content = value.model_dump_json()
    except PydanticSerializationError:  # lone surrogates, which are not written to records either
        return _with_text(type(value).model_validate(without_surrogates(value.model_dump())), old, new)
    if _in_json(old) not in content:
        return value
    return type(value).model_validate_json(replaced_in_json(content, old, new()))


def replaced_in_json(content: str, old: str, new: str) -> str:
    """Return JSON with another text in place of one in its texts; letters that are not ASCII stand as they are."""
    return content.replace(_in_json(old), _in_json(new))


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def world_record(name: str, before: ContextTree, after: ContextTree, checks: Iterable[StateCheck] = ()) -> WorldRecord:
    """Return a world's changes, with an observation for each check of this world or of no particular world."""
    relevant = [check for check in checks if check.world in (None, name)]
    observations = tuple(_observation(check, before, after) for check in relevant)
    changes = after.diff_from(before, selected_paths=map(_entity_path, relevant))
    return WorldRecord(name=name, changes=changes, observations=observations)


def parse_clock(text: str | None) -> datetime:
    """Parse a task's frozen clock (ISO 8601, UTC if it has no offset); return the default for ``None``."""
    if text is None:
        return DEFAULT_NOW
    try:
        now = datetime.fromisoformat(text)
    except ValueError:
        raise SandboxError(f"context.now is {text!r}; write a date and time like 2026-03-02T09:00:00+01:00.") from None
    return now if now.tzinfo else now.replace(tzinfo=UTC)


def _observation(check: StateCheck, before: ContextTree, after: ContextTree) -> Observation:
    path = TreePath.parse(check.path)
    old = {match.path: match.value for match in before.matches(path)}
    new = {match.path: match.value for match in after.matches(path)}
    resolved = tuple({**old, **new})
    problem = find_path_problem(path, before, after)
    observation = Observation(
        path=check.path,
        resolved=resolved,
        doubt=problem.problem if problem else None,
        is_undeclared=problem is not None and problem.is_certain,
    )
    if check.verb in _SEEN_IN_CHANGES:
        return observation
    values = {"before": old, "after": new} if path.has_wildcard else {"before": _only(old), "after": _only(new)}
    return observation.model_copy(update=values)


def _entity_path(check: StateCheck) -> TreePath:
    """Return the check's path; for a created or deleted entity of a collection, the path of all its entities."""
    path = TreePath.parse(check.path)
    *owners, last = path.segments
    if check.verb not in ("created", "deleted") or last.selector is not None:
        return path
    return TreePath((*owners, replace(last, selector="*")))


def _only(found: dict[str, Any]) -> Any:
    return next(iter(found.values()), None)
