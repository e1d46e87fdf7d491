"""Where suites are, by name or path."""

import difflib
from pathlib import Path

import pytest

import pytest_mcpbench


def find(name: str, config: pytest.Config) -> Path:
    """The suite.toml or task file that a ``--suite`` means; a usage error lists the names that there are."""
    given = config.invocation_params.dir / name
    if given.is_file():
        return given.resolve()
    if (given / "suite.toml").is_file():
        return (given / "suite.toml").resolve()
    known = by_name(config.rootpath)
    if name not in known:
        raise pytest.UsageError(_unknown(name, sorted(known)))
    return known[name]


def by_name(root: Path) -> dict[str, Path]:
    """Every suite below ``suites/`` of the project that is tested and those that ship with the plugin."""
    return {
        path.parent.name: path.resolve()
        for directory in (shipped_directory(), root / "suites")
        for path in sorted(directory.glob("*/suite.toml"))
    }


def shipped_directory() -> Path:
    """``suites/`` of the wheel or, in a source checkout, beside the package."""
    package = Path(pytest_mcpbench.__file__).parent
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"


def _unknown(name: str, known: list[str]) -> str:
    nearest = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return f"no suite is called {name!r}, and no such file exists; there are: {', '.join(known) or 'none'}.{hint}"
