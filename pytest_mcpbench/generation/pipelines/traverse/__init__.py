"""Pipeline ``traverse``: recorded calls of a server, and a simulation of it (MCP-Persona 3.1, Tool-Traverse)."""

from pytest_mcpbench.generation.pipeline.setup import End, Pipeline
from pytest_mcpbench.generation.pipelines.traverse.files import TRACES_FILE, write_files_of_candidates
from pytest_mcpbench.generation.pipelines.traverse.stages import last_stages, stages

PIPELINE = Pipeline(
    title="Recorded calls and a simulation",
    source="It follows Tool-Traverse of MCP-Persona (arXiv 2606.02470), section 3.1.",
    stages=stages,
    end=End(TRACES_FILE, last_stages, write_files_of_candidates),
)
