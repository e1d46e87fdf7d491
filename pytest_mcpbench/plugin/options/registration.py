"""Registration of the options with pytest."""

import pytest

from pytest_mcpbench.plugin.options.settings import ALL_OPTIONS


def add_options(parser: pytest.Parser) -> None:
    """Add ``--mcpbench-…`` and the ini values."""
    group = parser.getgroup("mcpbench", "benchmark tasks for agents and MCP servers")
    for option in ALL_OPTIONS:
        group.addoption(f"--mcpbench-{option.name}", **option.arguments)
        parser.addini(option.dest, option.help, type=option.type, default=None)  # type: ignore[arg-type]  # a Literal there


def add_short_options(config: pytest.Config, parser: pytest.Parser) -> None:
    """Add ``--suite``, ``--model`` and ``--trials``, each unless another plugin or conftest owns it."""
    group = parser.getgroup("mcpbench")
    for option in filter(lambda each: each.is_short, ALL_OPTIONS):
        if not _is_taken(f"--{option.name}", parser):
            group.addoption(f"--{option.name}", **option.arguments)
            continue
        warning = f"--{option.name} belongs to another plugin: use --mcpbench-{option.name} for pytest-mcpbench"
        config.issue_config_time_warning(pytest.PytestConfigWarning(warning), stacklevel=2)


def _is_taken(option: str, parser: pytest.Parser) -> bool:
    """Return whether the option is already known, in any group."""
    _, unknown = parser.parse_known_and_unknown_args([option, "1"])
    return option not in unknown
