"""A record in which every field has a value."""

from pytest_mcpbench.core.evidence import AttemptEvidence, AttemptNotes, ServerFacts, VerifyResult
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.record import ErrorFacts, RunRecord
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.task import VerifyCheck
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.core.tool_choice import ComparisonRow
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.core.world import Change, Observation, WorldRecord
from tests.builders import a_call, a_tool

USAGE = Usage(input_tokens=10, output_tokens=5, cached_tokens=1, cost_usd=0.01)


def full_record() -> RunRecord:
    """An attempt with an error, two turns, calls, changes, verdicts, labels and notes."""
    trajectory = Trajectory(
        steps=(
            Step(
                text="I look.",
                calls=(a_call("read", {"path": "a"}, result="milk"),),
                usage=USAGE,
                seconds=1.5,
                finish_reason="calls",
            ),
            Step(
                turn=1,
                text="It says milk.",
                calls=(a_call("write", raw_arguments="{path", problem="malformed_arguments"),),
            ),
            Step(turn=1, text="Done.", calls=(a_call("read", result=ToolResult.failure("no such file", "tool")),)),
        ),
        seconds=2,
        notes={"seed": "7"},
    )
    evidence = AttemptEvidence(
        task_id="full",
        model="m",
        trajectory=trajectory,
        tools=(a_tool("read", {"path": {"type": "string", "description": "Where"}}, ("path",)),),
        worlds=(
            WorldRecord(
                name="files",
                changes=(
                    Change(kind="updated", collection="notes", id="1", before={"text": "old"}, after={"text": "new"}),
                ),
                observations=(Observation(path="notes[1]", before="old", after="new", doubt="misspelt"),),
            ),
        ),
        verified=(VerifyResult(check=VerifyCheck(tool="read", path="content"), result=ToolResult.of_text("milk")),),
        verdicts={
            "question": Verdict(
                label="not_fulfilled",
                score=0,
                statement="It is blue.",
                reason="it is not said",
                judge="keyfacts",
                prompt_version="1",
            ),
            "other": Verdict(label=None, judge="keyfacts", prompt_version="1", error="no reply"),
        },
        servers=(ServerFacts(name="files"),),
        unavailable_tools=("delete",),
        notes=AttemptNotes(warnings=("slow",)),
    )
    return RunRecord(
        suite="s",
        task_id="full",
        task_hash="0",
        model="m",
        node_id="s::full[m-1]",
        test="t.py::test",
        arm="baseline",
        outcome="failed",
        error=ErrorFacts(kind="server", message="it ended"),
        scorecard=Scorecard(
            scores={"ast": Score.of(0, ["no call of write()"]), "judged": Score.missing("no judge")},
            floors={"ast": 1.0},
        ),
        evidence=evidence,
        failures={"rules": ("missing_call",)},
        tags={"difficulty": "easy"},
        prompt="Then write.",
        turns=("Read it.", "Then write."),
        system_prompt="Be brief.",
        expected=("write(path='b')",),
        comparison=(ComparisonRow("write(path='b')", "read(path='a')", "different", ("another tool",), 0),),
        started_at="2026-01-01T00:00:00+00:00",
        seconds=2.5,
    )
