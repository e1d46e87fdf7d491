"""Workload for Inspect AI, with the settings that its documentation recommends for high concurrency and no display."""

import json
import os
import sys
import tempfile

WORK = json.loads(sys.argv[1])
os.environ |= {"BENCH_API_KEY": "none", "BENCH_BASE_URL": WORK["url"] or "http://127.0.0.1:9/v1"}

from inspect_ai import Task, eval  # noqa: A004, E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402
from inspect_ai.scorer import includes  # noqa: E402
from inspect_ai.solver import generate, solver, use_tools  # noqa: E402
from inspect_ai.tool import mcp_connection, mcp_server_stdio, tool  # noqa: E402


@tool
def look_up():
    """Return the tool, which runs in process."""

    async def execute(key: str) -> str:
        """Return the value stored under a key.

        Args:
            key: The key.
        """
        return f"value of {key}"

    return execute


@solver
def with_server():
    """Connect to a new server process per sample, because Inspect shares no connection between samples."""
    command, *arguments = WORK["server"]
    server = mcp_server_stdio(name="lookup", command=command, args=arguments)

    async def solve(state, generate):
        async with mcp_connection([server]):
            state.tools = await server.tools()
            return await generate(state)

    return solve


def answer(messages, tools, _choice, _config):
    """Return the response of the mocked model."""
    if tools and messages[-1].role != "tool":
        output = ModelOutput.for_tool_call("mockllm/model", tools[0].name, {"key": "k"})
    else:
        output = ModelOutput.from_content("mockllm/model", "It is 42: value of k")
    # Without it Inspect counts tokens, with a vocabulary from the network.
    output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
    return output


def main():
    """Evaluate all tasks; the logs go to a temporary directory."""
    kind = WORK["kind"]
    mocked = get_model("mockllm/model", custom_outputs=answer)
    model = get_model("openai-api/bench/bench") if kind == "latency" else mocked
    with_tool = [use_tools(look_up()), generate()]
    solvers = {"trivial": [generate()], "tool": with_tool, "latency": with_tool}
    samples = [Sample(input=f"What is kept under key {index}?", target="value of k") for index in range(WORK["tasks"])]
    task = Task(dataset=MemoryDataset(samples), solver=solvers.get(kind) or [with_server()], scorer=includes())
    with tempfile.TemporaryDirectory() as logs:
        (log,) = eval(
            task,
            model=model,
            display="none",
            log_dir=logs,
            max_samples=WORK["concurrency"],
            max_connections=WORK["concurrency"],
            max_subprocesses=WORK["concurrency"],
            log_realtime=False,
            score_display=False,
        )
    assert log.status == "success", log.error
    assert log.results.completed_samples == WORK["tasks"], log.results
    assert log.results.scores[0].metrics["accuracy"].value == 1.0, log.results


main()
