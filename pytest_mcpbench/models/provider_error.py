"""Errors of one request to a provider, and whether to retry it."""

import json
import math
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from pytest_mcpbench.core.secrets import NO_SECRETS, Secrets

FailureKind = Literal[
    "unreachable", "connection", "timeout", "status", "invalid_response", "too_large", "context_full", "setup"
]

REJECTED = frozenset({400, 404, 415, 422, 501})
"""Statuses with which a provider rejects a request that it does not understand."""
_RETRYABLE_STATUSES = frozenset({408, 409, 425, 429})
_RETRY_DELAY = re.compile(r'"retryDelay":\s*"(\d{1,9}(?:\.\d{1,9})?)s"')
_LONGEST_MESSAGE = 500
_LONGEST_BODY = 5000
_QUOTA_EXHAUSTED = ("insufficient_quota", "credit balance is too low", "billing_hard_limit")
"""Phrases of responses that have a retryable status but can only be resolved by paying."""
_REFUSED = (
    "incorrect api key",
    "invalid api key",
    "api key not valid",
    "api_key_invalid",
    "model_not_found",
    "not a valid model",
    "invalid model",
)
"""Phrases of responses with status 400 or 403 to a wrong key or an unknown model."""
_CONVERSATION_TOO_LONG = (
    "context_length_exceeded",
    "maximum context length",
    "prompt is too long",
    "input is too long",
    "context window",
    "available context size",
    "input token count",
)


@dataclass(eq=False)
class ProviderError(Exception):
    """Failure of one request; it stays inside this package, users see a ``ModelError``."""

    kind: FailureKind
    problem: str
    status: int | None = None
    retry_after_seconds: float | None = None

    def __str__(self) -> str:
        return self.problem

    @property
    def is_rate_limit(self) -> bool:
        return self.status == 429

    @property
    def is_refusal(self) -> bool:
        """True if the provider refuses the key or does not know the model, so that no other request can succeed."""
        is_said = self.status in (400, 403) and any(phrase in self.problem.lower() for phrase in _REFUSED)
        return self.kind == "status" and (self.status in (401, 404) or is_said)

    @property
    def is_retryable(self) -> bool:
        """True if the same request may succeed when it is sent again."""
        if self.kind == "status":
            status = self.status or 0
            is_transient = status in _RETRYABLE_STATUSES or 500 <= status != 501
            return is_transient and not any(word in self.problem for word in _QUOTA_EXHAUSTED)
        return self.kind in ("unreachable", "connection", "timeout", "invalid_response")


def error_from_response(
    status: int, body: str, headers: Mapping[str, str], *, now: datetime, secrets: Secrets = NO_SECRETS
) -> ProviderError:
    """Return the error for a response with an error status."""
    message = redact(extract_message(body), secrets) or "no message"
    too_long = status in (400, 413, 422, 500) and any(phrase in body.lower() for phrase in _CONVERSATION_TOO_LONG)
    kind: FailureKind = "context_full" if too_long else "status"
    wait = parse_retry_after(headers, now)
    if wait is None and (delay := _RETRY_DELAY.search(body[:_LONGEST_BODY])):
        # Google's ``RetryInfo`` stands in the body and not in a header.
        wait = float(delay[1])
    return ProviderError(kind, f"answered {status}: {message}", status, wait)


def parse_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds of ``retry-after-ms`` or ``Retry-After`` (seconds or a date); ``None`` if there are none."""
    milliseconds = _parse_seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _parse_seconds(value)
    if seconds is not None or value is None:
        return seconds
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds())


def extract_message(body: str) -> str:
    """Return the error message in a body: that of the usual JSON shapes with its code, otherwise the text."""
    try:
        error: Any = json.loads(body)
    except (ValueError, RecursionError):
        # Gateways answer in HTML.
        return " ".join(re.sub(r"<[^>]*>", " ", body[:_LONGEST_BODY]).split())
    while isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict):
        error = error.get("error") or error.get("detail") or error
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        message, code = error["message"], error.get("code") or error.get("type")
        return f"{message} ({code})" if isinstance(code, str) and code not in message else str(message)
    return error if isinstance(error, str) else body.strip()


def redact(text: str, secrets: Secrets = NO_SECRETS, *, most: int = _LONGEST_MESSAGE) -> str:
    """Replace the secrets, and anything that looks like a key, in a text, and shorten it."""
    return secrets.shorten(text, most)


def _parse_seconds(value: str | None) -> float | None:
    try:
        seconds = float(value) if value is not None else math.nan
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


# Detection of errors that mean that nothing listens at an address.


def unreachable_reason(error: BaseException) -> str | None:
    """Return the operating system's reason; ``None`` if the error has another cause."""
    # HTTP clients wrap the innermost error in exceptions with less specific messages.
    root = error
    while inner := root.__cause__ or root.__context__:
        root = inner.exceptions[0] if isinstance(inner, BaseExceptionGroup) else inner
    if isinstance(root, ConnectionRefusedError):
        return "connection refused"
    if isinstance(root, socket.gaierror):
        return f"the host name is unknown ({root.strerror})"
    return None
