"""Pipeline ``persona``: tasks in the apps of people, from context trees and units of tools (MCP-Persona 3.2, 3.3)."""

from pytest_mcpbench.generation.pipeline.setup import Pipeline
from pytest_mcpbench.generation.pipelines.persona.stages import stages

PIPELINE = Pipeline(
    title="Requests of people in their own apps",
    source="It follows Context-Tree and Persona-Gen of MCP-Persona (arXiv 2606.02470), sections 3.2 and 3.3.",
    stages=stages,
    suite_fields={
        "exposure": "selected",
        "tool_names": "prefixed",
        "metrics": ["tool_f1", "error_free"],
        "system": (
            "You work for the user in their apps; what you write there is sent in their name. Do all that is asked "
            "and nothing besides. What a request does not say (ids, addresses) is among what is known about the user "
            "or can be looked up with the tools, so do not ask back. Where a text is given in quotation marks, write "
            "exactly that. Close with a sentence that says what you have done or found out."
        ),
    },
)
