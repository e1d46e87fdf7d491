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
        # With pytest-xdist the workers collect the items.
        has_workers = self._config.pluginmanager.has_plugin("dsession")
        if not session.testsfailed and (session.testscollected or has_workers):
            self._probe()
        return (yield)

    def _probe(self) -> None:
        async def formats() -> dict[str, ToolFormat | None]:
            found = {}
            async with Models(self._settings.aliases, cache=self._cache) as models:
                for name in self._names:
                    model = models.get(name)
                    assert isinstance(model, ProbedModel)
                    found[name] = await model.find_format(ModelSettings(temperature=self._settings.temperature))
            return found

        try:
            found = anyio.run(formats)
        except McpBenchError as error:
            problem = f'the form of its tool calls cannot be found out (tools = "auto"): {error}'
            raise pytest.UsageError(problem) from None
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        for name in (name for name, tool_format in found.items() if tool_format is None and reporter is not None):
            reporter.write_line(
                f"mcpbench: {public_name(name)} did not call a small tool when asked to, in none of the forms "
                f"{', '.join(ORDER)}; it is used with {WITHOUT_ANY}, and the next run asks again"
            )
