"""The engine that a name means."""

import importlib.util
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.remote.messages import RunnerSettings
from pytest_mcpbench.runtime.remote.worker_pool import Cluster

LOCAL = "local"
SHARED = "shared"


def check_engine(name: str) -> None:
    """Raise a usage error unless there is such an engine and what it needs is installed."""
    if name in (LOCAL, SHARED):
        return
    if name != "ray" and (not name.startswith("ray://") or name == "ray://"):
        raise UsageError(f"--mcpbench-engine: there is no {name!r}; there are: local, shared, ray, ray://ADDRESS")
    if importlib.util.find_spec("ray") is None:
        raise UsageError(f"--mcpbench-engine={name} needs Ray: pip install 'pytest-mcpbench[ray]'")


def make_cluster(name: str, setup: RunnerSettings) -> Cluster:
    """The machines of an engine that is not local."""
    from pytest_mcpbench.runtime.engines.on_ray import RayCluster

    return RayCluster(name.removeprefix("ray").removeprefix("://") or None, setup)


def selected_variables(names: tuple[str, ...], environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of an environment that have these names; a usage error names those that are not set."""
    missing = [name for name in names if name not in environment]
    if missing:
        raise UsageError(f"--mcpbench-engine-env: not set in the environment: {', '.join(missing)}")
    return {name: environment[name] for name in names}


def alias_key_variables(aliases: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The variables in which the models' own table says that keys are, as far as they are set."""
    tables = (alias for alias in aliases.values() if isinstance(alias, Mapping))
    names = dict.fromkeys(str(table["api_key_env"]) for table in tables if table.get("api_key_env"))
    return tuple(name for name in names if name in environment)
