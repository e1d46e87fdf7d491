"""The errors of Notion's API, with its codes and words."""

import json
from typing import Any

from pytest_mcpbench.simulated.engine import MissingScope, ToolFailure

_SHARE = "Make sure the relevant pages and databases are shared with your integration."


def invalid(message: str) -> ToolFailure:
    """A request that is not as the API wants it."""
    return ToolFailure(message, status=400, code="validation_error")


def malformed(place: str, wanted: str, given: Any) -> ToolFailure:
    """A value in a request that is not what the API wants there; ``...`` stands for one that is missing."""
    shown = "undefined" if given is ... else json.dumps(given, ensure_ascii=False)
    where = place.partition(".")[0]
    return invalid(f"{where} failed validation: {place} should be {wanted}, instead was `{shown}`.")


def not_found(kind: str, object_id: str) -> ToolFailure:
    """An object that does not exist, or that the integration may not see."""
    return ToolFailure(f"Could not find {kind} with ID: {object_id}. {_SHARE}", status=404, code="object_not_found")


def error_text(failure: ToolFailure) -> str:
    """A failure as the server answers with it."""
    if isinstance(failure, MissingScope):
        failure = ToolFailure("Insufficient permissions for this endpoint.", status=403, code="restricted_resource")
    facts = {"status": failure.facts.get("status", 400), "code": failure.facts.get("code", "validation_error")}
    return json.dumps({"object": "error", **facts, "message": str(failure)}, indent=2, ensure_ascii=False)
