"""Arguments that a careless or hostile agent sends to a tool: values of its schema, mixed with values at the edges."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

LONG = 100_000
"""Characters of the longest texts."""
NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 7, 2**31, -(2**63), 10**18, 10**400, -(10**400)),
    *(0.5, -0.0, 1e-320, 1e308, -1e308, math.nan, math.inf, -math.inf),
)
TEXTS: tuple[str, ...] = (
    *("", " ", "\x00", "\ud800", "\ufeff", "\u202e", "é", "漢字", "a\nb", "null", "true", "NaN", "Infinity", "-1"),
    *(
        "0",
        "1e400",
        "9" * 400,
        "9" * 5_000,
        "9**9**9**9",
        "1/0",
        "٣",
        "²",
        "0x10",
        "1_000",
        "--",
        "%",
        "%s",
        "{0}",
        "{x",
    ),
    *("../..", "/etc/passwd", "~", "~root", "C:\\", "\\\\host\\share", "file:///etc/passwd", "a/" * 600, "x" * 300),
    *(
        "http://[",
        "http://[::1",
        "http://a:99999999/",
        "https://exa mple/\x00",
        "//",
        "http://\ud800/",
        "data:,",
        "ftp://",
    ),
    *("0000-00-00", "9999-12-31", "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00+23:59", "2025-02-30", "2025-13-01"),
    *("10000-01-01", "99999999", "253402300800", "-62135596801", "1e20", "2025-06-02T25:61:61", "24:00", "00:00-99:99"),
    *("2025-06-02", "20250602", "2025-06-02T10:00:00Z", "today", "now", "tomorrow", "in 999999999 days", "+1d"),
    *("91,181", "181,91", "nan,nan", "inf,inf", "1e308,1e308", ",", "1,2,3", "116.4,39.9"),
    *("(", "[", "[!", "[z-a]", "**", "***" * 20, "*" * 40 + "b", "(a+)+$", "(?P<", "\\", "{1,2", "a{99999999}", "[[:x"),
    *("[" * 2_000, "(" * 2_000, "{" * 500, '{"a":' * 500, "{}", "[]", '{"a": 1e999}', "<" * 500, "<a" + " b" * 500),
    *(
        "SELECT",
        "SELECT * FROM t; DROP TABLE t",
        "'; --",
        '"',
        "`",
        "$(reboot)",
        "| cat",
        "=A1",
        "=1/0",
        "=SUM(A1:ZZ99999)",
    ),
    *(
        "A1",
        "A0",
        "ZZZZZZZ99999999",
        "A1:B",
        "@",
        "#",
        "a@b",
        "a@",
        "@b",
        "a@b@c",
        "a, b;c",
        "A:B",
        ":::",
        "key:",
        "is:",
    ),
    *(
        "x" * LONG,
        "a " * (LONG // 2),
        "(" * LONG,
        "a" * (LONG // 2) + "!",
        "\n" * LONG,
        "9" * LONG,
        "1+" * 20_000 + "1",
    ),
)
"""Texts that readers of paths, addresses, dates, numbers, patterns and languages stumble over."""


@dataclass(frozen=True)
class HostileArguments:
    """Generator of arguments; ``known`` are texts of the world, such as ids, with which a call gets further."""

    random: Random
    known: Sequence[str] = ()

    def of(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments for an input schema, of which one at least half of the time fits the schema."""
        properties: Mapping[str, Any] = schema.get("properties", {})
        required = schema.get("required", ())
        chosen = [name for name in properties if name in required or self.random.random() < 0.5]
        definitions = schema.get("$defs", {})
        return {name: self._value(self._resolved(properties[name], definitions), definitions, 0) for name in chosen}

    def _resolved(self, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" in schema:
            return self._resolved(definitions[schema["$ref"].rpartition("/")[2]], definitions)
        choices = schema.get("anyOf") or schema.get("oneOf")
        return self._resolved(self.random.choice(choices), definitions) if choices else schema

    def _value(self, schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> Any:
        if self.random.random() < 0.03:
            return self._anything(depth)
        if "enum" in schema and self.random.random() < 0.9:
            return self.random.choice(schema["enum"])
        kind = schema.get("type")
        kind = self.random.choice(kind) if isinstance(kind, list) else kind
        if kind in ("integer", "number"):
            return self._number(kind)
        if kind == "array":
            part = self._resolved(schema.get("items", {}), definitions)
            return [self._value(part, definitions, depth + 1) for _ in range(self.random.choice((0, 1, 1, 2, 5)))]
        if kind == "object" or "properties" in schema:
            return self._object(schema, definitions, depth)
        if kind == "boolean":
            return self.random.random() < 0.5
        return self._text() if kind == "string" else None if kind == "null" else self._anything(depth)

    def _object(self, schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> dict[str, Any]:
        if "properties" not in schema:
            return {self._text()[:200]: self._anything(depth + 1) for _ in range(self.random.choice((0, 1, 2)))}
        parts: Mapping[str, Any] = schema["properties"]
        required = schema.get("required", ())
        chosen = [name for name in parts if name in required or self.random.random() < 0.5]
        return {name: self._value(self._resolved(parts[name], definitions), definitions, depth + 1) for name in chosen}

    def _number(self, kind: str) -> Any:
        if self.random.random() < 0.4:
            return self.random.randint(0, 20)
        return self.random.choice([each for each in NUMBERS if kind == "number" or isinstance(each, int)])

    def _text(self) -> str:
        draw = self.random.random()
        if draw < 0.35 and self.known:
            return self.random.choice(self.known)
        if draw < 0.45 and self.known:
            return self.random.choice(self.known) + self.random.choice(TEXTS)
        return self.random.choice(TEXTS)

    def _anything(self, depth: int) -> Any:
        kind = self.random.randrange(8 if depth < 4 else 5)
        if kind == 0:
            return self.random.choice((None, True, False))
        if kind == 1:
            return self.random.choice(NUMBERS)
        if kind < 5:
            return self._text()
        if kind == 5:
            return [self._anything(depth + 1) for _ in range(2)]
        if kind == 6:
            return {self._text()[:200]: self._anything(depth + 1)}
        return nested(200)


def nested(levels: int) -> Any:
    """Return lists in lists."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value
