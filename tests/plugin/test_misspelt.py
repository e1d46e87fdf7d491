"""Metrics that are misspelt, and files that cannot be read, are told where they stand."""

import pytest

from tests.plugin.conftest import TASKS, usage_error


def lines_of(project: pytest.Pytester, *arguments: str) -> str:
    """Return what a run shows; it is never a traceback."""
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
        from pytest_mcpbench.core.errors import SourceLocation
        from pytest_mcpbench.core.loading import LoadedTask
        from pytest_mcpbench.core.task import Task, Turn

        def load(content, options):
            task = Task(id="one", turns=(Turn(user="Hello"),), floors={"asst": 1})
            yield LoadedTask(SourceLocation(options.file, line=7), id="one", task=task)

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
        (
            "[floors]\nast_cals = 1\n",
            "5: floors.ast_cals: no metric is called 'ast_cals'. Did you mean 'ast_calls'?",
        ),
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
        pytest.param(b"- ask: Hello\n- ask: \xff\n", "bad/x.mcpbench.yaml:2: the line contains bytes *", id="no text"),
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
    assert "\nsuite.toml:2: the line contains bytes that are not UTF-8.\n" in output


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--model=lexicla", "no model is called 'lexicla'. Did you mean 'lexical'? A model is one of noop, oracle, "),
        ("--model=clade", "no model is called 'clade'. Did you mean 'claude' or 'claude-opus'? A model is one of "),
        ("--model=replay:nix", "nix: the records cannot be read: No such file or directory"),
        ("--model=scripted:nix.json", "scripted:nix.json: cannot be read: No such file or directory"),
        (
            "--mcpbench-judge=keyfact",
            "the judge 'keyfact': no model is called 'keyfact'. Did you mean 'keyfacts'? A model is ",
        ),
        (
            "--mcpbench-dispatcher=bm52",
            "the dispatcher 'bm52' is neither bm25 nor regex nor a model: no model is called 'bm52'.",
        ),
        ("--mcpbench-floor=asst=1", "--mcpbench-floor: no metric is called 'asst'. Did you mean 'ast'?"),
        ("--mcpbench-metric=bogus", "--mcpbench-metric: no metric is called 'bogus'. There are: answer, "),
        (
            "--mcpbench-data=..",
            "--mcpbench-data: no suite of this run reads it; name one, such as --suite=toolbench",
        ),
    ],
)
def test_a_name_that_means_nothing_ends_the_run_before_its_first_task(
    project: pytest.Pytester, argument: str, message: str
) -> None:
    assert usage_error(project, argument).startswith(message)


@pytest.mark.extra
def test_workers_refuse_a_name_that_means_nothing_once(project: pytest.Pytester) -> None:
    assert usage_error(project, "--model=clade", "-n", "2").count("no model is called 'clade'") == 1


@pytest.mark.parametrize("model", ["gpt-4o", "anthropic/claude-of-tomorrow", "http://127.0.0.1:1/v1#x", "claude"])
def test_names_of_models_that_litellm_or_a_url_can_mean_are_taken(project: pytest.Pytester, model: str) -> None:
    assert project.runpytest_inprocess(f"--model={model}", "--co").ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.long)], ids=["one process", "a worker"]
)
def test_a_hook_in_a_directory_below_may_give_a_name_its_meaning(
    project: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    below = project.mkdir("below")
    below.joinpath("notes.mcpbench.yaml").write_text(TASKS, encoding="utf-8")
    below.joinpath("conftest.py").write_text(
        """
from pytest_mcpbench.agents.oracle import OracleAgent

def pytest_mcpbench_make_agent(model):
    return OracleAgent() if model == "mine" else None
""",
        encoding="utf-8",
    )
    project.runpytest_inprocess("--model=mine", *workers).assert_outcomes(passed=4)


@pytest.mark.extra
def test_what_else_a_hook_raises_is_an_error_of_the_items(project: pytest.Pytester) -> None:
    project.makeconftest("""
        def pytest_mcpbench_make_agent(model):
            raise KeyError("MY_KEY")
    """)
    project.runpytest_inprocess("--model=mine").assert_outcomes(errors=2)


def test_an_error_of_collection_is_told_before_a_name_that_means_nothing(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", notes="servr: x\n" + TASKS)
    result = project.runpytest_inprocess("--model=clade")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["notes.mcpbench.yaml:1: servr: there is no such field. Did you mean 'server'?"])


def test_a_suite_may_have_any_name_that_ends_in_toml(project: pytest.Pytester) -> None:
    servers = '[servers.notes]\nfactory = "fixtures.notes_server:server"\n'
    files = '[[files]]\npath = "notes.mcpbench.yaml"\n'
    project.path.joinpath("s2.toml").write_text(files + servers, encoding="utf-8")
    result = project.runpytest_inprocess("--suite=s2.toml", "--model=oracle", "-rA")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["PASSED s2.toml::add-idea[[]oracle[]]", "oracle passes * of s2 *"])
