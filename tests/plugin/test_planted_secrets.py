"""Secrets planted in everything that a run reads, and searched in everything that it writes."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from fixtures.chat_server import Answer, chat_server, fails, says
from fixtures.servers import odd

PLACES = (
    "a key of a provider, echoed by the model",
    "a variable with a harmless name that a server gets, in a result",
    "a variable in an argument of a server, in a result",
    "a variable in a header, echoed by the model",
    "a password of a database in a variable with a harmless name, in a result",
    "a literal --api-key of a server, in a description of a tool",
    "a password in the URL of a server that is not there",
    "the query of the URL of a server that is not there",
    "the path of the URL of a server that is not there",
    "the password in the URL of the model, in its reply",
    "the query of the URL of the model",
    "the path of the URL of the model",
    "a token of a server, in an error of a tool",
    "a token of a server, in its output before the first message",
    "a token of a server, in its stderr when it dies",
    "a key, in the body of an error of the provider",
    "a key, in the reason of a judge",
    "a key, in the reply of a judge that cannot be read",
    "a key, in the text of a task",
    "a key, in an assertion of a test",
    "a key, in an exception of a fixture",
    "a key, in the captured output of a test",
    "a key, in the log of a test",
    "a key, in a warning of a test",
    "a key, in a property for JUnit",
    "a key, in the reason of a skipped test",
    "a key, in an error of collection",
    "a password in the URL of the judge",
    "a token of GitHub that nobody has configured, in a result",
    "user and password in base64, in a result",
    "a key, in an exception of a hook",
    "a key, in the name of a world and a file that a tool writes",
    "a key, in the task at which a worker crashes",
    "a password in the URL of the user of a task file, echoed by the model",
    "a literal --api-key of an agent program, echoed by the model",
    "a setting of the model in the ini file, in a usage error",
    "a key, in a property of all tests for JUnit",
    "the second line of a password of a server, in its output before the first message",
)
SECRETS = {place: f"Pl4nt{number:02}x7f9c2e4b8a1" for number, place in enumerate(PLACES)}
SECRETS["a token of GitHub that nobody has configured, in a result"] = "ghp_" + "a7B9" * 8

SERVER = """
import os, sys

sys.path.insert(0, "SERVERS")
import odd

if sys.argv[1] == "dies":
    sys.exit(f"cannot start with {os.environ['SERVER_TOKEN']}")
print("starting with", os.environ["SERVER_TOKEN"])
print("> " + os.environ["PASSWORD"].splitlines()[1])
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
DESCRIPTIONS = {"show": f"Show everything. Started as {sys.argv}", "fail": "Fail.", "write": "Write."}
odd.TOOLS[:] = [
    {"name": name, "description": description, "inputSchema": SCHEMA} for name, description in DESCRIPTIONS.items()
]

class Leaky(odd.Server):
    def initialize(self, request):
        version = request["params"]["protocolVersion"]
        info = {"name": "leaky", "version": "1"}
        made = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        odd.reply(request, {**made, "instructions": f"Use {sys.argv}"})

    def show(self, request, arguments):
        odd.say(request, f"{arguments['text']} {sys.argv} {dict(os.environ)}")

    def fail(self, request, arguments):
        text = f"denied for {os.environ['ERROR_TOKEN']}"
        odd.reply(request, {"content": [{"type": "text", "text": text}], "isError": True})

    def write(self, request, arguments):
        with open(f"{os.environ['FILE_TOKEN']}.txt", "w") as file:
            file.write(os.environ["FILE_TOKEN"])
        odd.say(request, "written")

Leaky("leaky").serve()
"""

TASKS = """
mcp_json: mcp.json
judge: JUDGE
user: USER
tasks:
  - {id: echo, ask: "echo", server: leaky, tools: all, answer: nothing}
  - {id: show, ask: "show {TASK}", server: leaky, tool: show, answer: nothing}
  - {id: fail, ask: "fail", server: leaky, tool: show}
  - {id: write, ask: "write", server: leaky, tool: show, state: [{created: "files:other.txt"}]}
  - {id: crash, ask: "crash {CRASH}", server: leaky, tools: all, answer: nothing}
  - {id: refused, ask: "refused", server: leaky, tool: show}
  - {id: dies, ask: "show", server: dies, tool: show}
  - {id: away, ask: "show", server: away, tool: show}
  - {id: judged, ask: "judged", server: leaky, tools: all, claims: [It is judged.]}
  - {id: misjudged, ask: "judged", server: leaky, tools: all, claims: [It cannot be judged.]}
"""

TESTS = """
import logging, os, warnings
import pytest

ENV = os.environ

@pytest.fixture
def broken():
    raise RuntimeError("fixture " + ENV["FIXTURE_KEY"])

def test_assertion():
    print("printed", ENV["OUTPUT_KEY"])
    logging.getLogger("mine").warning("logged %s", ENV["LOG_KEY"])
    warnings.warn("warned " + ENV["WARNING_KEY"])
    assert ENV["ASSERTION_KEY"] == "another"

def test_fixture(broken): pass

def test_property(record_property):
    record_property("key", ENV["PROPERTY_KEY"])

