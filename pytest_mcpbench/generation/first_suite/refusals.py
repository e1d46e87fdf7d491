"""Files and repositories that a server misses when it refuses a call."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.generation.first_suite.values import relative_path, seed_text
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.text.paths import SANDBOX

_NO_REPOSITORY = re.compile(r"(?i)\bnot a (?:valid )?git\b|\binvalid git repository|\bno git repository|\.git\b")
_NOT_FOUND = re.compile(
    r"(?i)\b(?:not found|no such file|not exist|doesn't exist|cannot find|could not find|missing)\b|\bENOENT\b"
)


@dataclass(frozen=True)
class Missed:
    """What a server misses in the directory of the attempt."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Name -> text."""
    is_repository: bool = False


def missed_in_directory(arguments: Mapping[str, Any], said: str) -> Missed:
    """Return what a server misses in the directory of the attempt: a repository, or files that a call names.

    Args:
        arguments: Arguments of the call.
        said: Text of the refusal.
    """
    # GitPython, for one, says nothing but the path of what is no repository.
    named = [value for name, value in arguments.items() if "repo" in name.lower() and isinstance(value, str)]
    is_bare = bool(named) and said.rstrip().endswith(tuple(f": {path}" for path in (SANDBOX, *named)))
    if is_bare or _NO_REPOSITORY.search(said):
        return Missed(is_repository=True)
    if not _NOT_FOUND.search(said):
        return Missed()
    names = [relative_path(value) for _, value in scalars(dict(arguments)) if isinstance(value, str)]
    texts = {name: seed_text(name) for name in names if re.fullmatch(r"[\w-]+\.\w{1,5}", name)}
    return Missed({name: text for name, text in texts.items() if text is not None})
