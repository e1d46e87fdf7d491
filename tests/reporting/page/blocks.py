"""The data of a page as its client script reads it."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any


def blocks(page: str, kind: str) -> list[Any]:
    """The values of all blocks of a kind."""
    contents = re.findall(rf'<script type="application/x-mcpbench-{kind}"[^>]*>([^<]*)<', page)
    return [value for content in contents for value in inflate(content)]


def inflate(content: str) -> list[Any]:
    values: list[Any] = json.loads(zlib.decompress(base64.b64decode(content)))
    return values


def inflated(path: Path) -> str:
    """All texts of a page in a file."""
    page = path.read_text(encoding="utf-8")
    return "\n".join(
        json.dumps(value, ensure_ascii=False) for kind in ("items", "index") for value in blocks(page, kind)
    )
