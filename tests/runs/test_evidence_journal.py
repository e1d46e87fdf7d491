"""Evidence is on disk when its attempt ends, and no truncated or damaged file costs a complete line."""

import resource
import warnings
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_mcpbench.core.errors import StorageError
from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.record import ErrorFacts, Outcome, RunRecord
from pytest_mcpbench.files.line_file import DamagedRecordWarning, LineFile, TornRecordWarning
from pytest_mcpbench.reporting.data import json
from pytest_mcpbench.reporting.pull_request import report as pull_request
from pytest_mcpbench.reporting.texts import terminal
from pytest_mcpbench.runs.attempt_records import make_record
from pytest_mcpbench.runs.evidence_journal import EvidenceJournal, JournalEntry, remove_reported
from pytest_mcpbench.runs.merging import merge
from pytest_mcpbench.runs.records import RecordWriter, read_record, read_records, read_report
from tests.builders import a_call, a_task, evidence_of, expected_call

TASK = a_task((expected_call("read"),))
EVIDENCE = evidence_of((a_call("read"),), answer="yes")


def an_attempt(number: int = 1, **fields: Any) -> AttemptDescription:
    known = {"suite": "s", "task_id": f"t{number}", "task_hash": "h", "model": "m", "started_at": f"2026-01-0{number}"}
    scoring = {"floors": {"ast": 1.0}, "metrics": {"ast": {}}}
    return AttemptDescription.model_validate({**known, **scoring, **fields})


def journal(directory: Path, *attempts: AttemptDescription, process: str = "main") -> None:
    with closing(EvidenceJournal(directory, process)) as opened:
        for attempt in attempts:
            opened.append(JournalEntry(attempt=attempt, task=TASK, seconds=2.0, evidence=EVIDENCE))


def outcomes(directory: Path) -> dict[str, Outcome]:
    return {entry.task_id: entry.outcome for entry in read_report(directory).entries}


def test_an_attempt_that_was_never_reported_is_scored_from_its_evidence(tmp_path: Path) -> None:
    journal(tmp_path, an_attempt())
    ((ref, record),) = read_records(tmp_path)
    assert (record.outcome, record.scorecard["ast"].value, record.seconds) == ("passed", 1.0, 2.0)
    assert (record.evidence, record.started_at) == (EVIDENCE, "2026-01-01")
    assert read_record(tmp_path, ref) == record


def test_trials_of_a_journal_of_version_1_are_counted_from_1(tmp_path: Path) -> None:
    second = JournalEntry(attempt=an_attempt(trial=1), task=TASK, seconds=2, evidence=EVIDENCE)
    line = second.model_dump_json().replace('"version":2', '"version":1', 1)
    (tmp_path / "evidence-main.jsonl").write_text(line + "\n")
    ((_, record),) = read_records(tmp_path)
    assert (record.trial, record.evidence) == (2, EVIDENCE.model_copy(update={"trial": 2}))
    remove_reported(tmp_path, {record.attempt: record.started_at})
    assert not list(tmp_path.iterdir())


def test_a_wrong_attempt_that_was_never_reported_fails(tmp_path: Path) -> None:
    with closing(EvidenceJournal(tmp_path, "main")) as opened:
        wrong = evidence_of((a_call("write"),), answer="yes")
        opened.append(JournalEntry(attempt=an_attempt(), task=TASK, seconds=0, evidence=wrong))
    assert outcomes(tmp_path) == {"t1": "failed"}


@pytest.mark.parametrize(
    "fields",
    [{"metrics": {"ast": {}, "own": {}}, "floors": {"own": 1.0}}, {"is_decided_by_scores": False}],
    ids=["a metric of a hook", "a test of the user"],
)
def test_what_the_scores_do_not_decide_is_unscored(tmp_path: Path, fields: dict[str, Any]) -> None:
    journal(tmp_path, an_attempt(**fields))
    assert outcomes(tmp_path) == {"t1": "unscored"}


CRASHED = make_record(
    an_attempt(started_at="2026-01-02"), TASK, None, outcome="error", error=ErrorFacts(kind="worker", message="crashed")
)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (make_record(an_attempt(), TASK, EVIDENCE, outcome="failed"), ["failed"]),
        (make_record(an_attempt(started_at="2026-01-02"), TASK, EVIDENCE, outcome="failed"), ["failed"]),
        (make_record(an_attempt(started_at="2025"), TASK, EVIDENCE, outcome="failed"), ["failed", "passed"]),
        (CRASHED, ["error", "passed"]),
    ],
    ids=["its record", "a later attempt", "an earlier attempt", "a crash after its end"],
)
def test_a_record_replaces_the_evidence_of_its_attempt_and_a_crash_does_not(
    tmp_path: Path, record: RunRecord, expected: list[Outcome]
) -> None:
    journal(tmp_path, an_attempt())
    with closing(RecordWriter(tmp_path, worker="main")) as writer:
        writer.append(record)
    assert [each.outcome for _, each in read_records(tmp_path)] == expected
    assert outcomes(tmp_path) == {"t1": expected[-1]}


