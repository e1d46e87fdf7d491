"""BM25 ranking of short texts, of which each is one or more fields of terms."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

# BM25 over documents of weighted fields (Robertson and Zaragoza 2009, sections 3.4 and 3.6.4).
#
# A library would bring matrices for thousands of documents; a task has at most a few hundred tools, and a field's
# weight (a word in a tool's name says more than one in its description) is not what they offer.

_SATURATION = 1.2
_LENGTH = 0.75

Field = tuple[Iterable[str], float]
"""Terms, and how much one occurrence of a term counts."""


class Index:
    """Documents that queries are compared with; immutable."""

    def __init__(self, documents: Sequence[Sequence[Field]]) -> None:
        self._weights = [_weights(fields) for fields in documents]
        lengths = [sum(weights.values()) for weights in self._weights]
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        self._norms = [_SATURATION * (1 - _LENGTH + _LENGTH * length / mean) if mean else 1.0 for length in lengths]
        found_in = Counter(term for weights in self._weights for term in weights)
        self._rarity = {
            term: math.log(1 + (len(documents) - count + 0.5) / (count + 0.5)) for term, count in found_in.items()
        }

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """Return each document's score for terms with weights; 0 if no term of the query occurs."""
        return [
            sum(
                weight * self._rarity[term] * weights[term] * (_SATURATION + 1) / (weights[term] + norm)
                for term, weight in query.items()
                if term in weights
            )
            for weights, norm in zip(self._weights, self._norms, strict=True)
        ]

    def rarity(self, term: str) -> float:
        """Return the logarithm of a term's inverse document frequency; 0 if no document contains it."""
        return self._rarity.get(term, 0.0)


def _weights(fields: Sequence[Field]) -> dict[str, float]:
    """Return term -> weighted number of occurrences."""
    weights: dict[str, float] = {}
    for terms, weight in fields:
        for term in terms:
            weights[term] = weights.get(term, 0.0) + weight
    return weights
