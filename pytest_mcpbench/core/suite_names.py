"""Names that tell suites apart: a suite is identified by its name and its file.

Tables show the short name as long as no other file of the run has it.
"""

from collections import defaultdict
from collections.abc import Iterable

SuiteId = tuple[str, str]
"""Name and file; the file is the part of a task's node id before ``::``, or empty if it is not known."""


def qualified_name(name: str, file: str) -> str:
    """Return the name of a suite whose short name several files have."""
    return f"{name} ({file})" if file else name


def distinct_names(suites: Iterable[SuiteId]) -> dict[SuiteId, str]:
    """Return the name to show for each suite: the short one, unless several files have it."""
    files: dict[str, set[str]] = defaultdict(set)
    ids = list(dict.fromkeys(suites))
    for name, file in ids:
        files[name].add(file)
    return {(name, file): name if len(files[name]) == 1 else qualified_name(name, file) for name, file in ids}