def test_of_an_attempt_stored_before_and_after_its_verdicts_the_last_line_counts(tmp_path: Path) -> None:
    journal(tmp_path, an_attempt(), an_attempt())
    assert [ref.offset > 0 for ref, _ in read_records(tmp_path)] == [True]


def test_unreported_attempts_are_merged(tmp_path: Path) -> None:
    journal(tmp_path / "one", an_attempt(1))
    journal(tmp_path / "two", an_attempt(2))
    merge([tmp_path / "one", tmp_path / "two"], tmp_path / "out")
    assert outcomes(tmp_path / "out") == {"t1": "passed", "t2": "passed"}


def test_journals_are_removed_when_all_their_attempts_are_reported(tmp_path: Path) -> None:
    journal(tmp_path, an_attempt(1), process="gw0")
    journal(tmp_path, an_attempt(1), an_attempt(2), process="gw1")
    ((_, first), _) = read_records(tmp_path)
    remove_reported(tmp_path, {first.attempt: first.started_at})
    assert [path.name for path in tmp_path.iterdir()] == ["evidence-gw1.jsonl"]


@pytest.mark.parametrize("name", ["evidence-main.jsonl", "records-main.jsonl"])
def test_a_file_cut_off_at_any_byte_loses_no_complete_line(tmp_path: Path, name: str) -> None:
    journal(tmp_path, an_attempt(1), an_attempt(2))
    with closing(RecordWriter(tmp_path, worker="main")) as writer:
        for number in (1, 2):
            writer.append(make_record(an_attempt(number), TASK, EVIDENCE, outcome="passed"))
    content = (tmp_path / name).read_bytes()
    (tmp_path / "cut").mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in range(1, len(content) + 1, 23):
            (tmp_path / "cut" / name).write_bytes(content[:size])
            read = [record.task_id for _, record in read_records(tmp_path / "cut")]
            complete = content[:size].count(b"\n")
            assert read == ["t1", "t2"][:complete] or (content[size:] == b"\n" and read == ["t1", "t2"])


def damaged(line: bytes, random: Random) -> bytes:
    """Return a line of JSON with a bit flipped, bytes lost or foreign, or twice."""
    place = random.randrange(len(line) - 1)
    match random.randrange(4):
        case 0:
            return line[:place] + bytes([line[place] ^ 1 << random.randrange(8)]) + line[place + 1 :]
        case 1:
            return line[:place] + line[place + random.randrange(1, 50) : -1] + b"\n"
        case 2:
            return line[:place] + random.randbytes(random.choice([1, 40])) + line[place:]
    return line + line


@pytest.mark.parametrize("name", ["evidence-main.jsonl", "records-main.jsonl"])
def test_damage_anywhere_in_a_line_costs_no_other_attempt_and_is_counted(tmp_path: Path, name: str) -> None:
    attempts = [an_attempt(number) for number in (1, 2, 3)]
    journal(tmp_path, *attempts)
    with closing(RecordWriter(tmp_path, worker="main")) as writer:
        for attempt in attempts:
            writer.append(make_record(attempt, TASK, EVIDENCE, outcome="passed"))
    first, second, third = (tmp_path / name).read_bytes().splitlines(keepends=True)
    (tmp_path / "run").mkdir()
    for seed in range(60):
        (tmp_path / "run" / name).write_bytes(first + damaged(second, Random(seed)) + third)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            report = read_report(tmp_path / "run")
        read = [entry.task_id for entry in report.entries]
        assert {"t1", "t3"} <= {*read}, seed
        assert {each.category for each in caught} <= {DamagedRecordWarning, TornRecordWarning}
        assert report.damaged == len(caught), seed
        assert len(read) == 3 or report.damaged or name.startswith("evidence"), seed


@pytest.mark.parametrize("damage", [(b'{"version":2', b'{"version":7'), (b'"task_id":"t2"', b'"task_id":2.5e')])
def test_evidence_that_cannot_be_read_is_counted_unless_its_writer_was_killed(
    tmp_path: Path, damage: tuple[bytes, bytes]
) -> None:
    journal(tmp_path, an_attempt(1), an_attempt(2))
    file = tmp_path / "evidence-main.jsonl"
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + second[:-20])
    assert read_report(tmp_path).damaged == 0
    file.write_bytes(first + second.replace(*damage))
    with pytest.warns(DamagedRecordWarning, match=r"evidence-main.jsonl: byte \d+: not the evidence of an attempt"):
        report = read_report(tmp_path)
    assert ([entry.task_id for entry in report.entries], report.damaged) == (["t1"], 1)
    assert "1 record cannot be read and is left out" in terminal.lines(report)
    assert "**1 record cannot be read and is left out**" in pull_request.text(report)
    assert '"damaged": 1' in json.text(report)


def test_a_disk_that_fills_up_is_an_error_that_leaves_complete_lines(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "lines")
    file.append(b"first")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(StorageError, match="lines: cannot be written: File too large"):
            file.append(b"second, of which four bytes fit")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.append(b"third") == 6
    file.close()
    assert (tmp_path / "lines").read_bytes() == b"first\nthird\n"
