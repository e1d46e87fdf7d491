"""Root causes of failed tool calls, found by rule (MCPToolBench++ 4.1.2, 4.3, Table 4).

The rules read what the server wrote. They are tried in order: the first that fits decides, so that the special
(a session that is not found) stands before the general (something is not found).
"""

import json
import re
from functools import lru_cache
from typing import Any, Literal, get_args

from pytest_mcpbench.core.placeholders import decode_json
from pytest_mcpbench.core.tool import CallRecord, ToolResult

RootCause = Literal[
    "parameter_error:missing",
    "parameter_error:invalid_value",
    "parameter_error:out_of_range",
    "parameter_error:schema",
    "unknown_tool",
    "not_exposed",
    "not_loaded",
    "not_sent",
    "api_error",
    "http_error",
    "empty_result",
    "session_error",
    "runtime_error",
    "resource_not_found",
    "environment_missing",
    "timeout",
    "harness_error",
    "other",
]

ROOT_CAUSES: tuple[RootCause, ...] = get_args(RootCause)

_LONGEST_HOLLOW = 2000
_COUNTS = frozenset({"count", "length", "size", "total", "total_count", "totalCount", "total_results", "num_results"})
"""Fields that are 0 beside an empty list."""
_DESCRIPTIONS_OF_CALLS = frozenset({"success", "ok", "status", "status_code", "code", "error", "errors", "warnings"})

HARNESS_ERROR: RootCause = "harness_error"
"""Cause that is not the model's fault."""
NOT_COUNTED: frozenset[RootCause | None] = frozenset({HARNESS_ERROR, "not_sent"})
"""Causes that leave a call out of scores and counts: failures of the harness, and calls that a limit prevented."""


def root_cause(call: CallRecord) -> RootCause | None:
    """Return the root cause of a failed call; ``None`` if it succeeded.

    A call succeeded when its result is no error, is not empty and reports no failure inside (:func:`inner_failure`).
    """
    if call.problem == "malformed_arguments":
        return "parameter_error:schema"
    if call.problem is not None:
        return call.problem
    if call.result is None:
        return "not_sent"
    return cause_of_result(call.result)


def cause_of_result(result: ToolResult) -> RootCause | None:
    """Return the root cause of a server's result, like :func:`root_cause`."""
    if result.error_kind == "timeout":
        return "timeout"
    if result.error_kind == "transport":
        return HARNESS_ERROR
    if result.is_error:
        return cause_of_text(result.text)
    failure = inner_failure(result)
    if failure is not None:
        return cause_of_text(failure)
    return "empty_result" if is_empty(result) else None


def family(cause: str) -> str:
    """Return the cause without its subdivision: ``parameter_error`` of ``parameter_error:missing``."""
    return cause.partition(":")[0]


def is_empty(result: ToolResult) -> bool:
    """Return whether a result holds nothing: no block, text or structured value with any content.

    JSON is empty if all of its parts are (Table 4: ``{"success": true, "data": []}``). Fields that only describe the
    call, such as ``success`` and ``status``, are not content; alone they acknowledge a write, which is not empty.
    """
    if any(block.type != "text" for block in result.content):
        return False
    return all(_is_hollow_text(block.text or "") for block in result.content) and _is_hollow(result.structured)


def inner_failure(result: ToolResult) -> str | None:
    """Return the failure that a result reports in its text although the protocol calls it a success, else ``None``.

    The first text block is a JSON object with ``success: false``, with an ``error`` that says something (not null,
    false or empty), or with a ``status`` of 400 or more.
    """
    text = next((block.text for block in result.content if block.text is not None), "")
    return text if _reports_failure(text) else None


def cause_of_text(text: str) -> RootCause:
    """Return the root cause that an error message describes; ``other`` if no rule matches."""
    if not text.strip():
        return "other"
    return next((cause for cause, rule in _RULES if rule.search(text)), "other")


# Metrics, failure labels and reports ask for the cause of the same few calls, one after the other.
_of_same_attempt = lru_cache(maxsize=32)
_LONGEST_KEPT = 16_384


