"""Replacement of lone surrogates, which Python and the escapes of JSON allow and UTF-8 cannot encode."""

from typing import Any


def replace_surrogates(text: str) -> str:
    """Return the text with each lone surrogate replaced by U+FFFD, the replacement character."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without_surrogates(value: Any) -> Any:
    """Return a JSON value with the lone surrogates of its keys and texts replaced."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value
