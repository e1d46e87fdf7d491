"""``mcpbench lock`` and the item of a lock file in a run of pytest."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli import main

ROOT = Path(__file__).parents[2]
TASKS = """\
servers: {weather: {factory: "fixtures.servers.defined:server"}}
tasks:
  - {ask: Is it raining in Oslo?, tool: get_weather, arguments: {city: Oslo}}
"""
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"name": "get_weather", "description": "Weather of a city.", "inputSchema": CITY}
LINK = {"name": "get_link", "description": "Link to a map.", "inputSchema": CITY}
Define = Callable[..., None]


def define(*tools: dict[str, Any], **fields: Any) -> None:
    """Write the tools that the server of the project has."""
    Path("tools.json").write_text(json.dumps({"tools": tools, **fields}), encoding="utf-8")


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project in the working directory, whose server has been locked."""
    pytester.makefile(".mcpbench.yaml", weather=TASKS)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    define(TOOL)
    assert main(["lock"]) == 0
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_inprocess("tools.lock.json", "--deselect=tools.lock.json::lint[weather]", *arguments)


def test_a_lock_is_written_once_and_then_unchanged(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path("tools.lock.json").read_bytes()
    assert main(["lock", "--check"]) == 0
    assert main(["lock", "weather"]) == 0
    assert "tools.lock.json: weather: 1 tool, about " in capsys.readouterr().out
    assert Path("tools.lock.json").read_bytes() == before


def test_a_lock_with_conflicts_of_a_merge_is_named_and_written_when_it_is_accepted(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path("tools.lock.json")
    right = file.read_text()
    conflicted = re.sub(
        r"( +\"tokens\": )(\d+,\n)", r"<<<<<<< HEAD\n\1\2=======\n\g<1>1,\n>>>>>>> other\n", right, count=1
    )
    file.write_text(conflicted)
    assert main(["lock"]) == main(["lock", "--check"]) == 2
    assert "tools.lock.json:7: conflicts of a merge." in capsys.readouterr().err
    assert file.read_text() == conflicted
    assert run(project).parseoutcomes().keys() & {"passed"} == set()
    assert main(["lock", "--accept"]) == 0
    assert file.read_text() == right


def test_a_changed_text_needs_acceptance(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    define({**TOOL, "description": "Weather."})
    before = Path("tools.lock.json").read_bytes()
    assert main(["lock"]) == main(["lock", "--check"]) == 1
    assert "needs measurement: get_weather: description" in capsys.readouterr().err
    assert Path("tools.lock.json").read_bytes() == before
    assert main(["lock", "--accept"]) == 0
    assert main(["lock", "--check"]) == 0


def test_a_lock_is_the_same_on_a_machine_with_other_paths(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def says(home: str, *, file: str = "notes.txt") -> None:
        monkeypatch.setenv("HOME", home)
        path = {"type": "string", "description": f"Such as {home}/a, /home/ann-old or file://{project.path}/a."}
        allowed = f"Allowed: /tmp/a. Not {home}/{file}, nor /users/{{project}}."
        define({**TOOL, "inputSchema": {"type": "object", "properties": {"path": path}}}, instructions=allowed)

    says("/home/ann")
    assert main(["lock", "--accept"]) == 0
    text = Path("tools.lock.json").read_text()
    assert "Allowed: {tmp}/a. Not {home}/notes.txt, nor /users/{project}." in text
    assert "Such as {home}/a, /home/ann-old or file://{project}/a." in text
    says("/Users/bob")
    assert main(["lock", "--check"]) == 0
    run(project).assert_outcomes(passed=1)
    says("/Users/bob", file="other.txt")
    assert main(["lock", "--check"]) == 1
    run(project).assert_outcomes(failed=1)


def test_an_older_lock_with_paths_of_this_machine_is_current_and_becomes_portable(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    define(TOOL, instructions="Reads /home/ann/notes.txt.")
    assert main(["lock", "--accept"]) == 0
    file = Path("tools.lock.json")
    portable = file.read_text()
    file.write_text(portable.replace("{home}", "/home/ann"))
    assert main(["lock", "--check"]) == 0
    run(project).assert_outcomes(passed=1)
    assert main(["lock"]) == 0
    assert file.read_text() == portable


def test_a_compatible_change_is_written_without_acceptance(project: pytest.Pytester) -> None:
    define(TOOL, LINK)
    assert main(["lock", "--check"]) == 0
    assert '"get_link"' not in Path("tools.lock.json").read_text()
    assert main(["lock"]) == 0
    assert '"get_link"' in Path("tools.lock.json").read_text()


def test_a_missing_lock_fails_the_check(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    Path("tools.lock.json").unlink()
    assert main(["lock", "--check"]) == 1
    assert "tools.lock.json: 'weather' has no lock; `mcpbench lock` writes it." in capsys.readouterr().err
    assert not Path("tools.lock.json").exists()


def test_an_edited_lock_must_be_written_again(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    lock = Path("tools.lock.json")
    lock.write_text(lock.read_text().replace("Weather of a city.", "Anything."))
    assert main(["lock", "--check"]) == 1
    assert "edited by hand: get_weather" in capsys.readouterr().err
    assert main(["lock", "--accept"]) == main(["lock", "--check"]) == 0


def test_each_server_keeps_its_file_when_another_one_appears(project: pytest.Pytester) -> None:
    more = 'server: "fixtures.servers.in_process:without_arguments"\ntasks: [{ask: Ping!, tool: ping}]\n'
    project.makefile(".mcpbench.yaml", more=more)
    assert main(["lock"]) == 0
    names = {path.name: json.loads(path.read_text())["server"] for path in Path().glob("*tools.lock.json")}
    other = "fixtures.servers.in_process-without_arguments"
    assert names == {"tools.lock.json": "weather", f"{other}.tools.lock.json": other}
    assert main(["lock", "--check"]) == 0


def test_servers_without_a_name_are_called_after_their_programs(pytester: pytest.Pytester) -> None:
    line = 'server: "fixtures.servers.in_process:{}"\ntasks: [{{ask: Ping!, tool: ping}}]\n'
    pytester.makefile(".mcpbench.yaml", one=line.format("low_level"), two=line.format("without_arguments"))
    assert main(["lock"]) == 0
    names = ["fixtures.servers.in_process-low_level", "fixtures.servers.in_process-without_arguments"]
    assert [json.loads(Path(f"{name}.tools.lock.json").read_text())["server"] for name in names] == names


SERVER_OF_PACKAGE = """\
import sys

sys.path.insert(0, "SERVERS")
import odd

odd.TOOLS[:] = [{**odd.ECHO, "name": "PACKAGE_echo"}]
sys.argv[1:] = ["good"]
odd.main()
"""


def _a_package(directory: Path, tasks: str) -> None:
    directory.mkdir()
    server = SERVER_OF_PACKAGE.replace("SERVERS", str(ROOT / "fixtures/servers")).replace("PACKAGE", directory.name)
    (directory / "server.py").write_text(server)
    call = f"{{ask: Say hello., tool: {directory.name}_echo}}"
    (directory / tasks).write_text(f"server: {sys.executable} server.py\ntasks: [{call}]\n")


def _locked_servers(root: Path) -> dict[str, tuple[str, str]]:
    locks = {file.relative_to(root).as_posix(): json.loads(file.read_text()) for file in root.rglob("*.lock.json")}
    return {file: (lock["server"], lock["tools"][0]["definition"]["name"]) for file, lock in locks.items()}


@pytest.mark.long
def test_packages_of_a_monorepo_call_their_servers_alike_for_locks_and_runs(pytester: pytest.Pytester) -> None:
    _a_package(pytester.path / "first", "one.mcpbench.yaml")
    _a_package(pytester.path / "second", "two.mcpbench.yaml")
    both = {
        "first/tools.lock.json": ("server.py", "first_echo"),
        "second/tools.lock.json": ("server.py", "second_echo"),
    }
    assert main(["lock"]) == 0
    assert _locked_servers(pytester.path) == both
    _a_package(pytester.path / "a", "zero.mcpbench.yaml")
    assert main(["lock"]) == main(["lock", "--check"]) == 0
    assert _locked_servers(pytester.path) == {**both, "a/tools.lock.json": ("server.py", "a_echo")}
    result = pytester.runpytest_inprocess("-k", "lock[", "--rootdir=.")
    result.assert_outcomes(passed=3, deselected=6)
    Path("second/two.mcpbench.yaml").unlink()
    assert main(["lock", "--check"]) == 1  # a server.py of another package is not that of the lock


@pytest.mark.long
@pytest.mark.parametrize("is_conflicted", [False, True], ids=["whole", "with conflicts of a merge"])
def test_a_lock_stays_that_of_its_task_file_when_another_file_has_a_server_of_the_same_name(
    pytester: pytest.Pytester, is_conflicted: bool
) -> None:
    _a_package(pytester.path / "first", "weather.mcpbench.yaml")
    _a_package(pytester.path / "second", "two.mcpbench.yaml")
    assert main(["lock"]) == 0
    before = _locked_servers(pytester.path)
    text = f"server: {sys.executable} ../second/server.py\ntasks: [{{ask: Say hello., tool: second_echo}}]\n"
    Path("first/a.mcpbench.yaml").write_text(text)
    if is_conflicted:
        file = Path("first/tools.lock.json")
        file.write_text(
            re.sub(r"( +\"tokens\": .*\n)", r"<<<<<<< HEAD\n\1=======\n\1>>>>>>> other\n", file.read_text())
        )
    assert main(["lock", "--accept"]) == main(["lock", "--check"]) == 0
    new = {"first/server.py@a.tools.lock.json": ("server.py@a", "second_echo")}
    assert _locked_servers(pytester.path) == {**before, **new}
    pytester.runpytest_inprocess("first", "-k", "lock[", "--rootdir=.").assert_outcomes(passed=2, deselected=4)


def test_a_lock_names_its_task_file_by_a_new_name(project: pytest.Pytester) -> None:
    Path("weather.mcpbench.yaml").rename("rain.mcpbench.yaml")
    assert main(["lock", "--check"]) == 0
    assert json.loads(Path("tools.lock.json").read_text())["file"] == "weather.mcpbench.yaml"
    assert main(["lock"]) == 0
    assert json.loads(Path("tools.lock.json").read_text())["file"] == "rain.mcpbench.yaml"


def test_the_lock_of_a_server_of_the_project_stands_beside_the_tasks_that_use_it(project: pytest.Pytester) -> None:
    Path("tools.lock.json").unlink()
    Path("weather.mcpbench.yaml").unlink()
    project.mkdir("tests")
    command = {"command": sys.executable, "args": [str(ROOT / "fixtures/servers/odd.py"), "good"]}
    Path("mcp.json").write_text(json.dumps({"mcpServers": {"notes": command}}))
    Path("tests/notes.mcpbench.yaml").write_text("tasks: [{ask: Say hello., tool: echo}]")
    assert main(["lock"]) == 0
    assert [str(path) for path in Path().rglob("*tools.lock.json")] == ["tests/tools.lock.json"]
    project.runpytest_inprocess("tests/tools.lock.json").assert_outcomes(passed=2)


def test_a_directory_without_servers_says_how_to_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lock"]) == 2
    assert "no server is defined in" in capsys.readouterr().err


def test_a_lock_without_a_server_fails(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("tools.lock.json").read_text().replace('"server": "weather"', '"server": "mail"')
    Path("mail.tools.lock.json").write_text(text)
    assert main(["lock", "--check"]) == 1
    assert "mail.tools.lock.json: the file is a lock of the server 'mail', which nothing" in capsys.readouterr().err
    assert main(["lock", "--check", "weather"]) == 0


def test_a_server_that_does_not_start_leaves_the_others_alone(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    project.makefile(".json", mcp=json.dumps({"mcpServers": {"gone": {"command": "no-such-command"}}}))
    assert main(["lock"]) == 2
    shown = capsys.readouterr()
    assert "server 'gone' failed to start" in shown.err
    assert "weather: 1 tool" in shown.out


def test_a_definition_without_end_is_an_error_of_its_server(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(100):
        schema = {"type": "object", "properties": {"x": schema}}
    define({**TOOL, "inputSchema": schema})
    assert main(["lock"]) == 2
    assert "failed to list: the definition of the tool 'get_weather' has more than" in capsys.readouterr().err


def test_the_lock_is_an_item_that_passes(project: pytest.Pytester) -> None:
    result = run(project, "-v", "-k", "lock", "--junitxml=junit.xml")
    result.stdout.fnmatch_lines(["tools.lock.json::lock[[]weather[]] PASSED*"])
    assert 'name="lock[weather]"' in Path("junit.xml").read_text()


@pytest.mark.parametrize(
    ("tools", "lines"),
    [
        ([LINK], ["*breaking: get_weather: a tool was removed*", "*mcpbench lock --accept*"]),
        (
            [{**TOOL, "description": "Weather."}],
            [
                "*needs measurement: get_weather: desc*",
                "*- Weather of a city.",
                "*+ Weather.",
                "*--mcpbench-baseline*",
            ],
        ),
        ([{**TOOL, "inputSchema": {**CITY, "required": ["city", "day"]}}], ["*breaking: get_weather: day: *required*"]),
    ],
    ids=["removed", "text", "required"],
)
def test_a_change_that_matters_fails_the_item(
    project: pytest.Pytester, tools: list[dict[str, Any]], lines: list[str]
) -> None:
    define(*tools)
    result = run(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(lines)


def test_a_compatible_change_passes_with_a_warning(project: pytest.Pytester) -> None:
    define(TOOL, LINK)
    result = run(project)
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*compatible: get_link: a tool was added*"])


def test_a_server_that_does_not_start_is_an_error(project: pytest.Pytester) -> None:
    Path("tools.json").unlink()
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*server 'weather' failed to configure*"])


def test_a_lock_of_another_server_ends_the_run_before_anything_is_asked(project: pytest.Pytester) -> None:
    Path("tools.lock.json").rename("mail.tools.lock.json")
    lock = Path("mail.tools.lock.json")
    lock.write_text(lock.read_text().replace('"server": "weather"', '"server": "mail"'))
    result = project.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*mail.tools.lock.json: the file is a lock of the server 'mail', *there are: weather.*"]
    )


def test_a_lock_of_a_server_with_other_tools_and_another_name_is_refused(project: pytest.Pytester) -> None:
    define(LINK, name="maps")
    result = run(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*a lock of the server 'defined', and 'weather' is 'maps'*no tool in common*"])


def test_the_lock_has_the_same_definitions_as_the_snapshot(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        def test_tools(mcp_tools, tool_schema_snapshot):
            assert mcp_tools == tool_schema_snapshot
        """
    )
    project.runpytest_inprocess("--snapshot-update", "-k", "test_tools").assert_outcomes(passed=1)
    (snapshot,) = project.path.rglob("*[[]weather[]].tools.json")
    locked = json.loads(Path("tools.lock.json").read_text())["tools"]
    assert json.loads(snapshot.read_text()) == [tool["definition"] for tool in locked]


def test_a_run_that_measures_the_change_accepts_its_texts_and_no_other(project: pytest.Pytester) -> None:
    Path("base.tools.lock.json").write_bytes(Path("tools.lock.json").read_bytes())
    old = Path("old")
    old.mkdir()
    Path("base.tools.lock.json").rename(old / "tools.lock.json")
    define({**TOOL, "description": "Weather."})
    items = ["tools.lock.json::lock[weather]", "weather.mcpbench.yaml", "--mcpbench-baseline=old"]
    assert _outcome_of_lock(project, items) == "passed"
    assert _outcome_of_lock(project, [*items, "-k", "lock or baseline"]) == "failed"  # there is no gate
    other = old / "tools.lock.json"
    other.write_text(other.read_text().replace("Weather of a city.", "Forecast of a city."))
    assert _outcome_of_lock(project, items) == "failed"


def test_a_baseline_that_is_a_server_measures_the_lock_only_if_it_shows_the_text_of_the_lock(
    project: pytest.Pytester,
) -> None:
    project.syspathinsert()
    Path("tools.json").rename("earlier.json")
    text = "from fixtures.servers import defined\n\ndef server():\n    return defined.server('earlier.json')\n"
    Path("earlier.py").write_text(text)
    define({**TOOL, "description": "Weather."})
    items = ["tools.lock.json::lock[weather]", "weather.mcpbench.yaml"]
    same = "--mcpbench-baseline=server:fixtures.servers.defined:server"
    assert _outcome_of_lock(project, [*items, same]) == "failed"
    assert _outcome_of_lock(project, [*items, "--mcpbench-baseline=server:earlier:server"]) == "passed"


def _outcome_of_lock(project: pytest.Pytester, arguments: list[str]) -> str:
    result = project.runpytest_inprocess(*arguments, "-rA", "-p", "no:cacheprovider")
    (outcome,) = re.findall(r"^([A-Z]+) tools\.lock\.json::lock\[weather\]", "\n".join(result.outlines), re.MULTILINE)
    return str(outcome).lower()


def test_anonymous_servers_find_their_locks_as_baselines(pytester: pytest.Pytester) -> None:
    line = 'server: "fixtures.servers.in_process:{}"\ntasks: [{{ask: Ping!, tool: ping}}]\n'
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    pytester.makefile(".mcpbench.yaml", one=line.format("low_level"), two=line.format("without_arguments"))
    assert main(["lock"]) == 0
    result = pytester.runpytest_inprocess(
        "one.mcpbench.yaml", "two.mcpbench.yaml", "--mcpbench-baseline=.", "--co", "-q"
    )
    assert result.ret == 0, result.outlines
