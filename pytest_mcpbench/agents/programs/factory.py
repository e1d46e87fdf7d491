"""Factory of external agents by name: ``agent:NAME``, ``agent:NAME#MODEL`` or ``acp:COMMAND``."""

import functools
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_mcpbench.agents.programs.agent_table import AgentTable, parse_table
from pytest_mcpbench.agents.programs.built_in import BUILT_IN
from pytest_mcpbench.agents.programs.command_program import CommandProgram, check_placeholders
from pytest_mcpbench.agents.programs.external_agent import ExternalAgent
from pytest_mcpbench.agents.programs.proxy import listen
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import ACP_AGENT, EXTERNAL_AGENT
from pytest_mcpbench.loaders.mcp_json import expand_variables, unset_variables_problem
from pytest_mcpbench.servers.isolation import IsolationMode
from pytest_mcpbench.text.suggestions import did_you_mean

_VERSION_SECONDS = 30.0


def make_external_agent(
    name: str, tables: Mapping[str, Any], *, isolation: IsolationMode = "none", root: Path | None = None
) -> ExternalAgent:
    """Return the agent of a name; its program is installed.

    Args:
        name: ``agent:NAME``, ``agent:NAME#MODEL``, ``acp:COMMAND`` or ``acp:NAME``.
        tables: ``[tool.mcpbench.agents]``.
        isolation: Isolation of the program from the system.
        root: Directory of the project, in which a command may name its program, such as ``python agent.py``.

    Raises:
        UsageError: there is no such program, it is not installed, or its table is wrong.
    """
    if name.startswith(ACP_AGENT):
        return _make_acp_agent(name, tables, isolation=isolation, root=root)
    entry, separator, model = name.removeprefix(EXTERNAL_AGENT).partition("#")
    if separator and not model:
        raise UsageError(f"{name}: no model follows the #; write {EXTERNAL_AGENT}{entry} for the program's own.")
    table = parse_table(entry, tables)
    if table.authentication:
        raise UsageError(f"[tool.mcpbench.agents].{entry}.authentication: only has an effect with {ACP_AGENT}{entry}")
    kind = table.program or entry
    if kind not in BUILT_IN and not table.command:
        raise _unknown(entry, kind, tables)
    if kind not in BUILT_IN:
        check_placeholders(entry, (*table.command, *table.resume))
    remedy = f"; {BUILT_IN[kind].installation}" if kind in BUILT_IN else ""
    label = f"{EXTERNAL_AGENT}{entry}"
    executable = _executable(label, table.command[0] if table.command else BUILT_IN[kind].executable, remedy)
    program = BUILT_IN[kind].make(table) if kind in BUILT_IN else CommandProgram(table, root)
    version = table.version or ((executable, "--version") if kind in BUILT_IN else ())
    return ExternalAgent(
        name=name,
        executable=executable,
        program=program,
        version=_version(label, tuple(version)) if version else "",
        checked=BUILT_IN[kind].checked if kind in BUILT_IN else "",
        model=model or table.model,
        environment=_environment(entry, table),
        may_skip_servers=table.may_skip_servers,
        answering=table.answering,
        port=table.port,
        price=table.price,
        isolation=isolation,
    )


def _make_acp_agent(
    name: str, tables: Mapping[str, Any], *, isolation: IsolationMode, root: Path | None
) -> ExternalAgent:
    entry = _entry(name)
    if importlib.util.find_spec("acp") is None:
        problem = "needs agent-client-protocol, which is not installed: pip install 'pytest-mcpbench[acp]'"
        raise UsageError(f"{name}: {problem}")
    table = parse_table(entry, tables)
    if entry not in tables:
        try:
            table = AgentTable(command=tuple(shlex.split(entry)))
        except ValueError as error:
            raise UsageError(f"{name}: it is no command: {error}") from None
    if unused := [each for each in ("program", "arguments", "resume", "output") if each in table.model_fields_set]:
        raise UsageError(f"[tool.mcpbench.agents].{entry}.{unused[0]}: has no effect with {ACP_AGENT}; leave it out")
    if not table.command:
        problem = f"[tool.mcpbench.agents].{entry} has no `command`" if entry else "no command follows"
        raise UsageError(f"{name}: {problem}; write one that starts an agent, such as {ACP_AGENT}'python agent.py'")
    check_placeholders(entry, table.command)
    if "transport" not in table.model_fields_set:
        # The only transport that every agent of the protocol supports.
        table = table.model_copy(update={"transport": "stdio"})
    # Here, because it imports the package of an extra.
    from pytest_mcpbench.agents.programs.acp_agent import AcpAgent

    return AcpAgent(
        name=name,
        executable=_executable(name, table.command[0], ""),
        program=CommandProgram(table, root, own_tools="its own; permission to use them is refused where it asks"),
        authentication=table.authentication,
        version=_version(name, table.version) if table.version else "",
        model=table.model,
        environment=_environment(entry, table),
        may_skip_servers=table.may_skip_servers,
        answering=table.answering,
        port=table.port,
        price=table.price,
        isolation=isolation,
    )


def _environment(entry: str, table: AgentTable) -> dict[str, str]:
    """Return the variables of a table with their values. Raises UsageError if one is not set."""
    environment: dict[str, str]
    environment, unset = expand_variables(dict(table.environment), os.environ)
    if problem := unset_variables_problem(unset):
        raise UsageError(f"[tool.mcpbench.agents].{entry}: {problem}")
    return environment


def agent_identity(name: str, tables: Mapping[str, Any]) -> str:
    """Return everything about an external agent that can change its attempts, without secrets, as text."""
    agent = make_external_agent(name, tables)
    table = parse_table(_entry(name), tables).model_dump(
        exclude_defaults=True, exclude={"environment", "port", "input_price", "output_price", "cached_price"}
    )
    # A program without a version is known by the file that is run.
    digest = "" if agent.version else hashlib.sha256(Path(agent.executable).read_bytes()).hexdigest()[:16]
    return json.dumps([name, agent.version, table, digest], sort_keys=True)


def _entry(name: str) -> str:
    if name.startswith(ACP_AGENT):
        return name.removeprefix(ACP_AGENT)
    return name.removeprefix(EXTERNAL_AGENT).partition("#")[0]


def _unknown(entry: str, kind: str, tables: Mapping[str, Any]) -> UsageError:
    names = [*BUILT_IN, *tables]
    if kind != entry:
        there_are = ", ".join(BUILT_IN)
        return UsageError(f"[tool.mcpbench.agents].{entry}.program: {kind!r} is not built in; there are: {there_are}")
    question = did_you_mean(entry, names)
    problem = "has no `command`" if entry in tables else f"is unknown; there are: {', '.join(dict.fromkeys(names))}"
    suggestion = f" {question}" if question and entry not in tables else ""
    return UsageError(f"{EXTERNAL_AGENT}{entry} {problem}.{suggestion}")


def _executable(label: str, command: str, remedy: str) -> str:
    found = shutil.which(os.path.expanduser(command))  # noqa: PTH111 - the command may be a plain name
    if found is None:
        raise UsageError(f"{label}: the command {command!r} is not there{remedy}")
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
def _version(label: str, command: tuple[str, ...]) -> str:
    """Return the last line that the command prints. Raises UsageError if it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_VERSION_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{label}: its version is unknown: {error}") from None
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()[-500:]
        raise UsageError(f"{label}: {' '.join(command)} ended with exit code {done.returncode}: {output}")
    return next((line.strip() for line in reversed(done.stdout.splitlines()) if line.strip()), "")
