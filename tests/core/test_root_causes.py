import pytest

from pytest_mcpbench.core.root_causes import cause_of_text, family, is_empty, root_cause
from pytest_mcpbench.core.tool import Content, ToolResult
from tests.builders import a_call

TABLE_4 = [
    (
        "environment_missing",
        "Failed to initialize browser: browserType.launch: Executable doesn't exist at ./xxx/ms-playwright/",
    ),
    ("session_error", "Failed to end codegen session: Session sessionXYZ not found"),
    ("parameter_error:missing", "all values empty, missing values"),
    ("parameter_error:invalid_value", "Error: Could not find exact match for edit: Project Overview"),
    (
        "resource_not_found",
        "Error: ENOENT: no such file or directory, open './test_project_root/data/test_file_txt_1.txt'",
    ),
    ("runtime_error", "read() called while another coroutine is already waiting for incoming data"),
    ("api_error", "Tavily API error: Request failed with status code 432"),
    ("api_error", "Error during query to tavily-mcp: Separator is not found, and chunk exceed the limit"),
    ("api_error", "Internal error: Error calling tool 'tavily_crawl': 400"),
    ("api_error", "Error during query to tavily-mcp: Separator is found, but chunk is longer than limit"),
    ("parameter_error:missing", "Input validation error: 'url' is a required property"),
    ("parameter_error:invalid_value", "origin or destination is invalid"),
    (
        "parameter_error:invalid_value",
        "Geocoding API error: input 'origin' invaild, please reinput more detail address",
    ),
    ("api_error", "API response error: unkown error"),
    ("parameter_error:out_of_range", "The range of input latitude and longitude is invalid"),
    (
        "http_error",
        "Error: request to https://maps.googleapis.com/maps/api/geocode/json?xxxx failed, reason: Client network "
        "socket disconnected before secure TLS connection was established",
    ),
    ("api_error", "PayPal API error (404): [object Object]"),
    ("http_error", "Request failed with status code 400, type: paypal_error"),
    ("parameter_error:invalid_value", "Converting circular structure to JSON"),
    ("resource_not_found", "The specified resource does not exist"),
    ("timeout", "Connection Timeout"),
]


@pytest.mark.parametrize(("cause", "text"), TABLE_4, ids=[text[:40] for _, text in TABLE_4])
def test_the_logs_of_the_papers_table_4_get_its_categories(cause: str, text: str) -> None:
    assert cause_of_text(text) == cause


MORE = [
    ("parameter_error:schema", "Input validation error: 5 is not of type 'string'"),
    ("parameter_error:missing", "1 validation error for call[read]\npath\n  Field required [type=missing]"),
    ("parameter_error:schema", "Extra inputs are not permitted"),
    ("parameter_error:out_of_range", "limit must be between 1 and 100"),
    ("environment_missing", "environment variable TOKEN is not set"),
    ("parameter_error:invalid_value", "Access denied - path outside allowed directories: /etc not in /data"),
    ("api_error", "Access denied: the token has no scope"),
    ("api_error", "429 rate limit exceeded"),
    ("api_error", "missing_scope"),
    ("http_error", "connect ECONNREFUSED 127.0.0.1:80"),
    ("resource_not_found", "User not found"),
    ("runtime_error", "Traceback (most recent call last): ..."),
    ("runtime_error", "ZeroDivisionError: division by zero"),
    ("other", "It did not work"),
    ("other", ""),
]


@pytest.mark.parametrize(("cause", "text"), MORE, ids=[text[:40] or "nothing" for _, text in MORE])
def test_other_messages_are_told_apart(cause: str, text: str) -> None:
    assert cause_of_text(text) == cause


@pytest.mark.parametrize(
    "result",
    [
        ToolResult.of_text('{"error": null, "status": 200}'),
        ToolResult.of_text('{"error": "", "success": true}'),
        ToolResult.of_text('{"status": "open"}'),
        ToolResult.of_text('["success", false]'),
        ToolResult(content=(Content(type="image", data="aGk=", mime_type="image/png"),)),
        ToolResult(structured={"count": 0}),
    ],
    ids=["null error", "empty error", "status in words", "a list", "an image", "structured zero"],
)
def test_a_call_with_something_to_read_and_no_failure_succeeds(result: ToolResult) -> None:
    assert root_cause(a_call("read", result=result)) is None


@pytest.mark.parametrize(
    ("cause", "result"),
    [
        ("empty_result", ToolResult()),
        ("empty_result", ToolResult.of_text(" \n")),
        ("empty_result", ToolResult(structured={"result": ""})),
        ("resource_not_found", ToolResult.of_text('{"success": false, "error": "no such file"}')),
        ("http_error", ToolResult.of_text('{"status": 500, "message": "HTTP 500"}')),
        ("http_error", ToolResult.of_text('{"status": 400, "message": "HTTP 400"}')),
        ("other", ToolResult.of_text('{"success": false}')),
        ("timeout", ToolResult.failure("gone", "timeout")),
        ("harness_error", ToolResult.failure("broken pipe", "transport")),
        ("parameter_error:schema", ToolResult.failure("MCP error -32602: no", "protocol")),
    ],
)
def test_a_result_that_fails_has_a_cause(cause: str, result: ToolResult) -> None:
    assert root_cause(a_call("read", result=result)) == cause


@pytest.mark.parametrize(
    ("cause", "fields"),
    [
        ("parameter_error:schema", {"problem": "malformed_arguments"}),
        ("unknown_tool", {"problem": "unknown_tool"}),
        ("not_exposed", {"problem": "not_exposed"}),
        ("not_sent", {}),
    ],
)
def test_a_call_that_never_reached_its_server_says_why(cause: str, fields: dict[str, str]) -> None:
    call = a_call("read").model_copy(update={"result": None, **fields})
    assert root_cause(call) == cause


def test_a_family_is_the_cause_without_its_subdivision() -> None:
    assert (family("parameter_error:missing"), family("timeout")) == ("parameter_error", "timeout")


def test_a_hollow_structured_value_is_empty() -> None:
    assert is_empty(ToolResult(structured={"result": []}))
    assert not is_empty(ToolResult(structured=0))


@pytest.mark.parametrize(
    "text",
    [
        '{"success": true, "data": []}',
        '{"success": true, "data": null, "error": null}',
        '{"status_code": 200, "result": {"success": true, "data": {"items": []}}}',
        '{"data": {}, "message": "OK"}',
        '{"results": [], "total": 0}',
        "{'success': True, 'data': []}",
        "{'data': None, 'count': 0}",
        "[]",
        "{}",
        "[{}]",
        '""',
        "null",
    ],
)
def test_json_without_content_is_empty(text: str) -> None:
    assert is_empty(ToolResult.of_text(text))
    assert root_cause(a_call("t", result=text)) == "empty_result"


@pytest.mark.parametrize(
    "text",
    [
        '{"success": true}',
        '{"success": true, "warnings": []}',
        '{"count": 0}',
        "{'results': [], 'total': 3}",
        "{'data': ['it is empty']}",
        '{"success": true, "message": "Deleted."}',
        '{"success": true, "data": [0]}',
        '{"success": true, "data": false}',
        '{"items": [], "next": "page-2"}',
        "0",
        "[] is empty",
    ],
)
def test_an_acknowledgement_or_any_content_is_not_empty(text: str) -> None:
    assert not is_empty(ToolResult.of_text(text))
