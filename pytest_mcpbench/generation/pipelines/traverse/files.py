"""Files that the pipeline writes."""

import os
from collections.abc import Sequence
from typing import cast

from pytest_mcpbench.core.fidelity.trace import Trace
from pytest_mcpbench.generation.directories import write_files
from pytest_mcpbench.generation.pipeline.candidates import Candidate
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.running import PipelineResult
from pytest_mcpbench.generation.pipeline.setup import Output, Pipeline, Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.traverse.candidates import FileCandidate, TraceCandidate
from pytest_mcpbench.generation.pipelines.traverse.simulating import (
    measure,
    measure_again,
    split,
    write_simulation,
    write_vanilla,
)
from pytest_mcpbench.reporting.fidelity import simulations_table
from pytest_mcpbench.reporting.markdown import render_table as render_markdown

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
    """Return the files of the traces, of the simulations that the model writes, and Table 4 about these."""
    if not traces:
        return Selection()
    shown, held_out = split([each.trace for each in traces])
    vanilla = await write_vanilla(setup, questions)
    written = await write_simulation(setup, questions, shown)
    best = written.best
    measured = {
        "The server itself, called again": await measure_again(setup, held_out),
        "Vanilla": await measure(vanilla, held_out, setup.concurrency),
        "Tool-Traverse": await measure(best.code, held_out, setup.concurrency),
        "Tool-Traverse, on the calls that it was written for": best.fidelity,
    }
    table = simulations_table(f"Fidelity of the simulations on {len(held_out)} held-out traces", measured)
    by_version = {f"Version {number}": each.fidelity for number, each in enumerate(written.versions, 1)}
    versions = simulations_table(f"Versions on the {len(shown)} traces that the model was shown", by_version)
    texts = {
        TABLE_FILE: f"# {table.title}\n\n{render_markdown(table)}\n\n"
        f"## {versions.title}\n\n{render_markdown(versions)}\n\n{written.sentence}\n",
        HELD_OUT_FILE: _lines(held_out),
        **{f"simulation/{name}": text for name, text in best.code.files.items()},
        **{f"vanilla/{name}": text for name, text in vanilla.files.items()},
    }
    simulations = (FileCandidate(id=path.replace("/", "."), path=path, text=text) for path, text in texts.items())
    return Selection([traces_file(traces), *simulations])


async def only_traces(traces: Sequence[TraceCandidate]) -> Selection:
    """Return the file of the traces alone, if there are any."""
    files: list[Candidate] = [traces_file(traces)] if traces else []
    return Selection(files)


def write_files_of_candidates(_pipeline: Pipeline, setup: Setup, result: PipelineResult, output: Output) -> str:
    """Write the files; return what they are."""
    files = cast("Sequence[FileCandidate]", result.candidates)
    write_files(output.directory, {each.path: each.text for each in files})
    shown = os.path.relpath(output.directory)
    (traces,) = (each.text.count("\n") for each in files if each.path == TRACES_FILE)
    table = next((each.text for each in files if each.path == TABLE_FILE), "")
    server = next(iter(setup.servers))
    following = f"Next: mcpbench fidelity {shown}/{TRACES_FILE} --server SIMULATION"
    return "\n".join(filter(None, [f"{traces} traces of {server}: {shown}/{TRACES_FILE}. {following}", table.rstrip()]))
