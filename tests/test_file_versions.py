"""Files of earlier, of newer and of damaged runs give what docs/reference/versions.md says.

``fixtures/files/`` has a directory for each version of the package whose files still open. It is never changed; a
version with another format adds its own.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_mcpbench.attempt.cassettes.lines import TapeHeader
from pytest_mcpbench.attempt.cassettes.replaying import read_tape
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef
from pytest_mcpbench.cli import main
from pytest_mcpbench.core.errors import CassetteError, McpBenchError, TaskError, UsageError
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.definitions.lock import Lock, read_lock
from pytest_mcpbench.files.line_file import DamagedRecordWarning
from pytest_mcpbench.generation.pipeline.reply_cache import ReplyCache
from pytest_mcpbench.judges.cache import VerdictCache
from pytest_mcpbench.runs.evidence_journal import JournalEntry
from pytest_mcpbench.runs.history import AttemptHistory
from pytest_mcpbench.runs.records import read_facts, read_gates, read_report
from pytest_mcpbench.viewer.notes import NotesFile

FILES = Path(__file__).parents[1] / "fixtures" / "files"
NEWER = r"it has version 99 of its format, and this pytest-mcpbench reads versions up to \d+\. Install a newer pytest"
CLAIM = Question(kind="claim", statement="There are 7 apples.", evidence="There are 7 apples.")


@pytest.fixture(params=sorted(path.name for path in FILES.iterdir()))
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of the files that a version has left."""
    return Path(shutil.copytree(FILES / request.param, tmp_path / "files"))


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def read_run(files: Path) -> object:
    return [entry.task_id for entry in read_report(files / "run").entries]


def read_killed_run(files: Path) -> object:
    return [entry.task_id for entry in read_report(files / "killed").entries]


def read_lock_file(files: Path) -> object:
    file = files / "tools.lock.json"
    return [tool.tool.name for tool in read_lock(file.read_text(encoding="utf-8"), file.name).tools]


def read_cassette(files: Path) -> object:
    ref = TapeRef(mode="replay", directory=files / "cassette", file="stock/m/apples-1.jsonl", model="m")
    server = read_tape(ref, sandbox=files).server("server")
    return server and [tool.name for tool in server.tools]


OLD = [
    pytest.param(read_run, ["apples"], id="records"),
    pytest.param(read_killed_run, ["apples"], id="evidence"),
    pytest.param(read_lock_file, ["count"], id="lock"),
    pytest.param(read_cassette, ["count"], id="cassette"),
]


@pytest.mark.parametrize(("read", "content"), OLD)
def test_files_of_an_earlier_version_open(read: Callable[[Path], object], content: object, files: Path) -> None:
    assert read(files) == content


@pytest.mark.parametrize(
    ("read", "file", "old", "new", "error"),
    [
        (read_run, "run/records-main.jsonl", '"version":2', '"version":99', UsageError),
        (read_killed_run, "killed/evidence-main.jsonl", '"version":2', '"version":99', UsageError),
        (read_lock_file, "tools.lock.json", '"lock_version": 1', '"lock_version": 99', TaskError),
        (read_cassette, "cassette/stock/m/apples-1.jsonl", '"version": 2', '"version": 99', CassetteError),
    ],
    ids=["records", "evidence", "lock", "cassette"],
)
def test_a_file_of_a_newer_version_is_refused_with_what_would_read_it(
    read: Callable[[Path], object], file: str, old: str, new: str, error: type[McpBenchError], files: Path
) -> None:
    change(files / file, old, new)
    with pytest.raises(error, match=NEWER) as caught:
        read(files)
    assert Path(file).name in str(caught.value)


def test_the_page_shows_the_sentence_and_the_formats_that_are_written() -> None:
    page = (FILES.parents[1] / "docs" / "reference" / "versions.md").read_text(encoding="utf-8")
    assert re.search(NEWER.replace("99", r"\d+"), page)
    written = {
        "`records-*.jsonl`": RunRecord.model_fields["version"].default,
        "`evidence-*.jsonl`": JournalEntry.model_fields["version"].default,
        "`tools.lock.json`": Lock.model_fields["lock_version"].default,
        "tape of a cassette": TapeHeader.model_fields["version"].default,
    }
    for file, version in written.items():
        assert re.search(rf"^\| .*{re.escape(file)} \| {version} \|", page, re.MULTILINE), file


