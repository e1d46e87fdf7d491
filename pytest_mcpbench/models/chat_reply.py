"""Parser for chat-completions responses, tolerant of the deviations of small and custom servers."""

import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.tool import Call, ToolSearch
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.provider_error import ProviderError, redact
from pytest_mcpbench.models.tool_names import ToolNames
from pytest_mcpbench.text.normal_forms import replace_surrogates

# Parser for the arguments of a tool call as models write them.

DEEPEST_VALUE = 100
"""Levels of objects and lists in arguments; records and schemas cannot be read with many more."""


class _NotFiniteError(ValueError):
    """A number that JSON cannot represent."""


class _TooDeepError(ValueError):
    """A value with too many levels."""


def parse_arguments(raw: Any) -> tuple[dict[str, JsonValue], str | None]:
    """Return the arguments as an object, and the raw text if it is not a JSON object.

    A missing or blank value is an empty object. A value that is not encoded as a string is used as it is.
    """
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}, None
    try:
        value = json.loads(raw, parse_constant=_reject_constant) if isinstance(raw, str) else raw
        if isinstance(value, dict):
            return {replace_surrogates(str(key)): sanitize_value(item) for key, item in value.items()}, None
    except (ValueError, RecursionError):
        pass
    try:
        text = raw if isinstance(raw, str) else repr(raw)
    except RecursionError:
        text = f"a value of more than {DEEPEST_VALUE} levels of objects and lists"
    return {}, replace_surrogates(text)


