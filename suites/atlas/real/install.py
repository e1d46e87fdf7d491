"""Install the servers of an mcp.json into the caches of npx and uvx, so that a first run does not wait for downloads.

Usage: python install.py FILE [NAME …]
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS = 600


def main(file: str, *names: str) -> int:
    """Install the named servers, or all; return the exit status."""
    servers = read_servers(Path(file))
    unknown = [name for name in names if name not in servers]
    if unknown:
        print(f"{file}: no server is called {', '.join(unknown)}; there are: {', '.join(servers)}", file=sys.stderr)
        return 2
    results = [install(name, servers[name]) for name in names or servers]
    return 0 if all(results) else 1


def read_servers(file: Path) -> dict[str, dict[str, Any]]:
    """Return the servers of a file whose comments stand on lines of their own."""
    text = re.sub(r"(?m)^\s*//.*$", "", file.read_text(encoding="utf-8"))
    return json.loads(text)["mcpServers"]


def install(name: str, server: dict[str, Any]) -> bool:
    """Install one server and print the result; return whether it succeeded."""
    command = installation(server)
    if command is None:
        print(f"{name}: nothing to install")
        return True
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{name}: {error}")
        return False
    print(f"{name}: {'installed' if done.returncode == 0 else done.stderr.strip()[-300:]}")
    return done.returncode == 0


def installation(server: dict[str, Any]) -> list[str] | None:
    """Return a command that installs what the server's command would install, and starts nothing."""
    arguments = server.get("args", [])
    if server.get("command") == "npx":
        package = next(argument for argument in arguments if not argument.startswith("-"))
        return ["npm", "exec", "--yes", f"--package={package}", "--", "true"]
    if server.get("command") == "uvx":
        return ["uvx", *uvx_options(arguments), "python", "-c", "pass"]
    return None


def uvx_options(arguments: list[str]) -> list[str]:
    """Return the options of a uvx command line, with the server's package as ``--from``."""
    options: list[str] = []
    rest = list(arguments)
    while rest and rest[0].startswith("--"):
        options += [rest.pop(0), rest.pop(0)]
    return options if "--from" in options else [*options, "--from", rest[0]]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
