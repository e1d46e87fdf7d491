"""Pool of paragraphs that help with no task: distractors for contexts (MCP-Persona, appendix A.2).

The paper draws five of some 16,000 paragraphs of 40 to 100 words. The 60 paragraphs in ``paragraphs.txt`` were written
for this package, within the same bounds. They contain no person, address or date, so that none can be mistaken for a
fact about the user.
"""

from functools import cache
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError, unreadable_reason
from pytest_mcpbench.text.json_reading import read_json

DEFAULT_POOL = Path(__file__).with_name("paragraphs.txt")
_TEXT_ENDINGS = (".txt", ".md")
_JSON_ENDINGS = (".json", ".jsonl")
_TEXT_KEYS = ("text", "paragraph", "abstract", "content")


@cache
def read_pool(path: Path = DEFAULT_POOL) -> tuple[str, ...]:
    """Return the distinct paragraphs of a file, or of all files of a directory in the order of their names.

    Text files separate paragraphs by empty lines. JSON files contain a list, JSONL files a line for each paragraph: a
    text, or an object with ``text``, ``paragraph``, ``abstract`` or ``content``.

    Raises:
        UsageError: a file cannot be read or contains no paragraph.
    """
    try:
        known = (*_TEXT_ENDINGS, *_JSON_ENDINGS)
        found = (each for each in path.rglob("*") if each.is_file() and each.suffix in known)
        files = sorted(found) if path.is_dir() else [path]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {unreadable_reason(error)}") from None
    paragraphs: dict[str, None] = {}
    for file in files:
        try:
            content = file.read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            raise UsageError(f"{file} cannot be read: {unreadable_reason(error)}") from None
        texts = _json_texts(content, file) if file.suffix in _JSON_ENDINGS else content.split("\n\n")
        paragraphs.update(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))
    if not paragraphs:
        raise UsageError(f"{path} contains no paragraph; write texts with empty lines between them, or JSON")
    return tuple(paragraphs)


def _json_texts(content: str, file: Path) -> list[str]:
    try:
        lines = [line for line in content.splitlines() if line.strip()] if file.suffix == ".jsonl" else [content]
        values = [read_json(line) for line in lines]
    except ValueError as error:
        raise UsageError(f"{file} is not valid JSON: {error}") from None
    entries = values[0] if file.suffix == ".json" and isinstance(values[0], list) else values
    texts: list[str] = []
    for entry in entries:
        text = entry
        if isinstance(entry, dict):
            text = next((entry[key] for key in _TEXT_KEYS if isinstance(entry.get(key), str)), None)
        if not isinstance(text, str):
            raise UsageError(f"{file}: a paragraph must be a text, or an object with one of {', '.join(_TEXT_KEYS)}")
        texts.append(text)
    return texts
