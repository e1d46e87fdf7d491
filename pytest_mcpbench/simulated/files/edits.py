"""Text replacement of ``edit_file``: by exact match if possible, otherwise by lines regardless of indentation."""

from collections.abc import Iterable

from pytest_mcpbench.simulated.engine.failure import ToolFailure


def apply_edits(text: str, edits: Iterable[tuple[str, str]]) -> str:
    """Replace the first occurrence of each old text with the new text."""
    for old, new in edits:
        text = _apply_edit(text, to_unix_newlines(old), to_unix_newlines(new), old)
    return text


def to_unix_newlines(text: str) -> str:
    """Convert line endings from CRLF to LF."""
    return text.replace("\r\n", "\n")


def _apply_edit(text: str, old: str, new: str, original_old: str) -> str:
    if old in text:
        return text.replace(old, new, 1)
    lines, old_lines = text.split("\n"), old.split("\n")
    stripped_old = [line.strip() for line in old_lines]
    for start in range(len(lines) - len(old_lines) + 1):
        if [line.strip() for line in lines[start : start + len(old_lines)]] == stripped_old:
            replacement = _indent_like(new.split("\n"), old_lines, _indentation(lines[start]))
            return "\n".join([*lines[:start], *replacement, *lines[start + len(old_lines) :]])
    raise ToolFailure(f"Could not find exact match for edit:\n{original_old}")


def _indent_like(new: list[str], old: list[str], indent: str) -> list[str]:
    """Indent the new lines like the text that they replace."""
    first, *others = new
    result = [indent + first.lstrip()]
    for index, line in enumerate(others, start=1):
        before, after = _indentation(old[index]) if index < len(old) else "", _indentation(line)
        more = " " * max(0, len(after) - len(before))
        result.append(indent + more + line.lstrip() if before and after else line)
    return result


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
