"""Names under which an agent sees tools, and by which tasks refer to them."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from pytest_mcpbench.core.tool import ToolSpec

_LONGEST_NAME = 64
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


def assign_names(tools: Sequence[ToolSpec], *, is_prefixed: bool) -> tuple[list[ToolSpec], tuple[str, ...]]:
    """Return the tools under names that are unique and that every provider accepts, with notes on renamed tools."""
    counts = Counter(tool.tool for tool in tools)
    taken: set[str] = set()
    renamed = []
    for tool in tools:
        needs_prefix = is_prefixed or counts[tool.tool] > 1
        name = _unique_name(taken, _accepted_name(f"{tool.server}_{tool.tool}" if needs_prefix else tool.tool))
        taken.add(name)
        renamed.append(tool if name == tool.name else tool.model_copy(update={"name": name}))
    return renamed, () if is_prefixed else _rename_notes(renamed, counts)


def names_of(tool: ToolSpec) -> frozenset[str]:
    """Return the names by which a task may refer to a tool."""
    return frozenset((tool.name, tool.tool, f"{tool.server}_{tool.tool}"))


def _rename_notes(tools: Sequence[ToolSpec], counts: Counter[str]) -> tuple[str, ...]:
    names = defaultdict(list)
    for tool in tools:
        if counts[tool.tool] > 1:
            names[tool.tool].append(tool.name)
    return tuple(f"several servers offer {tool!r}: exposed as {', '.join(those)}" for tool, those in names.items())


def _accepted_name(name: str) -> str:
    """Return a name that OpenAI, Anthropic and Google accept: at most 64 letters, digits, ``_`` and ``-``."""
    plain = _NOT_IN_A_NAME.sub("_", name)
    if len(plain) <= _LONGEST_NAME:
        return plain
    # Cut names may coincide; the digest keeps them apart, and the same in every run.
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{plain[: _LONGEST_NAME - 9]}_{digest}"


def _unique_name(taken: set[str], name: str) -> str:
    candidates = (f"{name[: _LONGEST_NAME - 4]}_{number}" for number in range(2, 1000))
    return name if name not in taken else next(other for other in candidates if other not in taken)
