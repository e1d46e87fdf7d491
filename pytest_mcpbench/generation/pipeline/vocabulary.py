"""Vocabularies: YAML files with the words that rules know, as typed values."""

from pathlib import Path
from typing import Annotated, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator

Vocabulary = TypeVar("Vocabulary", bound=BaseModel)


def _split(text: str) -> list[str]:
    return text.split()


WordSet = Annotated[frozenset[str], BeforeValidator(_split)]
"""Words of a text, separated by white space."""
WordList = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""Words of a text in their order, separated by white space."""


def read_vocabulary(file: Path, kind: type[Vocabulary]) -> Vocabulary:
    """Return the content of a vocabulary file of the package."""
    return kind.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