@pytest.mark.parametrize("command", ["report", "show", "view", "merge"])
def test_commands_show_that_sentence(files: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    change(files / "run" / "records-main.jsonl", '"version":2', '"version":99')
    more = {"show": ["apples"], "merge": ["--out", str(files / "merged")]}.get(command, [])
    assert main([command, str(files / "run"), *more]) == 2
    assert f"{files / 'run' / 'records-main.jsonl'}:1: it has version 99 of its format" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--mcpbench-resume=run", "--mcpbench-baseline=run"])
def test_a_run_that_would_continue_a_newer_one_does_not_begin(
    files: Path, option: str, pytester: pytest.Pytester
) -> None:
    change(files / "run" / "records-main.jsonl", '"version":2', '"version":99')
    shutil.copytree(files / "run", "run")
    pytester.makefile(".mcpbench.yaml", stock=(files / "stock.mcpbench.yaml").read_text(encoding="utf-8"))
    result = pytester.runpytest_inprocess("--model=noop", option)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*records-main.jsonl:1: it has version 99 of its format*"])


def test_a_run_of_a_newer_version_is_no_base_of_an_estimate(files: Path) -> None:
    assert AttemptHistory([files / "run"]).of("stock", "m", "m") is not None
    change(files / "run" / "records-main.jsonl", '"version":2', '"version":99')
    assert AttemptHistory([files / "run"]).of("stock", "m", "m") is None


@pytest.mark.parametrize("directory", ["run", "killed"])
def test_a_damaged_line_is_left_out_and_counted(directory: str, files: Path) -> None:
    (file,) = (files / directory).glob("*-main.jsonl")
    file.write_text(file.read_text(encoding="utf-8").replace('"task_id":"apples"', '"task_id":7e'), encoding="utf-8")
    with pytest.warns(DamagedRecordWarning, match=rf"{file.name}.*left out"):
        report = read_report(files / directory)
    assert (report.entries, report.damaged) == ((), 1)


@pytest.mark.parametrize(
    ("read", "file", "message"),
    [
        (
            read_lock_file,
            "tools.lock.json",
            r"tools\.lock\.json:1: not valid JSON: .*delete it: `mcpbench lock` writes a new one\.",
        ),
        (
            read_cassette,
            "cassette/stock/m/apples-1.jsonl",
            r"line 1 cannot be read: .* Record the attempt again with --mcpbench-record=",
        ),
    ],
    ids=["lock", "cassette"],
)
def test_a_damaged_file_is_refused_with_what_writes_it(
    read: Callable[[Path], object], file: str, message: str, files: Path
) -> None:
    content = (files / file).read_bytes()
    (files / file).write_bytes(b"{]" + content)
    with pytest.raises(McpBenchError, match=message):
        read(files)


def test_facts_gates_and_notes_that_cannot_be_read_cost_a_warning(files: Path) -> None:
    run = files / "run"
    assert read_facts(run)["selected"] == 1
    change(run / "run.json", "{", '{"a fact of a newer version": 1,')
    assert read_facts(run)["a fact of a newer version"] == 1
    for name in ("run.json", "gates.json", "notes.jsonl"):
        (run / name).write_text('{"version": 99]', encoding="utf-8")
    with pytest.warns(DamagedRecordWarning, match="run.json: the facts of the run cannot be read"):
        assert read_facts(run) == {}
    with pytest.warns(DamagedRecordWarning, match="gates.json: the verdicts of the run cannot be read"):
        assert read_gates(run) == ()
    with pytest.warns(DamagedRecordWarning, match="notes.jsonl:1: not a note, left out"):
        assert NotesFile(run).notes() == ()


def test_an_earlier_run_is_scored_again(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    assert main(["rescore", "run", "--suite", "stock.mcpbench.yaml"]) == 0
    assert [entry.outcome for entry in read_report(files / "run-rescored").entries] == ["passed"]


def test_the_caches_of_an_earlier_version_answer_and_what_cannot_be_read_is_asked_again(files: Path) -> None:
    cache = VerdictCache(files / "verdicts")
    stored = [Verdict.model_validate_json(path.read_bytes()) for path in (files / "verdicts").rglob("*.json")]
    assert {verdict.label for verdict in stored} == {"fulfilled"}
    cache.put(CLAIM, stored[0])
    assert cache.get("m", stored[0].prompt_version, CLAIM) is not None
    for path in (files / "verdicts").rglob("*.json"):
        change(path, "{", '{"a field of a newer version": 1,')
    assert cache.get("m", stored[0].prompt_version, CLAIM) is None


def test_a_stored_reply_that_cannot_be_read_is_left_out_and_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    cache = ReplyCache(file)
    for key in ("first", "second"):
        cache.put(key, prompt="?", reply=key, usage=NO_USAGE)
    assert ReplyCache(file).get("first") == "first"
    change(file, '"key":"first"', '"version":99,"key":"first"')
    with pytest.warns(DamagedRecordWarning, match=r"replies.jsonl:1: not a record, left out: version: Extra inputs"):
        again = ReplyCache(file)
    assert (again.get("first"), again.get("second")) == (None, "second")


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "line"),
    [
        (None, "1 passed"),
        ("[{]", "*the snapshot is not valid JSON:*Write it anew with: pytest --snapshot-update*"),
        ("[]", "*count: added*"),
    ],
    ids=["earlier version", "damaged", "unknown"],
)
def test_a_snapshot_opens_or_says_how_to_write_it(
    content: str | None, line: str, files: Path, pytester: pytest.Pytester
) -> None:
    for path in files.iterdir():
        if path.is_file() and "lock" not in path.name:
            shutil.copy(path, pytester.path)
    shutil.copytree(files / "__snapshots__", "__snapshots__")
    (snapshot,) = Path("__snapshots__").rglob("*.json")
    if content is not None:
        snapshot.write_text(content, encoding="utf-8")
    result = pytester.runpytest_inprocess("test_stock.py", "-vv")
    result.stdout.fnmatch_lines([f"*{line}*"])
