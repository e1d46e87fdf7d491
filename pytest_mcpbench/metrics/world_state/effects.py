"""Comparison of a world's changes with the effects that a task expects."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.context.journal import ABSENT, field_value
from pytest_mcpbench.core.world import EMPTY, GENERATED, Change, Effect, WorldRecord
from pytest_mcpbench.metrics.comparison.containment import mentions
from pytest_mcpbench.metrics.comparison.matching import maximum_matching
from pytest_mcpbench.metrics.comparison.unix_times import is_zone_of_unix_time
from pytest_mcpbench.metrics.world_state.bookkeeping import is_bookkeeping
from pytest_mcpbench.metrics.world_state.changes import changed_fields
from pytest_mcpbench.text.forms import same_form, same_lines_elsewhere, same_note, same_words
from pytest_mcpbench.text.json_reading import read_json

# Two ways to insert lines into a text.

_HEADING = re.compile(r"(#{1,6}) (.+)")


@dataclass(frozen=True)
class _Edits:
    """The lines that an edit added to a text, removed and kept; blank lines do not count."""

    added: Counter[str]
    removed: Counter[str]
    kept: Counter[str]

    @classmethod
    def between(cls, before: str, after: str) -> "_Edits":
        old, new = _line_counts(before), _line_counts(after)
        return cls(added=new - old, removed=old - new, kept=old & new)


def insertion_problem(before: str, expected: str, actual: str, request: str = "") -> str:
    """Return the difference between two ways to insert lines into a text; empty if there is none.

    The same lines must stay. The words of the new ones may differ, and so may their number, unless it is one line.
    They may stand anywhere under their heading. Only where the expected text ends with them, and the request does not
    name the heading, they may stand under another one.
    The expected text may also be another text altogether; then there is nothing to compare.
    """
    wanted, made = _Edits.between(before, expected), _Edits.between(before, actual)
    if not (wanted.added and wanted.kept):
        return ""
    if gone := made.removed - wanted.removed:
        return f"{format_value(next(iter(gone)))} is gone"
    if left := wanted.removed - made.removed:
        return f"{format_value(next(iter(left)))} is still there"
    if wanted.added.total() == 1 < made.added.total():
        return f"{made.added.total()} lines were added instead of one"
    places, other_places = _places(before, expected), _places(before, actual)
    for place in places:
        is_asked = not place.is_at_end or (place.headings and mentions(request, place.headings[-1]))
        if is_asked and other_places and not any(place.allows(other) for other in other_places):
            where = f"below {format_value(place.headings[-1])}" if place.headings else "above the first heading"
            return f"nothing was added {where}"
    return ""


@dataclass(frozen=True)
class _Place:
    """The place in a text at which an edit inserts a line."""

    headings: tuple[str, ...]
    """The headings above it that were there before, the nearest one last."""
    is_at_end: bool
    """True where no line that was there before stands below it."""

    def allows(self, other: "_Place") -> bool:
        """Return whether the other place is below the same heading, or below one that this heading is under."""
        is_outer = bool(other.headings) and self.headings[: len(other.headings)] == other.headings
        return is_outer or self.headings == other.headings


def _places(before: str, after: str) -> list[_Place]:
    """Return the place of each line that an edit inserts."""
    old, new = ([line.strip() for line in text.splitlines() if line.strip()] for text in (before, after))
    kept = {
        position
        for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        for position in range(block.b, block.b + block.size)
    }
    headings, places, is_code = list[tuple[int, str]](), list[_Place](), False
    for position, line in enumerate(new):
        is_code ^= line.startswith("```")
        heading = None if is_code else _HEADING.fullmatch(line)
        if position not in kept:
            above = tuple(text for _, text in headings)
            places.append(_Place(above, is_at_end=not any(each > position for each in kept)))
        elif heading:
            level = len(heading[1])
            headings = [*(each for each in headings if each[0] < level), (level, heading[2])]
    return places


def inserted_texts(before: str, expected: str, actual: str) -> tuple[str, str]:
    """Return the lines that two edits insert in the same place of a text; otherwise both whole texts."""
    kept = _line_counts(before) & _line_counts(expected) & _line_counts(actual)
    (frame, wanted), (other_frame, made) = _frame_and_passages(expected, kept), _frame_and_passages(actual, kept)
    return ("\n".join(wanted), "\n".join(made)) if kept and wanted and frame == other_frame else (expected, actual)


def _frame_and_passages(text: str, kept: Counter[str]) -> tuple[list[str], list[str]]:
    """Return the kept lines, with an empty line in place of each passage between them, and the other lines."""
    left, frame, others = kept.copy(), list[str](), list[str]()
    for line in (line.strip() for line in text.splitlines() if line.strip()):
        if left[line] > 0:
            left[line] -= 1
            frame.append(line)
        else:
            others.append(line)
            if frame[-1:] != [""]:
                frame.append("")
    return frame, others


def _line_counts(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.splitlines() if line.strip())


# Effects paired with changes.

_REPLY = re.compile(r"(?:.*[_.])?(?:in_)?reply_?to(?:_\w+)?", re.IGNORECASE)
"""Names of fields that say which message of its conversation a message answers."""
_DIGEST = "sha256"
"""Field of a file that follows from its text, where the text is known."""


@dataclass(frozen=True)
class FreeWording:
    """A text that differs from the reference's where the task leaves the words open."""

    path: str
    expected: str
    actual: str
    is_title: bool = False
    """True for the subject of a mail, which nobody dictates: it may say anything that does not contradict the mail."""
    beside: tuple[str, ...] = ()
    """The other texts of the reference's change."""
    body: str = ""
    """What was written below a title in free words."""


