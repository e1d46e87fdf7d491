"""Validation with JSON schemas of untrusted servers; the search of their patterns is limited in time."""

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from pytest_mcpbench.text.bounded_pattern import MATCH_SECONDS, BoundedPattern, PatternTimeoutError, pattern_fault


class _Searches:
    """Searches of all patterns of one validation, which share a budget of time."""

    def __init__(self) -> None:
        self._seconds = MATCH_SECONDS
        self._patterns: dict[str, BoundedPattern] = {}

    def is_found(self, pattern: str, text: str) -> bool:
        """Return whether a text contains a match.

        Raises:
            ValueError: the pattern is not a regular expression of Python.
            PatternTimeoutError: the budget is spent.
        """
        if self._seconds <= 0:
            raise PatternTimeoutError(f"the patterns of the schema take longer than {MATCH_SECONDS:g} s to search")
        # A pattern of another dialect is an error: BoundedPattern knows parts of some.
        if pattern not in self._patterns:
            if fault := pattern_fault(pattern):
                raise ValueError(fault)
            self._patterns[pattern] = BoundedPattern(pattern, seconds=self._seconds)
        expression = self._patterns[pattern]
        before = expression.seconds_left
        try:
            return expression.is_found(text)
        finally:
            self._seconds -= before - expression.seconds_left


_SEARCHES: ContextVar[_Searches] = ContextVar("searches")


@contextmanager
def bounded_searches() -> Iterator[None]:
    """Limit the time that validators of :func:`bounded_dialect` spend on patterns within this context."""
    token = _SEARCHES.set(_Searches())
    try:
        yield
    finally:
        _SEARCHES.reset(token)


class BoundedValidator:
    """Validator of one schema, whose patterns have :data:`MATCH_SECONDS` for each instance.

    The schema's own references are resolved, and nothing is downloaded. Without ``$schema`` it is of draft 2020-12.
    """

    def __init__(self, schema: Mapping[str, Any], dialect: Any = None) -> None:
        # Imported here: 50 ms that a run without schemas need not pay.
        from jsonschema import Draft202012Validator
        from jsonschema.validators import validator_for
        from referencing import Registry

        chosen = dialect or validator_for(schema, default=Draft202012Validator)
        self.schema = schema
        self._validator = bounded_dialect(chosen)(schema, registry=Registry())

    def check(self) -> None:
        """Raise jsonschema's SchemaError if the schema is invalid."""
        self._validator.check_schema(self.schema)

    def iter_errors(self, instance: Any) -> Iterator[Any]:
        """Return the violations of the schema.

        Raises:
            ValueError: a pattern takes too long, or is not a regular expression.
        """
        with bounded_searches():
            return iter([*self._validator.iter_errors(instance)])


@functools.cache
def bounded_dialect(dialect: Any) -> Any:
    """Return a dialect of JSON schema whose patterns are searched within :func:`bounded_searches`."""
    from jsonschema.validators import extend

    bounded = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties(dialect.VALIDATORS.get("additionalProperties")),
        "unevaluatedProperties": _unevaluated_properties(dialect.VALIDATORS.get("unevaluatedProperties")),
    }
    keywords = {word: check for word, check in bounded.items() if word in dialect.VALIDATORS}
    return extend(dialect, keywords)  # type: ignore[no-untyped-call]  # it ships no types


def _pattern(validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if validator.is_type(instance, "string") and not _SEARCHES.get().is_found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, part in patterns.items():
        for name, value in instance.items():
            if _SEARCHES.get().is_found(pattern, name):
                yield from validator.descend(value, part, path=name, schema_path=pattern)


def _additional_properties(keyword: Any) -> Any:
    def check(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
        patterns = schema.get("patternProperties") or {}
        if patterns and validator.is_type(instance, "object"):
            searches = _SEARCHES.get()
            found = {name for name in instance if any(searches.is_found(pattern, name) for pattern in patterns)}
            instance = {name: value for name, value in instance.items() if name not in found}
            schema = {word: value for word, value in schema.items() if word != "patternProperties"}
        return keyword(validator, allowed, instance, schema) or iter(())

    return check


def _unevaluated_properties(keyword: Any) -> Any:
    """Return the keyword, which accepts everything where it would search patterns without a time limit."""

    def check(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if "patternProperties" in repr(schema):
            return iter(())
        return keyword(validator, allowed, instance, schema) or iter(())

    return check
