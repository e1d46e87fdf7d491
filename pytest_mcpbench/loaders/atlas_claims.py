"""Parser of the claims of an MCP-Atlas task, which are published in four encodings."""

import re
from typing import Any

from pytest_mcpbench.loaders.field_errors import FieldError, type_name
from pytest_mcpbench.loaders.literal_parsing import LiteralError, parse_literal

_BULLET = re.compile(r"^\s*(?:[•*–-]\s+|•|\d+[.)]\s+)")
_PUNCTUATION = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."})


def parse_claims(value: Any, *, official: bool = False) -> tuple[str, ...]:
    """Parse claims from a JSON array, a Python list, objects with ``claim``, or a text with one claim per line.

    Claims stay unchanged unless ``official`` is true: then they are cleaned as in the authors' scorer. Raises
    :class:`FieldError`.
    """
    claims = [claim for claim in (part.strip() for part in _claim_entries(value)) if claim]
    if official:
        claims = [
            cleaned_claim for claim in claims if len(cleaned_claim := official_claim(claim)) > _LEAST_OFFICIAL_LENGTH
        ]
    return tuple(claims)


_LEAST_OFFICIAL_LENGTH = 3


def official_claim(claim: str) -> str:
    """Clean a claim as ``clean_claim_text`` of the authors' scorer does: "-18.4% was" becomes "4% was"."""
    text = re.sub(r"^[\s•*-]+", "", claim)
    text = re.sub(r"^\d+[.)]\s*", "", text)
    return re.sub(r"[\"']+\.*$", "", text.translate(_PUNCTUATION).strip()).strip()


def _claim_entries(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return _claims_in_text(value.strip())
    if isinstance(value, list | tuple):
        return [_claim_text(element) for element in value]
    raise FieldError("GTFA_CLAIMS", f"must be a list of claims, not {type_name(value)}.")


def _claims_in_text(text: str) -> list[str]:
    if not text.startswith("["):
        return [_BULLET.sub("", line) for line in text.splitlines()]
    try:
        parsed = parse_literal(text)
    except LiteralError:
        raise FieldError("GTFA_CLAIMS", "starts with [ but is neither a JSON array nor a Python list.") from None
    return _claim_entries(parsed)


def _claim_text(element: Any) -> str:
    text = element.get("claim", element.get("text")) if isinstance(element, dict) else element
    if not isinstance(text, str):
        raise FieldError("GTFA_CLAIMS", f"each claim must be text, not {type_name(text)}.")
    return text