@dataclass(frozen=True)
class EffectMatching:
    """Expected effects paired with actual changes."""

    missing: tuple[Effect, ...]
    """Effects without a change."""
    extra: tuple[tuple[str, Change], ...]
    """World and change without an effect."""
    wordings: tuple[FreeWording, ...]
    """Texts of the pairs that a judge must compare."""
    near: tuple[str, ...]
    """For each missing effect, the differences from the nearest extra change of its collection; empty if none is."""


def match_effects(
    effects: Sequence[Effect], worlds: Sequence[WorldRecord], bookkeeping: tuple[str, ...], request: str = ""
) -> EffectMatching:
    """Pair as many effects with changes as possible; an update of bookkeeping fields alone is not a change.

    The ``request`` may say under which heading of a text a line is to stand.
    """
    changes = [
        (world.name, change)
        for world in worlds
        for change in world.changes
        if change.kind != "updated" or _changed_values(change, bookkeeping)
    ]
    comparisons = [
        [_compare(effect, world, change, bookkeeping, request) for world, change in changes] for effect in effects
    ]
    pairs = _pair(comparisons)
    missing = [row for row in range(len(effects)) if row not in pairs]
    extra = [column for column in range(len(changes)) if column not in pairs.values()]
    near_misses: list[str] = []
    for row in missing:
        near = [
            comparison.differences
            for comparison in [comparisons[row][column] for column in extra]
            if comparison.is_near
        ]
        near_misses.append("; ".join(sorted(near, key=len)[0]) if near else "")
    return EffectMatching(
        missing=tuple(effects[row] for row in missing),
        extra=tuple(changes[column] for column in extra),
        wordings=tuple(wording for row, column in pairs.items() for wording in comparisons[row][column].wordings),
        near=tuple(near_misses),
    )


def _pair(comparisons: Sequence[Sequence["_Comparison"]]) -> dict[int, int]:
    """Return a largest set of pairs, in which one that needs no judge gives way only where the set grows by that."""
    fits = [[not found.differences for found in row] for row in comparisons]
    equal = maximum_matching([[not (found.differences or found.wordings) for found in row] for row in comparisons])
    taken = set(equal.values())
    others = [
        [fit and row not in equal and column not in taken for column, fit in enumerate(columns)]
        for row, columns in enumerate(fits)
    ]
    return maximum_matching(fits, start={**equal, **maximum_matching(others)})


