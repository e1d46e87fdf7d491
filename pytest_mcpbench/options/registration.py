"""Registration of the options with pytest."""

import pytest

from pytest_mcpbench.options.option import Option
from pytest_mcpbench.options.settings import ALL_OPTIONS


def add_options(parser: pytest.Parser) -> None:
    """Add ``--mcpbench-…`` and the ini values."""
    group = parser.getgroup("mcpbench", "benchmark tasks for agents and MCP servers")
    for option in ALL_OPTIONS:
        group.addoption(f"--mcpbench-{option.name}", **option.arguments)
        parser.addini(option.dest, option.help, type=option.type, default=None)  # type: ignore[arg-type]  # a Literal there


def add_short_options(config: pytest.Config, parser: pytest.Parser) -> None:
    """Add ``--suite``, ``--model`` and ``--trials``, each unless another plugin or conftest owns it."""
    group = parser.getgroup("mcpbench")
    free = free_short_options(parser)
    for option in filter(lambda each: each.is_short, ALL_OPTIONS):
        if option in free:
            group.addoption(f"--{option.name}", **option.arguments)
            continue
        warning = f"--{option.name} belongs to another plugin: use --mcpbench-{option.name} for pytest-mcpbench"
        config.issue_config_time_warning(pytest.PytestConfigWarning(warning), stacklevel=2)


def free_short_options(parser: pytest.Parser) -> list[Option]:
    """Return the options whose short names no other plugin and no conftest has, in any group."""
    short = {f"--{option.name}": option for option in ALL_OPTIONS if option.is_short}
    _, unknown = parser.parse_known_and_unknown_args([word for name in short for word in (name, "1")])
    return [option for name, option in short.items() if name in unknown]
