"""Factory of external agents by name: ``agent:NAME`` or ``agent:NAME#MODEL``."""

import functools
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_mcpbench.agents.programs.agent_table import parse_table
from pytest_mcpbench.agents.programs.built_in import BUILT_IN
from pytest_mcpbench.agents.programs.command_program import CommandProgram, check_placeholders
from pytest_mcpbench.agents.programs.external_agent import ExternalAgent
from pytest_mcpbench.agents.programs.proxy import listen
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import EXTERNAL_AGENT
from pytest_mcpbench.loaders.mcp_json import expand_variables, unset_variables_problem
from pytest_mcpbench.servers.isolation import IsolationMode
from pytest_mcpbench.text.suggestions import did_you_mean

_VERSION_SECONDS = 30.0


def make_external_agent(
    name: str, tables: Mapping[str, Any], *, isolation: IsolationMode = "none", root: Path | None = None
) -> ExternalAgent:
    """Return the agent of a name; its program is installed.

    Args:
        name: ``agent:NAME`` or ``agent:NAME#MODEL``.
        tables: ``[tool.mcpbench.agents]``.
        isolation: Isolation of the program from the system.
        root: Directory of the project, in which a command may name its program, such as ``python agent.py``.

    Raises:
        UsageError: there is no such program, it is not installed, or its table is wrong.
    """
    entry, separator, model = name.removeprefix(EXTERNAL_AGENT).partition("#")
    if separator and not model:
        raise UsageError(f"{name}: no model follows the #; write {EXTERNAL_AGENT}{entry} for the program's own.")
    table = parse_table(entry, tables)
    kind = table.program or entry
    if kind not in BUILT_IN and not table.command:
        raise _unknown(entry, kind, tables)
    if kind not in BUILT_IN:
        check_placeholders(entry, (*table.command, *table.resume))
    environment, unset = expand_variables(dict(table.environment), os.environ)
    if problem := unset_variables_problem(unset):
        raise UsageError(f"[tool.mcpbench.agents].{entry}: {problem}")
    executable = _executable(entry, table.command[0] if table.command else BUILT_IN[kind].executable, kind)
    program = BUILT_IN[kind].make(table) if kind in BUILT_IN else CommandProgram(table, root)
    version = table.version or ((executable, "--version") if kind in BUILT_IN else ())
    return ExternalAgent(
        name=name,
        executable=executable,
        program=program,
        version=_version(entry, tuple(version)) if version else "",
        model=model or table.model,
        environment=environment,
        port=table.port,
        price=table.price,
        isolation=isolation,
    )


def agent_identity(name: str, tables: Mapping[str, Any]) -> str:
    """Return everything about an external agent that can change its attempts, without secrets, as text."""
    agent = make_external_agent(name, tables)
    table = parse_table(_entry(name), tables).model_dump(
        exclude_defaults=True, exclude={"environment", "port", "input_price", "output_price", "cached_price"}
    )
    return json.dumps([name, agent.version, table, _digest(agent)], sort_keys=True)


def _entry(name: str) -> str:
    return name.removeprefix(EXTERNAL_AGENT).partition("#")[0]


def _digest(agent: ExternalAgent) -> str:
    """Return a digest of a program without a version: of the file that is run, as far as it is known."""
    if agent.version:
        return ""
    return hashlib.sha256(Path(agent.executable).read_bytes()).hexdigest()[:16]


def _unknown(entry: str, kind: str, tables: Mapping[str, Any]) -> UsageError:
    names = [*BUILT_IN, *tables]
    if kind != entry:
        there_are = ", ".join(BUILT_IN)
        return UsageError(f"[tool.mcpbench.agents].{entry}.program: {kind!r} is not built in; there are: {there_are}")
    question = did_you_mean(entry, names)
    problem = "has no `command`" if entry in tables else f"is unknown; there are: {', '.join(dict.fromkeys(names))}"
    suggestion = f" {question}" if question and entry not in tables else ""
    return UsageError(f"{EXTERNAL_AGENT}{entry} {problem}.{suggestion}")


def _executable(entry: str, command: str, kind: str) -> str:
    found = shutil.which(os.path.expanduser(command))  # noqa: PTH111 - the command may be a plain name
    if found is None:
        remedy = f"; {BUILT_IN[kind].installation}" if kind in BUILT_IN else ""
        raise UsageError(f"{EXTERNAL_AGENT}{entry}: the command {command!r} is not there{remedy}")
    return os.path.abspath(found)  # noqa: PTH100 - a link keeps its name, which programs look at


def check_port(agent: ExternalAgent, *, workers: int = 1) -> None:
    """Check that the port of an agent is free, and that this process alone uses it.

    Raises:
        UsageError: it is taken, or several workers would need it.
    """
    field = f"[tool.mcpbench.agents].{_entry(agent.name)}.port"
    if agent.port and workers > 1:
        raise UsageError(f"{field}: {workers} workers cannot share port {agent.port}; run without -n, or leave it out")
    try:
        listen(agent.port).close()
    except UsageError as error:
        raise UsageError(f"{field}: {error}") from None


@functools.cache
def _version(entry: str, command: tuple[str, ...]) -> str:
    """Return the last line that the command prints. Raises UsageError if it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_VERSION_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{EXTERNAL_AGENT}{entry}: its version is unknown: {error}") from None
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()[-500:]
        raise UsageError(
            f"{EXTERNAL_AGENT}{entry}: {' '.join(command)} ended with exit code {done.returncode}: {output}"
        )
    return next((line.strip() for line in reversed(done.stdout.splitlines()) if line.strip()), "")
