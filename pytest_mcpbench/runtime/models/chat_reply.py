"""The body of a chat-completions response as our reply, with the quirks of small and of home-made servers."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.core.trajectory import Usage
from pytest_mcpbench.runtime.models.arguments import arguments_of, clean, clean_text
from pytest_mcpbench.runtime.models.provider_error import ProviderError, redacted
from pytest_mcpbench.runtime.models.tool_names import ToolNames

_WANTED_BACK = ("reasoning_content", "reasoning_details", "thinking_blocks")
"""Fields of a message that its provider refuses to go without when it sees the message again."""
_WANTED_BACK_OF_CALLS = ("extra_content", "provider_specific_fields")


def reply_of(body: Any, names: ToolNames, *, calls_before: int = 0, seconds: float = 0.0) -> Reply:
    """The first choice of a response. ``calls_before`` makes ids unique where the server gives none.

    Raises ProviderError where the body holds an error or no message.
    """
    try:
        return _reply(body, names, calls_before, seconds)
    except ValueError as error:
        raise ProviderError("garbage", f"answered with what cannot be kept: {redacted(str(error))[:200]}") from error


def _reply(body: Any, names: ToolNames, calls_before: int, seconds: float) -> Reply:
    choice = _first_choice(body)
    message = choice["message"]
    written = [*_written_calls(message)]
    calls = _calls(written, names, calls_before)
    return Reply(
        text=_text(message),
        calls=calls,
        usage=_usage(body.get("usage")),
        model=_word(body.get("model")),
        finish_reason=_word(choice.get("finish_reason")),
        seconds=seconds,
        echo=_echo(message, written, calls),
    )


def _first_choice(body: Any) -> dict[str, Any]:
    error = body.get("error") if isinstance(body, dict) else None
    if error:
        raise _failed_in_body(error)
    match body:
        case {"choices": [{"message": dict()} as choice, *_]}:
            return dict(choice)
    raise ProviderError("garbage", f"answered with what is no chat completion: {redacted(str(body))[:200]}")


def _failed_in_body(error: Any) -> ProviderError:
    """Some gateways answer 200 and put the error into the body."""
    said = error.get("message", error) if isinstance(error, dict) else error
    status = error.get("code") if isinstance(error, dict) else None
    if isinstance(status, int):
        return ProviderError("status", f"answered {status}: {redacted(str(said))}", status)
    return ProviderError("garbage", f"answered with an error: {redacted(str(said))}")


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or message.get("refusal")
    if isinstance(content, list):
        content = "".join(_part(part) for part in content)
    return clean_text(content) if isinstance(content, str) else ""


def _part(part: Any) -> str:
    if isinstance(part, dict):
        part = part.get("text") if part.get("type", "text") in ("text", "output_text") else ""
    return part if isinstance(part, str) else ""


def _written_calls(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The calls as the server wrote them, also one in the old ``function_call``."""
    calls = message.get("tool_calls")
    yield from (call for call in (calls if isinstance(calls, list) else []) if isinstance(call, dict))
    if not calls and isinstance(message.get("function_call"), dict):
        yield {"function": message["function_call"]}


def _calls(written: list[dict[str, Any]], names: ToolNames, calls_before: int) -> tuple[Call, ...]:
    fresh = (f"call_{number}" for number in itertools.count(calls_before + 1))
    taken: set[str] = set()
    calls = []
    for call in written:
        given = call.get("id")
        call_id = given if isinstance(given, str) and given and given not in taken else next(fresh)
        taken.add(call_id)
        calls.append(_call(call, clean_text(call_id), names))
    return tuple(calls)


def _call(written: dict[str, Any], call_id: str, names: ToolNames) -> Call:
    function = written.get("function")
    function = function if isinstance(function, dict) else written
    arguments, raw = arguments_of(function.get("arguments"))
    name = names.meant(clean_text(_word(function.get("name")) or ""))
    return Call(id=call_id, name=name, arguments=arguments, raw_arguments=raw)


def _echo(message: dict[str, Any], written: list[dict[str, Any]], calls: tuple[Call, ...]) -> dict[str, Any]:
    fields = _kept(message, _WANTED_BACK)
    by_call = {call.id: _kept(given, _WANTED_BACK_OF_CALLS) for call, given in zip(calls, written, strict=True)}
    by_call = {call_id: kept for call_id, kept in by_call.items() if kept}
    return {name: kept for name, kept in (("message", fields), ("calls", by_call)) if kept}


def _kept(given: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {field: clean(given[field]) for field in fields if given.get(field)}


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else None,
        cost_usd=_amount(usage.get("cost")),
    )


def _count(value: Any) -> int | None:
    amount = _amount(value)
    return None if amount is None else int(amount)


def _amount(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < math.inf else None


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None