def _compare(effect: Effect, world: str, change: Change, bookkeeping: tuple[str, ...], request: str) -> "_Comparison":
    actual = _changed_values(change, bookkeeping) if change.kind == "updated" else _fields(change.after)
    comparison = _Comparison(effect, actual, _fields(change.before) if change.kind == "updated" else {}, request)
    if (world, change.kind) != (effect.world, effect.kind):
        comparison.reject(f"{change.kind} in {world}")
    elif not _fits(effect.collection, change.collection):
        comparison.reject(f"it is in {change.collection or 'the root'}")
    else:
        comparison.is_near = True
        if not _fits(effect.id, change.id):
            comparison.reject(f"it is {change.id}")
        for name in {**effect.fields, **actual} if change.kind != "deleted" else ():
            if not (
                is_bookkeeping(name, bookkeeping)
                or (name == _DIGEST and "text" in actual)
                or comparison.is_open_reply(name)
                or is_zone_of_unix_time(name, effect.fields, change.after)
            ):
                comparison.compare(name, effect.fields.get(name), actual.get(name))
    return comparison


class _Comparison:
    """Comparison of one effect with one change."""

    def __init__(self, effect: Effect, actual: Mapping[str, Any], before: Mapping[str, Any], request: str) -> None:
        self._effect = effect
        self._actual = actual
        self._before = before
        """Fields of an updated entity before the change."""
        self._request = request
        self.is_near = False
        """True if the change is of the effect's kind and in its collection."""
        self.differences: list[str] = []
        self.wordings: list[FreeWording] = []

    def reject(self, reason: str) -> None:
        self.differences.append(reason)

    def compare(self, path: str, expected: Any, actual: Any) -> None:
        """Compare the values at a dotted path."""
        if None in (expected, actual) and self._is_empty_as_before(path, expected, actual):
            return
        if path in self._effect.any:
            self._require(expected in EMPTY or actual not in EMPTY, path, expected, actual)
            if _is_title(path) and isinstance(expected, str) and isinstance(actual, str) and expected != actual:
                self._add_wording(path, expected, actual)
        elif isinstance(expected, Mapping) and isinstance(actual, Mapping):
            self._compare_objects(path, expected, actual)
        elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
            for index, (one, other) in enumerate(_pair_items(expected, actual)):
                self.compare(f"{path}.{index}", one, other)
        elif isinstance(expected, str) and isinstance(actual, str):
            if path in self._effect.judged and actual.strip() and not same_form(expected, actual):
                self._compare_wording(path, expected, actual)
            else:
                before = self._before.get(path)
                if isinstance(before, str) and same_lines_elsewhere(self._effect.id, before, expected, actual):
                    self._compare_wording(path, expected, actual)
                    return
                is_edit = isinstance(before, str) and same_note(self._effect.id, before, expected, actual)
                self._require(is_edit or same_form(expected, actual) or _fits(expected, actual), path, expected, actual)
        else:
            is_same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
            self._require(is_same or expected == GENERATED, path, expected, actual)

    def _is_empty_as_before(self, path: str, expected: Any, actual: Any) -> bool:
        """Return whether a value is empty in both, where one of them leaves it out, and has not been emptied."""
        before = field_value(self._before, path)
        return all(value in EMPTY for value in (expected, actual, None if before is ABSENT else before))

    def is_open_reply(self, name: str) -> bool:
        """Return whether a field is a reference to another message of the conversation that nothing asks for.

        Nothing does if the effect has none, or if it names the conversation by itself.
        """
        is_given = self._effect.fields.get(name) not in (None, "")
        return _REPLY.fullmatch(name) is not None and not (is_given and "thread_id" not in self._effect.fields)

    def _compare_objects(self, path: str, expected: Mapping[str, Any], actual: Mapping[str, Any]) -> None:
        """Compare two objects; of entries under generated keys as many are paired as agree, and the others in order."""
        named = {key: value for key, value in expected.items() if not key.startswith(GENERATED)}
        generated = [value for key, value in expected.items() if key not in named]
        new = [
            value
            for key, value in actual.items()
            if key not in named and (generated or not self._is_empty_as_before(f"{path}.{key}", None, value))
        ]
        if len(generated) != len(new):
            self.reject(f"{path}: {len(new)} further entries instead of {len(generated)}")
            return
        entry_path = f"{path}.{GENERATED}"
        rows = [[self._compare_apart(entry_path, one, other) for other in new] for one in generated]
        pairs = maximum_matching([[not found.differences for found in row] for row in rows])
        rest = iter([column for column in range(len(new)) if column not in pairs.values()])
        for number, row in enumerate(rows):
            found = row[pairs[number] if number in pairs else next(rest)]
            self.differences += found.differences
            self.wordings += found.wordings
        for key, value in named.items():
            self.compare(f"{path}.{key}", value, actual.get(key))

    def _compare_apart(self, path: str, expected: Any, actual: Any) -> "_Comparison":
        """Return a comparison of nothing but the values at a path."""
        comparison = _Comparison(self._effect, self._actual, self._before, self._request)
        comparison.compare(path, expected, actual)
        return comparison

    def _compare_wording(self, path: str, expected: str, actual: str) -> None:
        """Compare two free texts; an edited text must be unchanged except for added lines."""
        one, other = _json_object(expected), _json_object(actual)
        if one is not None and other is not None:
            self._compare_messages(path, one, other)
            return
        before = self._before.get(path)
        if isinstance(before, str):
            if problem := insertion_problem(before, expected, actual, self._request):
                self.reject(f"{path}: {problem}")
            expected, actual = inserted_texts(before, expected, actual)
        self._add_wording(path, expected, actual)

    def _add_wording(self, path: str, expected: str, actual: str) -> None:
        if not same_words(expected, actual):
            texts = self._effect.fields.values()
            beside = tuple(value for value in texts if isinstance(value, str) and value != expected)
            body = "\n".join(str(self._actual.get(name)) for name in self._effect.judged if name != path)
            where = f"{self._effect.world}: {path}"
            self.wordings.append(FreeWording(where, expected, actual, _is_title(path), beside, body))

    def _compare_messages(self, path: str, expected: Mapping[str, Any], actual: Mapping[str, Any]) -> None:
        """Compare the fields of two texts that hold an object, as some apps write their messages."""
        for key in {**expected, **actual}:
            one, other = expected.get(key), actual.get(key)
            if isinstance(one, str) and isinstance(other, str) and other.strip():
                if not same_words(one, other):
                    self.wordings.append(FreeWording(f"{self._effect.world}: {path}.{key}", one, other))
            else:
                self._require(one == other, f"{path}.{key}", one, other)

    def _require(self, is_same: bool, path: str, expected: Any, actual: Any) -> None:
        if not is_same:
            self.reject(f"{path}: expected {format_value(expected)}, got {format_value(actual)}")


