"""Text of a TOML file with the line of each field, which tomllib does not report."""

import re
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.errors import SourceLocation


@dataclass(frozen=True)
class TomlSource:
    """Text of one TOML file that finds the line of a field."""

    file: Path
    text: str

    def place_of(self, field: str | None) -> SourceLocation:
        """Return the place of a field such as ``servers.mail.url`` or ``files[1].path``."""
        parts = re.findall(r"\[(\d+)\]|([^.\[\]]+)", field or "")
        names = [name for _, name in parts if name]
        number = next((int(index) for index, _ in parts if index), 0)
        line: int | None = None
        for depth in range(len(names) - 1, -1, -1):
            # The line of the key in its table, or else that of the innermost table that exists.
            table, key = names[:depth], names[depth]
            start = self._table_line(table, number) if table else 0
            line = None if start is None else self._key_line(key, start)
            if line is None:
                line = self._table_line(names[: depth + 1], number)
            if line is not None:
                break
        return SourceLocation(str(self.file), line=line)

    def _table_line(self, names: list[str], number: int) -> int | None:
        """Return the line, from 1, of ``[a.b]``, or of the ``[[a]]`` with the given index."""
        path = r"\s*\.\s*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in names)
        lines = [match.start() for match in re.finditer(rf"^\s*\[\[?\s*{path}\s*\]", self.text, re.MULTILINE)]
        if not lines:
            return None
        start = re.compile(r"\S").search(self.text, lines[min(number, len(lines) - 1)])
        return self.text.count("\n", 0, start.start() if start else 0) + 1

    def _key_line(self, key: str, after: int) -> int | None:
        """Return the line of ``key = …`` between a table's header and the next header."""
        for number, line in enumerate(self.text.splitlines()[after:], start=after + 1):
            if line.lstrip().startswith("["):
                return None
            if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]", line):
                return number
        return None
