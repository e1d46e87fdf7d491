"""Pipeline ``templates``: templates of people, filled with values from the servers' worlds (MCP-RADAR 3)."""

from pytest_mcpbench.generation.pipeline.setup import Pipeline
from pytest_mcpbench.generation.pipelines.templates.stages import stages

PIPELINE = Pipeline(
    title="Templates filled with values of the servers",
    source="It follows the template-based generation and the filter of MCP-RADAR (arXiv 2505.16700), section 3.",
    stages=stages,
    needs_inputs=True,
    suite_fields={"exposure": "selected", "metrics": ["tool_success"]},
)
