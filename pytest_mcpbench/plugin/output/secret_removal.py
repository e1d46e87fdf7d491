"""Removal of secrets and of control text from everything that pytest shows: reports, warnings, errors, logs."""

import copy
import logging
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.collection.file_names import is_task_id
from pytest_mcpbench.plugin.collection.known_secrets import is_active, known_secrets
from pytest_mcpbench.text.json_reading import map_texts

_LOG_HANDLERS = ("log_file_handler", "log_cli_handler")
"""Handlers of pytest's plugin for logging that write at once; the others put their text into reports."""


_FILES_OF_OTHERS = ("xmlpath", "htmlpath")
"""Options with the files of JUnit XML and of pytest-html."""


class SecretRemoval:
    """Filter between pytest and everything that writes its reports: terminal, JUnit, pytest-html, other processes.

    It acts in a run with tasks or servers only.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        if self._settings.suites:
            known_secrets(self._config)
        # Filter what is written to the terminal otherwise, such as the header and tracebacks of hooks.
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        writer = getattr(reporter, "_tw", None)
        if writer is not None and hasattr(writer, "_file"):
            writer._file = _FilteredStream(writer._file, self._config)
        plugin: Any = self._config.pluginmanager.get_plugin("logging-plugin")
        for name in _LOG_HANDLERS:
            handler = getattr(plugin, name, None)
            if isinstance(handler, logging.Handler):
                handler.setFormatter(_FilteredFormatter(handler.formatter, self._config))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Begin in the controller, which collects nothing itself."""
        if any(map(is_task_id, ids)):
            known_secrets(self._config)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if is_active(self._config):
            # Models or servers write what the report of such an item shows.
            names = getattr(item, "fixturenames", ())
            is_foreign = hasattr(item, "job") or any(name.startswith("mcp_") for name in names)
            self._clean_report(report, is_foreign=is_foreign)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if is_active(self._config) and (report.longrepr or report.sections):
            self._clean_report(report, is_foreign=False)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: Any) -> None:
        if not is_active(self._config):
            return
        text = str(warning_message.message)
        cleaned = self._visible(text) if isinstance(warning_message.message, pytest.PytestWarning) else text
        cleaned = known_secrets(self._config).remove(cleaned)
        if cleaned != text:
            warning_message.message = _with_text(warning_message.message, cleaned)

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self, excrepr: Any) -> None:
        if is_active(self._config):
            report = pytest.CollectReport("", "failed", longrepr=excrepr, result=None)
            self._clean_report(report, is_foreign=False)
            if report.longrepr is not excrepr:
                vars(excrepr).update(vars(report.longrepr))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with CleanErrors(self._config):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        with CleanErrors(self._config):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        with CleanErrors(self._config):
            result = yield
        if is_active(self._config):
            # Remove secrets from what other plugins have written of more than reports: ids, and properties of the run.
            for option in _FILES_OF_OTHERS:
                name = self._config.getoption(option, None)
                path = Path(name).expanduser() if name else None
                if path is None or not path.is_file() or hasattr(self._config, "workerinput"):
                    continue
                text = path.read_text(encoding="utf-8", errors="surrogateescape")
                if (cleaned := known_secrets(self._config).remove(text)) != text:
                    path.write_text(cleaned, encoding="utf-8", errors="surrogateescape")
        return result

    def _clean_report(self, report: Any, *, is_foreign: bool) -> None:
        """Remove secrets from all texts of a report; control text too if servers or models may have written it."""
        secrets = known_secrets(self._config)

        def clean(text: str) -> str:
            return secrets.remove(self._visible(text) if is_foreign else text)

        report.sections = [(clean(title), clean(content)) for title, content in report.sections]
        if hasattr(report, "wasxfail"):
            report.wasxfail = clean(report.wasxfail)
        properties = [(name, secrets.remove_from(value)) for name, value in getattr(report, "user_properties", ())]
        # pytest's three reports of an item share their properties, and it keeps them all to the end.
        if properties and properties != report.user_properties:
            report.user_properties = properties
        longrepr = report.longrepr
        if isinstance(longrepr, tuple):
            text = "\n".join(str(part) for part in longrepr)
        else:
            text = "" if longrepr is None else str(longrepr)
        if not text or clean(text) == text:
            return
        if isinstance(longrepr, str):
            report.longrepr = clean(longrepr)
        elif isinstance(longrepr, tuple):
            report.longrepr = tuple(clean(part) if isinstance(part, str) else part for part in longrepr)
        else:
            # In the form that pytest-xdist sends, in which all texts can be reached.
            hook = self._config.hook
            data = hook.pytest_report_to_serializable(config=self._config, report=report)
            data["longrepr"] = map_texts(data["longrepr"], clean)
            report.longrepr = hook.pytest_report_from_serializable(config=self._config, data=data).longrepr

    def _visible(self, text: str) -> str:
        from pytest_mcpbench.reporting.forms.display_text import terminal_safe

        return terminal_safe(text)


class CleanErrors:
    """Context in which messages of errors that pytest or Python prints without a report lose their secrets."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        while error is not None and is_active(self._config):
            secrets = known_secrets(self._config)
            error.args = tuple(secrets.remove(each) if isinstance(each, str) else each for each in error.args)
            error = error.__cause__ or error.__context__


class _FilteredStream:
    """Stream that removes secrets from what is written to another one."""

    def __init__(self, stream: Any, config: pytest.Config) -> None:
        self._stream = stream
        self._config = config

    def write(self, text: str) -> int:
        filtered = known_secrets(self._config).remove(text) if is_active(self._config) else text
        return int(self._stream.write(filtered) or 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _FilteredFormatter(logging.Formatter):
    """Formatter that removes control text and secrets from what another one formats."""

    def __init__(self, formatter: logging.Formatter | None, config: pytest.Config) -> None:
        super().__init__()
        self._formatter = formatter or logging.Formatter()
        self._config = config

    def format(self, record: logging.LogRecord) -> str:
        # A copy, because formatters store what they make in the record.
        record = copy.copy(record)
        if not is_active(self._config):
            return self._formatter.format(record)
        from pytest_mcpbench.reporting.forms.display_text import terminal_safe

        # What servers and models may have written; the colours of pytest's own formatter are left.
        record.msg, record.args = terminal_safe(record.getMessage()), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = terminal_safe(record.exc_text)
        return known_secrets(self._config).remove(self._formatter.format(record))


def _with_text(warning: Any, text: str) -> Warning:
    """Return a warning of the same class with another text; of a class that cannot be made, a plain one."""
    kind = type(warning) if isinstance(warning, Warning) else UserWarning
    try:
        changed: Warning = kind(text)
    except Exception:  # the class is the user's
        return UserWarning(text)
    return changed if str(changed) == text else UserWarning(text)