def test_skipped():
    pytest.skip("because of " + ENV["SKIP_KEY"])
"""

CONFTEST = """
import os
from _pytest.junitxml import xml_key

def pytest_runtest_call(item):
    if "crash[" in item.name and "PYTEST_XDIST_WORKER" in os.environ:
        os._exit(1)

def pytest_sessionstart(session):
    xml = session.config.stash.get(xml_key, None)
    if xml is not None:
        xml.add_global_property("key", os.environ["SUITE_PROPERTY_KEY"])

def pytest_mcpbench_report(config, report):
    if "HOOK_FAILS" in os.environ:
        raise RuntimeError("hook " + os.environ["HOOK_KEY"])
"""

UNFILTERED = """
# Python imports this module in each process: the run as it would be without the filter.
import pytest_mcpbench.core.secret_sources as sources
import pytest_mcpbench.core.secrets as secrets

secrets.Secrets.remove = lambda self, text: text
secrets.Secrets.may_occur = lambda self, text: False
sources.public_url = lambda url: url
"""


def _secret(beginning: str) -> str:
    (found,) = (secret for place, secret in SECRETS.items() if place.startswith(beginning))
    return found


VARIABLES = {
    "OPENAI_API_KEY": _secret("a key of a provider"),
    "HARMLESS": _secret("a variable with a harmless"),
    "ARGUMENT": _secret("a variable in an argument"),
    "HEADER": _secret("a variable in a header"),
    "SERVER_TOKEN": _secret("a token of a server, in its output"),
    "DEAD_TOKEN": _secret("a token of a server, in its stderr"),
    "ERROR_TOKEN": _secret("a token of a server, in an error"),
    "FILE_TOKEN": _secret("a key, in the name of a world"),
    "BODY_KEY": _secret("a key, in the body"),
    "REASON_KEY": _secret("a key, in the reason of a judge"),
    "REPLY_KEY": _secret("a key, in the reply"),
    "TASK_KEY": _secret("a key, in the text of a task"),
    "CRASH_KEY": _secret("a key, in the task at which"),
    "ASSERTION_KEY": _secret("a key, in an assertion"),
    "FIXTURE_KEY": _secret("a key, in an exception of a fixture"),
    "OUTPUT_KEY": _secret("a key, in the captured"),
    "LOG_KEY": _secret("a key, in the log"),
    "WARNING_KEY": _secret("a key, in a warning"),
    "PROPERTY_KEY": _secret("a key, in a property for"),
    "SUITE_PROPERTY_KEY": _secret("a key, in a property of all"),
    "SKIP_KEY": _secret("a key, in the reason of a skipped"),
    "COLLECTION_KEY": _secret("a key, in an error of collection"),
    "HOOK_KEY": _secret("a key, in an exception of a hook"),
}
BASIC = _secret("user and password in base64")


def answer(body: dict[str, Any]) -> Answer:
    """Return what the model or the judge says."""
    last = body["messages"][-1]["content"] or ""
    asked = next(str(each["content"]) for each in body["messages"] if each["role"] == "user")
    if body["model"] == "judge":
        if "cannot be judged" in asked:
            return says(f"I see {_secret('a key, in the reply')} and no more")
        return says(
            json.dumps({"label": "not_fulfilled", "reason": f"because {_secret('a key, in the reason of a j')}"})
        )
    if asked == "refused":
        return fails(402, f"the key {_secret('a key, in the body')} is wrong")
    if asked.split()[0] in ("show", "fail", "write") and body["messages"][-1]["role"] == "user":
        names = [tool["function"]["name"] for tool in body.get("tools", ())]
        called = next(name for name in names if name.endswith(asked.split()[0]))
        return says(None, (called, {"text": "x"}))
    parts = (
        *("a key of a provider", "a variable in a header", "the password in the URL of the model"),
        *("a password in the URL of the user", "a literal --api-key of an agent"),
    )
    return says(f"You told me {' and '.join(map(_secret, parts))}; {str(last)[:20]}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    environment = {
        "SERVER_TOKEN": "${SERVER_TOKEN}",
        "ERROR_TOKEN": "${ERROR_TOKEN}",
        "FILE_TOKEN": "${FILE_TOKEN}",
        "HARMLESS": "${HARMLESS}",
        "PASSWORD": f"the first of two lines\n{_secret('the second line of a password')}",
        "DB_URL": f"postgres://app:{_secret('a password of a database')}@db.example/shop",
        "FOUND": _secret("a token of GitHub"),
        "BASIC": base64.b64encode(f"user:{BASIC}".encode()).decode(),
    }
    arguments = ["server.py", "leaky", "${ARGUMENT}", "--api-key", _secret("a literal --api-key of a server")]
    away = (
        f"http://user:{_secret('a password in the URL of a server')}@127.0.0.1:9/"
        f"{_secret('the path of the URL of a server')}/mcp?key={_secret('the query of the URL of a server')}"
    )
    servers = {
        "leaky": {"command": sys.executable, "args": arguments, "env": environment},
        "dies": {"command": sys.executable, "args": ["server.py", "dies"], "env": {"SERVER_TOKEN": "${DEAD_TOKEN}"}},
        "away": {
            "url": away,
            "headers": {"Authorization": "Bearer ${HEADER}", "X-Login": f"Basic {environment['BASIC']}"},
        },
    }
    (directory / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (directory / "server.py").write_text(SERVER.replace("SERVERS", str(Path(odd.__file__).parent)))
    (directory / "conftest.py").write_text(CONFTEST)
    (directory / "test_own.py").write_text(TESTS)
    (directory / "test_broken.py").write_text(
        "import os\nraise RuntimeError('broken ' + os.environ['COLLECTION_KEY'])\n"
    )
    setting = f"--mcpbench-model-setting=extra.token={_secret('a setting of the model')}"
    (directory / "pytest.ini").write_text(f"[pytest]\naddopts = {setting}\n")
    agent = json.dumps(["python", "agent.py", "--api-key", _secret("a literal --api-key of an agent")])
    (directory / "pyproject.toml").write_text(f"[tool.mcpbench.agents.mine]\ncommand = {agent}\n")
    return directory


def outputs(project: Path, *workers: str, is_filtered: bool) -> dict[str, str]:
    """Return everything that a run writes, by file, with the output on the terminal."""
    site = project.parent / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text("" if is_filtered else UNFILTERED)
    before = {path for path in project.rglob("*") if path.is_file()}
    with chat_server(answer) as chat:
        host = urlsplit(chat.url).netloc
        model = (
            f"http://bot:{_secret('the password in the URL of the model')}@{host}/"
            f"{_secret('the path of the URL of the model')}?key={_secret('the query of the URL of the model')}#agent"
        )
        judge = f"http://jury:{_secret('a password in the URL of the judge')}@{host}#judge"
        user = f"http://user:{_secret('a password in the URL of the user')}@{host}#user"
        tasks = TASKS.replace("judge: JUDGE\n", "").replace("USER", user)
        tasks = tasks.replace("{TASK}", _secret("a key, in the text of a task"))
        tasks = tasks.replace("{CRASH}", _secret("a key, in the task at which"))
        (project / "leaky.mcpbench.yaml").write_text(tasks)
        command = [
            *(sys.executable, "-m", "pytest", "-rA", "--continue-on-collection-errors", f"--model={model}"),
            *(f"--mcpbench-judge={judge}", "--mcpbench-out=out", "--mcpbench-json=report.json"),
            *("--mcpbench-markdown=report.md", "--junitxml=junit.xml", "--html=report.html", "--log-file=log.txt"),
            "--alluredir=allure",
            *("-p", "no:randomly", *workers),
        ]
        # Without those that tell this process that it is a worker: the planted crash happens in workers only.
        own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
        # The tests' own options leave Allure out.
        environment = {**own, **VARIABLES, "PYTHONPATH": str(site), "PYTEST_ADDOPTS": ""}
        written = {}
        few = [*command[:3], "leaky.mcpbench.yaml", "-k", "echo"]
        of_the_controller: list[tuple[list[str], dict[str, str]]] = [
            ([*few, f"--model={model}"], {"HOOK_FAILS": "1"}),
            ([*few, "--model=noop"], {"USAGE": "wrong"}),
        ]
        runs: list[tuple[list[str], dict[str, str]]] = [(command, {})]
        for arguments, extra in runs if workers else runs + of_the_controller:
            run = subprocess.run(
                arguments,
                cwd=project,
                env=environment | extra,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            written[f"terminal {extra}"] = run.stdout + run.stderr
    files = {path for path in project.rglob("*") if path.is_file() and path.suffix != ".pyc"} - before
    files.discard(project / "leaky.mcpbench.yaml")
    return written | {str(path.relative_to(project)): path.read_text(errors="replace") for path in files}


def leaks(written: dict[str, str]) -> dict[str, list[str]]:
    """Return the places whose secrets are in what was written, with the files."""
    forms = {place: (secret, base64.b64encode(f"user:{secret}".encode()).decode()) for place, secret in SECRETS.items()}
    found = {
        place: [file for file, text in written.items() if any(form in text for form in each)]
        for place, each in forms.items()
    }
    return {place: files for place, files in found.items() if files}


@pytest.mark.extra
@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.long)], ids=["one process", "a worker"]
)
def test_no_planted_secret_is_written_anywhere(project: Path, workers: tuple[str, ...]) -> None:
    written = outputs(project, *workers, is_filtered=True)
    assert {"out/run.json", "report.json", "report.md", "junit.xml", "report.html", "log.txt"} <= written.keys()
    assert any(file.startswith(".mcpbench/verdicts") for file in written)
    assert any(file.startswith("allure/") for file in written)
    assert leaks(written) == {}
    assert any("[secret HARMLESS]" in text for text in written.values())
    assert ("crashed while running" in written["terminal {}"]) == bool(workers)


@pytest.mark.long
def test_every_planted_secret_would_be_written_without_the_filter(project: Path) -> None:
    assert SECRETS.keys() - leaks(outputs(project, is_filtered=False)).keys() == set()