def sanitize_value(value: Any, levels: int = DEEPEST_VALUE) -> JsonValue:
    """Return the value with text that can be encoded.

    Raises:
        ValueError: the value contains a number that JSON cannot represent, or more levels than are read.
    """
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict | list) and levels == 0:
        raise _TooDeepError(f"more than {DEEPEST_VALUE} levels of objects and lists")
    if isinstance(value, dict):
        return {replace_surrogates(str(key)): sanitize_value(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [sanitize_value(item, levels - 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise _NotFiniteError(f"{value} is not a JSON number")
    return value  # type: ignore[no-any-return]  # only JSON scalars reach this line


def _reject_constant(name: str) -> float:
    raise _NotFiniteError(f"{name} is not a JSON number")


_ECHOED_FIELDS = ("reasoning_content", "reasoning_details", "reasoning_items", "thinking_blocks")
"""Message fields that must be sent back with the message; without them its provider refuses the next request."""
_PROVIDER_FIELDS = (
    "thought_signatures",
    "server_tool_calls",
    "tool_results",
    "tool_search_items",
    "openai_responses_replay",
)
"""Parts of the message field ``provider_specific_fields`` that must be sent back with the message."""
_ECHOED_CALL_FIELDS = ("extra_content", "provider_specific_fields")
"""Fields of a tool call that must be sent back with it."""
_LARGEST_AMOUNT = 10**12
"""Largest number of tokens or dollars that is believed."""


def parse_reply(body: Any, names: ToolNames, *, calls_before: int = 0, seconds: float = 0.0) -> Reply:
    """Return the first choice of a response.

    Calls without an id are numbered after ``calls_before``, the number of calls before them in the conversation.

    Raises:
        ProviderError: the body contains an error, or no message.
    """
    try:
        choice = _first_choice(body)
        message = choice["message"]
        text = _text(message)
        if choice.get("error") or choice.get("finish_reason") == "error":
            # A provider failed behind its gateway, perhaps after it had written a text.
            failure = _error_in_body(choice.get("error") or "its finish reason is 'error'")
            so_far = f"; its text so far: {redact(text, most=200)!r}" if text else ""
            raise replace(failure, problem=f"{failure.problem}{so_far}")
        raw_calls = [*_raw_calls(message)]
        calls = _parse_calls(raw_calls, names, calls_before)
        # OpenAI says "stop" of a refusal, whose text stands in a field of its own.
        is_refusal = message.get("refusal") and not message.get("content") and not calls
        return Reply(
            text=text,
            calls=calls,
            searches=tuple(_searches(message, names)),
            usage=_usage(body.get("usage")),
            model=_string_or_none(body.get("model")),
            finish_reason="refusal" if is_refusal else _string_or_none(choice.get("finish_reason")),
            seconds=seconds,
            first_token_seconds=_reading_seconds(body.get("timings")),
            echo=_echo(message, raw_calls, calls),
        )
    except ValueError as error:
        raise ProviderError(
            "invalid_response", f"the response contains an invalid value: {redact(str(error), most=200)}"
        ) from error


def _first_choice(body: Any) -> dict[str, Any]:
    error = body.get("error") if isinstance(body, dict) else None
    if error:
        raise _error_in_body(error)
    match body:
        case {"choices": [{"message": dict()} as choice, *_]}:
            return dict(choice)
    raise ProviderError("invalid_response", f"the response is not a chat completion: {redact(str(body), most=200)}")


def _error_in_body(error: Any) -> ProviderError:
    """Return the error of a response with status 200; some gateways report errors in the body only."""
    message = error.get("message", error) if isinstance(error, dict) else error
    status = error.get("code") if isinstance(error, dict) else None
    if isinstance(status, int):
        return ProviderError("status", f"answered {status}: {redact(str(message))}", status)
    return ProviderError("invalid_response", f"the response contains an error: {redact(str(message))}")


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or message.get("refusal")
    if isinstance(content, list):
        texts = []
        for part in content:
            text = part
            if isinstance(part, dict):
                text = part.get("text") if part.get("type", "text") in ("text", "output_text") else ""
            texts.append(text if isinstance(text, str) else "")
        content = "".join(texts)
    return replace_surrogates(content) if isinstance(content, str) else ""


def _raw_calls(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the calls as the server wrote them, including one in the deprecated field ``function_call``."""
    calls = message.get("tool_calls")
    yield from (call for call in (calls if isinstance(calls, list) else []) if isinstance(call, dict))
    if not calls and isinstance(message.get("function_call"), dict):
        yield {"function": message["function_call"]}


def _parse_calls(raw_calls: list[dict[str, Any]], names: ToolNames, calls_before: int) -> tuple[Call, ...]:
    new_ids = (f"call_{number}" for number in itertools.count(calls_before + 1))
    used_ids: set[str] = set()
    calls = []
    for raw in raw_calls:
        raw_id = raw.get("id")
        call_id = raw_id if isinstance(raw_id, str) and raw_id and raw_id not in used_ids else next(new_ids)
        used_ids.add(call_id)
        function = raw.get("function")
        function = function if isinstance(function, dict) else raw
        arguments, raw_arguments = parse_arguments(function.get("arguments"))
        name = names.from_provider(_string_or_none(function.get("name")) or "")
        call = Call(id=replace_surrogates(call_id), name=name, arguments=arguments, raw_arguments=raw_arguments)
        calls.append(call)
    return tuple(calls)


def _echo(message: dict[str, Any], raw_calls: list[dict[str, Any]], calls: tuple[Call, ...]) -> dict[str, Any]:
    of_message: dict[str, Any] = _select_fields(message, _ECHOED_FIELDS)
    # litellm reads this field: signatures of Gemini's thoughts, and searches with what they found.
    fields = message.get("provider_specific_fields")
    if isinstance(fields, dict) and (selected := _select_fields(fields, _PROVIDER_FIELDS)):
        of_message["provider_specific_fields"] = selected
    of_calls = {call.id: _select_fields(raw, _ECHOED_CALL_FIELDS) for call, raw in zip(calls, raw_calls, strict=True)}
    of_calls = {call_id: fields for call_id, fields in of_calls.items() if fields}
    echo = {"message": of_message, "calls": of_calls}
    return {part: fields for part, fields in echo.items() if fields}


def _searches(message: dict[str, Any], names: ToolNames) -> Iterator[ToolSearch]:
    """Yield the searches for tools that the provider made, with what they found as far as it says so."""
    fields = message.get("provider_specific_fields") or {}
    match fields:
        case {"server_tool_calls": [*calls]}:
            yield from _anthropic_searches(calls, fields.get("tool_results"), names)
        case {"tool_search_items": [*items]}:
            for item in items:
                if item.get("type") == "tool_search_call":
                    query = json.dumps(item.get("arguments"), ensure_ascii=False)
                    yield ToolSearch(
                        id=str(item.get("id")), name="tool_search", arguments={"query": query}, by_provider=True
                    )


def _anthropic_searches(calls: list[Any], results: Any, names: ToolNames) -> Iterator[ToolSearch]:
    found = {}
    for result in results if isinstance(results, list) else ():
        match result:
            case {"tool_use_id": str(call_id), "content": {"tool_references": [*references]}}:
                found[call_id] = tuple(names.from_provider(str(each.get("tool_name"))) for each in references)
    for call in calls:
        match call:
            case {"id": str(call_id), "function": {"name": str(name), "arguments": str(arguments)}}:
                if "tool_search" in name:
                    given, _ = parse_arguments(arguments)
                    query = given.get("pattern", given.get("query"))
                    yield ToolSearch(
                        id=call_id, name=name, arguments={"query": query}, found=found.get(call_id), by_provider=True
                    )


def _select_fields(source: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Copy the fields that are present and not empty."""
    return {field: sanitize_value(source[field]) for field in fields if source.get(field)}


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    written = usage.get("cache_creation_input_tokens")
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")),
        cache_write_tokens=_count(details.get("cache_creation_tokens") if written is None else written),
        cost_usd=_amount(usage.get("cost")),
    )


def _reading_seconds(timings: Any) -> float | None:
    """Return the seconds in which llama.cpp read the prompt; ``None`` if another server answered."""
    milliseconds = _amount(timings.get("prompt_ms")) if isinstance(timings, dict) else None
    return None if milliseconds is None else milliseconds / 1000


def _count(value: Any) -> int | None:
    amount = _amount(value)
    return None if amount is None else int(amount)


def _amount(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= _LARGEST_AMOUNT else None


def _string_or_none(value: Any) -> str | None:
    return replace_surrogates(value) if isinstance(value, str) else None
