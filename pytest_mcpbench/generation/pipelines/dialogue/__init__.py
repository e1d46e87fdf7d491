"""Pipeline ``dialogue``: conversations in which a model plays a user with a goal (FinMCP-Bench 2.3)."""

from pytest_mcpbench.generation.pipeline.setup import Pipeline
from pytest_mcpbench.generation.pipelines.dialogue.stages import stages

PIPELINE = Pipeline(
    title="Conversations over several turns",
    source="It follows the role-playing of FinMCP-Bench (arXiv 2603.24943), section 2.3.",
    stages=stages,
    needs_model=True,
    suite_fields={
        "exposure": "selected",
        "metrics": ["tool_precision", "tool_recall", "emr_turn", "tool_f1_turn", "tool_success"],
        "floors": {"tool_f1": 1.0, "ast": 1.0},
    },
)
