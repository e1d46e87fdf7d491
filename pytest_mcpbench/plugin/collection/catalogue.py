"""Names that task files and options may use: metrics, loaders and servers, from the hooks of all plugins."""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.score import Metric
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.metrics.catalogue import configure
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.plugin.collection import suite_paths
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.suite_files.configured_servers import servers_of_file
from pytest_mcpbench.suite_files.loading import KnownNames
from pytest_mcpbench.suite_files.references import import_object
from pytest_mcpbench.text.suggestions import hint


class RunCatalogue:
    """The names of one run; what they refer to is imported when it is first used."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @functools.cached_property
    def metrics(self) -> dict[str, Any]:
        return self._merged("pytest_mcpbench_metrics")

    @functools.cached_property
    def names(self) -> KnownNames:
        """The names as the loading of suites needs them."""
        return KnownNames(
            loaders=self._merged("pytest_mcpbench_loaders"),
            metrics=self.metrics,
            servers=self._merged("pytest_mcpbench_servers"),
            data=self._config.stash[SETTINGS].data,
            display_path=functools.partial(suite_paths.node_id, config=self._config),
            root=self._config.rootpath,
            allowed_paths=self._config.stash[SETTINGS].allowed_paths,
        )

    def metric(self, name: str, settings: Mapping[str, Any]) -> Metric:
        """Return the metric of a name, with the suite's settings put into its dataclass."""
        self.check_metric_names("", (name,))
        metric: Metric = configure(name, import_object(self.metrics[name]), settings)
        return metric

    def check_metric_names(self, option: str, names: Iterable[str]) -> None:
        """Raise a usage error that begins with the option for the first metric that does not exist."""
        for name in names:
            if name not in self.metrics:
                problem = f"no metric is called {name!r}. {hint(name, self.metrics)}"
                raise pytest.UsageError(f"{option}: {problem}" if option else problem)

    def servers_of(self, path: Path) -> Mapping[str, ServerRef]:
        """Return the servers that a suite.toml, a task file or an ``mcp.json`` defines; their paths are absolute."""
        servers = servers_of_file(path, self.names)
        known_secrets(self._config).add_servers(servers.values())
        return servers

    def _merged(self, hook: str) -> dict[str, Any]:
        """Return what all implementations of a hook provide; a name that two of them provide is a usage error."""
        merged: dict[str, Any] = {}
        providers: dict[str, str] = {}
        for implementation in getattr(self._config.hook, hook).get_hookimpls():
            arguments = {"config": self._config} if "config" in implementation.argnames else {}
            provider = implementation.plugin_name
            for name, value in (implementation.function(**arguments) or {}).items():
                if name in merged:
                    raise pytest.UsageError(
                        f"{hook}: {name!r} is given by {providers[name]} and by {provider}; rename one"
                    )
                merged[name], providers[name] = value, provider
        return merged


CATALOGUE = pytest.StashKey[RunCatalogue]()


def catalogue_of(config: pytest.Config) -> RunCatalogue:
    """Return the catalogue of this run."""
    return config.stash.setdefault(CATALOGUE, RunCatalogue(config))


# Metrics and loaders that ship with the plugin, provided through the same hooks as everybody else's.


def pytest_mcpbench_metrics() -> Mapping[str, Any]:
    """Return the metrics of the five benchmarks."""
    from pytest_mcpbench.metrics.catalogue import BUILT_IN

    return BUILT_IN


def pytest_mcpbench_loaders() -> Mapping[str, Any]:
    """Return the native loader and those of the five benchmarks."""
    from pytest_mcpbench.loaders.catalogue import BUILT_IN

    return BUILT_IN
