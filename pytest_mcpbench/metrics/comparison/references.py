"""References to the results of earlier calls (``<1_result.id>``), resolved with what these calls really returned."""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice, product
from typing import Any

from pytest_mcpbench.core.placeholders import PLACEHOLDER, fill_placeholders
from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.metrics.comparison.arguments import normalize_text, referenced_ids

_MOST_VARIANTS = 16
"""Bound on the combinations of results that are tried for one call."""


class ObtainedResults:
    """Results of the calls that are reference calls, by the id of the reference call.

    Args:
        ids: All ids by which reference calls refer to each other.
        calls: The attempt's calls in their order.
    """

    def __init__(self, ids: frozenset[str], calls: Sequence[CallRecord]) -> None:
        self.ids = ids
        self._calls = calls
        self._candidates: dict[str, list[int]] = {}

    def add(self, call_id: str, candidates: Sequence[int]) -> None:
        """Note the positions of the calls that equal the reference call of that id."""
        self._candidates[call_id] = [
            index for index in candidates if self._calls[index].result is not None and not self._calls[index].is_error
        ]

    def missing(self, expected: ExpectedCall, position: int) -> str | None:
        """Return an id to which the reference call refers and whose result no call before ``position`` has obtained."""
        return next((each for each in self._resolvable_ids(expected) if not self._before(each, position)), None)

    def variants(self, expected: ExpectedCall, position: int, schema: Mapping[str, Any]) -> Iterator[ExpectedCall]:
        """Yield the reference call with its references replaced by results obtained before ``position``."""
        ids = self._resolvable_ids(expected)
        actual = self._calls[position].arguments
        for indexes in islice(product(*(self._before(each, position) for each in ids)), _MOST_VARIANTS):
            # Candidates have a result, so that none is left out.
            results = {
                each: result
                for each, index in zip(ids, indexes, strict=True)
                if (result := self._calls[index].result) is not None
            }
            arguments = fill_placeholders(_quote_results(expected.arguments, actual, results), results, schema)
            yield expected.model_copy(update={"arguments": arguments})

    def _resolvable_ids(self, expected: ExpectedCall) -> tuple[str, ...]:
        """Return the ids that the call refers to, as far as their calls have been looked at."""
        return tuple(
            dict.fromkeys(each for each in result_ids(expected.arguments, self.ids) if each in self._candidates)
        )

    def _before(self, call_id: str, position: int) -> list[int]:
        return [index for index in self._candidates[call_id] if index < position]


def result_ids(value: Any, known: Set[str]) -> Iterator[str]:
    """Yield the ids of the calls whose results a reference argument refers to."""
    if isinstance(value, str):
        yield from referenced_ids(value, known)
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    for part in parts:
        yield from result_ids(part, known)


def _quote_results(expected: Any, actual: Any, results: Mapping[str, ToolResult]) -> Any:
    """Return the reference's arguments; a result without a path is replaced by the part of it that the call quotes."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return {name: _quote_results(value, actual.get(name), results) for name, value in expected.items()}
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [_quote_results(one, other, results) for one, other in zip(expected, actual, strict=True)]
    found = PLACEHOLDER.fullmatch(expected.strip()) if isinstance(expected, str) else None
    if found is None or found[2] or found[1] not in results:
        return expected
    if not isinstance(actual, str | int | float) or isinstance(actual, bool):
        return expected
    quotation = normalize_text(str(actual))
    return actual if quotation and quotation in normalize_text(results[found[1]].text) else expected