def _reports_failure(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    return _object_reports_failure(text) if len(text) <= _LONGEST_KEPT else _object_reports_failure.__wrapped__(text)


@_of_same_attempt
def _object_reports_failure(text: str) -> bool:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(said, dict):
        return False
    status = said.get("status")
    has_failing_status = isinstance(status, int) and not isinstance(status, bool) and status >= 400
    return said.get("success") is False or said.get("error") not in (None, False, "") or has_failing_status


def _is_hollow_text(text: str) -> bool:
    # Parsing a long text would cost more than all rules, and nothing that long is empty.
    return not text.strip() or (len(text) <= _LONGEST_HOLLOW and _is_hollow_json(text))


@_of_same_attempt
def _is_hollow_json(text: str) -> bool:
    return _is_hollow(decode_json(_as_json(text)))


def _as_json(text: str) -> str:
    """Return a printed Python value such as ``{'success': True}`` in JSON, and any other text as it is."""
    if not text.lstrip().startswith(("{'", "[{'")):
        return text
    return _PYTHON_CONSTANT.sub(lambda match: _JSON_CONSTANTS[match.group()], text.replace("'", '"'))


_JSON_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_PYTHON_CONSTANT = re.compile(r"\b(?:True|False|None)\b")


def _is_hollow(value: Any) -> bool:
    match value:
        case str():
            return not value.strip()
        case list():
            return all(map(_is_hollow, value))
        case dict():
            parts = [part for name, part in value.items() if not _describes_call(name, part)]
            return all(map(_is_hollow, parts)) and (bool(parts) or not value)
    return value is None


def _describes_call(name: str, value: Any) -> bool:
    """Return whether a field of a result describes the call and is no content."""
    if name in ("message", "msg"):
        return isinstance(value, str) and value.strip().casefold() in ("", "ok", "success")
    return name in _DESCRIPTIONS_OF_CALLS or (name in _COUNTS and value == 0)


def _rule(cause: RootCause, *patterns: str) -> tuple[RootCause, re.Pattern[str]]:
    return cause, re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


_RULES = (
    _rule("api_error", r"separator is (not )?found", r"error during query to"),
    _rule(
        "environment_missing",
        r"executable doesn'?t exist",
        r"failed to (initialize|launch) (the )?browser",
        r"command not found|is not recognized as an internal",
        r"no module named|cannot find module",
        r"(api[ _-]?key|access[ _-]?token|credentials?|environment variable)[^.\n]{0,40}"
        r"(missing|not (set|configured|found|provided)|is required)",
        r"is not installed",
    ),
    _rule(
        "session_error",
        r"\bsession\b[^.\n]{0,60}(not found|expired|closed|invalid|does not exist|terminated)",
        r"(no|invalid|expired|unknown) (active |open )?session",
        r"failed to (start|end|open|close)[^.\n]{0,30} session",
        r"(target|page|browser|context)[^.\n]{0,30}(has been|is|was) closed",
    ),
    _rule("timeout", r"time[ds]?[ -]?out", r"ETIMEDOUT", r"deadline exceeded", "超时"),
    _rule(
        "parameter_error:out_of_range",
        r"out of (range|bounds)|\brange\b[^.\n]{0,60}invalid",
        r"must be (between|less than|greater than|at (least|most)|positive|non-negative|<|>)",
        r"(less|greater) than (or equal to )?(the )?(minimum|maximum|-?\d)",
        r"exceeds? the (maximum|limit of)|too_(big|small)|超出范围",
    ),
    _rule(
        "parameter_error:missing",
        r"is a required property|required (property|parameter|argument|field)|field required",
        r"missing (\d+ )?(required |a )?[^.\n]{0,40}(argument|parameter|value|field|property|key)",
        r"(is|are) (required|missing)\b|all values (are )?empty",
        r"(must not|cannot|can'?t|may not) be (empty|blank|null)|缺少",
    ),
    _rule(
        "parameter_error:schema",
        r"(is )?not of type|is not one of|input validation error|validation errors? for",
        r"additional properties are not allowed|extra inputs are not permitted|unexpected keyword",
        r"invalid_type|input should be|expected (a |an )?(string|number|integer|boolean|array|object)\b",
        r"-32602|not valid json",
    ),
    _rule("runtime_error", r"called while another coroutine|already waiting for incoming data"),
    _rule(
        "parameter_error:invalid_value",
        r"could not find exact match",
        r"converting circular structure",
        r"\binva(li|il)d\b",
        r"outside (of )?(the )?allowed director",
        r"malformed|could not (parse|be parsed)|(bad|wrong) (value|format)|unsupported (value|format)",
        "参数",
    ),
    _rule(
        "api_error",
        r"\bAPI (response )?error",
        r"rate limit|too many requests|quota|unauthorized|forbidden|(permission|access) denied|EACCES|not allowed",
        r"missing_scope|not_authed|error calling tool '[^']*': \d{3}",
        r"权限",
    ),
    _rule(
        "http_error",
        r"status code:? [45]\d\d|\bHTTP[/ ]?[\d. ]*(error|status)?:? ?[45]\d\d",
        r"\b[45]\d\d (client|server) error|^\W*[45]\d\d\b",
        r"ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|getaddrinfo|name or service not known",
        r"connection (refused|reset|error|aborted)|socket|\b(TLS|SSL)\b|certificate|fetch failed|network",
    ),
    _rule(
        "resource_not_found",
        r"ENOENT|no such (file|directory|table|column|key|record)|not[ _]found|\b404\b|\b410\b",
        r"does ?n[o']?t exist|could not (be found|find)|no [^.\n]{0,40} (found|exists)|unknown (id|file|path|user)",
        "不存在|未找到|找不到",
    ),
    _rule(
        "runtime_error",
        r"traceback \(most recent|\b\w*(Error|Exception)\b:",
        r"internal (server )?error|-32603|cannot read propert|is not a function|undefined|unhandled|panic",
    ),
)
