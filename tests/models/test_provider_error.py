from datetime import UTC, datetime

import pytest

from pytest_mcpbench.core.secrets import Secrets
from pytest_mcpbench.models.provider_error import ProviderError, error_from_response, extract_message, parse_retry_after

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)

WAITS: dict[str, tuple[dict[str, str], float | None]] = {
    "absent": ({}, None),
    "seconds": ({"retry-after": "7"}, 7.0),
    "a part of a second": ({"retry-after": "0.25"}, 0.25),
    "negative": ({"retry-after": "-1"}, 0.0),
    "a date": ({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT"}, 30.0),
    "a date that is over": ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0.0),
    "a date without a zone": ({"retry-after": "Sat, 21 Nov 2026 12:00:30 -0000"}, 30.0),
    "milliseconds": ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
    "infinite": ({"retry-after": "inf", "retry-after-ms": "nan"}, None),
    "nonsense": ({"retry-after": "soon"}, None),
}


@pytest.mark.parametrize(("headers", "seconds"), WAITS.values(), ids=WAITS.keys())
def test_the_wait_that_the_provider_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert parse_retry_after(headers, NOW) == seconds


def test_google_asks_for_a_wait_in_the_body() -> None:
    body = '{"error": {"message": "slow down", "details": [{"retryDelay": "7.5s"}]}}'
    assert error_from_response(429, body, {}, now=NOW).retry_after_seconds == 7.5
    assert error_from_response(429, body, {"retry-after": "2"}, now=NOW).retry_after_seconds == 2


MESSAGES = {
    '{"error": {"message": "No.", "code": "bad_key"}}': "No. (bad_key)",
    '{"error": {"message": "No.", "type": "bad", "code": 7}}': "No.",
    '{"error": "No."}': "No.",
    '{"detail": "No."}': "No.",
    '{"message": "No."}': "No.",
    '[{"error": {"message": "No."}}]': "No.",
    "<html><body><h1>Bad  gateway</h1></body></html>": "Bad gateway",
    '{"strange": 1}': '{"strange": 1}',
    "": "",
}


@pytest.mark.parametrize(("body", "message"), MESSAGES.items())
def test_the_message_is_found_in_the_usual_shapes(body: str, message: str) -> None:
    assert extract_message(body) == message


RETRIED: dict[str, tuple[ProviderError, bool]] = {
    **{str(status): (ProviderError("status", "", status), True) for status in (408, 409, 429, 500, 502, 503, 504, 529)},
    **{str(status): (ProviderError("status", "", status), False) for status in (301, 400, 401, 403, 404, 422, 501)},
    "no money left": (ProviderError("status", "You exceeded (insufficient_quota)", 429), False),
    "timeout": (ProviderError("timeout", ""), True),
    "broken connection": (ProviderError("connection", ""), True),
    "invalid_response": (ProviderError("invalid_response", ""), True),
    "no key": (ProviderError("setup", ""), False),
    "conversation too long": (ProviderError("context_full", "", 400), False),
}


@pytest.mark.parametrize(("error", "is_retried"), RETRIED.values(), ids=RETRIED.keys())
def test_only_what_may_pass_is_worth_a_retry(error: ProviderError, is_retried: bool) -> None:
    assert error.is_retryable is is_retried


TOO_LONG = (
    '{"error": {"message": "This model\'s maximum context length is 8192 tokens", "code": "context_length_exceeded"}}',
    '{"error": {"message": "the request exceeds the available context size. try increasing it"}}',
    '{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens"}}',
)


@pytest.mark.parametrize("body", TOO_LONG)
def test_a_conversation_that_is_too_long_is_told_from_other_refusals(body: str) -> None:
    assert error_from_response(400, body, {}, now=NOW).kind == "context_full"


def test_the_message_has_no_secrets_and_is_bounded() -> None:
    body = (
        '{"error": {"message": "Wrong key hunter2-is-it, or sk-abcDEF-1234567890, or Bearer abc.def-1234567. '
        + "x " * 900
        + '"}}'
    )
    error = error_from_response(401, body, {}, now=NOW, secrets=Secrets({"hunter2-is-it": "MY_KEY"}))
    start = "answered 401: Wrong key [secret MY_KEY], or [secret API key], or Bearer [secret bearer token] x"
    assert str(error).startswith(start)
    assert len(str(error)) < 600
