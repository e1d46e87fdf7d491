"""What differs between two sets of files, as git writes it."""

from collections.abc import Iterator
from difflib import unified_diff
from itertools import chain

from pytest_mcpbench.simulated.git.repository import Files, blob_name

_NOTHING = "0000000"
_NO_NEWLINE = "\\ No newline at end of file"


def changed(before: Files, after: Files) -> list[str]:
    """The paths at which the two differ, in order."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def patch(before: Files, after: Files, context: int = 3) -> str:
    """All differences; an empty text where there are none."""
    paths = changed(before, after)
    return "\n".join(chain.from_iterable(_file(path, before.get(path), after.get(path), context) for path in paths))


def hunks(before: str | None, after: str | None, context: int = 3) -> str:
    """The differences of one file without their heads."""
    return "\n".join(_hunks(before, after, context))


def _file(path: str, before: str | None, after: str | None, context: int) -> Iterator[str]:
    old = _NOTHING if before is None else blob_name(before)[:7]
    new = _NOTHING if after is None else blob_name(after)[:7]
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
