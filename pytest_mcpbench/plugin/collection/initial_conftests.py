"""Choice of the conftest files that pytest loads before the collection of a run with ``--suite``."""

import argparse
import copy
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_mcpbench.options.option import OptionReader
from pytest_mcpbench.options.settings import free_short_options
from pytest_mcpbench.plugin.collection import known_secrets, suite_paths

_SUITE = "mcpbench_suite"


@contextmanager
def of_suites(config: pytest.Config, args: list[str], parser: pytest.Parser) -> Generator[None]:
    """Have pytest load the conftest files of the suites instead of those of the tests, which such a run leaves out.

    A command line that names paths stays as it is. So does one with an unknown suite, because ``--suite`` may be the
    option of a conftest file that is not loaded yet; if such a file fails, the error names both reasons.
    """
    suites, paths = _suites_and_paths(config, args, parser)
    if not suites or paths:
        yield
        return
    try:
        files = [suite_paths.find_suite_file(name, config) for name in suites]
    except pytest.UsageError as unknown:
        try:
            yield
        except Exception as failure:
            note = f"--suite may also be an option of a conftest file, but one cannot be loaded: {failure}"
            error = pytest.UsageError(*unknown.args, note)
            raise known_secrets.cleaned_usage_error(config, error) from None
        return
    # Given a directory, pytest also loads the conftest files of its subdirectories test*; given a file, it does not.
    config.known_args_namespace.file_or_dir = [str(file) for file in (*_nearest_conftest(config), *files)]
    yield


def _suites_and_paths(
    config: pytest.Config, args: list[str], parser: pytest.Parser
) -> tuple[list[str], list[str | Path]]:
    """Return the suites of the command line or the ini file, and the paths of the command line.

    pytest does not know the short options yet, and takes the second word of ``--suite radar`` for a path.
    """
    short = argparse.ArgumentParser(add_help=False, allow_abbrev=False, fromfile_prefix_chars="@")
    for option in free_short_options(parser):
        # pytest itself reports a missing value.
        short.add_argument(f"--{option.name}", dest=option.dest, action="append", nargs="?")
    own, others = short.parse_known_args(args)
    known = parser.parse_known_args(others, namespace=copy.copy(config.option))
    named = [*(getattr(own, _SUITE, None) or ()), *(getattr(known, _SUITE) or ())]
    return [name for name in named if name] or OptionReader(config).value("suite", kind="args") or [], known.file_or_dir


def _nearest_conftest(config: pytest.Config) -> list[Path]:
    """Return the conftest file of the directory where pytest was called, or else of the nearest one above it."""
    directory = config.invocation_params.dir
    files = (each / "conftest.py" for each in (directory, *directory.parents))
    return [file for file in files if file.is_file()][:1]
