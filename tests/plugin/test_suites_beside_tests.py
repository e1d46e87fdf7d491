"""``--suite`` without paths runs the suite alone, in a project that has tests of its own."""

import pytest

from tests.plugin.conftest import TASKS, usage_error

SUITE = """
[servers.notes]
factory = "fixtures.notes_server:server"

[[files]]
path = "notes.mcpbench.yaml"
"""
INI = "[pytest]\nfilterwarnings = default\ntestpaths = tests\n"
BROKEN = "import a_package_that_only_the_tests_need\n"


@pytest.fixture
def with_tests(project: pytest.Pytester) -> pytest.Pytester:
    """A project with the suite ``mine`` of two tasks, and a test whose conftest cannot be imported here."""
    mine = project.mkdir("suites").joinpath("mine")
    mine.mkdir()
    project.path.joinpath("notes.mcpbench.yaml").unlink()
    mine.joinpath("notes.mcpbench.yaml").write_text(TASKS[TASKS.index("tasks:") :], encoding="utf-8")
    mine.joinpath("suite.toml").write_text(SUITE, encoding="utf-8")
    tests = project.mkdir("tests")
    tests.joinpath("test_own.py").write_text("def test_own(): pass\n", encoding="utf-8")
    tests.joinpath("conftest.py").write_text(BROKEN, encoding="utf-8")
    project.makeini(INI)
    return project


@pytest.mark.extra
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--suite=mine"], id="by name"),
        pytest.param(["--suite", "mine", "--trials", "1"], id="in two words"),
        pytest.param(["--mcpbench-suite=mine"], id="by the long option"),
        pytest.param(["--suite=suites/mine"], id="by path"),
        pytest.param(["-omcpbench_suite=mine"], id="by the ini file"),
        pytest.param(["--suite=mine", "-n1"], id="in a worker"),
        pytest.param(["--suite=mine", "--pyargs"], id="with names of modules"),
        pytest.param(["--suite=mine", "-pno:cacheprovider"], id="without a cache"),
    ],
)
def test_only_the_suite_runs_and_no_conftest_of_the_tests_is_loaded(
    with_tests: pytest.Pytester, arguments: list[str]
) -> None:
    result = with_tests.runpytest_inprocess("--model=oracle", *arguments)
    result.assert_outcomes(passed=2)
    assert "testpaths" not in result.stdout.str()


def test_what_failed_runs_again_without_the_tests(with_tests: pytest.Pytester) -> None:
    with_tests.runpytest_inprocess("--suite=mine", "--model=noop", "-k", "shopping").assert_outcomes(
        failed=1, deselected=1
    )
    with_tests.runpytest_inprocess("--suite=mine", "--model=noop", "--lf").assert_outcomes(failed=1, deselected=1)


def test_suite_and_tests_run_if_the_tests_are_named(with_tests: pytest.Pytester) -> None:
    assert with_tests.runpytest_inprocess("--suite=mine", "tests").ret == pytest.ExitCode.USAGE_ERROR
    with_tests.path.joinpath("tests", "conftest.py").unlink()
    with_tests.runpytest_inprocess("--suite=mine", "--model=oracle", "tests").assert_outcomes(passed=3)
    with_tests.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_suite_that_ships_uses_the_conftest_above_the_working_directory(
    with_tests: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_tests.makeconftest("def pytest_addoption(parser): parser.addoption('--ours')")
    below = with_tests.mkdir("below")
    below.joinpath("conftest.py").write_text("def pytest_addoption(parser): parser.addoption('--lower')")
    below.joinpath("tests").mkdir()
    below.joinpath("tests", "conftest.py").write_text(BROKEN, encoding="utf-8")
    monkeypatch.chdir(below)
    result = with_tests.runpytest_inprocess("--suite=radar", "--model=oracle", "-k=email-003", "--ours=1", "--lower=1")
    result.assert_outcomes(passed=1, deselected=514)


def test_the_conftest_of_a_suite_adds_its_options(with_tests: pytest.Pytester) -> None:
    conftest = with_tests.path.joinpath("suites", "mine", "conftest.py")
    conftest.write_text("def pytest_addoption(parser): parser.addoption('--of-suite')", encoding="utf-8")
    with_tests.runpytest_inprocess("--suite=mine", "--model=oracle", "--of-suite=1").assert_outcomes(passed=2)


def test_an_unknown_suite_is_named_before_what_is_wrong_with_the_tests(with_tests: pytest.Pytester) -> None:
    message = usage_error(with_tests, "--suite=mien")
    assert message.startswith("no suite is called 'mien', and no such file exists; there are: ")
    assert "Did you mean 'mine'?\n" in message
    assert "--suite may also be an option of a conftest file, but one cannot be loaded: ModuleNotFoundError:" in message


def test_an_option_of_the_tests_that_is_called_suite_is_theirs(with_tests: pytest.Pytester) -> None:
    conftest = with_tests.path.joinpath("tests", "conftest.py")
    conftest.write_text("def pytest_addoption(parser): parser.addoption('--suite')", encoding="utf-8")
    result = with_tests.runpytest_inprocess("--suite=smoke")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*--suite belongs to another plugin: use --mcpbench-suite*"])
