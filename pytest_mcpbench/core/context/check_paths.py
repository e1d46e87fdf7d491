"""Validation of the paths of state checks against a world before and after an attempt."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pytest_mcpbench.core.context import ContextTree, Path, Segment
from pytest_mcpbench.core.context.path import EVERY
from pytest_mcpbench.core.context.shape import pattern
from pytest_mcpbench.text.suggestions import did_you_mean

_Ends = tuple[ContextTree, ContextTree]


@dataclass(frozen=True)
class PathProblem:
    """Reason why a path is invalid in a world."""

    problem: str
    """Description with a suggestion or the list of valid paths."""
    is_certain: bool
    """True if the world declares its collections, so that the path is a mistake in any attempt."""


def find_path_problem(path: Path, before: ContextTree, after: ContextTree) -> PathProblem | None:
    """Return the problem with a check's path; ``None`` if something is or may come to be at it.

    In a world that declares its collections a path must lead to one of them, into an entity of one, or to what is
    there. In any other it is in doubt where it leads nowhere at both ends.
    """
    ends = (before, after)
    if not after.shape.collections:
        there = _leads_somewhere(path, ends)
        return (
            None
            if there
            else PathProblem(f"nothing was there before or after{_suggestion(path, ends)}", is_certain=False)
        )
    part = _undeclared_part(path, ends)
    if part is not None:
        return PathProblem(f"it holds no {part}{_suggestion(part, ends)}", is_certain=True)
    return _misspelt_field(path, ends)


def _undeclared_part(path: Path, ends: _Ends) -> Path | None:
    """Return the first part of a path that is neither declared nor present, with ``*`` in place of its ids."""
    selected = [at for at, segment in enumerate(path.segments) if segment.selector is not None]
    for at in selected:
        collection = _to(path, at)
        if not _is_declared(collection, ends) and not _leads_somewhere(collection, ends):
            return _everywhere(collection)
    if selected or _leads_somewhere(Path(path.segments[:1]), ends):
        return None
    names = pattern(path)
    is_declared_or_above = any(declared[: len(names)] == names for declared in _declared_patterns(ends))
    return None if is_declared_or_above else path


def _misspelt_field(path: Path, ends: _Ends) -> PathProblem | None:
    """Return a problem if no entity has the field and a similar field exists; any other field may be optional."""
    owner = max((at for at, each in enumerate(path.segments) if each.selector is not None), default=len(path.segments))
    everywhere = _everywhere(path)
    if owner >= len(path.segments) - 1 or _is_declared(path, ends) or _leads_somewhere(everywhere, ends):
        return None
    entities, name = Path(everywhere.segments[: owner + 1]), path.segments[owner + 1].name
    declared = [names[-1] for names in _declared_patterns(ends) if names[:-1] == pattern(entities)]
    values = [match.value for tree in ends for match in tree.matches(entities)]
    fields = [field for value in values if isinstance(value, dict) for field in value]
    for known in (declared, fields):
        if question := did_you_mean(name, known):
            return PathProblem(f"no entity of {entities} has {name}. {question}", is_certain=known is declared)
    return None


def _leads_somewhere(path: Path, ends: _Ends) -> bool:
    """Return whether something is at the path before or after the attempt; an empty collection may have any entity."""
    if any(tree.has(path) for tree in ends):
        return True
    for at, segment in enumerate(path.segments):
        if segment.selector == EVERY:
            entities = [match.value for tree in ends for match in tree.matches(_to(path, at))]
            if entities and not any(entities):
                return True
    return False


def _is_declared(path: Path, ends: _Ends) -> bool:
    return ends[1].shape.collection(pattern(path)) is not None


def _declared_patterns(ends: _Ends) -> Iterator[tuple[str, ...]]:
    return (pattern(Path.parse(each.path)) for each in ends[1].shape.collections)


def _to(path: Path, at: int) -> Path:
    """Return the beginning of a path up to the collection of a segment."""
    return Path((*path.segments[:at], replace(path.segments[at], selector=None)))


def _everywhere(path: Path) -> Path:
    return Path(tuple(Segment(each.name, each.selector and EVERY) for each in path.segments))


def _suggestion(path: Path, ends: _Ends) -> str:
    declared = [each.path for each in ends[1].shape.collections]
    known = list(dict.fromkeys((*declared, *(name for tree in ends for name in tree.names))))
    question = did_you_mean(str(path), known) or did_you_mean(path.segments[0].name, known)
    return f". {question}" if question else f"; there are: {', '.join(known) or 'none'}"
