"""References from which another process builds the agent and the judge of an attempt."""

from pydantic import ConfigDict, Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.model_names import NO_USER


class AgentRef(FrozenModel):
    """Name from which an agent is created, or a pickle that contains it."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    name: str
    """Name of the agent as in ``--model``."""
    temperature: float | None = None
    pickled: bytes | None = None


class MetricRef(FrozenModel):
    """Address and settings from which a metric with questions for a judge is created."""

    address: str
    """``module:attribute``."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)


class JudgeRef(FrozenModel):
    """Name of a judge, with references to the metrics that ask it."""

    name: str
    metrics: dict[str, MetricRef] = Field(default_factory=dict)


class AttemptComponents(FrozenModel):
    """References to the agent and the judge of an attempt."""

    agent: AgentRef
    user: str = NO_USER
    """Name of the model that plays the users of tasks."""
    judge: JudgeRef | None = None
    """``None``: the other process asks no judge; the process that sends the attempt asks its own, if it has one."""
