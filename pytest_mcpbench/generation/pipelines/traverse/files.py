"""Files that the pipeline writes."""

import os
from collections.abc import Awaitable, Sequence
from typing import TypeVar, cast

from pytest_mcpbench.core.fidelity.trace import Trace
from pytest_mcpbench.generation.pipeline.candidates import Candidate, Drop, Dropped
from pytest_mcpbench.generation.pipeline.output_files import write_output
from pytest_mcpbench.generation.pipeline.questions import Questions, UnreadableReplyError
from pytest_mcpbench.generation.pipeline.running import PipelineResult
from pytest_mcpbench.generation.pipeline.setup import Output, Pipeline, Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.traverse.candidates import FileCandidate, TraceCandidate
from pytest_mcpbench.generation.pipelines.traverse.simulating import (
    Code,
    Versions,
    measure,
    measure_again,
    split,
    write_simulation,
    write_vanilla,
)
from pytest_mcpbench.reporting.tables.markdown import render_table as render_markdown
from pytest_mcpbench.reporting.texts.fidelity import simulations_table

Written = TypeVar("Written")

TRACES_FILE = "traces.jsonl"
HELD_OUT_FILE = "held-out.jsonl"
"""Those of the traces that the model has not seen."""
TABLE_FILE = "fidelity.md"
"""Table 4 of the paper, for the simulation that a model wrote."""


def traces_file(traces: Sequence[TraceCandidate]) -> FileCandidate:
    """Return the file of all traces, which ``mcpbench fidelity`` reads."""
    return FileCandidate(id="traces", path=TRACES_FILE, text=_lines([each.trace for each in traces]))


def _lines(traces: Sequence[Trace]) -> str:
    return "".join(each.model_dump_json(exclude_defaults=True) + "\n" for each in traces)


async def with_simulations(setup: Setup, questions: Questions, traces: Sequence[TraceCandidate]) -> Selection:
    """Return the files of the traces, of the simulations that the model writes, and Table 4 about these.

    A simulation that the model does not write in a readable form is dropped; the traces are kept.
    """
    if not traces:
        return Selection()
    shown, held_out = split([each.trace for each in traces])
    dropped: list[Dropped] = []
    vanilla = await _readable("vanilla", write_vanilla(setup, questions), dropped)
    written = await _readable("simulation", write_simulation(setup, questions, shown), dropped)
    if written is None:
        return Selection([traces_file(traces)], dropped)
    texts = {
        TABLE_FILE: await _table_4(setup, written, vanilla, held_out),
        HELD_OUT_FILE: _lines(held_out),
        **{f"simulation/{name}": text for name, text in written.best.code.files.items()},
        **{f"vanilla/{name}": text for name, text in (vanilla.files if vanilla else {}).items()},
    }
    simulations = (FileCandidate(id=path.replace("/", "."), path=path, text=text) for path, text in texts.items())
    return Selection([traces_file(traces), *simulations], dropped, is_final=written.is_final)


async def _readable(name: str, written: Awaitable[Written], dropped: list[Dropped]) -> Written | None:
    """Return what the model has written; if it cannot be read, add it to the dropped files."""
    try:
        return await written
    except UnreadableReplyError as error:
        reason = Drop("the reply of the model could not be read", error.problem)
        dropped.append(Dropped.of(FileCandidate(id=name, path=name, text=""), reason))
        return None


async def _table_4(setup: Setup, written: Versions, vanilla: Code | None, held_out: Sequence[Trace]) -> str:
    """Return Table 4 of the paper on traces that the model has not seen, and the table of all versions."""
    best = written.best
    codes = {**({"Vanilla": vanilla} if vanilla else {}), "Tool-Traverse": best.code}
    measured = {
        "The server itself, called again": await measure_again(setup, held_out),
        **{method: await measure(code, held_out, setup.concurrency) for method, code in codes.items()},
        "Tool-Traverse, on the calls that it was written for": best.fidelity,
    }
    table = simulations_table(f"Fidelity of the simulations on {len(held_out)} held-out traces", measured)
    by_version = {f"Version {number}": each.fidelity for number, each in enumerate(written.versions, 1)}
    shown = len(best.fidelity.pairs)
    versions = simulations_table(f"Versions on the {shown} traces that the model was shown", by_version)
    parts = (f"# {table.title}", render_markdown(table), f"## {versions.title}", render_markdown(versions))
    return "\n\n".join([*parts, f"{written.sentence}\n"])


def only_traces(traces: Sequence[TraceCandidate]) -> Selection:
    """Return the file of the traces alone, if there are any."""
    files: list[Candidate] = [traces_file(traces)] if traces else []
    return Selection(files)


def write_files_of_candidates(_pipeline: Pipeline, setup: Setup, result: PipelineResult, output: Output) -> str:
    """Write the files; return what they are."""
    files = cast("Sequence[FileCandidate]", result.candidates)
    edited = write_output(output, {each.path: each.text for each in files})
    shown = os.path.relpath(output.directory)
    (traces,) = (each.text.count("\n") for each in files if each.path == TRACES_FILE)
    table = next((each.text for each in files if each.path == TABLE_FILE), "")
    server = next(iter(setup.servers))
    following = f"Next: mcpbench fidelity {shown}/{TRACES_FILE} --server SIMULATION"
    return "\n".join(
        filter(None, [*edited, f"{traces} traces of {server}: {shown}/{TRACES_FILE}. {following}", table.rstrip()])
    )
