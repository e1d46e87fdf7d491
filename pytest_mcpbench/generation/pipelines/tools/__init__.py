"""Pipeline ``tools``: requests for single tools and for chains of tools (MCPToolBench++ 2.2 to 2.5)."""

from pytest_mcpbench.generation.pipeline.setup import Pipeline
from pytest_mcpbench.generation.pipelines.tools.stages import SYSTEM, stages

PIPELINE = Pipeline(
    title="Single tools and chains of tools",
    source="It follows the pipeline of MCPToolBench++ (arXiv 2508.07575), sections 2.2 to 2.5.",
    stages=stages,
    call_metrics=("ast", "ast_calls", "dag_leaf", "dag_node_f1"),
    suite_fields={
        "system": SYSTEM,
        "exposure": "selected",
        "metrics": ["ast_calls", "dag_node_f1"],
        "floors": {"ast": 1.0, "dag_leaf": 1.0, "tool_success": 1.0},
    },
)
