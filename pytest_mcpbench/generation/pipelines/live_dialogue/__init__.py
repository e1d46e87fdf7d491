"""Pipeline ``live_dialogue``: the person of each dialogue is a user who answers while the test runs."""

from pytest_mcpbench.generation.pipeline.setup import Pipeline
from pytest_mcpbench.generation.pipelines.live_dialogue.stages import stages

PIPELINE = Pipeline(
    title="Conversations with a person who answers",
    source="It follows the multi-turn construction of FinMCP-Bench (arXiv 2603.24943), section 2.3, with live users.",
    stages=stages,
    needs_model=True,
    plays_user=True,
    suite_fields={
        "exposure": "selected",
        "metrics": ["tool_precision", "tool_recall", "tool_success"],
        "floors": {"tool_f1": 1.0, "conversation": 1.0},
    },
)
