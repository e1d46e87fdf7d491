"""Dictionaries of codes: tickers, cities, currencies, with the names that people use."""

import csv
import json
from pathlib import Path

import yaml

from pytest_mcpbench.core.errors import UsageError


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
