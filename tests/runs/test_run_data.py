"""Data of runs: the columns that the page describes, types that do not depend on values, the records that count."""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pandas
import pyarrow.parquet
import pytest

import pytest_mcpbench
from pytest_mcpbench.cli import main
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.files.line_file import DamagedRecordWarning, TornRecordWarning
from pytest_mcpbench.reporting.data.columns import ATTEMPTS, CALLS, KINDS, SCORES
from pytest_mcpbench.reporting.data.table import TableKind
from tests.builders import a_call, evidence_of
from tests.cli.test_command_line import write
from tests.reporting.samples import HOSTILE, one_of_each

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "data.md").read_text(encoding="utf-8")
DTYPES = {
    "text": "string",
    "integer": "Int64",
    "number": "Float64",
    "truth": "boolean",
    "time": "datetime64[us, UTC]",
}


def a_record(task_id: str = "t", outcome: str = "passed", **fields: object) -> RunRecord:
    made = {"suite": "s", "task_id": task_id, "task_hash": "h", "model": "m", "outcome": outcome, **fields}
    return RunRecord.model_validate(made)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    directory = write(tmp_path / "run", one_of_each())
    conditions = {"top_k": 5, "skills": ["a.md", "b.md"], "route": True, "of_another_version": {"a": 1}}
    (directory / "run.json").write_text(json.dumps({"suites": {"s": {"conditions": conditions}}}))
    return directory


@pytest.fixture
def any_size_of_cells() -> Iterator[None]:
    usual = csv.field_size_limit(10_000_000)
    yield
    csv.field_size_limit(usual)


def described_columns(heading: str) -> list[tuple[str, str]]:
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = re.findall(r"^\| (`.*?) \| (\w+) \|", section.group(1), re.MULTILINE)
    return [(name, kind) for names, kind in rows for name in re.findall(r"`([^`]+)`", names)]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_page_describes_each_column_with_its_type(kind: TableKind) -> None:
    described = described_columns("Every table") + described_columns(kind.name.capitalize())
    columns = [(column.name, column.type) for column in kind.columns]
    families = [(prefix, type_) for prefix, type_ in kind.families.items()]
    assert sorted(described, key=str) == sorted(
        [
            *columns,
            *(
                (next(name for name, _ in described if name.startswith(f"{prefix}.<")), type_)
                for prefix, type_ in families
            ),
        ],
        key=str,
    )


def test_an_attempt_is_a_row_with_scores_tags_labels_and_conditions(run: Path) -> None:
    frame = pytest_mcpbench.load(run).attempts().set_index("task")
    row = frame.loc["pass"]
    expected = {"run": "run", "suite": "s", "model": "m", "trial": 1, "outcome": "passed", "passed": True, "steps": 2}
    assert {name: row[name] for name in expected} == expected
    assert (row["input_tokens"], row["cost_usd"], row["calls"], row["failed_calls"]) == (2400, 0.0246, 1, 0)
    assert (row["score.ast"], row["floor.ast"], row["tag.difficulty"]) == (1.0, 1.0, "easy")
    assert (row["condition.top_k"], row["condition.skills"], row["condition.route"]) == (5, "a.md, b.md", True)
    assert row["condition.of_another_version"] == '{"a": 1}'
    assert frame.loc["fail", "failures.rules"] == "redundant_calls"
    assert frame.loc["error", "error_kind"] == "server"
    assert frame.loc["harm", "prompt"] == HOSTILE


def test_a_swept_attempt_has_its_own_conditions_and_the_name_of_its_series(tmp_path: Path) -> None:
    swept = a_record(model="m@rounds:5,top-k:3", swept={"rounds": "5", "top-k": "3"})
    directory = write(tmp_path / "run", [swept, a_record("u")])
    (directory / "run.json").write_text(json.dumps({"suites": {"s": {"conditions": {"top_k": 10}}}}))
    data = pytest_mcpbench.load(directory)
    frame = data.attempts().set_index("task")
    columns = ["model", "series", "swept.rounds", "swept.top-k", "condition.top_k"]
    assert tuple(frame.loc["t", columns]) == ("m", "m@rounds:5,top-k:3", "5", "3", 3)
    assert tuple(frame.loc["u", ["model", "series", "condition.top_k"]]) == ("m", "m", 10)
    assert frame.loc["u", ["swept.rounds", "swept.top-k"]].isna().all()


def test_unknown_values_are_never_0_and_the_mean_of_passed_is_the_pass_rate(run: Path) -> None:
    frame = pytest_mcpbench.load(str(run)).attempts().set_index("task")
    unknown = [
        "passed",
        "input_tokens",
        "cost_usd",
        "steps",
        "calls",
        "answer",
        "stop",
        "exposed_tools",
        "score.ast",
        "test",
        "arm",
    ]
    assert frame.loc["error", unknown].isna().all()
    assert frame.loc["unscored", ["passed", "score.ast"]].isna().all()
    assert frame["passed"].mean() == pytest.approx(2 / 5)


def types_of(frame: pandas.DataFrame) -> dict[str, str]:
    return {str(name): str(type_) for name, type_ in frame.dtypes.items()}


def test_types_do_not_depend_on_values(run: Path, tmp_path: Path) -> None:
    empty = write(tmp_path / "empty", [a_record(outcome="error")])
    for directory in (run, empty):
        data = pytest_mcpbench.load(directory)
        for kind, frame in ((ATTEMPTS, data.attempts()), (SCORES, data.scores()), (CALLS, data.calls())):
            fixed = {column.name: DTYPES[column.type] for column in kind.columns}
            further = {
                name: DTYPES[kind.families[name.partition(".")[0]]] for name in types_of(frame) if name not in fixed
            }
            assert types_of(frame) == {**fixed, **further}


