"""Journal of the evidence of this process's attempts."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.runs.evidence_journal import EvidenceJournal
    from pytest_mcpbench.servers.secret_filter import SecretFilter


class SessionJournal:
    """Owner of the journal, which is opened by the first attempt that ends."""

    def __init__(self, directory: Path, channel: "WorkerChannel", secrets: "Callable[[], SecretFilter]") -> None:
        self._secrets = secrets
        self._directory = directory
        self._process = channel.process

    @functools.cached_property
    def evidence(self) -> "EvidenceJournal":
        from pytest_mcpbench.runs.evidence_journal import EvidenceJournal

        return EvidenceJournal(self._directory, self._process, self._secrets())

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Close the journal before the recorder removes it, which Windows refuses for open files."""
        if "evidence" in self.__dict__:
            self.evidence.close()
