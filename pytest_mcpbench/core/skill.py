"""Skills: documents that tell an agent how to do something."""

from pytest_mcpbench.core.frozen import FrozenModel


class Skill(FrozenModel):
    """One document."""

    name: str
    text: str
    description: str = ""
    """Sentence by which a model decides whether to load it."""

    @property
    def prompt_text(self) -> str:
        """Return the text that the agent reads."""
        parts = [f"# Skill: {self.name}", self.description, self.text]
        return "\n\n".join(part for part in parts if part)
