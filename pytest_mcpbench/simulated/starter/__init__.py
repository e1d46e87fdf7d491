"""A generator that writes a working simulated server with a test and a task, as a starting point for users."""

import keyword
import re
from pathlib import Path
from string import Template

from pytest_mcpbench.core.errors import UsageError

_FILES = {
    "conftest.py": "conftest.py.txt",
    "{name}_server.py": "server.py.txt",
    "test_{name}_server.py": "test_server.py.txt",
    "{name}.mcpbench.yaml": "tasks.yaml.txt",
}
"""File name -> its template, in which ``$name`` stands for the server's name."""


def write(name: str, directory: Path | None = None) -> tuple[Path, ...]:
    """Write the files, by default to a new directory with the server's name, and return their paths.

    Raises:
        UsageError: the name is not usable, or one of the files exists; then nothing is written.
    """
    module = module_name(name)
    target = Path(module) if directory is None else directory
    templates = Path(__file__).parent
    texts = {
        target / path.format(name=module): Template((templates / template).read_text(encoding="utf-8")).substitute(
            name=module
        )
        for path, template in _FILES.items()
    }
    existing = ", ".join(str(path) for path in texts if path.exists())
    if existing:
        raise UsageError(f"there is already: {existing}. Name another --directory; nothing was written.")
    target.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return tuple(texts)


def module_name(name: str) -> str:
    """Return the name as a Python identifier: ``My shop!`` becomes ``my_shop``."""
    if "/" in name or "\\" in name:
        raise UsageError(
            f"{name!r} is no name for a server: it is a path; give a name, as 'shop', and the path with --directory."
        )
    identifier = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if keyword.iskeyword(identifier):
        raise UsageError(
            f"{name!r} is no name for a server: it is a keyword of Python; take another, as '{identifier}_desk'."
        )
    if not identifier or not identifier[0].isalpha():
        raise UsageError(f"{name!r} is no name for a server; begin with a letter from a to z, as in 'shop'.")
    return identifier
