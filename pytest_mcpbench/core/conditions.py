"""The conditions of an experiment: which tools, instructions and context an agent is given."""

from typing import Literal

from pydantic import Field, field_validator

from pytest_mcpbench.core.frozen import FrozenModel

Exposure = Literal["all", "selected", "listed", "needed"]

NO_PROMPT = "none"
"""The name of the prompt of those who give none."""
OWN_PROMPT = "system"
"""The name of the suite's own system prompt."""
NO_DISPATCHER = "none"


class Conditions(FrozenModel):
    """What the experiments of the papers vary; every suite is run under some."""

    exposure: Exposure = "selected"
    """``all`` tools of the suite; those of the servers that the task has ``selected`` (all where it names none), of
    these only what it lists if it lists any; those that it has ``listed``; those ``needed`` by its reference calls."""
    distractors: int = Field(0, ge=0)
    """Tools of the suite's servers that are exposed beside these (MCP-Atlas: 12 to 18 in all, 3 to 7 are needed)."""
    dispatcher: str = NO_DISPATCHER
    """Who picks from the exposed tools those that the request is about (MCPToolBench++ 3.1): ``bm25``, or a model of
    embeddings."""
    top_k: int = Field(10, ge=1)
    """How many tools the dispatcher picks."""
    prompt: str | None = None
    """Which of the suite's prompts is the system prompt; ``none`` is without any; ``system``, kept as ``None``, or left
    out: the suite's ``system``."""
    skills: tuple[str, ...] = ()
    """Documents that the agent reads behind the system prompt (MCP-Persona 4.4): paths, relative to the suite."""
    context_distractors: int = Field(0, ge=0)
    """Statements without use that are added to what is known about the user (MCP-Persona, table 9: five)."""
    hint: Literal["none", "tools"] = "none"
    """``tools``: each request says how many tool calls the reference has for it (MCP-RADAR, table 4)."""
    seed: int = 0
    """Which distractors are drawn; the same ones for the same task and seed."""

    @field_validator("prompt")
    @classmethod
    def _without_the_name_of_the_default(cls, name: str | None) -> str | None:
        """One value for the suite's own prompt, whether named or left out: a run can be resumed under either."""
        return None if name == OWN_PROMPT else name
