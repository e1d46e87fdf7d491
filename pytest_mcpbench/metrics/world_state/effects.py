"""Comparison of a world's changes with the effects that a task expects."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.world import GENERATED, Change, Effect, WorldRecord
from pytest_mcpbench.metrics.comparison.matching import maximum_matching
from pytest_mcpbench.metrics.world_state.bookkeeping import is_bookkeeping
from pytest_mcpbench.metrics.world_state.changes import changed_fields
from pytest_mcpbench.text.forms import same_form, same_note, same_words
from pytest_mcpbench.text.json_reading import read_json
from pytest_mcpbench.text.moments import time_zone

# Two ways to insert lines into a text.


@dataclass(frozen=True)
class _Edits:
    """The lines that an edit added to a text, removed and kept; blank lines do not count."""

    added: Counter[str]
    removed: Counter[str]
    kept: Counter[str]

    @classmethod
    def between(cls, before: str, after: str) -> "_Edits":
        old, new = _lines(before), _lines(after)
        return cls(added=new - old, removed=old - new, kept=old & new)


def insertion_problem(before: str, expected: str, actual: str) -> str:
    """Return the difference between two ways to insert lines into a text; empty if there is none.

    The same lines must stay. The words of the new ones may differ, and so may their number, unless it is one line.
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
    return ""


def inserted_texts(before: str, expected: str, actual: str) -> tuple[str, str]:
    """Return the lines that two edits insert in the same place of a text; otherwise both whole texts."""
    kept = _lines(before) & _lines(expected) & _lines(actual)
    (frame, wanted), (other_frame, made) = _split_lines(expected, kept), _split_lines(actual, kept)
    return ("\n".join(wanted), "\n".join(made)) if kept and wanted and frame == other_frame else (expected, actual)


def _split_lines(text: str, kept: Counter[str]) -> tuple[list[str], list[str]]:
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


def _lines(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.splitlines() if line.strip())


# Effects paired with changes.

_REPLY = re.compile(r"(?:.*[_.])?(?:in_)?reply_?to(?:_\w+)?", re.IGNORECASE)
"""Names of fields that say which message of its conversation a message answers."""
_ZONE = re.compile(r"time_?zone|tz", re.IGNORECASE)
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
    effects: Sequence[Effect], worlds: Sequence[WorldRecord], bookkeeping: tuple[str, ...]
) -> EffectMatching:
    """Pair as many effects with changes as possible; an update of bookkeeping fields alone is not a change."""
    changes = [
        (world.name, change)
        for world in worlds
        for change in world.changes
        if change.kind != "updated" or _changed_values(change, bookkeeping)
    ]
    comparisons = [[_compare(effect, world, change, bookkeeping) for world, change in changes] for effect in effects]
    pairs = maximum_matching([[not found.differences for found in row] for row in comparisons])
    missing = [row for row in range(len(effects)) if row not in pairs]
    extra = [column for column in range(len(changes)) if column not in pairs.values()]
    return EffectMatching(
        missing=tuple(effects[row] for row in missing),
        extra=tuple(changes[column] for column in extra),
        wordings=tuple(wording for row, column in pairs.items() for wording in comparisons[row][column].wordings),
        near=tuple(_nearest([comparisons[row][column] for column in extra]) for row in missing),
    )


def _compare(effect: Effect, world: str, change: Change, bookkeeping: tuple[str, ...]) -> "_Comparison":
    actual = _changed_values(change, bookkeeping) if change.kind == "updated" else _fields(change.after)
    comparison = _Comparison(effect, actual, before=_fields(change.before) if change.kind == "updated" else {})
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
                or comparison.is_open_zone(name)
            ):
                comparison.compare(name, effect.fields.get(name), actual.get(name))
    return comparison


