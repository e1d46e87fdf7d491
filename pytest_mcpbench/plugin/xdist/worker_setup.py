"""Setup of the workers that the controller of pytest-xdist starts."""

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.worker_channel import WorkerInput, send_input

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.execution.local_models import LocalModels
    from pytest_mcpbench.plugin.execution.provider_process import ProviderProcess
    from pytest_mcpbench.plugin.execution.scratch import Scratch
    from pytest_mcpbench.plugin.output.recorder import Recorder
    from pytest_mcpbench.plugin.xdist.stopping import StopSignal


class WorkerSetup:
    """Input of each worker: where records go, which process calls the models, and how it learns that the run stops."""

    def __init__(
        self,
        recorder: "Recorder",
        provider: "ProviderProcess",
        stop_signal: "StopSignal",
        scratch: "Scratch",
        local_models: "LocalModels",
    ) -> None:
        self._local_models = local_models
        self._scratch = scratch
        self._recorder = recorder
        self._provider = provider
        self._stop_signal = stop_signal

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        message = WorkerInput(
            records_directory=str(self._recorder.directory),
            provider_address=self._provider.address(node),
            scratch_directory=str(self._scratch.directory),
            running_file=self._stop_signal.file(),
            local_tables={key: dict(table) for key, table in self._local_models.tables.items()},
            local_facts={key: dict(facts) for key, facts in self._local_models.facts.items()},
        )
        send_input(node, message)
