"""Runs of shards, machines and models are merged into one; incompatible runs are refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError, UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.secrets import Secrets
from pytest_mcpbench.files.line_file import DamagedRecordWarning, TornRecordWarning
from pytest_mcpbench.reporting.aggregates.run_end import end_facts
from pytest_mcpbench.reporting.tables.report_tables import run_table
from pytest_mcpbench.runs.merging import DifferentSettingsWarning, MergeResult, merge
from pytest_mcpbench.runs.records import RecordWriter, read_facts, read_records, read_report, write_facts
from pytest_mcpbench.servers.secret_filter import SecretFilter

CONTENTS = {"s": {"hash": "h1", "tasks": ["one", "two", "three"]}}


def a_record(task: str, *, model: str = "m", outcome: str = "passed", started_at: str = "1", **more: Any) -> RunRecord:
    fields = {"suite": "s", "task_id": task, "task_hash": f"hash of {task}", "model": model, "outcome": outcome}
    return RunRecord.model_validate({**fields, "started_at": started_at, **more})


def a_run(directory: Path, *records: RunRecord, settings: Mapping[str, str] | None = None, **facts: Any) -> Path:
    write_facts(directory, {"version": "1", "settings": dict(settings or {}), "contents": CONTENTS, **facts})
    writer = RecordWriter(directory, worker="main")
    for record in records:
        writer.append(record)
    writer.close()
    return directory


def attempts(directory: Path) -> list[tuple[str, str, str, str]]:
    return [(one.task_id, one.model, one.outcome, one.started_at) for _, one in read_records(directory)]


def test_the_records_of_shards_are_joined(tmp_path: Path) -> None:
    first = a_run(tmp_path / "a", a_record("one"), a_record("two"), settings={"shard": "1/2"})
    second = a_run(tmp_path / "b", a_record("three"), settings={"shard": "2/2"})
    assert merge([first, second], tmp_path / "out") == MergeResult(records=3)
    assert [task for task, *_ in attempts(tmp_path / "out")] == ["one", "two", "three"]


def test_a_merged_run_has_no_secret_that_an_old_record_or_its_facts_have(tmp_path: Path) -> None:
    old = a_run(tmp_path / "old", a_record("one"), where="at hunter22 street")
    line = a_record("two", prompt="hunter22", trial=3).model_dump_json().replace('"version":2', '"version":1')
    (old / "records-main.jsonl").write_text(line)
    merge([old], tmp_path / "out", SecretFilter(Secrets({"hunter22": "PASSWORD"})))
    ((_, record),) = read_records(tmp_path / "out")
    assert (record.prompt, record.trial) == ("[secret PASSWORD]", 4)
    assert not [path for path in (tmp_path / "out").iterdir() if "hunter22" in path.read_text()]


def test_the_records_of_models_are_joined(tmp_path: Path) -> None:
    runs = [a_run(tmp_path / name, *(a_record(task, model=name) for task in ("one", "two", "three"))) for name in "ab"]
    assert merge(runs, tmp_path / "out") == MergeResult(records=6)
    assert read_facts(tmp_path / "out")["settings"]["models"] == ["a", "b"]


def test_missing_shards_and_tasks_are_named(tmp_path: Path) -> None:
    only = a_run(tmp_path / "a", a_record("one"), settings={"shard": "2/3"})
    merged = merge([only], tmp_path / "out")
    assert (merged.missing_shards, merged.missing) == (("1/3", "3/3"), {("s", "m"): ("two", "three")})


def test_a_shard_without_tasks_is_no_missing_one(tmp_path: Path) -> None:
    empty = tmp_path / "b"
    write_facts(empty, {"version": "1", "settings": {"shard": "2/2"}, "contents": CONTENTS})
    full = a_run(tmp_path / "a", *map(a_record, ("one", "two", "three")), settings={"shard": "1/2"})
    assert merge([full, empty], tmp_path / "out") == MergeResult(records=3)


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        pytest.param(("error", "2"), ("passed", "1"), ("passed", "1"), id="a finished one before an error"),
        pytest.param(("failed", "1"), ("error", "2"), ("failed", "1"), id="an error after a finished one"),
        pytest.param(("passed", "1"), ("failed", "2"), ("failed", "2"), id="the later of two"),
        pytest.param(("passed", "2"), ("failed", "1"), ("passed", "2"), id="the later of two, named first"),
        pytest.param(("error", "1"), ("error", "2"), ("error", "2"), id="an error where there is nothing else"),
    ],
)
def test_of_an_attempt_in_two_directories_one_is_taken(
    tmp_path: Path, first: tuple[str, str], second: tuple[str, str], taken: tuple[str, str]
) -> None:
    runs = [
        a_run(tmp_path / name, a_record("one", outcome=outcome, started_at=moment))
        for name, (outcome, moment) in {"a": first, "b": second}.items()
    ]
    assert merge(runs, tmp_path / "out").duplicates == 1
    assert attempts(tmp_path / "out") == [("one", "m", *taken)]


def test_a_directory_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    evidence = a_run(tmp_path / "a", a_record("one"))
    assert merge([evidence, evidence], tmp_path / "out").duplicates == 0


def test_different_suites_are_refused_with_both_places_and_hashes(tmp_path: Path) -> None:
    first = a_run(tmp_path / "a", a_record("one"))
    second = a_run(tmp_path / "b", a_record("two"), contents={"s": {"hash": "h2", "tasks": ["two"]}})
    with pytest.raises(UsageError) as refused:
        merge([first, second], tmp_path / "out")
    for part in ("suite 's'", f"h1 in {first}", f"h2 in {second}"):
        assert part in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_another_version_of_a_task_is_refused_where_no_hash_of_the_suite_is_known(tmp_path: Path) -> None:
    first = a_run(tmp_path / "a", a_record("one"), contents={})
    second = a_run(tmp_path / "b", a_record("one", task_hash="another"), contents={})
    with pytest.raises(UsageError, match="task 'one' of suite 's' is not the same"):
        merge([first, second], tmp_path / "out")


def test_other_conditions_are_refused(tmp_path: Path) -> None:
    first, second = (
        a_run(tmp_path / name, a_record("one"), suites={"s": {"conditions": {"exposure": name}}}) for name in "ab"
    )
    with pytest.raises(UsageError, match=r"exposure is a in .*a and b in .*b\. Compare"):
        merge([first, second], tmp_path / "out")


def test_different_settings_are_joined_with_a_warning(tmp_path: Path) -> None:
    first = a_run(tmp_path / "a", a_record("one"), settings={"rounds": "3"})
    second = a_run(tmp_path / "b", a_record("two"))
    with pytest.warns(DifferentSettingsWarning, match="rounds is 3 in .*a, not set in .*b"):
        merge([first, second], tmp_path / "out")


def test_the_facts_of_every_run_are_kept(tmp_path: Path) -> None:
    runs = [
        a_run(tmp_path / name, a_record(task), settings={"temperature": "0.0", "out": name}, started_at=name)
        for name, task in {"b": "one", "a": "two"}.items()
    ]
    merge(runs, tmp_path / "out")
    facts = read_facts(tmp_path / "out")
    assert facts["settings"] == {"temperature": 0.0, "models": ["m"]}
    assert (facts["version"], facts["started_at"], facts["contents"]) == ("1", "a", CONTENTS)
    assert [one["directory"] for one in facts["merged"]] == [str(run) for run in runs]


def test_a_merged_report_says_how_each_run_ended(tmp_path: Path) -> None:
    first = a_run(tmp_path / "a", a_record("one"), end={"cause": "running", "reason": ""}, selected=5)
    second = a_run(tmp_path / "b", a_record("two"), isolation="bwrap")
    third = a_run(tmp_path / "c", a_record("three"), end={"cause": "interrupted", "reason": "SIGTERM", "selected": 4})
    merge([first, second], tmp_path / "two")
    merge([tmp_path / "two", third], tmp_path / "out")
    report = read_report(tmp_path / "out")
    end = end_facts(report)
    assert end is not None
    assert end["cause"] == "2 of 3 runs did not end by themselves"
    assert end["reason"].startswith(f"{first}: killed before its end: 1 of 5 attempts ran (")
    assert end["reason"].endswith(f"{third}: interrupted: 1 of 4 attempts ran (SIGTERM)")
    assert [row[:2] for row in run_table(report).rows] == [(str(first), "1"), (str(second), "1"), (str(third), "1")]
    assert "bwrap" in run_table(report).rows[1]


def test_a_torn_last_line_is_left_out_with_a_warning(tmp_path: Path) -> None:
    evidence = a_run(tmp_path / "a", a_record("one"))
    with (evidence / "records-main.jsonl").open("a") as file:
        file.write(json.dumps({"suite": "s"})[:5])
    with pytest.warns(TornRecordWarning, match="records-main.jsonl:2"):
        assert merge([evidence], tmp_path / "out").records == 1


def test_records_that_cannot_be_read_are_counted_in_each_report_of_the_merged_run(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run", a_record("one"), a_record("two"))
    with (run / "records-main.jsonl").open("ab") as file:
        file.write(b'{"suite": 1}\n\x00\xff\n[]\n')
    with pytest.warns(DamagedRecordWarning):
        assert merge([run], tmp_path / "out").damaged == 3
    merge([tmp_path / "out"], tmp_path / "again")
    assert [read_report(tmp_path / name).damaged for name in ("out", "again")] == [3, 3]


@pytest.mark.parametrize("facts", [[], 7, {"lost_records": "many"}, {"settings": 7, "merged": 7}])
def test_foreign_facts_of_a_run_do_not_stop_a_merge(tmp_path: Path, facts: object) -> None:
    run = a_run(tmp_path / "run", a_record("one"))
    (run / "run.json").write_text(json.dumps(facts))
    assert merge([run], tmp_path / "out").records == 1


@pytest.mark.parametrize(
    "facts", [{"contents": 7}, {"contents": {"s": {}}}, {"contents": {"s": 7}}, {"suites": {"s": {"conditions": 7}}}]
)
def test_facts_that_a_merge_cannot_use_are_left_out_with_a_warning(tmp_path: Path, facts: object) -> None:
    run = a_run(tmp_path / "run", a_record("one"))
    (run / "run.json").write_text(json.dumps(facts))
    with pytest.warns(DamagedRecordWarning, match=r"run\.json: the facts of the run cannot be used: (contents|suites)"):
        assert merge([run], tmp_path / "out").records == 1


def test_a_directory_with_records_is_not_written_to(tmp_path: Path) -> None:
    evidence = a_run(tmp_path / "a", a_record("one"))
    with pytest.raises(UsageError, match="already contains records"):
        merge([evidence], evidence)


def test_a_directory_without_a_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no such directory"):
        merge([tmp_path / "nowhere"], tmp_path / "out")
