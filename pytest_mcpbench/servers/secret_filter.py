"""Filter that every writer of a process shares; it learns secrets as models and servers are resolved."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from pytest_mcpbench.core import secret_sources
from pytest_mcpbench.core.model_names import panel_members
from pytest_mcpbench.core.secrets import NO_SECRETS, Secrets
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.loaders.mcp_json import passed_variables

Model = TypeVar("Model", bound=BaseModel)


_COMMANDS_OF_AGENTS = ("command", "resume", "arguments", "version")


class SecretFilter:
    """The secrets known so far. It may be used by several threads: what it knows is replaced, never changed."""

    def __init__(self, secrets: Secrets = NO_SECRETS) -> None:
        self.secrets = secrets
        self._logged_in: dict[str, ServerRef] = {}
        """Servers with tokens, which are refreshed during a run."""

    @classmethod
    def of_environment(cls) -> "SecretFilter":
        """Return a filter of the secrets in the environment variables of this process."""
        return cls(secret_sources.secrets_of_variables(os.environ))

    def add(self, secrets: Secrets) -> None:
        """Remove further secrets from now on."""
        self.secrets = self.secrets | secrets

    def add_servers(self, servers: Iterable[ServerRef]) -> None:
        """Remove the secrets in the definitions of servers, and their tokens of OAuth, from now on."""
        for ref in servers:
            self.add(secret_sources.secrets_of_server(ref))
            if ref.auth is not None:
                self._logged_in[str(ref.url)] = ref
        self._add_tokens()

    def add_suite(self, suite: SuiteManifest) -> None:
        """Remove the secrets of a suite from now on: those of its servers, judge, user and dispatcher."""
        self.add_servers(suite.servers.values())
        self.add_models((*panel_members(suite.judge or ""), suite.user or "", suite.dispatcher, suite.tool_search), {})

    def add_command_line(self, arguments: Iterable[str]) -> None:
        """Remove the secrets in a command line of pytest or of ``mcpbench`` from now on."""
        self.add(secret_sources.secrets_of_command_line(arguments))

    def add_models(self, names: Iterable[str], aliases: Mapping[str, Any]) -> None:
        """Remove the secrets of models from now on: those in their URLs, keys and additional fields of requests."""
        for name in names:
            if "://" in name:
                self.add(secret_sources.secrets_of_url(name, "model"))
        for alias, target in aliases.items():
            self.add(secret_sources.secrets_of_alias(alias, target, os.environ))

    def add_agents(self, agents: Mapping[str, Any]) -> None:
        """Remove the secrets in the commands and environment variables of external agents from now on."""
        for table in (each for each in agents.values() if isinstance(each, Mapping)):
            for key in _COMMANDS_OF_AGENTS:
                command = table.get(key, ())
                words = map(str, [command] if isinstance(command, str) else command)
                self.add(secret_sources.secrets_of_command(words))
            values = table.get("environment")
            if isinstance(values, Mapping):
                self.add(secret_sources.secrets_of_variables({name: str(value) for name, value in values.items()}))
                for name, value in passed_variables(dict(values), os.environ).items():
                    self.add(secret_sources.secrets_of_value(name, value, is_expected=True))

    def may_occur(self, serialized: str) -> bool:
        """Return whether a text of this JSON document may contain a secret."""
        self._add_tokens()
        return self.secrets.may_occur(serialized)

    def remove(self, text: str) -> str:
        """Return the text without the secrets known so far."""
        return self.secrets.remove(text)

    def remove_from(self, value: Any) -> Any:
        """Return the JSON value without the secrets known so far."""
        return self.secrets.remove_from(value)

    def remove_from_model(self, model: Model) -> Model:
        """Return the model without the secrets known so far."""
        self._add_tokens()
        return self.secrets.remove_from_model(model)

    def remove_from_definition(self, definition: ServerDefinition) -> ServerDefinition:
        """Return what a client sees of a server without the secrets known so far."""
        tools = tuple(ToolDefinition(self.remove_from(tool.canonical)) for tool in definition.tools)
        texts = {
            name: self.remove(text)
            for name in ("instructions", "implementation", "protocol")
            if (text := getattr(definition, name)) is not None
        }
        return replace(definition, tools=tools, **texts)

    def _add_tokens(self) -> None:
        for ref in self._logged_in.values():
            from pytest_mcpbench.servers.oauth import stored_secrets

            self.add(stored_secrets(ref))
