"""Arms of the suites of a run: the server as it is now, its baseline, and other definitions to try."""

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_mcpbench.core.arm import BASELINE, LIVE, Arm
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.runs.arms.recorded_run import RecordedRun
from pytest_mcpbench.runs.arms.sources import ArmSource, read_source

_NAME = re.compile(r"[A-Za-z0-9_]+")


class Arms:
    """Arms of a run with ``--mcpbench-baseline``, ``--mcpbench-arm`` or ``--mcpbench-aa``."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self.suites: dict[Path, tuple[SuiteManifest, list[LoadedTask]]] = {}
        """Collected suites with their tasks, by file."""
        self.problem: str | None = None
        """First problem with the arm of a suite, for a usage error before the run."""

    @property
    def recorded_run(self) -> RecordedRun | None:
        """The earlier run that is the baseline, if it is one."""
        source = self._sources.get("baseline")
        return source.run if source is not None else None

    def read(self) -> None:
        """Read the sources of all arms. Raises a usage error that names the option of a wrong one."""
        _ = self._sources

    def collect(self, file: Path, suite: SuiteManifest, records: list[LoadedTask]) -> tuple[Arm, ...]:
        """Return the arms of a collected suite, none if it cannot be compared: the run will then not begin."""
        self.suites[file] = suite, records
        try:
            return self.of_suite(file, suite)
        except pytest.UsageError as error:
            self.problem = self.problem or str(error)
            return ()

    def of_suite(self, file: Path, suite: SuiteManifest) -> tuple[Arm, ...]:
        """Return the arms of a suite; the first one is what the others are compared with."""
        made: dict[str, Arm] = {}
        for name, source in self._sources.items():
            try:
                made[name] = source.arm(name, suite, file)
            except UsageError as error:
                raise pytest.UsageError(f"{self.option(name)}={source.text}: {error}") from None
        baseline = Arm(BASELINE, source="the same server") if self._settings.aa else made.pop(BASELINE, None)
        return tuple(filter(None, (baseline, LIVE, *made.values())))

    def option(self, arm: str) -> str:
        """Return the option that an arm comes from."""
        return "--mcpbench-baseline" if arm == "baseline" else f"--mcpbench-arm={arm}"

    @functools.cached_property
    def _sources(self) -> Mapping[str, ArmSource]:
        if self._settings.aa and self._settings.baseline is not None:
            raise pytest.UsageError("--mcpbench-aa compares the server with itself; leave --mcpbench-baseline out")
        sources: dict[str, ArmSource] = {}
        for name, text in self._texts():
            try:
                sources[name] = read_source(
                    text, root=self._config.rootpath, directory=self._config.invocation_params.dir
                )
            except UsageError as error:
                raise pytest.UsageError(f"{self.option(name)}={text}: {error}") from None
        return sources

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each arm with its source as the user wrote it."""
        if self._settings.baseline is not None:
            yield "baseline", self._settings.baseline
        names = {"baseline", "candidate"}
        for option in self._settings.arms:
            name, separator, text = option.partition("=")
            if not separator or not _NAME.fullmatch(name) or name in names:
                raise pytest.UsageError(
                    f"--mcpbench-arm={option}: write NAME=FILE with a new name of letters, digits and _, "
                    "other than baseline and candidate"
                )
            names.add(name)
            yield name, text
