"""Grammar of the names that ``--model`` takes.

A name is one of these, looked up in this order:

* an agent without a model: ``noop``, ``oracle``, ``lexical``, or ``replay:DIR``
* an alias: of the project's ``[tool.mcpbench.models]``, or a built-in one; it refers to another name or is a table
* ``agent:NAME`` or ``agent:NAME#MODEL``: a program, built in or of the project's ``[tool.mcpbench.agents]``
* ``acp:COMMAND`` or ``acp:NAME``: a program that speaks the Agent Client Protocol, by its command or by the project's
  ``[tool.mcpbench.agents]``
* ``local``, ``local:PATH.gguf``, ``local:SERVER`` or ``local:SERVER/MODEL``: a model on this machine
* ``scripted:FILE.json``: replies that a file lists
* ``http://host/v1`` or ``http://host/v1#model``: an OpenAI-compatible API
* any other name is a litellm id, such as ``anthropic/claude-opus-5-5``

A judge is one of these names, ``keyfacts`` or ``none``, several names with commas between (a panel), or ``keyfacts+``
before a model or a panel (a cascade: the rules first).

This module knows the names only. ``agents/factory.py`` and ``models/factory.py`` make agents and models
of them.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_mcpbench.core.errors import UsageError

ORACLE = "oracle"
"""Agent that plays the reference of a task."""
NOOP = "noop"
LEXICAL = "lexical"
CONTROLS = (NOOP, ORACLE)
"""Agents that check suites."""
AGENTS_WITHOUT_MODEL = (*CONTROLS, LEXICAL)
EXPECTATIONS = {
    LEXICAL: f"{LEXICAL} uses no model: it fails most tasks of a benchmark",
    ORACLE: f"{ORACLE} plays the reference of each task: every task is expected to pass",
    NOOP: f"{NOOP} is an agent that does nothing: every task is expected to fail",
}
"""What the results of an agent without a model can be expected to be."""
KEYFACTS = "keyfacts"
"""Judge that decides by rules."""
DEFAULT_JUDGE = KEYFACTS
"""Judge of a run whose options and suites name none."""
NO_JUDGE = "none"
NO_USER = "none"
"""No model plays users; those with a script answer all the same."""
CASCADE = f"{KEYFACTS}+"
"""Beginning of the name of a cascade: ``keyfacts+a`` or ``keyfacts+a,b,c``."""
JUDGES_WITHOUT_MODEL = (KEYFACTS, NO_JUDGE)
NAMES_WITHOUT_MODEL = frozenset({*AGENTS_WITHOUT_MODEL, *JUDGES_WITHOUT_MODEL})
REPLAY = "replay:"
SCRIPTED = "scripted:"
EXTERNAL_AGENT = "agent:"
"""Prefix of the name of a program that works as an agent."""
ACP_AGENT = "acp:"
"""Prefix of the command or name of a program that speaks the Agent Client Protocol."""
LOCAL = "local"
"""Model on this machine that needs no key."""
LOCAL_PREFIX = "local:"

BUILT_IN_ALIASES: Mapping[str, str] = {
    "claude": "anthropic/claude-opus-5-5",
    "claude-opus": "anthropic/claude-opus-5-5",
    "claude-sonnet": "anthropic/claude-sonnet-5-5",
    "claude-haiku": "anthropic/claude-haiku-5-5",
    "claude-fable": "anthropic/claude-fable-5-1",
    "gpt": "openai/gpt-6.1-sol",
    "gpt-astra": "openai/gpt-6-astra",
    "gpt-luna": "openai/gpt-6-luna",
    "gemini": "gemini/gemini-4-argon",
    "gemini-flash": "gemini/gemini-3.8-flash",
    "grok": "xai/grok-4.7",
    "deepseek": "deepseek/deepseek-v4-pro",
    "qwen": "dashscope/qwen3.8-max",
    "kimi": "moonshot/kimi-k3",
    "glm": "zai/glm-5.3",
    "minimax": "minimax/MiniMax-M3",
    "mistral": "mistral/mistral-large-4",
}
"""The flagship of each provider on 2026-11-21, by litellm id."""


def is_competitor(name: str) -> bool:
    """Return whether reports compare the agent of this name with others: not an agent without a model.

    Agents of users and programs count as models. A swept condition follows the name, ``oracle@rounds:5``, and so does
    the run if several runs are joined: ``oracle [before]``.
    """
    agent = re.split(r"@| \[", name, maxsplit=1)[0]
    return agent not in AGENTS_WITHOUT_MODEL and not agent.startswith(REPLAY)


def marked_name(name: str) -> str:
    """Return the name, of an agent without a model with a mark that says so."""
    return name if is_competitor(name) else f"{name} (no model)"


def compared_models(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of models, or all of them if none is a model.

    An agent without a model would be the best, the cheapest or the worst of the models.
    """
    every = tuple(dict.fromkeys(names))
    return tuple(filter(is_competitor, every)) or every


