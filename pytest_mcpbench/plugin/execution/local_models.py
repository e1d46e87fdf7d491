"""Local models of a run: resolved before anything else, and started before the first task."""

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.model_names import local_target, panel_members
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.execution.session_door import SessionDoor

if TYPE_CHECKING:
    from pytest_mcpbench.core.speed import Speed
    from pytest_mcpbench.models.local.engine_process import EngineProcess
    from pytest_mcpbench.models.local.resolution import LocalModel
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.plugin.execution.provider_process import ProviderProcess


@dataclass(frozen=True)
class LocalModels:
    """The local models that options name, by the alias or name that refers to them.

    The options are ``--model``, ``--mcpbench-judge`` and ``--mcpbench-user``. The names are resolved once, in the
    process that pytest's user started; its workers receive the tables.
    """

    tables: Mapping[str, Mapping[str, Any]]
    facts: Mapping[str, Mapping[str, Any]]
    """Facts for ``run.json``."""
    resolved: "Mapping[str, LocalModel]"
    names: frozenset[str] = frozenset()
    """Names of these models as the user wrote them."""

    def __bool__(self) -> bool:
        return bool(self.tables)

    def apply(self, settings: Settings) -> Settings:
        """Return the settings with the tables of the local models."""
        return settings.replace(aliases={**settings.aliases, **self.tables}) if self.tables else settings


LOCAL_MODELS = pytest.StashKey[LocalModels]()


def resolve_local_models(config: pytest.Config, settings: Settings, channel: "WorkerChannel") -> LocalModels:
    """Return the local models of the run; nothing is imported for a run without any.

    Raises a usage error for a model that cannot run here.
    """
    if channel.is_worker:
        return LocalModels(channel.input.local_tables, channel.input.local_facts, {})
    named = {last: (table, address) for _, last, table, address in _named(settings)}
    if not named:
        return LocalModels({}, {}, {})
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.models.local import resolution

    resolve = resolution.describe if settings.asks_nobody(config) else resolution.resolve
    try:
        resolved = {key: resolve(address) for key, (_, address) in named.items()}
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    tables = {key: resolved[key].table_with(table) for key, (table, _) in named.items()}
    facts = {key: model.facts for key, model in resolved.items()}
    return LocalModels(tables, facts, resolved, frozenset(name for name, *_ in _named(settings)))


def _named(settings: Settings) -> Iterator[tuple[str, str, Mapping[str, Any], str]]:
    """Yield each name of a local model with the alias that it leads to, the table of the alias and the local name."""
    for name in (*settings.models, *panel_members(settings.judge or ""), settings.user or ""):
        target = local_target(name, settings.aliases)
        if target is not None:
            yield name, *target


class LocalEngines:
    """Owner of the engines in the process that pytest's user started."""

    def __init__(
        self,
        models: LocalModels,
        door: SessionDoor,
        provider: "ProviderProcess",
        store_facts: Callable[[dict[str, Any]], None],
    ) -> None:
        self._models = models
        self._door = door
        self._provider = provider
        self._store_facts = store_facts
        self._processes: list[EngineProcess] = []
        self._final: dict[str, Speed] = {}

    def pytest_report_header(self) -> list[str]:
        return [f"mcpbench: {key} is {model.description}; $0" for key, model in self._models.resolved.items()]

    def pytest_sessionstart(self) -> None:
        """Start the engines; they load their weights while pytest collects."""
        for model in self._models.resolved.values():
            process = model.start()
            if process is not None:
                self._processes.append(process)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Wait for the engines; in a run with pytest-xdist the workers wait too, for their first item."""
        if session.testsfailed:
            return (yield)
        from pytest_mcpbench.core.errors import UsageError

        try:
            for process in self._processes:
                process.wait()
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        for model in self._models.resolved.values():
            model.release()
        return (yield)

    def pytest_unconfigure(self) -> None:
        while self._processes:
            self._processes.pop().close()

    @property
    def speed(self) -> str:
        """Speed of the only local model in words; empty before its first reply, and with several."""
        from pytest_mcpbench.reporting.aggregates.spending import short_speed

        speeds = self._speeds()
        return short_speed(next(iter(speeds.values()))) if len(speeds) == 1 else ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Store the speeds in ``run.json``; the provider process still runs."""
        if self._provider.supervisor is not None:
            from pytest_mcpbench.attempt.provider.status import STATUS_SECONDS

            time.sleep(1.5 * STATUS_SECONDS)  # its last status may be older than the last replies
        self._final = self._speeds()
        if self._final:
            self._store_facts({"speeds": {name: asdict(speed) for name, speed in self._final.items()}})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from pytest_mcpbench.reporting.aggregates.spending import speed_line

        for name, speed in self._final.items():
            terminalreporter.write_line(f"mcpbench: {speed_line(name, speed)}")

    def _speeds(self) -> "dict[str, Speed]":
        """Return the speeds of the local models in this process, or in that which asks models for all workers."""
        supervisor = self._provider.supervisor
        status = supervisor.status if supervisor is not None else None
        session = self._door.opened
        own = session.models.speeds if session is not None else {}
        speeds = status.speeds if status is not None else own
        return {name: speed for name, speed in speeds.items() if name in self._models.names}
