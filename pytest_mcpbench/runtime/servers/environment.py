"""The environment in which a server's command runs: little is inherited, so that no key leaks by accident."""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
_SECRET_NAME = re.compile(r"key|token|secret|passw|auth|credential|cookie", re.IGNORECASE)
_SHORTEST_SECRET = 6


def server_environment(configured: Mapping[str, str]) -> dict[str, str]:
    """The few inherited variables, overridden by those that the server's configuration names."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return {**inherited, "PATH": _search_path(inherited.get("PATH", os.defpath)), **configured}


def _search_path(path: str) -> str:
    """With the directory of this interpreter, so that a server that is installed beside pytest is found.

    It comes first in a virtual environment, as if that were activated: ``python server.py`` means its Python, also
    where pytest was called by its path. Elsewhere it comes last and hides nothing.
    """
    own, in_environment = str(Path(sys.executable).parent), sys.prefix != sys.base_prefix
    return os.pathsep.join((own, path) if in_environment else (path, own))


def secrets_in(configured: Mapping[str, str]) -> tuple[str, ...]:
    """The values that must never be shown, by the names of their variables or headers."""
    return tuple(
        value for name, value in configured.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    )


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with each secret replaced by ``***``."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text
