"""Discovery of suites by path or by name."""

from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.suggestions import did_you_mean

_FULL = ":full"


def is_whole(name: str) -> bool:
    """Return whether a name asks for all tasks of a suite that runs a sample of them by default."""
    return name.endswith(_FULL)


def without_part(name: str) -> str:
    """Return the name or path of a suite without ``:full``."""
    return name.removesuffix(_FULL)


def find_suite(name: str, directory: Path, root: Path | None = None) -> Path:
    """Return the suite.toml or task file that a path relative to ``directory`` or the name of a suite refers to.

    Names are those of the suites that ship and of the suites below ``root``; ``:full`` behind a name or path is left
    out. Raises UsageError if there is none.
    """
    name = without_part(name)
    path = directory / name
    if path.is_file():
        return path.resolve()
    if (path / "suite.toml").is_file():
        return (path / "suite.toml").resolve()
    known = suites_by_name(root or directory)
    if name not in known:
        question = did_you_mean(name, known)
        raise UsageError(
            f"no suite is called {name!r}, and no such file exists; there are: {', '.join(sorted(known)) or 'none'}."
            + (f" {question}" if question else "")
        )
    return known[name]


def suites_by_name(root: Path) -> dict[str, Path]:
    """Return the suites below ``suites/`` of a project and those that ship, by the name of their directory."""
    return {
        path.parent.name: path.resolve()
        for directory in (shipped_directory(), root / "suites")
        for path in sorted(directory.glob("*/suite.toml"))
    }


def shipped_directory() -> Path:
    """Return ``suites/`` in the installed package or, in a source checkout, next to the package."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"