def alias_target(name: str, aliases: Mapping[str, Any]) -> tuple[str, Any]:
    """Follow aliases of aliases, the project's before the built-in ones.

    Returns the last name, and its table or the same name if it is not an alias. Raises UsageError for a circle.
    """
    seen = [name]
    while True:
        target = aliases.get(name, BUILT_IN_ALIASES.get(name))
        if target is None or target == name:
            return name, name
        if not isinstance(target, str):
            return name, target
        if target in seen:
            raise UsageError(f"[tool.mcpbench.models]: {' → '.join([*seen, target])} leads in a circle")
        name = target
        seen.append(name)


def is_in_process(name: str, aliases: Mapping[str, Any]) -> bool:
    """Return whether attempts with this name wait for no other process. A table always refers to a remote model."""
    target = _target(name, aliases)
    return isinstance(target, str) and (target in AGENTS_WITHOUT_MODEL or reads_local_file(target, {}))


def reads_local_file(name: str, aliases: Mapping[str, Any]) -> bool:
    """Return whether an agent or model of this name reads files of this machine, which another machine lacks."""
    target = _target(name, aliases)
    address = str(target.get("model") if isinstance(target, Mapping) else target)
    return address == LOCAL or address.startswith((REPLAY, SCRIPTED, LOCAL_PREFIX))


def local_target(name: str, aliases: Mapping[str, Any]) -> tuple[str, Mapping[str, Any], str] | None:
    """Return the alias or name that refers to a local model, its table and the local name; ``None`` for another model.

    The table is empty unless the project has one for it, with settings such as ``max_output_tokens``.
    """
    try:
        last, target = alias_target(name, aliases)
    except UsageError:
        return None
    table = target if isinstance(target, Mapping) else {}
    address = str(table.get("model", "")) if table else str(target)
    is_local = address == LOCAL or address.startswith(LOCAL_PREFIX)
    return (last, table, address) if is_local and "url" not in table else None


def panel_members(judge: str) -> tuple[str, ...]:
    """Return the names of the judges of a panel, ``a,b,c``, or of a cascade; otherwise that of the judge alone."""
    if judge.startswith(CASCADE):
        return (KEYFACTS, *panel_members(judge.removeprefix(CASCADE)))
    return tuple(name.strip() for name in judge.split(","))


def external_agent(name: str, aliases: Mapping[str, Any]) -> str | None:
    """Return the name of a program, with its prefix, that a name refers to; ``None`` for any other agent or model."""
    target = _target(name, aliases)
    return target if isinstance(target, str) and target.startswith((EXTERNAL_AGENT, ACP_AGENT)) else None


def is_url(name: str) -> bool:
    """Return whether a name is the address of an API."""
    return name.startswith(("http://", "https://"))


def key_variables(aliases: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the environment variables with keys that tables of the project name, as far as they are set."""
    tables = (alias for alias in aliases.values() if isinstance(alias, Mapping))
    names = dict.fromkeys(str(table["api_key_env"]) for table in tables if table.get("api_key_env"))
    return tuple(name for name in names if name in environment)


def _target(name: str, aliases: Mapping[str, Any]) -> Any:
    """Return what a name refers to; the name itself for a circle, which is reported when the model is made."""
    try:
        return alias_target(name, aliases)[1]
    except UsageError:
        return name
