"""Reads the claims of an MCP-Atlas task, which come in four encodings."""

import re
from typing import Any

from pytest_mcpbench.loaders.complaint import FieldError, kind_of
from pytest_mcpbench.loaders.lenient_values import NotDecodedError, decoded

_BULLET = re.compile(r"^\s*(?:[•*–-]\s+|•|\d+[.)]\s+)")
_PUNCTUATION = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."})


def claims_of(value: Any, *, official: bool = False) -> tuple[str, ...]:
    """The claims of a JSON array, a Python list, objects with ``claim``, or a text with one claim a line.

    They are kept as they are; ``official`` changes them as the authors' scorer does. Raises :class:`FieldError`.
    """
    claims = [claim for claim in (part.strip() for part in _listed(value)) if claim]
    if official:
        claims = [cleaned for claim in claims if len(cleaned := official_claim(claim)) > _LEAST_OFFICIAL_LENGTH]
    return tuple(claims)


_LEAST_OFFICIAL_LENGTH = 3


def official_claim(claim: str) -> str:
    """A claim as ``clean_claim_text`` of the authors' scorer leaves it: "-18.4% was" becomes "4% was"."""
    text = re.sub(r"^[\s•*-]+", "", claim)
    text = re.sub(r"^\d+[.)]\s*", "", text)
    return re.sub(r"[\"']+\.*$", "", text.translate(_PUNCTUATION).strip()).strip()


def _listed(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return _of_text(value.strip())
    if isinstance(value, list | tuple):
        return [_claim(element) for element in value]
    raise FieldError("GTFA_CLAIMS", f"must be a list of claims, not {kind_of(value)}.")


def _of_text(text: str) -> list[str]:
    if not text.startswith("["):
        return [_BULLET.sub("", line) for line in text.splitlines()]
    try:
        parsed = decoded(text)
    except NotDecodedError:
        raise FieldError("GTFA_CLAIMS", "begins like a list and is neither a JSON array nor a Python list.") from None
    return _listed(parsed)


def _claim(element: Any) -> str:
    text = element.get("claim", element.get("text")) if isinstance(element, dict) else element
    if not isinstance(text, str):
        raise FieldError("GTFA_CLAIMS", f"each claim must be text, not {kind_of(text)}.")
    return text
