"""Writes a simulated server that works, with a test and a task, for somebody to go on from."""

import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

from pytest_mcpbench.core.errors import UsageError

_FILES = {
    "conftest.py": "conftest.py.txt",
    "{name}_server.py": "server.py.txt",
    "test_{name}_server.py": "test_server.py.txt",
    "{name}.mcpbench.yaml": "tasks.yaml.txt",
}
"""Name of what is written -> its template, in which ``$name`` stands for the server's name."""


def write(name: str, directory: Path | None = None) -> tuple[Path, ...]:
    """Write the files, by default into a new directory of the server's name, and return where they are.

    Raises:
        UsageError: the name has no letter, or one of the files exists; then nothing is written.
    """
    module = module_name(name)
    target = Path(module) if directory is None else directory
    texts = {target / path: text for path, text in _texts(module).items()}
    existing = ", ".join(str(path) for path in texts if path.exists())
    if existing:
        raise UsageError(f"there is already: {existing}. Name another --directory; nothing was written.")
    target.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return tuple(texts)


def module_name(name: str) -> str:
    """The name as it can stand in a name of Python: ``My shop!`` is ``my_shop``."""
    made = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if keyword.iskeyword(made):
        raise UsageError(
            f"{name!r} is no name for a server: it is a keyword of Python; take another, as '{made}_desk'."
        )
    if not made or not made[0].isalpha():
        raise UsageError(f"{name!r} is no name for a server; begin with a letter from a to z, as in 'shop'.")
    return made


def _texts(name: str) -> Mapping[str, str]:
    templates = Path(__file__).parent
    return {
        path.format(name=name): Template((templates / template).read_text(encoding="utf-8")).substitute(name=name)
        for path, template in _FILES.items()
    }
