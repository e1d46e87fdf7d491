"""Factory of engines by name, with the environment variables that they pass on to their workers."""

import importlib.util
from collections.abc import Mapping

from pytest_mcpbench.attempt.remote.messages import RunnerSettings
from pytest_mcpbench.attempt.remote.worker_pool import Cluster
from pytest_mcpbench.core.errors import UsageError

LOCAL = "local"
SHARED = "shared"


def check_engine(name: str) -> None:
    """Raise a usage error if there is no such engine or its library is not installed."""
    if name in (LOCAL, SHARED):
        return
    if name != "ray" and (not name.startswith("ray://") or name == "ray://"):
        raise UsageError(f"--mcpbench-engine: there is no {name!r}; there are: local, shared, ray, ray://ADDRESS")
    if importlib.util.find_spec("ray") is None:
        raise UsageError(f"--mcpbench-engine={name} needs Ray: pip install 'pytest-mcpbench[ray]'")


def make_cluster(name: str, settings: RunnerSettings) -> Cluster:
    """Connect to the cluster of an engine on other machines."""
    from pytest_mcpbench.attempt.engines.on_ray import RayCluster

    return RayCluster(name.removeprefix("ray").removeprefix("://") or None, settings)


def selected_variables(names: tuple[str, ...], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment with these names.

    Raises:
        UsageError: some of them are not set.
    """
    missing = [name for name in names if name not in environment]
    if missing:
        raise UsageError(f"--mcpbench-engine-env: not set in the environment: {', '.join(missing)}")
    return {name: environment[name] for name in names}
