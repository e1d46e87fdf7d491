"""Cassette of the session, which ``--mcpbench-record`` fills and ``--mcpbench-replay`` plays."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef, tape_file
from pytest_mcpbench.core.model_identity import judge_identity, model_identity
from pytest_mcpbench.options.settings import SETTINGS, Settings
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.servers.secret_filter import SecretFilter

Mode = Literal["record", "replay"]


class CassetteInUse:
    """Directory of tapes, with what each attempt needs to find its own."""

    def __init__(
        self,
        mode: Mode,
        directory: Path,
        settings: Settings,
        secrets: Callable[[], SecretFilter],
    ) -> None:
        self._mode = mode
        self._directory = directory
        self._settings = settings
        self._secrets = secrets

    def tape(self, job: Job) -> TapeRef:
        """Return the reference to the tape of an attempt."""
        aliases = self._settings.aliases
        return TapeRef(
            mode=self._mode,
            directory=self._directory,
            file=tape_file(job.suite.name, job.test or "", job.arm, job.model, task=job.loaded.id, trial=job.trial),
            model=model_identity(job.address, aliases, os.environ),
            judge=judge_identity(job.judge, aliases, os.environ),
            records_tools=self._settings.record_tools,
            remove_secrets=self._secrets().remove,
        )

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show where replies were recorded, or that all of them were replayed."""
        if self._mode == "replay":
            terminalreporter.write_line(
                f"mcpbench: replayed from {self._directory}: no model was asked; tokens and costs are the recorded ones"
            )
        elif self._directory.is_dir():
            terminalreporter.write_line(
                f"mcpbench: recorded in {self._directory}; --mcpbench-replay={self._directory} repeats the run"
            )


def cassette_in_use(config: pytest.Config, secrets: Callable[[], SecretFilter]) -> CassetteInUse | None:
    """Return the cassette of the options, ``None`` without them. Raises a usage error for options that conflict."""
    settings = config.stash[SETTINGS]
    if settings.record is not None and settings.replay is not None:
        raise pytest.UsageError("--mcpbench-record and --mcpbench-replay exclude each other")
    if settings.record_tools and settings.record is None:
        raise pytest.UsageError("--mcpbench-record-tools needs --mcpbench-record=DIR")
    make = functools.partial(CassetteInUse, settings=settings, secrets=secrets)
    if settings.record is not None:
        return make("record", settings.record)
    return make("replay", settings.replay) if settings.replay is not None else None
