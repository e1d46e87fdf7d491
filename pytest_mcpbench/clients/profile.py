"""Profiles of MCP clients: what each shows its model, with source and date beside each value."""

import tomllib
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from pytest_mcpbench.core.conditions import Conditions, DeferredTools, Presentation, ResultForm
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.text.suggestions import hint

_DIRECTORY = Path(__file__).with_name("profiles")
NAMES = ("plain", "claude-code", "codex", "vscode", "chatgpt", "cursor")
"""Profiles of the package."""
_YEAR = timedelta(days=365)


class ClientFacts(FrozenModel):
    """Everything that a profile may say of a client; ``None`` is unknown.

    A field that :class:`~pytest_mcpbench.core.conditions.Conditions` has too is a condition of attempts. The others are
    for people and for the check.
    """

    instruction_characters: int | None = Field(None, ge=0)
    description_characters: int | None = Field(None, ge=0)
    name_form: str | None = None
    longest_name: int | None = Field(None, ge=1)
    most_tools: int | None = Field(None, ge=1)
    presentation: Presentation | None = None
    deferred_tools: DeferredTools | None = None
    search_from: int | None = Field(None, ge=1)
    tool_search: str | None = None
    search_results: int | None = Field(None, ge=1)
    result_form: ResultForm | None = None
    result_limit: int | None = Field(None, ge=1)
    result_preview: int | None = Field(None, ge=1)
    capabilities: tuple[str, ...] | None = None
    """Capabilities that the client declares, such as ``elicitation.url``."""
    server_resources: Literal["tools", "none"] | None = None
    """Whether the model can list and read resources with tools."""
    server_prompts: Literal["tools", "none"] | None = None
    """Whether the model can get prompts with a tool."""


_UNSAID = {
    **Conditions().model_dump(include={*ClientFacts.model_fields, "server_instructions"}),
    "presentation": "listed",
}
"""Conditions that decide what a model sees of servers, as they are where a profile says nothing."""


class ProfileValue(FrozenModel):
    """One value of a profile."""

    value: Any
    source: str = Field(min_length=1)
    """Where it was read or measured."""
    date: date
    """Day on which the source said so."""


class ClientProfile(FrozenModel):
    """Profile of one client."""

    title: str
    version: str | None = None
    """Version of the program with which the values were checked."""
    values: dict[str, ProfileValue] = Field(default_factory=dict)

    @property
    def facts(self) -> ClientFacts:
        """Return the values by field."""
        return ClientFacts.model_validate({name: each.value for name, each in self.values.items()})

    @property
    def conditions(self) -> dict[str, Any]:
        """Return the conditions that the profile sets."""
        facts = self.facts
        return {name: getattr(facts, name) for name in self.values if name in Conditions.model_fields}

    def differences(self, conditions: Mapping[str, Any]) -> list[str]:
        """Return those of the conditions that show servers otherwise than the client does, each with its value.

        A condition that is missing or ``None`` is the client's.
        """
        own = {**_UNSAID, **self.conditions}
        others = {name: value for name in own if (value := conditions.get(name)) not in (None, own[name])}
        texts = {name: " and ".join(v) if isinstance(v, tuple) else public_name(str(v)) for name, v in others.items()}
        return [f"{name} {text}" for name, text in texts.items()]

    @property
    def oldest(self) -> date | None:
        """Return the day of its oldest value; ``None`` for a profile without values."""
        return min((each.date for each in self.values.values()), default=None)

    def age_warning(self, today: date) -> str:
        """Return a sentence if a value is older than a year; otherwise nothing."""
        old = sorted(f"{name} ({each.date})" for name, each in self.values.items() if today - each.date > _YEAR)
        if not old:
            return ""
        return f"older than a year, so that {self.title} may show something else by now: {', '.join(old)}"


def load_profile(name: str, directory: Path) -> ClientProfile:
    """Return the profile of the package with that name, or that in a TOML file.

    Args:
        name: Name, or a path that ends with ``.toml``.
        directory: Base of a relative path.

    Raises:
        UsageError: there is no such profile, or its file is wrong.
    """
    if name in NAMES:
        return _read(_DIRECTORY / f"{name}.toml", name)
    if not name.endswith(".toml"):
        raise UsageError(f"no profile of a client is called {name!r}. {hint(name, NAMES)} A file ends with .toml.")
    return _read(directory / name, name)


def _read(file: Path, shown: str) -> ClientProfile:
    try:
        content: Mapping[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        profile = ClientProfile.model_validate(content)
        unknown = [name for name in profile.values if name not in ClientFacts.model_fields]
        if unknown:
            question = hint(unknown[0], ClientFacts.model_fields)
            raise UsageError(f"{shown}: values.{unknown[0]}: no value of a client is called so. {question}")
        _ = profile.facts
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{shown}: not valid TOML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"{shown}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if "name_form" in profile.values and "{tool}" not in str(profile.values["name_form"].value):
        raise UsageError(f"{shown}: values.name_form: write {{tool}} where the name of the tool stands")
    return profile
