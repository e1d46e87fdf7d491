"""Tool formats of ``tools = "auto"``, found out before the first task."""

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.trajectory import ToolFormat
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.tool_formats.probe import ORDER, WITHOUT_ANY, ProbedModel
from pytest_mcpbench.options.settings import Settings


class ToolFormatProbes:
    """Probes in the process that pytest's user started; processes that ask the models later read the stored formats."""

    def __init__(self, config: pytest.Config, settings: Settings, names: Iterable[str], cache: Path) -> None:
        self._config = config
        self._settings = settings
        self._names = tuple(names)
        self._cache = cache

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        if not session.testsfailed and (session.testscollected or self._has_workers):
            self._probe()
        return (yield)

    @property
    def _has_workers(self) -> bool:
        """Return whether the workers of pytest-xdist collect the items."""
        return self._config.pluginmanager.has_plugin("dsession")

    def _probe(self) -> None:
        try:
            found = anyio.run(self._formats)
        except McpBenchError as error:
            problem = f'the form of its tool calls cannot be found out (tools = "auto"): {error}'
            raise pytest.UsageError(problem) from None
        for name in (name for name, tool_format in found.items() if tool_format is None):
            self._say_that_none_works(name)

    async def _formats(self) -> dict[str, ToolFormat | None]:
        async with Models(self._settings.aliases, cache=self._cache) as models:
            return {name: await self._format(models, name) for name in self._names}

    async def _format(self, models: Models, name: str) -> ToolFormat | None:
        model = models.get(name)
        assert isinstance(model, ProbedModel)
        return await model.find_format(ModelSettings(temperature=self._settings.temperature))

    def _say_that_none_works(self, name: str) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            forms = ", ".join(ORDER)
            reporter.write_line(
                f"mcpbench: {public_name(name)} did not call a small tool when asked to, in none of the forms {forms}; "
                f"it is used with {WITHOUT_ANY}, and the next run asks again"
            )
