"""Tables of ``[tool.mcpbench.agents]``: programs that work as agents, or settings of built-in ones."""

import shlex
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from pytest_mcpbench.agents.programs.proxy_settings import Answering, ToolNames, Transport
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.files.project_tables import validate_table
from pytest_mcpbench.models.prices import Price


class AgentTable(FrozenModel):
    """One entry of ``[tool.mcpbench.agents]``."""

    program: str | None = None
    """Built-in program that these settings are for; without it the name of the entry."""
    command: tuple[str, ...] = ()
    """Command of a program that is not built in, with placeholders; of a built-in one its executable."""
    resume: tuple[str, ...] = ()
    """Command that continues the session ``{session}``, for the later turns of a conversation."""
    arguments: tuple[str, ...] = ()
    """Further arguments of a built-in program."""
    model: str | None = None
    """Model that the program asks, in its own words."""
    environment: dict[str, str] = Field(default_factory=dict, repr=False)
    """Variables of the program; ``${NAME}`` is the value of a variable of this process."""
    output: Literal["text", "json"] = "text"
    """Form of stdout: the answer, or an object with ``answer``."""
    transport: Transport = "http"
    tool_names: ToolNames = "exposed"
    answering: Answering = "user"
    """Who answers the questions of servers; ``program``: its client, if it declares that it can."""
    may_skip_servers: bool = False
    """Whether it may leave servers alone; an attempt in which it lists no tools of a server is an error otherwise."""
    authentication: str = ""
    """Method by which an agent of the Agent Client Protocol logs in before it opens a session."""
    version: tuple[str, ...] = ()
    """Command that prints the version of the program."""
    port: int = Field(0, ge=0, le=65535)
    """Port of the proxies; attempts then run one at a time. 0: a free port for each attempt."""
    input_price: float | None = Field(None, ge=0)
    """USD per million tokens, for a program that reports tokens and no cost; requires ``output_price``."""
    output_price: float | None = Field(None, ge=0)
    cached_price: float | None = Field(None, ge=0)

    @field_validator("command", "resume", "arguments", "version", mode="before")
    @classmethod
    def _split_text(cls, value: Any) -> Any:
        return shlex.split(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_prices(self) -> "AgentTable":
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("`input_price` and `output_price` (USD per million tokens) require each other")
        return self

    @property
    def price(self) -> Price | None:
        """Price of the program's model; ``None`` if the table does not state one."""
        if self.input_price is None or self.output_price is None:
            return None
        return Price(input=self.input_price, output=self.output_price, cached=self.cached_price)


def parse_table(name: str, tables: Mapping[str, Any]) -> AgentTable:
    """Return the checked entry of a name, the empty one if there is none.

    Raises:
        UsageError: the entry is wrong; the message names the field.
    """
    return validate_table(AgentTable, tables.get(name, {}), f"[tool.mcpbench.agents].{name}")
