"""suite.toml, and task files that need none."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.loaders.manifest import read_manifest, standalone_manifest

SUITE = """\
name = "mail"
title = "Mail"
licence = "MIT"
source = "ours"
metrics = ["dtsr"]
judge = "keyfacts"
tool_names = "prefixed"
exposure = "selected"
system = "Be brief."

[[files]]
path = "tasks/*.yaml"

[[files]]
path = "email.json"
loader = "radar"
sha256 = "00"
[files.options]
domain = "email"

[servers]
line = "uvx mcp-server-time --local-timezone 'Europe/Berlin'"
factory = "tests.mail:server"
address = "https://example.org/${PATH_OF:-mcp}"

[servers.mail]
command = "python"
arguments = ["server.py"]
environment = { TOKEN = "${TOKEN}" }
state = "shared"
timeouts = { call_seconds = 5 }

[floors]
ast = 1.0

[limits]
rounds = 5

[prompts]
react = "Think."

[metric_settings.ast]
profile = "lenient"
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "tasks").mkdir()
    for name in ("b.yaml", "a.yaml"):
        (tmp_path / "tasks" / name).write_text("- ask: hi\n")
    (tmp_path / "email.json").write_text("[]")
    return tmp_path / "suite.toml"


def error_of(text: str, file: Path) -> str:
    with pytest.raises(TaskError) as caught:
        read_manifest(text, file, {})
    return str(caught.value).removeprefix(str(file))


def test_everything_that_a_suite_says_is_read(suite: Path) -> None:
    assert read_manifest(SUITE, suite, {"TOKEN": "t"}) == SuiteManifest(
        name="mail",
        directory=str(suite.parent.resolve()),
        title="Mail",
        licence="MIT",
        source="ours",
        files=(
            TaskFileRef(path="tasks/a.yaml", loader="native"),
            TaskFileRef(path="tasks/b.yaml", loader="native"),
            TaskFileRef(path="email.json", loader="radar", sha256="00", options={"domain": "email"}),
        ),
        servers={
            "line": ServerRef(
                name="line",
                transport="stdio",
                command="uvx",
                arguments=("mcp-server-time", "--local-timezone", "Europe/Berlin"),
            ),
            "factory": ServerRef(name="factory", transport="in_process", factory="tests.mail:server"),
            "address": ServerRef(name="address", transport="http", url="https://example.org/mcp"),
            "mail": ServerRef(
                name="mail",
                transport="stdio",
                command="python",
                arguments=("server.py",),
                environment={"TOKEN": "t"},
                variables={"TOKEN": "t"},
                state="shared",
                timeouts=ServerTimeouts(call_seconds=5),
            ),
        },
        metrics=("dtsr",),
        metric_settings={"ast": {"profile": "lenient"}},
        floors={"ast": 1.0},
        limits=Limits(rounds=5),
        system="Be brief.",
        prompts={"react": "Think."},
        tool_names="prefixed",
        exposure="selected",
        judge="keyfacts",
    )


def test_a_suite_without_a_name_is_called_after_its_directory(suite: Path) -> None:
    assert read_manifest('files = ["email.json"]', suite, {}).name == suite.resolve().parent.name


def test_servers_of_an_mcp_json_are_joined_by_those_of_the_suite(suite: Path) -> None:
    (suite.parent / "mcp.json").write_text('{"mcpServers": {"a": {"command": "x", "odd": 1}, "b": {"command": "y"}}}')
    found = read_manifest('mcp_json = "mcp.json"\nfiles = ["email.json"]\n[servers]\nb = "z"', suite, {})
    assert {name: server.command for name, server in found.servers.items()} == {"a": "x", "b": "z"}
    assert found.warnings == (f"{suite.parent / 'mcp.json'}: server 'a': 'odd' is not supported and was ignored",)


def test_the_workspace_of_vs_code_is_the_suites_directory(suite: Path) -> None:
    (suite.parent / "mcp.json").write_text('{"servers": {"a": {"command": "${workspaceFolder}/run"}}}')
    found = read_manifest('mcp_json = "mcp.json"\nfiles = ["email.json"]', suite, {})
    assert found.servers["a"].command == f"{suite.parent.resolve()}/run"


def test_an_unset_variable_is_the_problem_of_its_server_alone(suite: Path) -> None:
    servers = read_manifest(SUITE, suite, {}).servers
    assert servers["mail"].problem == "environment variable not set: TOKEN; set it or write a default, ${TOKEN:-…}"
    assert servers["line"].problem is None


