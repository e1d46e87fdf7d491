"""Whether an error means that nothing listens at an address, and what the operating system said about it."""

import socket


def unreachable_reason(error: BaseException) -> str | None:
    """The reason; ``None`` where the error means something else."""
    root = _root_cause(error)
    if isinstance(root, ConnectionRefusedError):
        return "connection refused"
    if isinstance(root, socket.gaierror):
        return f"the host's name is not known ({root.strerror})"
    return None


def _root_cause(error: BaseException) -> BaseException:
    """Each layer above has wrapped it in vaguer words."""
    while inner := error.__cause__ or error.__context__:
        error = inner.exceptions[0] if isinstance(inner, BaseExceptionGroup) else inner
    return error
