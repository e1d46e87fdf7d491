"""Files of words: vocabularies of rules, as typed values, and dictionaries of the names that people use for codes."""

import csv
import json
from pathlib import Path
from typing import Annotated, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator

from pytest_mcpbench.core.errors import UsageError

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


def read_dictionary(file: Path) -> dict[str, str]:
    """Return code -> name of a JSON or YAML mapping, or of the first two columns of a CSV file without a header."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix.lower() == ".csv":
            content = {row[0]: row[1] for row in csv.reader(text.splitlines()) if len(row) > 1}
        else:
            content = json.loads(text) if file.suffix.lower() == ".json" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        raise UsageError(f"{file}: not a dictionary: {error}") from None
    if not isinstance(content, dict) or not all(isinstance(name, str | int | float) for name in content.values()):
        raise UsageError(f"{file}: a dictionary maps codes to names, such as TSLA to Tesla.")
    return {str(code): str(name) for code, name in content.items()}