@pytest.mark.parametrize(
    ("written", "instead", "error"),
    [
        ("licence =", "license =", ":3: license: there is no such field. Did you mean 'licence'?"),
        ("rounds = 5", 'rounds = "x"', ":37: limits.rounds: must be a whole number, not text."),
        ("rounds = 5", "round = 5", ":37: limits.round: there is no such field. Did you mean 'rounds'?"),
        ("ast = 1.0", 'ast = "all"', ":34: floors.ast: must be a number, not text."),
        ("[floors]", "[floor]", ":33: floor: there is no such field. Did you mean 'floors'?"),
        ('"prefixed"', '"both"', ":7: tool_names: should be 'plain' or 'prefixed'."),
        ("arguments =", "args =", ":28: servers.mail.args: there is no such field. Did you mean 'arguments'?"),
        ("environment =", "env =", ":29: servers.mail.env: there is no such field. Did you mean 'environment'?"),
        ('state = "shared"', 'state = "new"', ":30: servers.mail.state: should be 'shared' or 'per_task'."),
        (
            "call_seconds",
            "call_second",
            ":31: servers.mail.timeouts.call_second: there is no such field. Did you mean 'call_seconds'?",
        ),
        ('command = "python"', "mode = 'auto'", ":26: servers.mail: server 'mail' (stdio) needs a command."),
        (
            '"uvx mcp',
            "\"'uvx mcp",
            ":22: servers.line: server 'line': the command cannot be split into words: No closing quotation.",
        ),
        ('"radar"', "5", ":16: files[2].loader: must be text, not a number."),
        ('loader = "radar"', 'loder = "radar"', ":16: files[1].loder: there is no such field. Did you mean 'loader'?"),
        ('path = "email.json"', 'pth = "email.json"', ":14: files[1].path: is missing."),
    ],
)
def test_an_error_names_file_line_and_field(suite: Path, written: str, instead: str, error: str) -> None:
    assert error_of(SUITE.replace(written, instead), suite) == error


def test_a_simulated_server_that_ships_is_named_in_short(suite: Path) -> None:
    text = 'files = ["email.json"]\n[servers.calendar]\nsimulated = "google-maps"\nsequential = true\n'
    assert read_manifest(text, suite, {}).servers == {
        "calendar": ServerRef(
            name="calendar",
            transport="in_process",
            factory="pytest_mcpbench.simulated.catalogue:google-maps",
            sequential=True,
        )
    }


def test_the_name_of_a_simulated_server_is_text(suite: Path) -> None:
    text = 'files = ["email.json"]\n[servers.calendar]\nsimulated = true\n'
    assert error_of(text, suite) == (
        ":3: servers.calendar.simulated: must be the name of a simulated server, not true or false."
    )


def test_a_pattern_without_files_is_an_error(suite: Path) -> None:
    text = 'name = "a"\n[[files]]\npath = "none/*.yaml"\n'
    assert error_of(text, suite) == f":3: files[0].path: no file matches 'none/*.yaml' in {suite.parent}."


def test_a_suite_without_files_is_an_error(suite: Path) -> None:
    assert error_of("name = 'a'", suite) == (
        ': files: must list the suite\'s task files. Write [[files]] with path = "tasks.yaml" for each of them.'
    )


def test_a_file_whose_ending_tells_nothing_needs_a_loader(suite: Path) -> None:
    assert error_of('[[files]]\npath = "a.csv"', suite) == (
        ":1: files[0].loader: is missing: the extension of 'a.csv' does not imply a loader. "
        "Use one of: native, toolbench, atlas, finmcp, radar, persona."
    )


def test_invalid_toml_is_an_error_with_its_line(suite: Path) -> None:
    assert error_of('name = "a"\nname = "b"\nx =', suite).startswith(":2: not valid TOML: ")


def test_an_mcp_json_that_is_not_there_is_an_error(suite: Path) -> None:
    text = 'name = "a"\nmcp_json = "no.json"\nfiles = ["email.json"]'
    assert (
        error_of(text, suite) == f":2: mcp_json: {suite.parent / 'no.json'} cannot be read: No such file or directory."
    )


def standalone(text: str, directory: Path, name: str = "mail.mcpbench.yaml") -> SuiteManifest:
    return standalone_manifest(text, directory / name, {})


def test_the_head_of_a_task_file_is_a_suite(tmp_path: Path) -> None:
    text = "server: python server.py\nsystem: Be brief.\nfloors: {ast: 0.5}\nlimits: {rounds: 3}\ntasks:\n  - ask: hi\n"
    assert standalone(text, tmp_path) == SuiteManifest(
        name="mail",
        directory=str(tmp_path.resolve()),
        files=(TaskFileRef(path="mail.mcpbench.yaml", loader="native"),),
        servers={"server": ServerRef(name="server", transport="stdio", command="python", arguments=("server.py",))},
        system="Be brief.",
        floors={"ast": 0.5},
        limits=Limits(rounds=3),
    )


