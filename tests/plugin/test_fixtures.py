"""Tests that people write themselves, and fixtures and hooks that they override."""

import pytest


def test_a_marked_test_runs_for_each_task(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.mcpbench(suite="notes.mcpbench.yaml", model="oracle")
        def test_scores(mcp_task, mcp_run, mcp_scorecard, mcp_sandbox):
            assert mcp_scorecard["ast"] >= 1
            assert len(mcp_run.calls) == 1
            created = [change for record in mcp_sandbox.diff() for change in record.changes]
            assert bool(created) == (mcp_task.id == "add-idea")
        """
    )
    result = project.runpytest_inprocess("test_a_marked_test_runs_for_each_task.py")
    result.assert_outcomes(passed=2)


def test_an_assertion_on_a_score_explains_itself(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.mcpbench(suite="notes.mcpbench.yaml", model="noop")
        def test_scores(mcp_scorecard):
            assert mcp_scorecard["ast"] >= 0.9
        """
    )
    result = project.runpytest_inprocess("-k", "test_scores and reading or test_scores")
    result.stdout.fnmatch_lines(["*0 >= 0.9*", "*no call of read_note*"])


def test_a_fixture_can_replace_the_agent(project: pytest.Pytester) -> None:
    project.makeconftest(
        """
        import pytest
        from pytest_mcpbench.core.tool import Call
        from pytest_mcpbench.core.trajectory import Step, Trajectory

        class Stubborn:
            name = "stubborn"
            async def attempt(self, task, arena):
                call = await arena.call(Call(id="1", name="read_note", arguments={"title": "Shopping"}))
                return Trajectory(steps=(Step(calls=(call,)),))

        @pytest.fixture
        def mcp_agent():
            return Stubborn()
        """
    )
    result = project.runpytest_inprocess("--model=stubborn")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*attempts of notes.mcpbench.yaml ran one at a time*'mcp_agent'*"])


def test_hooks_add_metrics_and_agents(project: pytest.Pytester) -> None:
    project.makeconftest(
        """
        from pytest_mcpbench.core.score import Score
        from pytest_mcpbench.agents.noop import NoopAgent

        def pytest_mcpbench_metrics():
            return {"quiet": lambda task, run: Score.verdict(not run.calls)}

        def pytest_mcpbench_make_agent(model):
            return NoopAgent() if model == "silent" else None
        """
    )
    result = project.runpytest_inprocess("--model=silent", "--mcpbench-metric=quiet", "--mcpbench-floor=ast=0")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*quiet*silent*1.000*2"])


def test_a_metric_given_twice_names_both(project: pytest.Pytester) -> None:
    project.makeconftest("def pytest_mcpbench_metrics(): return {'ast': None}")
    result = project.runpytest_inprocess("--model=oracle")
    result.stdout.fnmatch_lines(["*'ast' is given by*conftest.py*built-ins*"])


