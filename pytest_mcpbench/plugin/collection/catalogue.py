"""Everything that has a name: metrics, loaders and servers, from the hooks of all plugins."""

import difflib
import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import Place, TaskError
from pytest_mcpbench.core.loading import LoadedTask, Loader, LoadOptions
from pytest_mcpbench.core.score import Metric
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.loaders.text_records import decode_text
from pytest_mcpbench.plugin.collection import suite_paths
from pytest_mcpbench.plugin.collection.file_names import SUITE_ENDING
from pytest_mcpbench.plugin.options.settings import SETTINGS
from pytest_mcpbench.runtime.suites.discovery import content_of, resolved


class Catalogue:
    """Names resolved to what they stand for; imported when first used."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @functools.cached_property
    def metrics(self) -> dict[str, Any]:
        return self._merged("pytest_mcpbench_metrics")

    @functools.cached_property
    def loaders(self) -> dict[str, Any]:
        return self._merged("pytest_mcpbench_loaders")

    @functools.cached_property
    def servers(self) -> dict[str, ServerRef]:
        return self._merged("pytest_mcpbench_servers")

    def metric(self, name: str, settings: Mapping[str, Any]) -> Metric:
        """The metric of that name, with the suite's settings put into its dataclass."""
        from pytest_mcpbench.metrics.catalogue import configured

        metric: Metric = configured(name, resolved(self._named("metric", name, self.metrics)), settings)
        return metric

    def manifest(self, path: Path) -> SuiteManifest:
        """The suite of a suite.toml or of a stand-alone task file, with the servers of the hooks added."""
        try:
            suite = self._manifest(path)
        except TaskError as error:
            error.place = replace(error.place, file=suite_paths.node_id(Path(error.place.file), self._config))
            raise
        return suite.model_copy(update={"servers": {**self.servers, **suite.servers}}) if self.servers else suite

    def _manifest(self, path: Path) -> SuiteManifest:
        from pytest_mcpbench.loaders import manifest

        text = decode_text(path.read_bytes())
        if path.suffix == SUITE_ENDING:
            return manifest.read_manifest(text, path, os.environ, self._config.stash[SETTINGS].data, self.metrics)
        return manifest.standalone_manifest(text, path, os.environ, self.metrics)

    def check_metric_names(self, option: str, names: Iterable[str]) -> None:
        """Raise a usage error for a metric of the option that does not exist."""
        for name in names:
            if name not in self.metrics:
                raise pytest.UsageError(f"{option}: {' '.join(_unknown('metric', name, self.metrics))}")

    def servers_of(self, path: Path) -> Mapping[str, ServerRef]:
        """The servers that a suite.toml, a task file or an ``mcp.json`` names."""
        if not path.name.endswith("mcp.json"):
            return self.manifest(path).servers
        from pytest_mcpbench.loaders.mcp_json import read_mcp_json

        listed: Mapping[str, ServerRef] = read_mcp_json(
            path.read_text(encoding="utf-8-sig"), str(path), os.environ
        ).servers
        return listed

    def records(self, suite: SuiteManifest, file: TaskFileRef) -> Iterator[LoadedTask]:
        """The records of one task file."""
        place = Place(file.path)
        loader: Loader = resolved(self._named("loader", file.loader, self.loaders, place))
        content = content_of(Path(suite.directory) / file.path, file.sha256)
        shown = suite_paths.node_id(Path(suite.directory) / file.path, self._config)
        for record in loader(content, LoadOptions(shown, file.options, self.metrics)):
            yield self._with_known_metrics(record)

    def _with_known_metrics(self, record: LoadedTask) -> LoadedTask:
        """The record, or its error where a loader lets a floor of a metric pass that does not exist."""
        for name in record.task.floors if record.task is not None else ():
            if name not in self.metrics:
                problem, remedy = _unknown("metric", name, self.metrics)
                error = TaskError(problem, record.place, field=f"floors.{name}", remedy=remedy)
                return replace(record, task=None, error=error)
        return record

    def _merged(self, hook: str) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        givers: dict[str, str] = {}
        for implementation in getattr(self._config.hook, hook).get_hookimpls():
            arguments = {"config": self._config} if "config" in implementation.argnames else {}
            giver = implementation.plugin_name
            for name, value in (implementation.function(**arguments) or {}).items():
                if name in merged:
                    raise pytest.UsageError(f"{hook}: {name!r} is given by {givers[name]} and by {giver}; rename one")
                merged[name], givers[name] = value, giver
        return merged

    def _named(self, kind: str, name: str, known: Mapping[str, Any], place: Place | None = None) -> Any:
        if name in known:
            return known[name]
        problem, hint = _unknown(kind, name, known)
        raise TaskError(problem, place, remedy=hint) if place else pytest.UsageError(f"{problem} {hint}")


def _unknown(kind: str, name: str, known: Mapping[str, Any]) -> tuple[str, str]:
    """What is wrong, and what would be right."""
    nearest = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {nearest[0]!r}?" if nearest else f"There are: {', '.join(sorted(known))}."
    return f"no {kind} is called {name!r}.", hint


CATALOGUE = pytest.StashKey[Catalogue]()


def catalogue_of(config: pytest.Config) -> Catalogue:
    """The catalogue of this run."""
    return config.stash.setdefault(CATALOGUE, Catalogue(config))
