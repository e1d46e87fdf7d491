"""The engine that a name means."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.remote.crew import Cluster
from pytest_mcpbench.runtime.remote.request import Setup

LOCAL = "local"


def is_local(name: str) -> bool:
    """Whether attempts are made in this process; a usage error where there is no such engine."""
    if name == LOCAL:
        return True
    if name == "ray" or (name.startswith("ray://") and name != "ray://"):
        return False
    raise UsageError(f"no engine is called {name!r}; there are: local, ray, ray://ADDRESS")


def cluster_of(name: str, setup: Setup) -> Cluster:
    """The machines of an engine that is not local."""
    from pytest_mcpbench.runtime.engines.on_ray import RayCluster

    return RayCluster(name.removeprefix("ray").removeprefix("://") or None, setup)


def chosen(names: tuple[str, ...], environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of an environment that have these names; a usage error names those that are not set."""
    missing = [name for name in names if name not in environment]
    if missing:
        raise UsageError(f"--mcpbench-engine-env: not set in the environment: {', '.join(missing)}")
    return {name: environment[name] for name in names}


def aliased_keys(aliases: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The variables in which the models' own table says that keys are, as far as they are set."""
    tables = (alias for alias in aliases.values() if isinstance(alias, Mapping))
    names = dict.fromkeys(str(table["api_key_env"]) for table in tables if table.get("api_key_env"))
    return tuple(name for name in names if name in environment)
