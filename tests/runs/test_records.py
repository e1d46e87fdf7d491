"""Storage of records: crashes in the middle of a line, damaged files, several writers."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import TaskError, UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.files.line_file import DamagedRecordWarning, TornRecordWarning
from pytest_mcpbench.runs.records import (
    RecordWriter,
    read_facts,
    read_record,
    read_records,
    read_report,
    require_known_version,
    write_facts,
)
from tests.builders import a_call, evidence_of


def a_record(task_id: str = "t", **fields: object) -> RunRecord:
    record = {"suite": "s", "task_id": task_id, "task_hash": "h", "model": "m", "outcome": "passed", **fields}
    return RunRecord.model_validate(record)


def write(directory: Path, *records: RunRecord, worker: str = "main") -> None:
    writer = RecordWriter(directory, worker=worker)
    for record in records:
        writer.append(record)
    writer.close()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    first, second = a_record("a", evidence=evidence_of((a_call("read"),), answer="yes")), a_record("b")
    writer = RecordWriter(tmp_path / "new" / "run", worker="gw0")
    refs = [writer.append(first), writer.append(second)]
    writer.close()
    assert list(read_records(tmp_path / "new" / "run")) == list(zip(refs, [first, second], strict=True))
    assert [read_record(tmp_path / "new" / "run", ref) for ref in refs] == [first, second]


def test_a_record_that_cannot_be_shown_is_left_out_and_named(tmp_path: Path) -> None:
    write(tmp_path, a_record("a"), a_record("b"), a_record("c"))
    path = tmp_path / "records-main.jsonl"
    lines = path.read_text().splitlines()
    damaged = {**json.loads(lines[1]), "scorecard": {"scores": {}, "floors": {"state": 1.0}}}
    path.write_text("\n".join((lines[0], json.dumps(damaged), lines[2], "")))
    with pytest.warns(DamagedRecordWarning, match=r"records-main.jsonl:2: .*there is no score of state"):
        report = read_report(tmp_path)
    assert [entry.task_id for entry in report.entries] == ["a", "c"]


@pytest.mark.parametrize("note", [5, {"a": {}}, {"a": {"tools": "x", "tokens": 1}}])
def test_a_record_with_a_damaged_note_of_the_offered_tools_is_no_record(note: object) -> None:
    line = json.loads(a_record("b", evidence=evidence_of(())).model_dump_json())
    line["run"]["notes"] = {"offered_definitions": note}
    with pytest.raises(ValueError, match=r"notes\.offered_definitions"):
        RunRecord.model_validate_json(json.dumps(line))


def test_two_writers_of_one_file_return_references_to_their_own_records(tmp_path: Path) -> None:
    writers = [RecordWriter(tmp_path, worker="main") for _ in range(2)]
    names = [f"{turn}-{number}" + "x" * size for size in (0, 20_000) for turn in range(3) for number in range(2)]
    refs = {name: writers[number % 2].append(a_record(name)) for number, name in enumerate(names)}
    for writer in writers:
        writer.close()
    assert {name: read_record(tmp_path, ref).task_id for name, ref in refs.items()} == {name: name for name in names}


def test_lone_surrogates_are_replaced_in_the_record_and_in_its_entry(tmp_path: Path) -> None:
    evidence = evidence_of((a_call("read", {"ti\ud800tle": ["\udc00"]}, result="x\ud800y"),), answer="né")
    record = a_record("t\udfff", tags={"kind": "\ud800"}, evidence=evidence)
    with closing(RecordWriter(tmp_path, worker="main")) as writer:
        entry = writer.append_entry(record)
    ((ref, stored),) = read_records(tmp_path)
    assert stored.evidence is not None
    (call,) = stored.evidence.calls
    assert (call.arguments, call.result) == ({"ti\ufffdtle": ["\ufffd"]}, ToolResult.of_text("x\ufffdy"))
    assert (entry.task_id, entry.tags, stored.evidence.answer) == ("t\ufffd", {"kind": "\ufffd"}, "né")
    assert entry == Entry.of(stored, ref)


def test_every_field_is_written_so_that_a_table_of_records_has_no_holes(tmp_path: Path) -> None:
    write(tmp_path, a_record("a"), a_record("b", evidence=evidence_of((a_call("read"),)), trial=2, is_xfail=True))
    bare, full = map(json.loads, (tmp_path / "records-main.jsonl").read_text().splitlines())
    assert bare.keys() == full.keys()
    assert bare["trial"] == 1
    assert bare["run"] is None
    (step,) = full["run"]["trajectory"]["steps"]
    assert (step["turn"], step["retries"], step["calls"][0]["problem"]) == (0, 0, None)


def test_records_without_defaults_and_without_turns_are_read(tmp_path: Path) -> None:
    record = a_record("a", prompt="Do it.", evidence=evidence_of((a_call("read"),), answer="yes"))
    line = record.model_dump_json(exclude_defaults=True)
    assert all(f'"{name}"' not in line for name in ("turns", "version", "trial"))
    (tmp_path / "records-main.jsonl").write_text(line + "\n")
    assert [found for _, found in read_records(tmp_path)] == [record]


@pytest.mark.parametrize("head", [{"version": 1}, {}], ids=["version 1", "without a version"])
def test_trials_of_records_of_version_1_are_counted_from_1(head: dict[str, int], tmp_path: Path) -> None:
    record = a_record("a", trial=2, evidence=evidence_of((a_call("read"),)).model_copy(update={"trial": 2}))
    content = {name: value for name, value in json.loads(record.model_dump_json()).items() if name != "version"}
    old = {**head, **content, "trial": 1, "run": {**content["run"], "trial": 1}}
    (tmp_path / "records-main.jsonl").write_text(json.dumps(old) + "\n" + record.model_dump_json() + "\n")
    found = [(read_record(tmp_path, ref), read) for ref, read in read_records(tmp_path)]
    assert found == [(record, record)] * 2


def test_records_of_all_workers_are_read(tmp_path: Path) -> None:
    write(tmp_path, a_record("a"), worker="gw0")
    write(tmp_path, a_record("b"), worker="gw1")
    assert [record.task_id for _, record in read_records(tmp_path)] == ["a", "b"]


def test_a_torn_last_line_is_dropped_with_a_warning(tmp_path: Path) -> None:
    write(tmp_path, a_record("a"), a_record("b"))
    path = tmp_path / "records-main.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.warns(TornRecordWarning, match=r"records-main.jsonl:2: the record is cut off"):
        assert [record.task_id for _, record in read_records(tmp_path)] == ["a"]


def test_a_torn_last_line_does_not_swallow_what_is_appended_later(tmp_path: Path) -> None:
    write(tmp_path, a_record("a"), a_record("b"))
    path = tmp_path / "records-main.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    writer = RecordWriter(tmp_path, worker="main")
    ref = writer.append(a_record("c"))
    writer.close()
    with pytest.warns(DamagedRecordWarning, match=r"records-main.jsonl:2"):
        assert [record.task_id for _, record in read_records(tmp_path)] == ["a", "c"]
    assert read_record(tmp_path, ref).task_id == "c"


@pytest.mark.parametrize(
    "line", [b"garbage", b"{}", b'{"suite": 1}', b"\xff\xfe\x00", b"[]"], ids=["text", "empty", "type", "bytes", "list"]
)
def test_a_damaged_line_in_the_middle_loses_no_other(tmp_path: Path, line: bytes) -> None:
    write(tmp_path, a_record("a"), a_record("b"))
    path = tmp_path / "records-main.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + line + b"\n" + second)
    with pytest.warns(DamagedRecordWarning, match=r"records-main.jsonl:2: not a record"):
        assert [record.task_id for _, record in read_records(tmp_path)] == ["a", "b"]


def test_of_an_attempt_made_twice_the_last_record_counts(tmp_path: Path) -> None:
    write(tmp_path, a_record("a", outcome="error"), a_record("a", outcome="passed"))
    assert [entry.outcome for entry in read_report(tmp_path).entries] == ["passed"]


@pytest.mark.parametrize(("earlier", "later"), [("main", "gw0"), ("gw0", "main"), ("gw1", "gw0")])
def test_of_an_attempt_made_twice_by_different_processes_the_one_that_began_later_counts(
    tmp_path: Path, earlier: str, later: str
) -> None:
    first = [a_record(task, outcome="error", started_at=f"2026-01-01T09:00:0{task}") for task in "132"]
    second = [a_record(task, outcome="passed", started_at=f"2026-01-01T10:00:0{task}") for task in "321"]
    write(tmp_path, *first, worker=earlier)
    write(tmp_path, *second, worker=later)
    assert {entry.outcome for entry in read_report(tmp_path).entries} == {"passed"}
    assert [record.started_at for _, record in read_records(tmp_path)] == [
        *(record.started_at for record in first),
        *(record.started_at for record in second),
    ]


@pytest.mark.parametrize("make", [lambda _path: None, Path.mkdir], ids=["missing", "empty"])
def test_a_directory_without_records_is_an_error(tmp_path: Path, make: object) -> None:
    make(tmp_path / "out")  # type: ignore[operator]  # both take the path
    with pytest.raises(TaskError, match="--mcpbench-out"):
        read_report(tmp_path / "out")


def test_a_directory_in_place_of_a_file_of_records_is_named(tmp_path: Path) -> None:
    (tmp_path / "records-main.jsonl").mkdir()
    with pytest.raises(UsageError, match=r"records-main\.jsonl: Is a directory"):
        require_known_version(tmp_path)


def test_facts_are_written_by_the_first_process_only(tmp_path: Path) -> None:
    write_facts(tmp_path, {"who": "first"})
    write_facts(tmp_path, {"who": "second"})
    assert read_facts(tmp_path) == {"who": "first"}
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_facts_that_cannot_be_written_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_facts(tmp_path, {"who": {"a", "set"}})
    assert list(tmp_path.iterdir()) == []


def test_damaged_facts_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{")
    with pytest.warns(DamagedRecordWarning, match=r"run.json"):
        assert read_facts(tmp_path) == {}
