"""Pipeline ``chains``: requests that need tools one after the other, found in recorded runs (FinMCP-Bench 2.2)."""

from pytest_mcpbench.generation.pipeline.setup import Pipeline
from pytest_mcpbench.generation.pipelines.chains.stages import stages

PIPELINE = Pipeline(
    title="Chains of tools that depend on each other",
    source="It follows the chain-based construction of FinMCP-Bench (arXiv 2603.24943), section 2.2.",
    stages=stages,
    needs_inputs=True,
    suite_fields={
        "exposure": "selected",
        "metrics": ["tool_precision", "tool_recall", "emr_flat", "tool_success"],
        "floors": {"tool_f1": 1.0, "ast": 1.0},
    },
)
