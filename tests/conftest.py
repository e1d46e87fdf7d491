"""Fixtures and settings that tests of every layer share."""

import functools
import gc
import importlib
import importlib.metadata
import pkgutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest.fixtures import FixtureFunctionDefinition, FixtureManager

import pytest_mcpbench
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.servers.isolation import Isolation, make_isolation

try:
    from hypothesis import HealthCheck, settings
except ImportError:
    pass  # `pytest --help` reads this file also where the packages of `dev` are not installed.
else:
    # The time of an example depends on what else the machine does.
    # The same examples in each run: a test fails for a change, and not for the luck of the draw.
    settings.register_profile("tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("tests")

# A shell ignores Ctrl-C for what it starts with `&`, and so do all processes below it: tests of Ctrl-C would wait
# forever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_WITH_C_EXTENSIONS = ("httpcore2", "httpx2", "jsonschema", "mcp", "numpy", "yaml")
_RUN_BY_INSPECT = "pytest_mcpbench.attempt.inspect_task"
"""Module that imports Inspect, which is not installed here."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of an ``xdist_group`` in one worker with pytest 9.2, too.

    There the ids of items are objects, and pytest-xdist 3.8 writes the group to an attribute that nothing reads
    (https://github.com/pytest-dev/pytest-xdist/issues/1386).
    """
    for item in items:
        grouped = getattr(item, "_nodeid", item.nodeid)
        if grouped != item.nodeid:
            item._id = type(item._id).parse(grouped)


@pytest.fixture(scope="session", autouse=True)
def everything_imported() -> None:
    """Before the first run in this process, whose modules pytester forgets.

    C extensions cannot be imported again, and of ours there would be two copies whose classes are not the same.
    """
    for name in _WITH_C_EXTENSIONS:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(pytest_mcpbench.__path__, "pytest_mcpbench."):
        if module.name != _RUN_BY_INSPECT:
            importlib.import_module(module.name)
    # What is there now stays until the end. pytest collects garbage after each run in this process: it need not look at
    # all modules and tests each time.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def distributions_read_once() -> Iterator[None]:
    """Read what is installed once for each search path, and not in each run in this process."""
    read, version = importlib.metadata.distributions, importlib.metadata.version

    @functools.cache
    def found(_path: tuple[str, ...]) -> list[importlib.metadata.Distribution]:
        return list(read())

    @functools.cache
    def version_found(name: str, _path: tuple[str, ...]) -> str:
        return version(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.metadata, "distributions", lambda: found(tuple(sys.path)))
        patch.setattr(importlib.metadata, "version", lambda name: version_found(name, tuple(sys.path)))
        for name in ("metadata", "entry_points", "files"):
            remembered = functools.cached_property(getattr(importlib.metadata.Distribution, name).fget)
            remembered.__set_name__(importlib.metadata.Distribution, name)
            patch.setattr(importlib.metadata.Distribution, name, remembered)
        yield


@pytest.fixture(scope="session", autouse=True)
def plugins_searched_once(everything_imported: None) -> Iterator[None]:
    """Search the modules of installed plugins for fixtures once, and not in each run in this process."""
    search = FixtureManager.parsefactories
    installed = frozenset(module for module in sys.modules.values() if isinstance(module, ModuleType))

    @functools.cache
    def fixtures_of(module: ModuleType) -> ModuleType:
        found = ModuleType(module.__name__)
        vars(found).update(
            {name: value for name, value in vars(module).items() if type(value) is FixtureFunctionDefinition}
        )
        return found

    def parsefactories(manager: FixtureManager, *arguments: Any, **named: Any) -> None:
        holder = named.get("holder")
        if isinstance(holder, ModuleType) and holder in installed:
            named["holder"] = fixtures_of(holder)
        search(manager, *arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FixtureManager, "parsefactories", parsefactories)
        yield


_WITHOUT_OTHER_PLUGINS = "-p no:hypothesispytest -p no:allure_pytest"
"""Arguments of runs in other processes, which need no plugin of the development environment."""


@pytest.fixture(scope="session", autouse=True)
def without_other_plugins() -> Iterator[None]:
    """Load no plugin of the development environment in runs in other processes; importing Hypothesis takes long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_ADDOPTS", _WITHOUT_OTHER_PLUGINS)
        yield


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Directory for whole runs, which pytest would have load all plugins again."""
    monkeypatch.setenv("PYTEST_ADDOPTS", _WITHOUT_OTHER_PLUGINS)
    return pytester


@pytest.fixture(scope="session", autouse=True)
def no_files_left() -> Iterator[None]:
    """Fail if the tests leave files in the directory in which they are run."""
    before = _visible_files()
    yield
    assert _visible_files() - before == set()


def _visible_files() -> set[str]:
    """Return the names in the working directory without those of caches, which begin with a dot."""
    return {path.name for path in Path.cwd().iterdir() if not path.name.startswith(".")}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def bwrap() -> Isolation:
    try:
        return make_isolation("bwrap")
    except UsageError as error:
        pytest.skip(str(error))