def test_scores_have_reasons_and_say_why_there_is_no_value(run: Path) -> None:
    frame = pytest_mcpbench.load(run).scores().set_index(["task", "metric"])
    assert tuple(frame.loc[("fail", "ast"), ["value", "floor", "status"]]) == (0.0, 1.0, "scored")
    assert "expected 'a.txt', got 'b.txt'" in str(frame.loc[("fail", "ast"), "reasons"])
    assert frame.loc[("fail", "answer"), "status"] == "n/a"
    assert tuple(frame.loc[("unscored", "ast"), ["status", "why_no_value"]]) == ("unscored", "no judge is configured")


def test_calls_have_arguments_and_results(run: Path) -> None:
    frame = pytest_mcpbench.load(run).calls()
    fail = frame[frame["task"] == "fail"]
    assert list(fail["call"]) == [0, 1, 2]
    assert list(fail["step"]) == [0, 1, 1]
    assert [json.loads(text)["path"] for text in fail["arguments"]] == ["b.txt", "a.txt", "b.txt"]
    assert list(frame[frame["task"] == "harm"]["root_cause"]) == ["other"]
    assert len(frame[frame["task"] == "error"]) == 0


def test_of_a_resumed_run_the_record_that_counts_is_read(tmp_path: Path) -> None:
    error, fixed = a_record(outcome="error"), a_record(evidence=evidence_of((a_call("read"),)))
    data = pytest_mcpbench.load(write(tmp_path / "run", [error, a_record("u"), fixed]))
    assert list(zip(data.attempts()["task"], data.attempts()["outcome"], strict=True)) == [
        ("t", "passed"),
        ("u", "passed"),
    ]
    assert list(data.calls()["task"]) == ["t"]


def test_the_same_attempt_in_two_runs_has_two_rows(tmp_path: Path) -> None:
    runs = [write(tmp_path / parent / "out", [a_record()]) for parent in ("x", "y")]
    frame = pytest_mcpbench.load([*runs, tmp_path / "x" / ".." / "x" / "out"]).attempts()
    assert list(frame["run"]) == [str(run) for run in runs]


def test_a_run_that_goes_on_is_read_again(tmp_path: Path) -> None:
    data = pytest_mcpbench.load(write(tmp_path, [a_record("a")]))
    assert len(data.attempts()) == 1
    write(tmp_path, [a_record("b")])
    assert len(data.attempts()) == 2


@pytest.mark.parametrize(
    ("damage", "warning"),
    [
        (lambda content: content[:-20], TornRecordWarning),
        (lambda content: b"garbage\n" + content, DamagedRecordWarning),
    ],
    ids=["cut off", "garbage"],
)
def test_damaged_lines_are_a_warning(damage: Callable[[bytes], bytes], warning: type[Warning], tmp_path: Path) -> None:
    path = write(tmp_path, [a_record("a"), a_record("b")]) / "records-main.jsonl"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(warning, match=r"records-main.jsonl:\d"):
        assert "a" in set(pytest_mcpbench.load(tmp_path).attempts()["task"])


def test_a_directory_without_a_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(McpBenchError, match="there are no records in it"):
        pytest_mcpbench.load(tmp_path)


def test_a_metric_with_any_name_has_a_column(tmp_path: Path) -> None:
    card = Scorecard(scores={"my.metric 2": Score.of(0.5), "run": Score.of(1)})
    frame = pytest_mcpbench.load(write(tmp_path / "r", [a_record(scorecard=card, tags={"task": "x"})])).attempts()
    assert (frame["score.my.metric 2"][0], frame["score.run"][0], frame["run"][0], frame["tag.task"][0]) == (
        0.5,
        1,
        "r",
        "x",
    )


def test_pandas_is_needed_only_for_data_frames(run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=r'pip install "pytest-mcpbench\[data\]"'):
        pytest_mcpbench.load(run).attempts()
    assert main(["export", str(run), "--format", "parquet", "--out", str(tmp_path / "a.parquet")]) == 2
    assert main(["export", str(run), "--out", str(tmp_path / "a.csv")]) == 0


@pytest.mark.usefixtures("any_size_of_cells")
def test_csv_and_parquet_have_what_the_data_frame_has(run: Path, tmp_path: Path) -> None:
    for table in KINDS:
        frame: pandas.DataFrame = getattr(pytest_mcpbench.load(run), table)()
        for name in ("csv", "parquet"):
            arguments = ["--format", name, "--table", table, "--out", str(tmp_path / f"{table}.{name}")]
            assert main(["export", str(run), *arguments]) == 0
        with (tmp_path / f"{table}.csv").open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        assert header == list(frame.columns)
        assert len(rows) == len(frame)
        loaded = pyarrow.parquet.read_table(tmp_path / f"{table}.parquet").to_pylist()
        expected = [
            {name: None if pandas.isna(value) else value for name, value in row.items()}
            for row in frame.to_dict("records")
        ]
        assert loaded == expected


def test_csv_on_standard_output_leaves_unknown_values_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = a_record(outcome="error", is_xfail=True, started_at="2026-01-02T03:04:05+01:00")
    assert main(["export", str(write(tmp_path / "r", [record]))]) == 0
    (row,) = csv.DictReader(capsys.readouterr().out.splitlines())
    assert (row["run"], row["passed"], row["is_xfail"], row["input_tokens"]) == ("r", "", "true", "")
    assert datetime.fromisoformat(row["started_at"]) == datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)


def test_loading_imports_no_pandas() -> None:
    code = (
        "import pytest_mcpbench, sys; pytest_mcpbench.load; assert not {'pandas', 'pyarrow', 'mcp'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
