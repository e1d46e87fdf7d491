"""Tools of real servers for which ``mcpbench init`` proposes a task that runs, without a word and with ``--call '*'``.

    python benchmarks/first_suite.py [COMMAND…]

Without commands the servers of ``.ci/setup`` in ``MCPBENCH_TEST_SERVERS`` are looked at. Each is started in a new
directory with an ``mcp.json`` of its own, and each proposal counts that ``oracle`` has played twice.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
SERVERS = Path(os.environ.get("MCPBENCH_TEST_SERVERS", REPOSITORY / ".venv-servers"))
INSTALLED = (
    "npm/node_modules/.bin/mcp-server-filesystem {sandbox}",
    "npm/node_modules/.bin/mcp-server-everything",
    "npm/node_modules/.bin/mcp-server-memory",
    "python/bin/mcp-server-time",
)
ENVIRONMENT = {"MEMORY_FILE_PATH": "{sandbox}/memory.jsonl", "TZ": "UTC", "LOG_LEVEL": "ERROR"}
"""Variables of all servers, so that none keeps its state elsewhere."""
RESULT = re.compile(r"^(\d+) of (\d+) proposals pass", re.MULTILINE)


def main() -> None:
    """Print a row for each server, and their sum."""
    totals = [0, 0, 0]
    print("| server | tools | without a word | with --call '*' |\n|---|---:|---:|---:|")
    for command in sys.argv[1:] or installed():
        alone, tools = proposals(command)
        called, _ = proposals(command, "--call", "*")
        totals = [sum(pair) for pair in zip(totals, (tools, alone, called), strict=True)]
        name = next(word for word in shlex.split(command)[::-1] if not word.startswith(("-", "{")))
        print(f"| {Path(name).name} | {tools} | {alone} | {called} |", flush=True)
    print("| all | {} | {} | {} |".format(*totals))


def installed() -> Iterator[str]:
    """Yield the commands of the servers that are installed."""
    for command in INSTALLED:
        if (SERVERS / shlex.split(command)[0]).is_file():
            yield f"{SERVERS}/{command}"


def proposals(command: str, *options: str) -> tuple[int, int]:
    """Return the number of proposals of a server that run, and that of its tools."""
    program, *arguments = shlex.split(command)
    with tempfile.TemporaryDirectory() as directory:
        entry = {"command": program, "args": arguments, "env": ENVIRONMENT}
        Path(directory, "mcp.json").write_text(json.dumps({"mcpServers": {"server": entry}}))
        run = subprocess.run(
            [Path(sys.executable).with_name("mcpbench"), "init", "--ci", "none", *options],
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
        )
    found = RESULT.search(run.stdout)
    if found is None:
        sys.exit(f"{command}: {run.stdout}{run.stderr}")
    return int(found[1]), int(found[2])


if __name__ == "__main__":
    main()
