"""Secrets of a server's configuration, which it tells everywhere, in what commands print and write."""

import json
import re
import sys
from pathlib import Path

import pytest

from fixtures.servers import odd
from pytest_mcpbench.cli.command_line import main
from tests.runs.test_telemetry import collector
from tests.viewer.served import viewer

SECRETS = {"SPEC": "a8f5f167f44f4964e6c998dee827110c", "PHRASE": "Es7!FAKE/spec$3uu8;x"}
LONGEST_REST = 7
"""Characters of a secret that say nothing of the others."""

SERVER = """
import os, sys

sys.path.insert(0, "SERVERS")
import odd

BOTH = f"{os.environ['SPEC']} and {os.environ['PHRASE']}"
print("starting with", BOTH)
print("starting with", BOTH, file=sys.stderr)
TEXT = {"type": "string", "description": f"As {BOTH}", "default": BOTH, "enum": ["x", *BOTH.split(" and ")]}
SCHEMA = {"type": "object", "properties": {"text": TEXT, os.environ["SPEC"]: {"type": "string"}}}
odd.TOOLS[:] = [
    {"name": name, "title": BOTH, "description": f"Do it in many words and with {BOTH}.", "inputSchema": SCHEMA}
    for name in ("show", "fail", "crash", f"do_{os.environ['SPEC']}")
]

class Leaky(odd.Server):
    def initialize(self, request):
        version = request["params"]["protocolVersion"]
        info = {"name": f"leaky {BOTH}", "version": BOTH}
        made = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        odd.reply(request, {**made, "instructions": f"Use {BOTH}"})

    def show(self, request, arguments):
        odd.say(request, "word " * 30 + BOTH)

    def fail(self, request, arguments):
        odd.reply(request, {"content": [{"type": "text", "text": f"denied for {BOTH}"}], "isError": True})

    def crash(self, request, arguments):
        sys.exit(f"crashed with {BOTH}")

Leaky("leaky").serve()
"""
TASKS = """
mcp_json: mcp.json
tasks:
  - {id: show, ask: show, server: leaky, tool: show, arguments: {text: x}}
  - {id: fail, ask: fail, server: leaky, tool: fail, arguments: {text: x}}
  - {id: crash, ask: crash, server: leaky, tool: crash, arguments: {text: x}}
"""
COMMANDS = (
    "tools leaky",
    "tools leaky --json",
    "call leaky show text=x",
    "call leaky show text=x --json",
    "call leaky fail text=x",
    "call leaky crash text=x",
    "call leaky nothing",
    "lint leaky -v --strict",
    "lint leaky --format sarif --out written.sarif",
    "lint --format json",
    "history one two",
    "history one two --format html --out history.html --file history.jsonl",
    "compare one two",
    "compare one two --format html --out comparison.html",
    "show one crash",
)


def leaks(text: str) -> list[str]:
    """Return everything of the secrets that is in a text, be it broken into lines, and too much."""
    joined = re.sub(r"\s", "", text)
    parts = [value[at : at + LONGEST_REST + 1] for value in SECRETS.values() for at in range(len(value) - LONGEST_REST)]
    return [part for part in parts if part in joined]


@pytest.mark.extra
def test_no_secret_of_a_server_is_in_what_commands_print_and_write_and_a_viewer_sends(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = {"command": sys.executable, "args": ["server.py"], "env": SECRETS}
    configuration = pytester.path / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {"leaky": server}}))
    (pytester.path / "server.py").write_text(SERVER.replace("SERVERS", str(Path(odd.__file__).parent)))
    (pytester.path / "leaky.mcpbench.yaml").write_text(TASKS)
    known = {path for path in pytester.path.rglob("*") if path.is_file()}
    for run in ("one", "two"):
        result = pytester.runpytest_inprocess("--model=oracle", f"--mcpbench-out={run}", "-Wdefault")
        result.assert_outcomes(passed=1, errors=2)
    capsys.readouterr()

    # So narrow that a table has no room for a whole secret.
    monkeypatch.setenv("COLUMNS", "40")
    printed = {}
    for command in COMMANDS:
        main(command.split())
        captured = capsys.readouterr()
        printed[command] = captured.out + captured.err
    with viewer(Path("one"), Path("two")) as served:
        index = served.json("source/index")
        numbers = [row[index["fields"].index("number")] for row in index["rows"]]
        attempts = [f"source/attempts/{number}" for number in numbers]
        for path in ("", "source/index", *attempts, "source/search?text=word", "comparison"):
            printed[f"view {path}"] = served.get(path)[1]
    with collector() as received:
        main(["export", "one", "--format", "otel", "--content", "--endpoint", received.url])
    printed["export"] = f"{received.spans} {received.resources} {capsys.readouterr()}"

    files = {path for path in pytester.path.rglob("*") if path.is_file()} - known
    written = {path.name: path.read_text(errors="replace") for path in files}
    assert {"written.sarif", "history.html", "history.jsonl", "comparison.html"} <= written.keys()
    assert {name: found for name, text in (printed | written).items() if (found := leaks(text))} == {}
    assert len(attempts) == 6
    filtered = [name for name, text in printed.items() if "[secret PHRASE]" in text]
    assert {"export", *COMMANDS[:6]} <= {*filtered}
    assert any(name in filtered for name in map("view {}".format, attempts))
