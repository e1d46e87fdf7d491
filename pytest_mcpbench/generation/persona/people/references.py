"""Names of ids in a task, and their replacement by the ids."""

import re
from collections.abc import Mapping
from typing import Any

_REFERENCE = re.compile(r"\$[a-z][\w.-]*/[\w.-]*[\w](?:#\w+)?")


def resolve(value: Any, names: Mapping[str, Any], where: str) -> Any:
    """Replace the references in a value; a text that is nothing else becomes the id in its own type.

    Raises:
        ValueError: a reference is unknown.
    """
    if isinstance(value, Mapping):
        return {str(resolve(key, names, where)): resolve(each, names, where) for key, each in value.items()}
    if isinstance(value, list):
        return [resolve(each, names, where) for each in value]
    if not isinstance(value, str):
        return value
    if _REFERENCE.fullmatch(value):
        return _id(value, names, where)
    return _REFERENCE.sub(lambda match: str(_id(match[0], names, where)), value)


def _id(reference: str, names: Mapping[str, Any], where: str) -> Any:
    name = reference.removeprefix("$")
    if name not in names:
        owner = name.partition("/")[0]
        known = ", ".join(each for each in names if each.startswith(f"{owner}/")) or "none"
        raise ValueError(f"{where}: nothing is called {reference}; of {owner} there are: {known}.")
    return names[name]
