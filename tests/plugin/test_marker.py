"""A marker that is wrong is told in one sentence, with the place of the test; never passed over."""

import pytest

FIRST = "test_it.py:3: test_it: "


@pytest.mark.extra
@pytest.mark.parametrize(
    ("arguments", "fixtures", "said"),
    [
        pytest.param(
            'siute="notes.mcpbench.yaml"',
            "mcp_run",
            "the marker mcpbench has no 'siute'; it has: suite, model, trials, server. Did you mean 'suite'?",
            id="unknown",
        ),
        pytest.param(
            '"notes.mcpbench.yaml"',
            "mcp_run",
            "the marker takes keywords only: mcpbench(suite='notes.mcpbench.yaml')",
            id="positional",
        ),
        pytest.param(
            'suite="nix.yaml"',
            "mcp_run",
            "no suite is called 'nix.yaml', and no such file exists; there are: *",
            id="no suite",
        ),
        pytest.param(
            'suite="notes.mcpbench.yaml", trials=0',
            "mcp_run",
            "mcpbench(trials=0): trials is a whole number from 1",
            id="no trials",
        ),
        pytest.param(
            'suite="notes.mcpbench.yaml", model=3',
            "mcp_run",
            "mcpbench(model=3): model is the name of a model, or a list of names",
            id="model",
        ),
        pytest.param(
            "",
            "mcp_run",
            'the test uses a fixture of a task: specify the suite with @pytest.mark.mcpbench(suite="name or path")',
            id="no arguments",
        ),
        pytest.param(
            'server="nix"',
            "mcp_tools",
            "there is no server called 'nix' in notes.mcpbench.yaml; there are: notes",
            id="no server",
        ),
        pytest.param(
            'suite="notes.mcpbench.yaml"',
            "",
            "the test is marked mcpbench(…) and uses no fixture of a task: use mcp_run, mcp_scorecard or "
            "mcp_task, or mcp_tools to look at servers",
            id="no fixture",
        ),
    ],
)
def test_a_mistake_is_one_sentence(project: pytest.Pytester, arguments: str, fixtures: str, said: str) -> None:
    project.makepyfile(
        test_it=f"import pytest\n\n@pytest.mark.mcpbench({arguments})\ndef test_it({fixtures}):\n    pass\n"
    )
    result = project.runpytest_inprocess("test_it.py", "--model=oracle")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([FIRST + said])
    shown = result.stdout.str()
    assert "Traceback" not in shown
    assert "pytest_mcpbench" not in shown
    assert "pluggy/" not in shown


def test_a_fixture_of_a_task_needs_the_marker(project: pytest.Pytester) -> None:
    project.makepyfile(test_it="def test_it(mcp_run): pass\n")
    result = project.runpytest_inprocess("test_it.py")
    result.stdout.fnmatch_lines(["test_it.py:1: test_it: the test uses a fixture of a task: specify the suite*"])


def test_a_bare_marker_selects_only(project: pytest.Pytester) -> None:
    project.makepyfile(test_it="import pytest\n\n@pytest.mark.mcpbench\ndef test_it(): pass\n")
    project.runpytest_inprocess("test_it.py", "-m", "mcpbench").assert_outcomes(passed=1)


def test_a_marker_of_a_class_is_for_the_tests_that_use_it(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.mcpbench(suite="notes.mcpbench.yaml", model=["oracle"])
        class TestIt:
            def test_plain(self): pass
            def test_task(self, mcp_task): pass
        """
    )
    project.runpytest_inprocess("test_it.py").assert_outcomes(passed=3)