class _Comparison:
    """Comparison of one effect with one change."""

    def __init__(self, effect: Effect, actual: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        self._effect = effect
        self._actual = actual
        self._before = before
        """Fields of an updated entity before the change."""
        self.is_near = False
        """True if the change is of the effect's kind and in its collection."""
        self.differences: list[str] = []
        self.wordings: list[FreeWording] = []

    def reject(self, reason: str) -> None:
        self.differences.append(reason)

    def compare(self, path: str, expected: Any, actual: Any) -> None:
        """Compare the values at a dotted path."""
        if path in self._effect.any:
            self._require(actual not in (None, "", [], {}), path, expected, actual)
            if _is_title(path) and isinstance(expected, str) and isinstance(actual, str) and expected != actual:
                self._add_wording(path, expected, actual)
        elif isinstance(expected, Mapping) and isinstance(actual, Mapping):
            self._compare_objects(path, expected, actual)
        elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
            for index, (one, other) in enumerate(_pair_items(expected, actual)):
                self.compare(f"{path}.{index}", one, other)
        elif isinstance(expected, str) and isinstance(actual, str):
            self._compare_texts(path, expected, actual)
        else:
            is_same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
            self._require(is_same or expected == GENERATED, path, expected, actual)

    def is_open_reply(self, name: str) -> bool:
        """Return whether a field is a reference to another message of the conversation that nothing asks for.

        Nothing does if the effect has none, or if it names the conversation by itself.
        """
        is_given = self._effect.fields.get(name) not in (None, "")
        return _REPLY.fullmatch(name) is not None and not (is_given and "thread_id" not in self._effect.fields)

    def is_open_zone(self, name: str) -> bool:
        """Return whether a field is a time zone, or none, beside a Unix time, which needs no zone."""
        parent, _, last = name.rpartition(".")
        beside = f"{parent}.timestamp".lstrip(".")
        if not _ZONE.fullmatch(last) or not str(self._effect.fields.get(beside, "")).isdecimal():
            return False
        return beside in self._actual and _is_zone(self._actual.get(name))

    def _compare_objects(self, path: str, expected: Mapping[str, Any], actual: Mapping[str, Any]) -> None:
        """Compare two objects; entries under generated keys are paired in their order."""
        named = {key: value for key, value in expected.items() if not key.startswith(GENERATED)}
        generated = [value for key, value in expected.items() if key not in named]
        new = [value for key, value in actual.items() if key not in named]
        if len(generated) != len(new):
            self.reject(f"{path}: {len(new)} further entries instead of {len(generated)}")
            return
        for one, other in zip(generated, new, strict=True):
            self.compare(f"{path}.{GENERATED}", one, other)
        for key, value in named.items():
            self.compare(f"{path}.{key}", value, actual.get(key))

    def _compare_texts(self, path: str, expected: str, actual: str) -> None:
        if path in self._effect.judged and actual.strip() and not same_form(expected, actual):
            self._compare_wording(path, expected, actual)
        else:
            before = self._before.get(path)
            is_edit = isinstance(before, str) and same_note(self._effect.id, before, expected, actual)
            self._require(is_edit or same_form(expected, actual) or _fits(expected, actual), path, expected, actual)

    def _compare_wording(self, path: str, expected: str, actual: str) -> None:
        """Compare two free texts; an edited text must be unchanged except for added lines."""
        one, other = _json_object(expected), _json_object(actual)
        if one is not None and other is not None:
            self._compare_messages(path, one, other)
            return
        before = self._before.get(path)
        if isinstance(before, str):
            if problem := insertion_problem(before, expected, actual):
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
    for kind in (str, int):
        if all(type(item) is kind for item in (*expected, *actual)) and sorted(expected) == sorted(actual):
            return list(zip(expected, expected, strict=True))
    return list(zip(expected, actual, strict=True))


def _is_title(path: str) -> bool:
    return path.rpartition(".")[2] == "subject"


def _is_zone(value: Any) -> bool:
    try:
        return value is None or (isinstance(value, str) and (not value or time_zone(value) is not None))
    except ValueError:
        return False


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


def _nearest(comparisons: Sequence[_Comparison]) -> str:
    """Return the differences of the nearest change in the effect's collection; empty if there is none."""
    near = [comparison.differences for comparison in comparisons if comparison.is_near]
    return "; ".join(sorted(near, key=len)[0]) if near else ""


def _changed_values(change: Change, bookkeeping: tuple[str, ...]) -> dict[str, Any]:
    """Return the new values of an update's changed fields, without bookkeeping."""
    if not (isinstance(change.before, dict) and isinstance(change.after, dict)):
        return _fields(change.after)
    after = change.after
    return {name: after.get(name) for name in changed_fields(change) if not is_bookkeeping(name, bookkeeping)}


def _fields(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {"value": value}
