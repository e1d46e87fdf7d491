"""Arguments of the form ``NAME=VALUE``."""

from pytest_mcpbench.core.errors import UsageError


def split_named_value(text: str, option: str) -> tuple[str, str]:
    """Return name and value. Raises UsageError if one of them or the equals sign is missing."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise UsageError(f"{option}: write NAME=VALUE instead of {text!r}.")
    return name, value
