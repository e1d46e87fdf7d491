"""Catalogue of the built-in metrics, with the configuration of their settings."""

import dataclasses
import functools
import importlib
import inspect
import re
from collections.abc import Mapping
from types import FunctionType, MappingProxyType
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.score import Metric
from pytest_mcpbench.text.suggestions import hint

BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "answer": "pytest_mcpbench.metrics.answer:Answer",
        "answer_strict": "pytest_mcpbench.metrics.answer:AnswerStrict",
        "ast": "pytest_mcpbench.metrics.ast:Ast",
        "ast_calls": "pytest_mcpbench.metrics.ast:AstCalls",
        "bfcl": "pytest_mcpbench.metrics.bfcl:Bfcl",
        "checkpoints": "pytest_mcpbench.metrics.checkpoints:Checkpoints",
        "conversation": "pytest_mcpbench.metrics.conversation:Conversation",
        "elicitation": "pytest_mcpbench.metrics.elicitation:elicitation",
        "coverage": "pytest_mcpbench.metrics.coverage:Coverage",
        "contradiction_free": "pytest_mcpbench.metrics.contradiction_free:ContradictionFree",
        "coverage_with_request": "pytest_mcpbench.metrics.coverage:COVERAGE_WITH_REQUEST",
        "dag_last_name": "pytest_mcpbench.metrics.dag:DagLastName",
        "dag_leaf": "pytest_mcpbench.metrics.dag:DagLeaf",
        "dag_node_f1": "pytest_mcpbench.metrics.dag:DagNodeF1",
        "dag_strict": "pytest_mcpbench.metrics.dag:DagStrict",
        "dispatch_recall": "pytest_mcpbench.metrics.dispatch_recall:DispatchRecall",
        "discovery_precision": "pytest_mcpbench.metrics.diagnostics:DiscoveryPrecision",
        "discovery_recall": "pytest_mcpbench.metrics.diagnostics:DiscoveryRecall",
        "distinct_calls": "pytest_mcpbench.metrics.diagnostics:DistinctCalls",
        "dtsr": "pytest_mcpbench.metrics.dtsr:Dtsr",
        "effects": "pytest_mcpbench.metrics.effects:Effects",
        "emr": "pytest_mcpbench.metrics.grouping:Emr",
        "emr_flat": "pytest_mcpbench.metrics.grouping:EmrFlat",
        "emr_turn": "pytest_mcpbench.metrics.grouping:EmrTurn",
        "error_free": "pytest_mcpbench.metrics.diagnostics:ErrorFree",
        "exec": "pytest_mcpbench.metrics.exec:Exec",
        "failure_modes": "pytest_mcpbench.metrics.failure_modes:FailureModes",
        "failure_patterns": "pytest_mcpbench.metrics.failure_modes:FailurePatterns",
        "first_calls": "pytest_mcpbench.metrics.first_calls:FirstCalls",
        "operation": "pytest_mcpbench.metrics.operation:Operation",
        "recovery": "pytest_mcpbench.metrics.diagnostics:Recovery",
        "report": "pytest_mcpbench.metrics.report:Report",
        "resources": "pytest_mcpbench.metrics.resources:resources",
        "response": "pytest_mcpbench.metrics.response:Response",
        "route": "pytest_mcpbench.metrics.route:Route",
        "schema_valid": "pytest_mcpbench.metrics.diagnostics:SchemaValid",
        "skill_triggered": "pytest_mcpbench.metrics.skill_triggered:skill_triggered",
        "sr": "pytest_mcpbench.metrics.checkpoints:SuccessRate",
        "state": "pytest_mcpbench.metrics.state:State",
        "state_clean": "pytest_mcpbench.metrics.state:StateClean",
        "tool_f1": "pytest_mcpbench.metrics.tool_names:ToolF1",
        "tool_f1_turn": "pytest_mcpbench.metrics.tool_names:ToolF1Turn",
        "tool_precision": "pytest_mcpbench.metrics.tool_names:ToolPrecision",
        "tool_recall": "pytest_mcpbench.metrics.tool_names:ToolRecall",
        "tool_search": "pytest_mcpbench.metrics.tool_search:tool_search",
        "tool_success": "pytest_mcpbench.metrics.tool_success:ToolSuccess",
        "tools_described": "pytest_mcpbench.metrics.tools_described:tools_described",
        "verify": "pytest_mcpbench.metrics.verify:Verify",
    }
)
"""Name -> ``module:attribute``, so that naming a metric imports none. The attribute is a frozen dataclass with
``__call__`` (its fields are the metric's settings), an instance of one, or a plain function."""


def resolve(name: str, settings: Mapping[str, Any] | None = None) -> Metric:
    """Return the built-in metric with its settings; raise a usage error with a suggestion for an unknown name."""
    if name not in BUILT_IN:
        raise UsageError(f"no metric is called {name!r}. {hint(name, BUILT_IN)}")
    module, _, attribute = BUILT_IN[name].partition(":")
    return configure(name, getattr(importlib.import_module(module), attribute), settings or {})


def descriptions() -> dict[str, str]:
    """Return the first sentence of each built-in metric's documentation; importing all of them takes a moment."""
    return {name: description(name) for name in BUILT_IN}


def description(name: str) -> str:
    """Return the subject of a built-in metric's module, or of the metric itself where a module has several."""
    return documentation(name).partition("\n\n")[0]


def documentation(name: str) -> str:
    """Return the documentation of a built-in metric without markup, in paragraphs of one line each."""
    module, _, attribute = BUILT_IN[name].partition(":")
    source = importlib.import_module(module)
    metric = getattr(source, attribute)
    documented = metric if isinstance(metric, type | FunctionType) else type(metric)
    text = inspect.getdoc(documented) or inspect.getdoc(source) or ""
    plain = re.sub(r":\w+:`~?([^`]*)`|``([^`]*)``", r"\1\2", text)
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in plain.split("\n\n"))


def configure(name: str, metric: Any, settings: Mapping[str, Any]) -> Metric:
    """Return a metric with its settings; dataclasses are created, instances copied, functions have none."""
    if not dataclasses.is_dataclass(metric):
        if settings:
            raise UsageError(f"metric {name!r} has no settings; remove {', '.join(sorted(settings))}.")
        return cast(Metric, metric() if isinstance(metric, type) else metric)
    known = [field.name for field in dataclasses.fields(metric) if field.init]
    for key in settings:
        if key not in known:
            raise UsageError(f"metric {name!r} has no setting {key!r}. {hint(key, known, none='It takes none.')}")
    kind = metric if isinstance(metric, type) else type(metric)
    if isinstance(metric, type):
        preset = {}
    else:
        preset = {field.name: getattr(metric, field.name) for field in dataclasses.fields(metric) if field.init}
    try:
        return cast(Metric, _adapter(kind).validate_python({**preset, **settings}))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        fault = f": {first['msg'].removeprefix('Value error, ')}"
        if place:
            fault = f", setting {place!r}: {first['msg']} (it is {first['input']!r})."
        raise UsageError(f"metric {name!r}{fault}") from None


@functools.lru_cache(maxsize=256)
def _adapter(kind: type) -> "TypeAdapter[Any]":
    """Return the adapter of a class; cached, as creating it takes longer than most metrics take."""
    return TypeAdapter(kind)