def test_an_unknown_metric_names_the_nearest(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-metric=astt")
    result.stderr.fnmatch_lines(["*no metric is called 'astt'. Did you mean 'ast'?*"])


@pytest.mark.extra
def test_an_option_that_another_plugin_owns_is_left_to_it(project: pytest.Pytester) -> None:
    project.makeconftest("def pytest_addoption(parser): parser.addoption('--model', default='theirs')")
    result = project.runpytest_inprocess("--model=x", "--mcpbench-model=oracle")
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(["*--model belongs to another plugin: use --mcpbench-model*"])


@pytest.mark.extra
def test_tool_schemas_are_compared_with_a_snapshot(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        def test_tools(mcp_tools, tool_schema_snapshot):
            assert mcp_tools == tool_schema_snapshot
        """
    )
    arguments = ["-k", "test_tools and notes", "-p", "no:cacheprovider"]
    project.runpytest_inprocess(*arguments).assert_outcomes(failed=1)
    project.runpytest_inprocess(*arguments, "--snapshot-update").assert_outcomes(passed=1)
    (snapshot,) = project.path.rglob("test_tools[[]notes[]].tools.json")
    assert '"description": "Write a new note down.",' in snapshot.read_text()
    project.runpytest_inprocess(*arguments).assert_outcomes(passed=1)
    snapshot.write_text(snapshot.read_text().replace("Write a new note down.", "Add."))
    result = project.runpytest_inprocess(*arguments)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*add_note: description: 'Add.' -> 'Write a new note down.'",
            "*accept it with: pytest --snapshot-update",
            '*-*"description": "Add.",*',
            '*+*"description": "Write a new note down.",*',
        ]
    )
    snapshot.unlink()
    result = project.runpytest_inprocess(*arguments)
    result.stdout.fnmatch_lines(["*There is no snapshot yet. Write it with: pytest --snapshot-update"])


def test_matchers_hold_for_scores_and_can_be_played(project: pytest.Pytester) -> None:
    project.makefile(
        ".mcpbench.yaml",
        notes="""
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks:
  - id: add-idea
    ask: Write an idea down.
    tool: add_note
    arguments: {title: {regex: "[Ii]dea.*", example: Idea}, text: {any: true, example: x}}
""",
    )
    project.makeconftest(
        """
        from pytest_mcpbench import Call, Step, Trajectory

        class Agent:
            def __init__(self, title):
                self.name, self.title = title, title
            async def attempt(self, task, arena):
                arguments = {"title": self.title, "text": "y"}
                call = await arena.call(Call(id="1", name="add_note", arguments=arguments))
                return Trajectory(steps=(Step(calls=(call,)),))

        def pytest_mcpbench_make_agent(model):
            return Agent(model) if model.endswith("dea") else None
        """
    )
    project.makepyfile(
        """
        import pytest

        @pytest.mark.mcpbench(suite="notes.mcpbench.yaml")
        def test_scores(mcp_scorecard, mcp_job):
            assert (mcp_scorecard["ast"] >= 1) == (mcp_job.model != "An idea")
        """
    )
    models = ("--model=oracle", "--model=idea", "--model=An idea")
    project.runpytest_inprocess(*models).assert_outcomes(passed=5, failed=1)


def test_a_score_that_a_task_has_no_use_for_skips_its_test(project: pytest.Pytester) -> None:
    project.makefile(
        ".mcpbench.yaml",
        notes="""
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks:
  - {id: call, ask: Read it., tool: read_note, arguments: {title: Shopping}}
  - {id: answer, ask: What is six times seven?, answer: "42"}
""",
    )
    project.makepyfile(
        """
        import pytest

        @pytest.mark.mcpbench(suite="notes.mcpbench.yaml", model="oracle")
        def test_scores(mcp_scorecard):
            assert mcp_scorecard["ast"] >= 1

        @pytest.mark.mcpbench(suite="notes.mcpbench.yaml", model="oracle")
        def test_misspelt(mcp_scorecard):
            assert mcp_scorecard["asst"] >= 1
        """
    )
    result = project.runpytest_inprocess("-rs", "-k", "test_scores or test_misspelt")
    assert result.parseoutcomes() == {"passed": 1, "unscored": 1, "failed": 2, "deselected": 2}
    result.stdout.fnmatch_lines(["*KeyError*no metric is called 'asst'. Did you mean 'ast'?*"])
    result.stdout.fnmatch_lines(["UNSCORED *::test_scores?answer-oracle? *"])


def test_an_autouse_fixture_that_uses_the_sandbox_leaves_other_tests_alone(project: pytest.Pytester) -> None:
    project.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def seed(mcp_sandbox, mcp_task):
            (mcp_sandbox.path / "seed.txt").write_text("x")
            yield mcp_sandbox.path
        """
    )
    project.makepyfile(
        test_other="""
        def test_unrelated(request):
            assert (request.getfixturevalue("seed") / "seed.txt").exists()
            assert request.getfixturevalue("mcp_task") is None
        """,
    )
    project.runpytest_inprocess("--model=oracle").assert_outcomes(passed=3)


@pytest.mark.extra
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("{name: Shopping}", "gives 'name', which the tool does not have and lacks 'title', which it requires"),
        ("{title: a, colour: red}", "gives 'colour', which the tool does not have"),
    ],
)
@pytest.mark.parametrize("model", ["lexical", "noop", "oracle"])
def test_a_reference_that_no_longer_fits_its_tool_is_an_error_of_the_task_for_every_agent(
    project: pytest.Pytester, arguments: str, problem: str, model: str
) -> None:
    tasks = f"tasks: [{{id: a, ask: Read the note Shopping., tool: read_note, arguments: {arguments}}}]"
    servers = 'servers: {notes: {factory: "fixtures.notes_server:server"}}'
    project.makefile(".mcpbench.yaml", notes=f"{servers}\n{tasks}\n")
    result = project.runpytest_inprocess(f"--model={model}")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*notes.mcpbench.yaml:2: calls: the reference call of 'read_note' {problem}; its *"])


def test_direct_calls_share_a_server_and_are_compared_with_a_snapshot(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_direct="""
        import pytest

        @pytest.fixture
        def mcp_sanitizers():
            return [r"n\\d+"]

        def test_notes(mcp_call, tool_response_snapshot):
            assert mcp_call("add_note", title="Idea", text="x") == tool_response_snapshot
            assert mcp_call("read_note", title="Idea").text == "x"
            assert mcp_call("read_note", title="Other").is_error
            assert mcp_call("nothing").is_error

        def test_is_fresh(mcp_call):
            assert mcp_call("read_note", title="Idea").is_error
        """
    )
    project.runpytest_inprocess("test_direct.py").assert_outcomes(failed=1, passed=1)
    project.runpytest_inprocess("test_direct.py", "--snapshot-update").assert_outcomes(passed=2)
    (snapshot,) = project.path.rglob("*.response.json")
    assert "added <sanitized>" in snapshot.read_text()
    project.runpytest_inprocess("test_direct.py").assert_outcomes(passed=2)
    snapshot.write_text(snapshot.read_text().replace("added", "wrote"))
    result = project.runpytest_inprocess("test_direct.py")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*content*'wrote <sanitized>'* -> *'added <sanitized>'*"])


def test_a_server_that_does_not_start_is_told_in_a_direct_call(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", notes="server: no-such-command\ntasks: []\n")
    project.makepyfile(test_direct="def test_notes(mcp_call): mcp_call('x')")
    result = project.runpytest_inprocess("test_direct.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*server 'server' failed to start: its command 'no-such-command' was not found*"])


def test_the_protocol_check_is_a_fixture(project: pytest.Pytester) -> None:
    project.makepyfile(test_protocol="def test_protocol(mcp_protocol_faults): assert not mcp_protocol_faults")
    project.runpytest_inprocess("test_protocol.py").assert_outcomes(passed=1)
