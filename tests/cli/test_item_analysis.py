"""``mcpbench item-analysis``: a suite is measured, and its splits are written and run."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.cli.command_line import main

TASKS = "tasks:\n" + "".join(
    f"- {{id: {kind}-{number}, ask: Say {number}., answer: '{number}', tags: {{category: {kind}}}}}\n"
    for kind in ("one", "two")
    for number in range(100, 115)
)


def test_splits_are_written_and_run(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    pytester.makefile(".yaml", tasks=TASKS)
    pytester.path.joinpath("suite.toml").write_text('files = ["tasks.yaml"]\n')
    items = Path("items.jsonl")
    assert main(["item-analysis", "suite.toml", "--trials=10", f"--json={items}", "--write-splits"]) == 0
    assert "passed by oracle alone: 0" in capsys.readouterr().out
    statistics = [json.loads(line) for line in items.read_text(encoding="utf-8").splitlines()]
    assert {item["calls"] for item in statistics} == {0}
    assert all(0 < item["rates"]["0.6"] < 1 for item in statistics)
    result = pytester.runpytest_inprocess("--suite=suite.toml:quick", "--model=oracle", "--co", "-q")
    names = [line.partition("::")[2].partition("-")[0] for line in result.outlines if "::" in line]
    assert {kind: names.count(kind) for kind in names} == {"one": 10, "two": 10}


def test_no_splits_are_written_where_no_task_is_left(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", tasks="tasks:\n- {id: a, ask: Find it., calls: [{missing: {}}]}\n")
    pytester.path.joinpath("suite.toml").write_text('files = ["tasks.yaml"]\n')
    main(["item-analysis", "suite.toml", "--write-splits"])
    assert not pytester.path.joinpath("splits.toml").exists()


def test_a_record_that_cannot_be_read_is_named(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    pytester.makefile(
        ".yaml", tasks="tasks:\n- {id: a, ask: Find it., answer: here}\n- {id: b, ask: Find it., wrong: 1}\n"
    )
    pytester.path.joinpath("suite.toml").write_text('files = ["tasks.yaml"]\n')
    assert main(["item-analysis", "suite.toml", "--trials=2"]) == 1
    shown = capsys.readouterr()
    assert "tasks.yaml:3: wrong" in shown.err
    # Nothing else is a reason for the exit code.
    assert "not passed by oracle" not in shown.out
