"""Skill: a document that describes to an agent how to do something."""

import re
from dataclasses import dataclass

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<head>.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(?P<key>name|description):[ \t]*(?P<value>.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Skill:
    """One document."""

    name: str
    text: str
    description: str = ""

    @classmethod
    def from_document(cls, document: str, name: str) -> "Skill":
        """Parse a Markdown document; ``name`` is used if its front matter has none."""
        document = document.removeprefix("\ufeff").replace("\r\n", "\n")
        head = _FRONT_MATTER.match(document)
        if head is None:
            return cls(name, document.strip())
        fields = {field["key"]: field["value"].strip().strip("\"'") for field in _FIELD.finditer(head["head"])}
        return cls(fields.get("name") or name, document[head.end() :].strip(), fields.get("description", ""))

    @property
    def prompt_text(self) -> str:
        """Text that the agent reads."""
        parts = [f"# Skill: {self.name}", self.description, self.text]
        return "\n\n".join(part for part in parts if part)