def _pair_items(expected: list[Any], actual: list[Any]) -> list[tuple[Any, Any]]:
    """Pair the items of two lists: in order, or, where both hold the same texts (labels, recipients) or ids, in any."""
    for kind in (str, int, dict) if expected != actual else ():
        if all(type(item) is kind for item in (*expected, *actual)):
            if kind is not dict and sorted(expected) == (in_order := sorted(actual)):
                return list(zip(in_order, in_order, strict=True))
            pairs = maximum_matching([[_is_same_item(one, other) for other in actual] for one in expected])
            if len(pairs) == len(expected):
                return [(one, actual[pairs[number]]) for number, one in enumerate(expected)]
    return list(zip(expected, actual, strict=True))


def _is_same_item(expected: Any, actual: Any) -> bool:
    """Return whether two items of lists are one text, whole number or thing with an id."""
    if isinstance(expected, dict):
        return "id" in expected and expected["id"] == actual.get("id")
    return same_form(expected, actual) if isinstance(expected, str) else bool(expected == actual)


def _is_title(path: str) -> bool:
    return path.rpartition(".")[2] == "subject"


def _json_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text holds as JSON, or ``None``."""
    try:
        value = read_json(text) if text.startswith("{") else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _fits(expected: str, actual: str) -> bool:
    """Return whether a text is the expected one, with any non-empty text in place of each generated part."""
    if GENERATED not in expected:
        return expected == actual
    pattern = re.escape(expected.rstrip("\n")).replace(re.escape(GENERATED), ".+")
    return re.fullmatch(pattern, actual.rstrip("\n"), re.DOTALL) is not None


def _changed_values(change: Change, bookkeeping: tuple[str, ...]) -> dict[str, Any]:
    """Return the new values of an update's changed fields, without bookkeeping."""
    if not (isinstance(change.before, dict) and isinstance(change.after, dict)):
        return _fields(change.after)
    after = change.after
    return {name: after.get(name) for name in changed_fields(change) if not is_bookkeeping(name, bookkeeping)}


def _fields(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {"value": value}
