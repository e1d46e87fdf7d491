"""A run as logs of Inspect: conversations, scores and errors, and nothing that is unknown as 0."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage
from tests.builders import a_call, a_task, evidence_of
from tests.cli.test_command_line import write
from tests.reporting.samples import HOSTILE, a_record, card, one_of_each
from tests.servers.subjects import INSTALLED

PYTHON = INSTALLED / "inspect" / "bin" / "python"
READING = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log
(info,) = list_eval_logs(sys.argv[1])
log = read_eval_log(info.name)
header = read_eval_log(info.name, header_only=True)
sample = {one.id: one for one in log.samples}
print(json.dumps({
    "samples": [log.eval.task, log.eval.model, len(log.samples), header.results.total_samples],
    "passed": {name: one.scores["passed"].value for name, one in sample.items() if "passed" in one.scores},
    "roles": [message.role for message in sample["fail"].messages],
    "error": sample["error"].error.message,
    "metrics": {score.name: [metric.value for metric in score.metrics.values()] for score in log.results.scores},
}))
"""


def exported(tmp_path: Path, records: list[Any], **facts: Any) -> list[dict[str, Any]]:
    directory = write(tmp_path / "run", records, **facts)
    assert main(["export", str(directory), "--format", "inspect", "--out", str(tmp_path / "logs")]) == 0
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((tmp_path / "logs").iterdir())]


def samples(tmp_path: Path, records: list[Any]) -> dict[str, dict[str, Any]]:
    return {sample["id"]: sample for log in exported(tmp_path, records) for sample in log["samples"]}


def test_each_model_of_a_suite_has_a_log(tmp_path: Path) -> None:
    logs = {log["eval"]["model"]: log for log in exported(tmp_path, one_of_each())}
    assert {model[:20]: len(log["samples"]) for model, log in logs.items()} == {"m": 6, f"m{HOSTILE}"[:20]: 1}
    (passed,) = (score for score in logs["m"]["results"]["scores"] if score["name"] == "passed")
    bounds = {name: metric["value"] for name, metric in passed["metrics"].items()}
    assert (bounds, passed["scored_samples"], passed["unscored_samples"]) == ({"least": 0.4, "most": 0.6}, 4, 2)
    # An unscored attempt was completed, an error was not.
    assert (logs["m"]["results"]["total_samples"], logs["m"]["results"]["completed_samples"]) == (6, 5)
    assert {log["status"] for log in logs.values()} == {"success"}


@pytest.mark.parametrize(
    ("cause", "status"), [("interrupted", "cancelled"), ("killed", "cancelled"), ("running", "started")]
)
def test_a_run_that_did_not_end_by_itself_is_no_success(tmp_path: Path, cause: str, status: str) -> None:
    (log,) = exported(tmp_path, one_of_each()[:1], end={"cause": cause, "reason": "", "selected": 9})
    assert log["status"] == status


def test_a_sample_has_the_conversation_in_order(tmp_path: Path) -> None:
    calls = (a_call("read", {"path": "a"}, id="c1"), CallRecord(id="c2", name="read", problem="unknown_tool"))
    steps = (Step(calls=calls), Step(text="Milk."), Step(turn=1, text="Eggs."))
    record = a_record(
        a_task(),
        evidence_of(trajectory=Trajectory(steps=steps)),
        card(1),
        turns=("A?", "B?"),
        system_prompt="Be brief.",
    )
    messages = samples(tmp_path, [record])["a-task"]["messages"]
    assert [(each["role"], each["content"]) for each in messages] == [
        ("system", "Be brief."),
        ("user", "A?"),
        ("assistant", ""),
        ("tool", "done"),
        ("tool", ""),
        ("assistant", "Milk."),
        ("user", "B?"),
        ("assistant", "Eggs."),
    ]
    assert [call["id"] for call in messages[2]["tool_calls"]] == ["c1", "c2"]
    assert messages[4]["error"] == {"type": "unknown", "message": "unknown_tool"}


def test_what_is_unknown_is_left_out(tmp_path: Path) -> None:
    unknown = Trajectory(steps=(Step(text="x", usage=Usage(input_tokens=3)),))
    records = [*one_of_each(), a_record(a_task(id="no-usage"), evidence_of(trajectory=unknown), card(1))]
    found = samples(tmp_path, records)
    assert found["no-usage"]["model_usage"] == {}
    assert found["pass"]["model_usage"]["m"]["input_tokens"] == 2400
    assert found["unscored"]["scores"] == {}
    assert found["unscored"]["metadata"]["unscored:ast"] == "no judge is configured"
    assert found["error"]["scores"] == {}
    assert found["error"]["error"]["message"].startswith("server: server 'notes' failed to start")
    assert found["fail"]["scores"]["passed"] == {"value": 0, "answer": "I do not know.", "explanation": "ast"}


@pytest.mark.extra
@pytest.mark.isolated
@pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON} is missing; .ci/setup installs it")
def test_inspect_reads_the_log(tmp_path: Path) -> None:
    exported(tmp_path, [record for record in one_of_each() if record.model == "m"])
    done = subprocess.run(
        [PYTHON, "-c", READING, tmp_path / "logs"], capture_output=True, check=True, timeout=120, cwd=tmp_path
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "samples": ["s", "m", 6, 6],
        "passed": {"pass": 1, "fail": 0, "long": 0, "big": 1},
        "roles": ["user", "assistant", "tool", "assistant", "tool", "tool", "assistant"],
        "error": "server: server 'notes' failed to start: it exited (exit code 1)",
        "metrics": {"passed": [0.4, 0.6], "ast": [0.5]},  # one of the five tasks is unscored
    }
