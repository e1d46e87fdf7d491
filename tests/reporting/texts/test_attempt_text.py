"""The text of an attempt has all of it, and no line or control character of a server passes for one of ours."""

from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.task import Turn
from pytest_mcpbench.core.tool import CallRecord, ContextRead, ToolResult
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.core.world import Change, WorldRecord
from pytest_mcpbench.reporting.texts.attempt_text import attempt_lines
from tests.builders import a_call, a_task, evidence_of, expected_call
from tests.reporting.samples import HOSTILE, a_record, card, one_of_each


def test_an_attempt_is_shown_whole() -> None:
    task = a_task(
        (expected_call("read", {"path": "a"}),), id="two-turns", turns=(Turn(user="Read a."), Turn(user="And b."))
    )
    calls = (
        a_call("read", {"path": "b"}, result="milk"),
        CallRecord(id="2", name="nothing", problem="unknown_tool"),
    )
    usage = Usage(input_tokens=10, output_tokens=2, cached_tokens=0, cost_usd=None)
    steps = (Step(text="Reading.", calls=calls, usage=usage, seconds=1.5, retries=1), Step(turn=1, text="Eggs."))
    evidence = evidence_of(
        trajectory=Trajectory(steps=steps, stop="round_limit"),
        worlds=(
            WorldRecord(name="notes", changes=(Change(kind="created", collection="notes", id="1", after={"a": 1}),)),
        ),
        verdicts={
            "k": Verdict(
                label="fulfilled", statement="It is red.", reason="It is said.", judge="keyfacts", prompt_version="1"
            )
        },
    )
    score = Scorecard(scores={"ast": Score.of(0.5, ["path is wrong"], part=1)}, floors={"ast": 1.0})
    record = a_record(
        task,
        evidence,
        score,
        turns=("Read a.", "And b."),
        system_prompt="Be brief.",
        failures={"rules": ("wrong_value",)},
    )
    assert list(attempt_lines(record, columns=70)) == [
        "s · two-turns · m · trial 1",
        "outcome:  failed",
        "node id:  s::two-turns",
        "took:     0.0 s",
        "steps:    2, with 2 calls of 0 tools",
        "tokens:   10+2 (read + written), ?",
        "stopped:  round_limit",
        "",
        "── system prompt ──",
        "  Be brief.",
        "",
        "── user, turn 1 of 2 ──",
        "  Read a.",
        "",
        "── step 1 (1.5 s, 10+2 tokens, 1 retries) ──",
        "  Reading.",
        "→ read (server/read)",
        "  {",
        '    "path": "b"',
        "  }",
        "← result, 0.0 s",
        "  milk",
        "→ nothing",
        "  {}",
        "← not sent: unknown tool",
        "← no result",
        "",
        "── user, turn 2 of 2 ──",
        "  And b.",
        "",
        "── step 2 (0.0 s, 0+0 tokens) ──",
        "  Eggs.",
        "",
        "── expected beside actual ──",
        "  expected calls                    actual calls",
        "≠ read(path='a')                    read(path='b')",
        "    path: expected 'a', got 'b'",
        "+                                   nothing()",
        "",
        "── reference ──",
        "  read(path='a')",
        "",
        "── scores ──",
        "ast: 0.500, required: at least 1 (part 1)",
        "  path is wrong",
        "",
        "── changes of the worlds ──",
        "created notes: notes[1]",
        "  after:",
        "    {",
        '      "a": 1',
        "    }",
        "",
        "── verdicts of the judge ──",
        "fulfilled (keyfacts, 1)",
        "  question: It is red.",
        "  It is said.",
        "",
        "── failure labels ──",
        "rules: wrong_value",
    ]


def test_what_was_read_is_shown_with_its_text() -> None:
    read = ContextRead(
        id="1", name="read", kind="resources/read", target="a://b", server="s", result=ToolResult.of_text("Text")
    )
    skill = ContextRead(id="2", name="load_skill", kind="skill", target="mail")
    evidence = evidence_of(trajectory=Trajectory(steps=(Step(reads=(read, skill)),)))
    lines = [line.strip() for line in attempt_lines(a_record(a_task(), evidence, card(1.0)))]
    start = lines.index("→ resources/read a://b (s)")
    assert lines[start : start + 5] == [
        "→ resources/read a://b (s)",
        "← read",
        "Text",
        "→ load the skill mail",
        "← not made",
    ]


def test_long_results_and_reasons_are_not_cut() -> None:
    words = "word " * 20_000 + "end"
    reason = "reason " * 1_000 + "end"
    evidence = evidence_of((a_call("read", result=words),), answer=words)
    text = "\n".join(attempt_lines(a_record(a_task(ask=words), evidence, card(0, reason))))
    assert (text.count(words), text.count(reason)) == (3, 1)


def test_no_text_of_servers_and_models_controls_the_terminal() -> None:
    faked = ToolResult.of_text("fine\n── scores ──\r\nast: 1.000\x1b[2J\x9b2J\u202e")
    fake = a_record(a_task(ask=HOSTILE), evidence_of((a_call(HOSTILE, result=faked),)), card(0))
    for record in (*one_of_each(), fake):
        text = "\n".join(attempt_lines(record))
        assert not set(text) & {"\x1b", "\x07", "\x9b", "\r", "\u202e"}
        assert text.count("\n── scores ──") == int(bool(record.scorecard.scores))


def test_refused_sampling_is_said_with_the_call() -> None:
    result = ToolResult.of_text("no model").model_copy(update={"refused_samplings": 2})
    call = CallRecord(id="1", name="summarize", tool="summarize", server="docs", result=result)
    record = a_record(a_task(), evidence_of(trajectory=Trajectory(steps=(Step(calls=(call,)),))), Scorecard(scores={}))
    lines = [*attempt_lines(record)]
    said = lines.index("? the server asks a model for 2 messages (sampling), and is refused")
    assert lines[said - 1].startswith("  {")
    assert lines[said + 1].startswith("← result")


def test_a_program_says_what_it_offered_and_which_day_it_told_its_model() -> None:
    notes = {
        "program": "codex 9.9",
        "unchecked_program": "9.9, checked with 0.169.0",
        "own_tools_offered": "exec, wait",
        "own_skills_offered": "docs",
        "program_date": "2026-11-28",
        "task_date": "2026-03-01",
    }
    record = a_record(a_task(), evidence_of(trajectory=Trajectory(notes=notes)), Scorecard(scores={}))
    lines = list(attempt_lines(record))
    start = lines.index("program:  codex 9.9 (9.9, checked with 0.169.0)")
    assert lines[start + 1 : start + 4] == [
        "offered:  exec, wait",
        "skills:   docs",
        "date:     its own was 2026-11-28, and that of the task 2026-03-01",
    ]
    of_model = attempt_lines(a_record(a_task(), evidence_of(), Scorecard(scores={})))
    assert not [line for line in of_model if line.startswith(("program", "date"))]
