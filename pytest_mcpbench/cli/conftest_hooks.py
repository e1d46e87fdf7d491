"""Hooks of the ``conftest.py`` in the working directory, for commands, which run without pytest's own start."""

import importlib.util
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import McpBenchError, UsageError, error_with_place, hook_problem

_FILE = "conftest.py"


def result_of_hook(name: str, **arguments: Any) -> Any:
    """Return the first result of a hook; ``None`` if there is no ``conftest.py``, or if it leaves it to others.

    Raises:
        UsageError: the file cannot be imported, or the hook raises an exception.
    """
    file = Path.cwd() / _FILE
    if not file.is_file():
        return None
    # Here, because few runs have a name of their own for something.
    import pytest

    from pytest_mcpbench import hookspecs

    manager = pytest.PytestPluginManager()
    manager.add_hookspecs(hookspecs)
    spec = importlib.util.spec_from_file_location("conftest", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{_FILE}: it cannot be imported: {error_with_place(error)}") from error
    manager.register(module, str(file))
    try:
        return getattr(manager.hook, name)(**arguments)
    except McpBenchError:
        raise
    except Exception as error:
        raise UsageError(f"{_FILE}: {hook_problem(name, error)}") from error
