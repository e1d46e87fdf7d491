"""Replacing text as ``edit_file`` does: exactly where that is possible, else by lines without regard to space."""

from collections.abc import Iterable

from pytest_mcpbench.simulated.engine.failure import ToolFailure


def edited(text: str, edits: Iterable[tuple[str, str]]) -> str:
    """The text after each edit, old text -> new text, at its first place."""
    for old, new in edits:
        text = _edited(text, unix(old), unix(new), old)
    return text


def unix(text: str) -> str:
    """The text without carriage returns at the ends of its lines."""
    return text.replace("\r\n", "\n")


def _edited(text: str, old: str, new: str, asked: str) -> str:
    if old in text:
        return text.replace(old, new, 1)
    lines, wanted = text.split("\n"), old.split("\n")
    stripped = [line.strip() for line in wanted]
    for start in range(len(lines) - len(wanted) + 1):
        if [line.strip() for line in lines[start : start + len(wanted)]] == stripped:
            replacement = _indented(new.split("\n"), wanted, _indent(lines[start]))
            return "\n".join([*lines[:start], *replacement, *lines[start + len(wanted) :]])
    raise ToolFailure(f"Could not find exact match for edit:\n{asked}")


def _indented(new: list[str], old: list[str], indent: str) -> list[str]:
    """The new lines with the indentation of the text that they replace."""
    first, *others = new
    made = [indent + first.lstrip()]
    for index, line in enumerate(others, start=1):
        before, after = _indent(old[index]) if index < len(old) else "", _indent(line)
        more = " " * max(0, len(after) - len(before))
        made.append(indent + more + line.lstrip() if before and after else line)
    return made


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
