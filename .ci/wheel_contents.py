"""Check the content of wheel and sdist in a directory, or, with ``--installed``, that the wheel is installed."""

import hashlib
import re
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_BYTES = 8_000_000
"""Largest size of a file; most of it is the data of the suites, a fifth of that the worlds of the people of persona."""
UNWANTED = re.compile(r"(^|/)(__pycache__|node_modules|\.mcpbench|\.pytest_cache|\.venv[^/]*)/|\.pyc$")
WHEEL = re.compile(r"pytest_mcpbench-[\w.-]+\.whl")
INSTALLATION = re.compile(r"pip install ['\"]?pytest-mcpbench\[([\w,]+)\]")


def problems(wheel: Path, sdist: Path) -> list[str]:
    """Return a sentence for each thing that is wrong with the files."""
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = set(archive.namelist())
        (metadata,) = (archive.read(name).decode() for name in in_wheel if name.endswith(".dist-info/METADATA"))
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    package = {f"{path.relative_to(ROOT)}" for path in files_below("pytest_mcpbench")}
    suites = {f"pytest_mcpbench/{path.relative_to(ROOT)}" for path in files_below("suites")}
    licence = f"{wheel.name.rsplit('-', 3)[0]}.dist-info/licenses/LICENSE"
    expected_in_sdist = {"README.md", "LICENSE", "CHANGELOG.md", "docs/conf.py", "tests/conftest.py", "pyproject.toml"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = set(re.findall(r"^Provides-Extra: (.*)$", metadata, re.MULTILINE))
    return [
        *(f"{wheel.name} lacks {name}" for name in sorted({*package, *suites, licence} - in_wheel)),
        *(f"{sdist.name} lacks {name}" for name in sorted(expected_in_sdist - in_sdist)),
        *(f"README.md names {name}, not {wheel.name}" for name in WHEEL.findall(readme) if name != wheel.name),
        *(f"{wheel.name} has {name}" for name in sorted(in_wheel) if is_foreign(name)),
        *(f"{sdist.name} has {name}" for name in sorted(in_sdist) if UNWANTED.search(name)),
        *(
            f"{file.name} has {file.stat().st_size:,} bytes, more than {MOST_BYTES:,}"
            for file in (wheel, sdist)
            if file.stat().st_size > MOST_BYTES
        ),
        *(
            f"{place} names the extra {extra!r}, which the wheel does not have"
            for place, extra in named_extras()
            if extra not in extras
        ),
    ]


def files_below(directory: str) -> list[Path]:
    """Return the files of a directory without those that builds and runs leave."""
    files = (path for path in (ROOT / directory).rglob("*") if path.is_file())
    return [path for path in files if not UNWANTED.search(path.relative_to(ROOT).as_posix())]


def is_foreign(name: str) -> bool:
    """Return whether a file of the wheel is none of the package, such as a test."""
    return bool(UNWANTED.search(name)) or not re.match(r"pytest_mcpbench(/|-[\w.]+\.dist-info/)", name)


def named_extras() -> list[tuple[str, str]]:
    """Return each extra that a page or a message names, with its file and line."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "pytest_mcpbench").rglob("*.py")]
    return [
        (f"{page.relative_to(ROOT)}:{number}", extra)
        for page in pages
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        for found in INSTALLATION.findall(line)
        for extra in found.split(",")
    ]


def differences_from_installed(wheel: Path) -> list[str]:
    """Return a sentence for each file of the package that is not installed as it is in the wheel."""
    installed = distribution("pytest-mcpbench")
    with zipfile.ZipFile(wheel) as archive:
        return [
            f"{place} is not the file of {wheel.name}"
            for name in archive.namelist()
            if name.startswith("pytest_mcpbench/")
            for place in [Path(str(installed.locate_file(name)))]
            if not place.is_file() or digest(place.read_bytes()) != digest(archive.read(name))
        ]


def digest(content: bytes) -> str:
    """Return the digest of a file's content."""
    return hashlib.sha256(content).hexdigest()


def main() -> int:
    """Print the sizes and the problems."""
    directory = Path(sys.argv[-1])
    (wheel,), (sdist,) = directory.glob("*.whl"), directory.glob("*.tar.gz")
    found = differences_from_installed(wheel) if "--installed" in sys.argv else problems(wheel, sdist)
    for file in (wheel, sdist):
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
