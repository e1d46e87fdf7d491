"""Metrics that are misspelt, and files that cannot be read, are told where they stand."""

import pytest

from tests.plugin.conftest import TASKS


def lines_of(project: pytest.Pytester, *arguments: str) -> str:
    """What a run shows; never a traceback."""
    output = project.runpytest_inprocess("--model=oracle", *arguments).stdout.str()
    assert "Traceback" not in output
    assert "pytest_mcpbench/" not in output
    return output


def test_a_floor_of_an_unknown_metric_is_an_error_of_its_task_alone(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", notes=TASKS.replace("    tags: {kind: writing}", "    floors:\n      asst: 1"))
    result = project.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["notes.mcpbench.yaml:15: floors.asst: no metric is called 'asst'. Did you mean 'ast'?"]
    )


def test_a_floor_of_a_metric_that_a_hook_gives_is_known(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", notes=TASKS.replace("    tags: {kind: writing}", "    floors: {mine: 1}"))
    project.makeconftest("""
        from pytest_mcpbench.core.score import Score

        def pytest_mcpbench_metrics():
            return {"mine": lambda task, run: Score.of(1.0)}
    """)
    project.runpytest_inprocess("--model=oracle").assert_outcomes(passed=2)


def test_a_loader_of_a_hook_cannot_bring_in_unknown_metrics(project: pytest.Pytester) -> None:
    project.makeconftest("""
        from pytest_mcpbench.core.errors import Place
        from pytest_mcpbench.core.loading import Loaded
        from pytest_mcpbench.core.task import Task, Turn

        def load(content, options):
            task = Task(id="one", turns=(Turn(user="Hello"),), floors={"asst": 1})
            yield Loaded(Place(options.file, line=7), id="one", task=task)

        def pytest_mcpbench_loaders():
            return {"mine": load}
    """)
    project.path.joinpath("suite.toml").write_text('[[files]]\npath = "x.txt"\nloader = "mine"\n', encoding="utf-8")
    project.path.joinpath("x.txt").touch()
    output = lines_of(project, "--suite=suite.toml")
    assert "x.txt:7: floors.asst: no metric is called 'asst'. Did you mean 'ast'?" in output


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[floors]\nast_cals = 1\n", "5: floors.ast_cals: no metric is called 'ast_cals'. Did you mean 'ast_calls'?"),
        ("[floors]\nast = 2\n", "5: floors.ast: should be less than or equal to 1."),
        ("[metric_settings.asst]\n", "4: metric_settings.asst: no metric is called 'asst'. Did you mean 'ast'?"),
    ],
)
def test_a_wrong_floor_of_a_suite_is_one_sentence_with_its_line(
    project: pytest.Pytester, toml: str, message: str
) -> None:
    files = '[[files]]\npath = "notes.mcpbench.yaml"\n\n'
    project.path.joinpath("suite.toml").write_text(files + toml, encoding="utf-8")
    assert f"\nsuite.toml:{message}\n" in lines_of(project, "--suite=suite.toml")


def test_a_wrong_metric_of_a_file_s_head_is_one_sentence_with_its_line(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", notes="metrics: [ast, bogus_metric]\n" + TASKS)
    output = lines_of(project)
    assert "\nnotes.mcpbench.yaml:1: metrics[1]: no metric is called 'bogus_metric'. There are: answer, " in output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"tasks:\n  - id: x\n  ask: [\n", "bad/x.mcpbench.yaml:3: not valid YAML: *", id="no YAML"),
        pytest.param(b"- ask: Hello\n- ask: \xff\n", "bad/x.mcpbench.yaml:2: the line holds bytes *", id="no text"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_error_and_the_others_run(
    project: pytest.Pytester, content: bytes, message: str
) -> None:
    project.mkdir("bad").joinpath("x.mcpbench.yaml").write_bytes(content)
    result = project.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_suite_that_is_no_text_is_told_with_its_line(project: pytest.Pytester) -> None:
    project.path.joinpath("suite.toml").write_bytes(b'name = "a"\ntitle = "\xff"\n')
    output = lines_of(project, "--suite=suite.toml")
    assert "\nsuite.toml:2: the line holds bytes that are not UTF-8.\n" in output
