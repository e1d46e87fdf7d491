"""A suite with a [sample] runs it, unless all tasks, single ones or another sample are asked for."""

import json
from fnmatch import fnmatch

import pytest

from pytest_mcpbench.cli import main

LETTERS = "abcdefgh"
TASKS = "tasks:\n" + "".join(
    f"- {{id: {kind}-{letter}, ask: Say {letter}., answer: '{letter}', tags: {{kind: {kind}}}}}\n"
    for kind in ("one", "two")
    for letter in LETTERS
)
SUITE = 'files = ["tasks.yaml"]\n[sample]\nsize = 3\ntag = "kind"\n'
SPLITS = 'hard = ["one-a", "one-b", "one-h", "two-h"]\ncore = ["three-a"]\n'


@pytest.fixture
def letters(pytester: pytest.Pytester) -> pytest.Pytester:
    directory = pytester.mkdir("suites") / "letters"
    directory.mkdir()
    (directory / "suite.toml").write_text(SUITE)
    (directory / "tasks.yaml").write_text(TASKS)
    (directory / "splits.toml").write_text(SPLITS)
    return pytester


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["--suite=letters"], 6),
        (["suites/letters/suite.toml"], 6),
        (["--suite=letters:full"], 16),
        (["--suite=suites/letters:full"], 16),
        (["--suite=letters", "--suite=letters:full"], 16),
        (["--suite=letters:hard"], 4),
        (["--suite=letters:hard", "-k", "one"], 3),
        (["--suite=letters:hard", "--suite=letters:full"], 16),
        (["--suite=letters", "--mcpbench-sample=5"], 5),
        (["--suite=letters", "--mcpbench-tag=kind=one"], 3),
        (["--suite=letters", "-k", "two-a or two-b or two-c or two-d or one-e"], 4),
        ([f"suites/letters/suite.toml::one-{letter}[oracle]" for letter in LETTERS], 8),
        (["--suite=letters", "--model=noop"], 12),
    ],
    ids=lambda value: "" if isinstance(value, int) else value[-1],
)
def test_a_run_has_the_sample_of_what_it_selects(letters: pytest.Pytester, arguments: list[str], count: int) -> None:
    result = letters.runpytest_inprocess(*arguments, "--model=oracle", "--co", "-q")
    assert sum("::" in line for line in result.outlines) == count


def test_marked_tests_run_the_sample_a_split_or_all(letters: pytest.Pytester) -> None:
    letters.path.joinpath("suites", "letters", "splits.toml").write_text(SPLITS + 'quick = ["two-c"]\n')
    parts = {"hard": 4, "sample": 6, "quick": 1, "full": 16}
    test = '@pytest.mark.mcpbench(suite="letters{}")\ndef test_{}(mcp_run): pass\n'
    tests = (test.format("" if name == "sample" else f":{name}", name) for name in parts)
    letters.makepyfile("import pytest\n" + "".join(tests))
    result = letters.runpytest_inprocess("--model=oracle", "--co", "-v")
    assert {name: sum(f"test_{name}[" in line for line in result.outlines) for name in parts} == parts
    result.stdout.fnmatch_lines_random(
        [
            f"mcpbench: letters: a sample of {size} of 16 tasks ({sample}); --suite=letters:full runs all"
            for sample, size in (("hard", 4), ("3/kind", 6), ("quick", 1))
        ]
    )


def test_a_run_of_two_splits_of_a_suite_names_both(letters: pytest.Pytester) -> None:
    letters.path.joinpath("suites", "letters", "splits.toml").write_text(SPLITS + 'quick = ["two-c"]\n')
    test = '@pytest.mark.mcpbench(suite="letters:{0}")\ndef test_{0}(mcp_run): pass\n'
    letters.makepyfile("import pytest\n" + test.format("hard") + test.format("quick"))
    result = letters.runpytest_inprocess("--model=oracle", "--mcpbench-out=out")
    facts = json.loads((letters.path / "out" / "run.json").read_text())
    assert facts["suites"]["letters"]["sample"] == "hard and quick"
    assert (len(facts["contents"]["letters"]["tasks"]), facts["contents"]["letters"]["suite_tasks"]) == (5, 16)
    result.stdout.fnmatch_lines(["letters is a sample, hard and quick: 5 of 16 tasks.*"])


def test_the_shards_of_a_sample_divide_it_and_lack_nothing_when_merged(letters: pytest.Pytester) -> None:
    sample = _names(letters.runpytest_inprocess("--suite=letters", "--model=oracle", "--co", "-q"))
    shards = [
        _names(letters.runpytest_inprocess("--suite=letters", "--model=oracle", "-v", f"--mcpbench-shard={shard}"))
        for shard in ("1/2", "2/2")
    ]
    assert sorted(shards[0] + shards[1]) == sorted(sample)
    runs = map(str, (letters.path / ".mcpbench" / "runs").iterdir())
    assert main(["merge", *runs, "--out", "merged", "--fail-if-missing"]) == 0


def _names(result: pytest.RunResult) -> list[str]:
    return [line.partition("::")[2].partition("[")[0] for line in result.outlines if "::" in line]


def test_a_run_says_that_it_was_a_sample(letters: pytest.Pytester) -> None:
    result = letters.runpytest_inprocess("--suite=letters", "--model=oracle", "--mcpbench-out=out")
    result.stdout.fnmatch_lines(
        [
            "mcpbench: letters: a sample of 6 of 16 tasks (3/kind); --suite=letters:full runs all",
            "letters is a sample, 3/kind: 6 of 16 tasks. --suite=letters:full runs all.",
        ]
    )
    assert json.loads((letters.path / "out" / "run.json").read_text())["suites"]["letters"]["sample"] == "3/kind"
    whole = letters.runpytest_inprocess("--suite=letters:full", "--model=oracle", "-k", "one-a")
    whole.stdout.no_fnmatch_line("*a sample*")


def test_a_run_says_which_split_it_was(letters: pytest.Pytester) -> None:
    result = letters.runpytest_inprocess("--suite=letters:hard", "--model=oracle", "--mcpbench-out=out")
    result.stdout.fnmatch_lines(["letters is a sample, hard: 4 of 16 tasks. --suite=letters:full runs all."])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--suite=letters:quick"], "*splits.toml: no split is called 'quick'; there are: hard, core.*"),
        (["--suite=letters:core"], "*splits.toml: core: the suite has no task 'three-a'.*"),
        (["--suite=letters:hard", "--suite=letters:core"], "*a run has one split of a suite; 'hard' is named, too.*"),
        (["--suite=letters:hard", "--mcpbench-sample=2"], "*leave one of them out.*"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_split_that_cannot_be_run_is_an_error(letters: pytest.Pytester, arguments: list[str], message: str) -> None:
    result = letters.runpytest_inprocess(*arguments, "--model=oracle", "--co", "-q")
    assert result.ret != pytest.ExitCode.OK
    assert fnmatch(f"{result.stdout}{result.stderr}", message)


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ('size = 3\ntag = "kin"', "*letters: sample.tag: no task has the tag 'kin'. Did you mean 'kind'?*"),
        ("size = 0", "*suite.toml:*sample.size: *greater than or equal to 1*"),
        ("number = 3", "*suite.toml:*sample.number: *"),
    ],
)
def test_a_wrong_sample_is_an_error_of_the_suite(letters: pytest.Pytester, sample: str, message: str) -> None:
    (letters.path / "suites" / "letters" / "suite.toml").write_text(f'files = ["tasks.yaml"]\n[sample]\n{sample}\n')
    result = letters.runpytest_inprocess("--suite=letters", "--model=oracle")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([message])
