"""Discovery of suites by path or by name."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.text.suggestions import did_you_mean

STANDALONE_PATTERNS = ("*.mcpbench.yaml", "*.mcpbench.yml", "*.mcpbench.jsonl")
"""Patterns of the names of files with tasks that need no ``suite.toml``."""
FULL = "full"
_PARTS = (FULL, "quick", "core", "hard")
ENTRY_POINTS = "pytest_mcpbench.suites"
"""Group of entry points: name of a suite -> package, or directory in one, that contains its suite.toml."""


def part_of(name: str) -> str | None:
    """Return the part of a suite that a name or path asks for (``full``, ``quick``, …), if it does."""
    return next((part for part in _PARTS if name.endswith(f":{part}")), None)


def without_part(name: str) -> str:
    """Return the name or path of a suite without the part that it asks for."""
    part = part_of(name)
    return name if part is None else name.removesuffix(f":{part}")


def find_suite(name: str, directory: Path, root: Path | None = None) -> Path:
    """Return the suite.toml or task file that a path relative to ``directory`` or the name of a suite refers to.

    Names are those of the suites that ship, of the suites of installed packages, and of the suites below ``root``;
    a part behind a name or path, such as ``:full``, is left out. Raises UsageError if there is none, or if packages
    have two of them.
    """
    name = without_part(name)
    # What cannot be a path, such as one that is too long, is an unknown name.
    with suppress(OSError):
        for path in (directory / name, directory / name / "suite.toml"):
            if path.is_file():
                return path.resolve()
    known = suites_by_name(root or directory)
    if name not in known:
        raise _unknown_suite(name, known)
    if len(known[name]) > 1:
        raise UsageError(
            f"several packages have a suite {name!r}: {', '.join(map(str, known[name]))}; pass the path of one of them."
        )
    return known[name][0]


def suites_by_name(root: Path) -> dict[str, list[Path]]:
    """Return the suites below ``suites/`` of a project, or else those of this package and of others, by name."""
    return _installed_by_name() | _below(root / "suites")


def installed_name(file: Path) -> str | None:
    """Return the name by which every project finds this suite.toml; ``None`` if it is that of one project only."""
    return next((name for name, files in _installed_by_name().items() if files == [file]), None)


def _installed_by_name() -> dict[str, list[Path]]:
    found = _below(shipped_directory())
    for name, path in installed_suites():
        found.setdefault(name, []).append(path)
    return found


def _below(directory: Path) -> dict[str, list[Path]]:
    return {path.parent.name: [path.resolve()] for path in sorted(directory.glob("*/suite.toml"))}


def installed_suites() -> Iterator[tuple[str, Path]]:
    """Yield name and suite.toml of each suite that an installed package declares; other declarations are left out."""
    for entry_point in entry_points(group=ENTRY_POINTS):
        try:
            spec = find_spec(entry_point.value)
        except ImportError:
            continue
        directories = (spec.submodule_search_locations or ()) if spec else ()
        files = (Path(directory, "suite.toml") for directory in directories)
        path = next((file.resolve() for file in files if file.is_file()), None)
        if path is not None:
            yield entry_point.name, path


def _unknown_suite(name: str, known: Collection[str]) -> UsageError:
    for entry_point in entry_points(group=ENTRY_POINTS, name=name):
        package = entry_point.dist.name if entry_point.dist else "a package"
        return UsageError(
            f"{package} declares the suite {name!r} by an entry point of the group {ENTRY_POINTS}, but "
            f"{entry_point.value!r} is no package, and no directory in one, that contains a suite.toml."
        )
    question = did_you_mean(name, known)
    listed = ", ".join(sorted(known)) or "none"
    return UsageError(
        f"no suite is called {name!r}, and no such file exists; there are: {listed}."
        + (f" {question}" if question else "")
    )


def shipped_directory() -> Path:
    """Return ``suites/`` in the installed package or, in a source checkout, next to the package."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"


def find_suites(name: str, directory: Path) -> list[Path]:
    """Return the files of a suite's name or path, or the stand-alone task files in a directory without a suite.

    Raises:
        UsageError: there is none.
    """
    path = directory / name
    if path.is_dir() and not (path / "suite.toml").is_file():
        files = sorted({file.resolve() for pattern in STANDALONE_PATTERNS for file in path.glob(pattern)})
        if files:
            return files
    return [find_suite(name, directory)]
