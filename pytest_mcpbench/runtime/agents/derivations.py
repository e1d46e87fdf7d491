"""Answers and arguments that ``oracle`` derives from the results of the reference calls."""

from collections.abc import Mapping

from pydantic import JsonValue

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, literal_texts, render, render_value
from pytest_mcpbench.core.task import Derivation, Task
from pytest_mcpbench.core.task_place import place_of
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.runtime.judges.keyfacts.values import values_beyond


def derived_answer(task: Task, derivation: Derivation, results: Mapping[str, ToolResult]) -> str:
    """Return the answer that follows from the results.

    Raises:
        TaskError: The template cannot be rendered, or it states a number, date or time itself, which the request does
            not contain: such a value would be in the answer whatever the servers return.
    """
    request = "\n".join(turn.user for turn in task.turns)
    try:
        recited = [value for text in literal_texts(derivation.answer) for value in values_beyond(text, request)]
        answer = render(derivation.answer, results)
    except ResultTemplateError as fault:
        raise _error(task, "answer", str(fault)) from fault
    if recited:
        listed = ", ".join(repr(value) for value in recited)
        raise _error(task, "answer", f"it states {listed}, which is not in the request; read it from a result")
    return answer


def derived_arguments(
    task: Task, derivation: Derivation, call_id: str, results: Mapping[str, ToolResult]
) -> dict[str, JsonValue]:
    """Return the arguments of a call that follow from earlier results. Raises :class:`TaskError`."""
    templates = derivation.arguments.get(call_id, {})
    derived: dict[str, JsonValue] = {}
    for name, template in templates.items():
        try:
            derived[name] = render_value(template, results)
        except ResultTemplateError as fault:
            raise _error(task, f"arguments.{call_id}.{name}", str(fault)) from fault
    return derived


def _error(task: Task, field: str, fault: str) -> TaskError:
    return TaskError(f"the derivation fails: {fault.rstrip('.')}.", place_of(task), f"derivation.{field}")
