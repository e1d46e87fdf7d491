"""Environment variables of a server's command; few are inherited, so that no API key leaks by accident."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

INHERITED_VARIABLES = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")


def server_environment(configured: Mapping[str, str]) -> dict[str, str]:
    """Return the inherited variables, overridden by those of the server's configuration."""
    inherited = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    path = inherited.get("PATH", os.defpath)
    # The search path with this interpreter's directory, so that servers installed with pytest are found.
    own, is_virtual_environment = str(Path(sys.executable).parent), sys.prefix != sys.base_prefix
    # A virtual environment comes first, as if it were activated: `python server.py` then runs its Python even if
    # pytest was started by its path. Any other directory comes last, so that it hides nothing.
    search_path = os.pathsep.join((own, path) if is_virtual_environment else (path, own))
    return {**inherited, "PATH": search_path, **configured}


_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_SAYS_MISSING = re.compile(r"environment|\benv\b|not set|unset|missing|required|KeyError|undefined", re.IGNORECASE)


def hint_at_missing_variable(stderr: str, configured: Mapping[str, str]) -> str:
    """Return a hint if the server's message is about a missing environment variable; otherwise an empty string."""
    passed = server_environment(configured)
    lines = [line for line in stderr.splitlines() if _SAYS_MISSING.search(line)]
    names = [name for line in lines for name in _VARIABLE.findall(line) if name not in passed]
    if not names:
        return ""
    name = next((name for name in names if name in os.environ), names[0])
    state = "is set here but not passed on" if name in os.environ else "is not set"
    rule = "a server receives only the variables of its definition"
    return f"{name} {state}: {rule}, `environment: {{{name}: ${{{name}}}}}`"
