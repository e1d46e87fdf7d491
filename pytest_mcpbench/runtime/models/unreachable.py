"""Detection of errors that mean that nothing listens at an address."""

import socket


def unreachable_reason(error: BaseException) -> str | None:
    """Return the operating system's reason; ``None`` if the error has another cause."""
    root = _root_cause(error)
    if isinstance(root, ConnectionRefusedError):
        return "connection refused"
    if isinstance(root, socket.gaierror):
        return f"the host name is unknown ({root.strerror})"
    return None


def _root_cause(error: BaseException) -> BaseException:
    """Return the innermost error; HTTP clients wrap it in exceptions with less specific messages."""
    while inner := error.__cause__ or error.__context__:
        error = inner.exceptions[0] if isinstance(inner, BaseExceptionGroup) else inner
    return error
