"""How the objects of an attempt are made anew in another process: their names and addresses, as JSON."""

from pydantic import ConfigDict, Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel


class AgentRef(FrozenModel):
    """How an agent is made: by its name, or from a pickle."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    name: str
    """As in ``--model``."""
    temperature: float | None = None
    pickled: bytes | None = None


class MetricRef(FrozenModel):
    """How a metric that asks a judge is made."""

    address: str
    """``module:attribute``."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)


class JudgeRef(FrozenModel):
    """Who decides, and the metrics that ask."""

    name: str
    metrics: dict[str, MetricRef] = Field(default_factory=dict)


class AttemptComponents(FrozenModel):
    """The agent and, where verdicts can be had there, the judge."""

    agent: AgentRef
    judge: JudgeRef | None = None
    """``None``: nobody is asked there; the process that sends the attempt asks its own judge, if it has one."""
