"""Index of the local page: the attempts that reports show, also while a run goes on; search; notes."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.files.line_file import DamagedRecordWarning
from pytest_mcpbench.runs.records import RecordWriter, read_report, write_gates
from pytest_mcpbench.viewer import reading
from pytest_mcpbench.viewer.run_index import RunIndex, TextFile, search_words
from pytest_mcpbench.viewer.tail import Rank
from tests.builders import a_call, a_tool, evidence_of
from tests.cli.test_command_line import write
from tests.reporting.samples import one_of_each


def a_record(task_id: str = "t", outcome: str = "passed", **fields: object) -> RunRecord:
    made = {"suite": "s", "task_id": task_id, "task_hash": "h", "model": "m", "outcome": outcome, **fields}
    return RunRecord.model_validate(made)


def index_of(*runs: Path, scratch: Path) -> RunIndex:
    scratch.mkdir(parents=True, exist_ok=True)
    index = RunIndex(runs, scratch)
    index.scan()
    return index


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


def rows(index: RunIndex, since: int = 0) -> Iterator[dict[str, Any]]:
    whole = json.loads("".join(index.index_json(since)))
    for values in whole["rows"]:
        row = dict(zip(whole["fields"], values, strict=True))
        yield {**row, **{name: table[row[name]] for name, table in whole["tables"].items()}}


def test_the_rows_are_the_attempts_of_the_report_in_natural_order(tmp_path: Path, scratch: Path) -> None:
    records = [a_record(task, trial=trial) for task in ("t-10", "t-2") for trial in (2, 1)]
    run = write(tmp_path / "run", [*records, *one_of_each()])
    with closing(index_of(run, scratch=scratch)) as index:
        found = list(rows(index))
        assert {(row["task"], row["model"], row["trial"], row["outcome"]) for row in found} == {
            (entry.task_id, row["model"], entry.trial, entry.outcome)
            for entry in read_report(run).entries
            for row in found
            if row["task"] == entry.task_id
        }
        plain = [(row["task"], row["trial"]) for row in found if row["task"].startswith("t-")]
        assert plain == [("t-2", 1), ("t-2", 2), ("t-10", 1), ("t-10", 2)]
        for row in found:
            document = index.document(row["number"])
            assert document is not None
            assert document["task"] == row["task"]
        assert index.document(10_000) is None


def test_only_what_is_new_is_sent_again(tmp_path: Path, scratch: Path) -> None:
    run = write(tmp_path / "run", [a_record("a"), a_record("b", "error")])
    with closing(index_of(run, scratch=scratch)) as index:
        first = index.version
        numbers = {row["task"]: row["number"] for row in rows(index)}
        index.scan()
        assert (index.version, list(rows(index, first))) == (first, [])
        write(run, [a_record("b"), a_record("c")])
        index.scan()
        assert [(row["task"], row["outcome"]) for row in rows(index, first)] == [("b", "passed"), ("c", "passed")]
        assert {row["task"]: row["number"] for row in rows(index)}.items() >= numbers.items()


def test_a_line_that_is_being_written_is_read_when_it_is_complete(tmp_path: Path, scratch: Path) -> None:
    run = write(tmp_path / "run", [a_record("a")])
    line = a_record("b").model_dump_json().encode() + b"\n"
    with closing(index_of(run, scratch=scratch)) as index, (run / "records-gw1.jsonl").open("ab") as file:
        for part in (line[:50], line[50:-1], line[-1:]):
            assert index.count() == 1
            file.write(part)
            file.flush()
            index.scan()
        assert index.count() == 2


def test_a_damaged_line_loses_no_other(tmp_path: Path, scratch: Path) -> None:
    run = write(tmp_path / "run", [a_record("a")])
    path = run / "records-main.jsonl"
    path.write_bytes(path.read_bytes() + b"garbage\n" + path.read_bytes().replace(b'"a"', b'"b"'))
    with pytest.warns(DamagedRecordWarning, match=r"records-main.jsonl: not a record at byte \d+"):
        index = index_of(run, scratch=scratch)
    with closing(index):
        assert index.count() == 2
        assert index.report().damaged == index.report_of(0).damaged == 1


def test_the_report_has_the_gates_of_the_run(tmp_path: Path, scratch: Path) -> None:
    run = write(tmp_path / "run", [a_record("a")])
    gate = GateResult(
        node_id="gate", suite="s", model="m", baseline="old", candidate="new", verdict="REGRESSED", fails=True, tasks=3
    )
    write_gates(run, (gate,))
    with closing(index_of(run, scratch=scratch)) as index:
        assert index.report().gates == index.report_of(0).gates == (gate,)


@pytest.mark.parametrize(("earlier", "later"), [("main", "gw0"), ("gw0", "main"), ("gw1", "gw0")])
def test_of_an_attempt_in_several_files_the_record_counts_that_reports_show(
    earlier: str, later: str, tmp_path: Path, scratch: Path
) -> None:
    for worker, outcome, hour in ((earlier, "error", 9), (later, "passed", 10)):
        with closing(RecordWriter(tmp_path, worker=worker)) as writer:
            writer.append(a_record("t", outcome, started_at=f"2026-01-01T{hour:02}:00:00"))
    with closing(index_of(tmp_path, scratch=scratch)) as index:
        assert [row["outcome"] for row in rows(index)] == [entry.outcome for entry in read_report(tmp_path).entries]
        assert [row["outcome"] for row in rows(index)] == ["passed"]


@pytest.mark.parametrize(
    ("new", "old", "outranks"),
    [
        (Rank("record", "1", "f"), Rank("evidence", "1", "e"), True),
        (Rank("bare error", "1", "f"), Rank("evidence", "1", "e"), False),
        (Rank("evidence", "1", "e"), Rank("record", "1", "f"), False),
        (Rank("evidence", "1", "e"), Rank("bare error", "1", "f"), True),
        (Rank("evidence", "2", "e"), Rank("record", "1", "f"), True),
        (Rank("bare error", "2", "f"), Rank("record", "1", "f"), True),
        (Rank("record", "1", "g"), Rank("record", "2", "f"), False),
    ],
)
def test_evidence_counts_until_it_has_a_record(new: Rank, old: Rank, outranks: bool) -> None:
    assert new.outranks(old) is outranks


def test_a_search_finds_words_in_any_case_and_can_leave_out_what_was_given(tmp_path: Path, scratch: Path) -> None:
    tools = (a_tool("read", description="Reads a Quokka."),)
    records = [
        a_record(
            "a", system_prompt="Be brief.", evidence=evidence_of((a_call("read", result="MILK and eggs"),), tools=tools)
        ),
        a_record("b", system_prompt="Be brief.", evidence=evidence_of(answer="Straße, milk", tools=tools)),
    ]
    with closing(index_of(write(tmp_path / "run", records), scratch=scratch)) as index:
        tasks = {row["number"]: row["task"] for row in rows(index)}

        def found(text: str, part: str = "all") -> str:
            return "".join(tasks[number] for number in index.search(text, part))

        assert [found(text) for text in ("milk", "Milk eggs", '"milk and"', "eggs straße", "quokka", "")] == [
            "ab", "a", "a", "", "ab", "ab",
        ]  # fmt: skip
        assert (found("quokka", "conversation"), found("brief milk"), found("STRASSE")) == ("", "ab", "")


def test_words_are_found_wherever_they_stand(tmp_path: Path) -> None:
    with closing(TextFile(tmp_path / "texts")) as texts:
        assert list(texts.containing("x")) == []
        for text in ("alpha\nbeta", "", "alpha\x00", "gamma"):
            texts.append(text)
        texts.flush()
        assert [list(texts.containing(word)) for word in ("alpha", "beta", "gamma", "alpha\nbeta", "\x00")] == [
            [1, 0, 1, 0],
            [1, 0, 0, 0],
            [0, 0, 0, 1],
            [1, 0, 0, 0],
            [1, 1, 1, 1],
        ]
    assert search_words('Two "words Together" and "open end') == ["two", "words together", "and", "open end"]


def test_several_runs_stand_side_by_side(tmp_path: Path, scratch: Path) -> None:
    runs = [
        write(tmp_path / name, [a_record("t", outcome)]) for name, outcome in (("mon", "passed"), ("tue", "failed"))
    ]
    with closing(index_of(*runs, scratch=scratch)) as index:
        assert [(row["model"], row["outcome"]) for row in rows(index)] == [("m [mon]", "passed"), ("m [tue]", "failed")]
        assert [index.report_of(run).entries[0].model for run in (0, 1)] == ["m", "m"]


def test_a_note_is_a_line_beside_the_run_and_changes_the_row(tmp_path: Path, scratch: Path) -> None:
    run = write(tmp_path / "run", [a_record("a"), a_record("b")])
    with closing(index_of(run, scratch=scratch)) as index:
        version = index.version
        (number,) = (row["number"] for row in rows(index) if row["task"] == "b")
        index.add_note(number, author="Ada", text="Ambiguous\nrequest")
        index.add_note(number, author="Bob\x1b[31m", text="I \u202eagree.")
        index.scan()
        (changed,) = rows(index, version)
        assert [(note["author"], note["text"]) for note in changed["notes"]] == [
            ("Ada", "Ambiguous\nrequest"),
            ("Bob", "I [U+202E]agree."),
        ]
        assert index.add_note(999, author="Ada", text="x") is None
    lines = [json.loads(line) for line in (run / "notes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["task_id"], line["author"]) for line in lines] == [("b", "Ada"), ("b", "Bob\x1b[31m")]
    (run / "notes.jsonl").write_text("garbage\n" + json.dumps(lines[0]), encoding="utf-8")
    with (
        pytest.warns(DamagedRecordWarning, match=r"notes.jsonl:1: not a note"),
        closing(index_of(run, scratch=tmp_path / "again")) as index,
    ):
        assert [len(row["notes"]) for row in rows(index)] == [0, 1]


def test_what_waits_for_the_records_is_called_when_all_that_are_there_have_been_read(
    tmp_path: Path, scratch: Path
) -> None:
    scratch.mkdir()
    with closing(RunIndex([write(tmp_path / "run", [a_record("a"), a_record("b")])], scratch)) as index:
        seen: SimpleQueue[tuple[bool, int]] = SimpleQueue()
        index.start(when_read=lambda: seen.put((index.is_complete, index.count())))
        assert seen.get(timeout=60) == (True, 2)


def test_several_processes_read_the_same_as_one(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write(tmp_path / "run", [*one_of_each(), *(a_record(f"t-{number}") for number in range(20))])
    path = run / "records-main.jsonl"
    path.write_bytes(path.read_bytes() + b"garbage\n\n" + a_record("last").model_dump_json().encode() + b"\n{")
    read = []
    for most in (1, 2):
        monkeypatch.setattr(reading, "_LARGE", 0)
        monkeypatch.setattr(reading, "_PIECE_BYTES", 2000)
        monkeypatch.setattr(reading, "_MOST_PROCESSES", most)
        with (
            pytest.warns(DamagedRecordWarning, match="not a record"),
            closing(index_of(run, scratch=scratch / str(most))) as index,
        ):
            read.append((list(rows(index)), index.search("milk", "all"), index.report()))
    assert read[0] == read[1]
    assert {row["task"] for row in read[0][0]} >= {"t-0", "t-19", "last"}
