"""Differences between two sets of files in git's format."""

from collections.abc import Iterator
from difflib import unified_diff
from itertools import chain

from pytest_mcpbench.simulated.git.repository import Files, blob_name

_NULL_OBJECT = "0000000"
_NO_NEWLINE = "\\ No newline at end of file"


def changed_paths(before: Files, after: Files) -> list[str]:
    """Return the sorted paths of the files that differ."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def patch(before: Files, after: Files, context: int = 3) -> str:
    """Return all differences as a patch; empty if there are none."""
    paths = changed_paths(before, after)
    return "\n".join(
        chain.from_iterable(_file_patch(path, before.get(path), after.get(path), context) for path in paths)
    )


def hunks(before: str | None, after: str | None, context: int = 3) -> str:
    """Return the hunks of one file without the file header."""
    return "\n".join(_hunks(before, after, context))


def _file_patch(path: str, before: str | None, after: str | None, context: int) -> Iterator[str]:
    old = _NULL_OBJECT if before is None else blob_name(before)[:7]
    new = _NULL_OBJECT if after is None else blob_name(after)[:7]
    yield f"diff --git a/{path} b/{path}"
    if before is None:
        yield "new file mode 100644"
    if after is None:
        yield "deleted file mode 100644"
    yield f"index {old}..{new}" + ("" if None in (before, after) else " 100644")
    yield "--- /dev/null" if before is None else f"--- a/{path}"
    yield "+++ /dev/null" if after is None else f"+++ b/{path}"
    yield from _hunks(before, after, context)


def _hunks(before: str | None, after: str | None, context: int) -> Iterator[str]:
    old, new = (before or "").splitlines(keepends=True), (after or "").splitlines(keepends=True)
    for line in list(unified_diff(old, new, n=context))[2:]:
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield _NO_NEWLINE
