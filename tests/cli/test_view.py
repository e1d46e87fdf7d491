"""``mcpbench view``: address, end by Ctrl-C, taken port."""

import socket
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.runs.records import write_facts
from tests.cli.test_command_line import run_of, write
from tests.viewer.served import viewer


@pytest.mark.extra
def test_the_server_answers_at_the_printed_address_and_ctrl_c_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write(tmp_path / "run", run_of({"a": "passed"}))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    with viewer(run) as served:
        assert served.get()[0] == 200
        assert served.get(f"{served.origin}/")[0] == 403
        assert served.get("", Host="evil.example")[0] == 403
        assert served.post("source/notes", {"number": 1, "text": "x"})[0] == 200
        assert list(scratch.glob("mcpbench-view-*"))
    assert not list(scratch.iterdir())
    assert sorted(path.name for path in run.iterdir()) == ["notes.jsonl", "records-main.jsonl", "run.json"]


def test_a_taken_port_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path / "run", run_of({"a": "passed"}))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["view", str(run), "--no-browser", "--port", str(port)]) == 2
    assert capsys.readouterr().err == f"mcpbench: port {port} of 127.0.0.1 is taken; choose another one with --port.\n"


def test_a_run_that_does_not_exist_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(tmp_path / "none"), "--no-browser"]) == 2
    assert "none: no such directory of records." in capsys.readouterr().err


def test_a_run_that_ended_without_a_record_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_facts(tmp_path, {"end": {"cause": "running", "reason": ""}})
    assert main(["view", str(tmp_path), "--no-browser"]) == 2
    assert f"{tmp_path}: there are no records in it." in capsys.readouterr().err
