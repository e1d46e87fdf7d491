"""The errors of Notion's API, with its codes and wording."""

import json
from typing import Any

from pytest_mcpbench.simulated.engine import MissingScope, ToolFailure

_SHARE = "Make sure the relevant pages and databases are shared with your integration."


def invalid(message: str) -> ToolFailure:
    """Return the error for a request that the API does not accept."""
    return ToolFailure(message, status=400, code="validation_error")


def invalid_value(place: str, expected: str, actual: Any) -> ToolFailure:
    """Return the error for a value that the API does not accept at ``place``; ``...`` is a missing value."""
    actual_text = "undefined" if actual is ... else json.dumps(actual, ensure_ascii=False)
    section = place.partition(".")[0]
    return invalid(f"{section} failed validation: {place} should be {expected}, instead was `{actual_text}`.")


def missing_object(kind: str, object_id: str) -> ToolFailure:
    """Return the error for an object that does not exist or is not shared with the integration."""
    return ToolFailure(f"Could not find {kind} with ID: {object_id}. {_SHARE}", status=404, code="object_not_found")


def error_text(failure: ToolFailure) -> str:
    """Return a failure as the server's response text."""
    if isinstance(failure, MissingScope):
        failure = ToolFailure("Insufficient permissions for this endpoint.", status=403, code="restricted_resource")
    facts = {"status": failure.facts.get("status", 400), "code": failure.facts.get("code", "validation_error")}
    return json.dumps({"object": "error", **facts, "message": str(failure)}, indent=2, ensure_ascii=False)
