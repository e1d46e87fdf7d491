"""Mutated files, replies and options end in results and in errors of ours.

``MCPBENCH_FUZZ_INPUTS`` is the number of inputs.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.extra

TASKS = """servers: {notes: "fixtures.notes_server:server"}
tasks: [{id: ID, ask: Read., tool: read_note, arguments: {title: Shopping}}]
"""
BROKEN_INPUTS: dict[str, tuple[str, bytes, str, str]] = {
    "number of 5,000 digits": ("t.mcpbench.yaml", TASKS.replace("ID", "5" * 5000).encode(), "", "*.yaml:2: '555*"),
    "surrogate": (
        "t.mcpbench.yaml",
        TASKS.replace("ID", r'"\ud800"').encode(),
        "",
        "*.yaml:2: not valid YAML: *invalid Unicode character escape code.",
    ),
    "no UTF-8": (
        "t.mcpbench.yaml",
        TASKS.replace("Read", "R\xe9ad").encode("latin-1"),
        "",
        "*.yaml:2: the line contains bytes that are not UTF-8.",
    ),
    "deep YAML": ("t.mcpbench.yaml", b"tasks: " + b"[" * 5000, "", "*.yaml:1: not valid YAML: *maximum nesting depth."),
    "alias in itself": ("t.mcpbench.yaml", b"a: &a [*a]\ntasks: *a\n", "", "*.yaml:1: an alias contains itself."),
    "deep lock": ("tools.lock.json", b"[" * 100_000, "", "*.lock.json: not valid JSON: *150 levels*Restore the file*"),
    "half a manifest": ("suite.toml", b"files = [[[", "suite.toml", "suite.toml: not valid TOML: *"),
    "directory for records": ("out/records-x.jsonl/x", b"", "--mcpbench-resume=out", "ERROR: *records-x.jsonl: *"),
    "endless option": ("t.mcpbench.yaml", TASKS.encode(), f"--mcpbench-rounds={'9' * 5000}", "*-rounds: invalid int*"),
}
"""Inputs at which what reads files raises errors of its own: a file, its content, an argument, and what we say."""


@pytest.mark.parametrize("fault", BROKEN_INPUTS)
def test_an_input_that_cannot_be_read_ends_in_a_sentence_and_no_traceback(
    pytester: pytest.Pytester, fault: str
) -> None:
    name, content, argument, sentence = BROKEN_INPUTS[fault]
    file = pytester.path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    result = pytester.runpytest_inprocess("--model=oracle", *filter(None, [argument]))
    assert result.ret in (1, 2, 4)
    shown = [*result.outlines, *result.errlines]
    assert not [line for line in shown if "Traceback" in line or "INTERNALERROR" in line]
    pytest.LineMatcher(shown).fnmatch_lines([sentence])


def test_whole_runs_with_mutated_inputs_raise_nothing_but_our_errors() -> None:
    command = [sys.executable, "-m", "tests.fuzzed_runs"]
    root = Path(__file__).parents[2]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.endswith("; 0 faults\n")