@pytest.mark.parametrize("neighbour", ["mcp.json", ".mcp.json", ".vscode/mcp.json"])
def test_a_plain_list_of_tasks_takes_the_servers_beside_it(tmp_path: Path, neighbour: str) -> None:
    (tmp_path / neighbour).parent.mkdir(exist_ok=True)
    (tmp_path / neighbour).write_text('{"mcpServers": {"a": {"command": "x"}}}')
    assert set(standalone("- ask: hi\n", tmp_path).servers) == {"a"}
    assert set(standalone('{"ask": "hi"}\n', tmp_path, "m.mcpbench.jsonl").servers) == {"a"}


def test_a_file_that_names_its_server_takes_none_from_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}}}')
    assert set(standalone("servers: {b: y}\ntasks: [ask: hi]", tmp_path).servers) == {"b"}


def test_a_file_beside_a_suite_is_a_suite_of_its_own_with_the_same_servers(suite: Path) -> None:
    suite.write_text(SUITE)
    found = standalone("floors: {dtsr: 1}\ntasks: [{ask: hi}]\n", suite.parent)
    assert (found.name, found.floors, found.system) == ("mail", {"dtsr": 1.0}, "Be brief.")
    assert found.files == (TaskFileRef(path="mail.mcpbench.yaml", loader="native"),)
    assert set(found.servers) == {"line", "factory", "address", "mail"}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("servr: x\ntasks: []", ":1: servr: there is no such field. Did you mean 'server'?"),
        ("server: x\nlimits:\n  rounds: no\ntasks: []", ":3: limits.rounds: must be a whole number, not text."),
        ("server: [x]\ntasks: []", ":1: servers.server: must be a table or a string, not a list."),
    ],
)
def test_an_error_in_a_head_names_its_line(tmp_path: Path, text: str, error: str) -> None:
    with pytest.raises(TaskError) as caught:
        standalone(text, tmp_path)
    assert str(caught.value).removeprefix(str(tmp_path / "mail.mcpbench.yaml")).startswith(error)


@pytest.mark.parametrize("text", ["tasks: [\n", "tasks: \udcff"])
def test_a_file_that_is_no_yaml_is_left_to_the_loader(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.mcpbench.yaml"
    assert [each.path for each in standalone_manifest(text, file, {}).files] == ["a.mcpbench.yaml"]


def test_a_broken_task_does_not_hide_the_head(tmp_path: Path) -> None:
    assert set(standalone("server: x\ntasks:\n  - {a: 1, a: 2}\n", tmp_path).servers) == {"server"}


ON_DATA = (
    SUITE
    + """
[data]
recorded = true
servers = {}
metrics = ["emr"]
[[data.files]]
path = "**/a*.json"
loader = "toolbench"
[[data.files]]
path = "**/*.json"
loader = "finmcp"
"""
)


@pytest.fixture
def public(tmp_path: Path) -> Path:
    (tmp_path / "public" / "x").mkdir(parents=True)
    for name in ("x/a1.json", "x/b.json"):
        (tmp_path / "public" / name).write_text("[]")
    return tmp_path / "public"


def test_with_data_the_suite_is_what_its_table_says_of_it(suite: Path, public: Path) -> None:
    made = read_manifest(ON_DATA, suite, {"TOKEN": "t"}, public)
    assert [(file.path, file.loader) for file in made.files] == [("x/a1.json", "toolbench"), ("x/b.json", "finmcp")]
    facts = (made.name, made.directory, made.servers, made.metrics, made.recorded, made.system)
    assert facts == ("mail", str(public.resolve()), {}, ("emr",), True, "Be brief.")


def test_an_mcp_json_among_recorded_data_makes_its_servers_real(suite: Path, public: Path) -> None:
    (public / "mcp.json").write_text('{"mcpServers": {"maps": {"command": "maps-server"}}}')

    made = read_manifest(ON_DATA, suite, {"TOKEN": "t"}, public)
    assert [(server.name, server.command) for server in made.servers.values()] == [("maps", "maps-server")]
    live = read_manifest(ON_DATA.replace("recorded = true", ""), suite, {"TOKEN": "t"}, public)
    assert live.servers == {}


def test_without_data_the_table_does_not_count(suite: Path) -> None:
    made = read_manifest(ON_DATA, suite, {"TOKEN": "t"})
    assert (made.recorded, made.metrics, len(made.servers)) == (False, ("dtsr",), 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("\n[data]\nfiels = []\n", "data.fiels: there is no such field. Did you mean 'files'?", id="key"),
        pytest.param("\n[data]\nrecorded = true\n", "data.files: must list the public files.", id="no files"),
        pytest.param('\n[data]\nfiles = ["*.x"]\n', "data.files: no file in", id="no match"),
    ],
)
def test_a_wrong_data_table_is_an_error_with_its_line(suite: Path, public: Path, text: str, message: str) -> None:
    with pytest.raises(TaskError) as caught:
        read_manifest(SUITE + text, suite, {"TOKEN": "t"}, public)
    line = len((SUITE + text).splitlines())
    assert message in str(caught.value)
    assert caught.value.place.line in (line, line - 1)
