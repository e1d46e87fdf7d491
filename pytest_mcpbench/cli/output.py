"""Text that commands print or write to a file."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.files.atomic_file import replacing

if TYPE_CHECKING:
    from pytest_mcpbench.servers.secret_filter import SecretFilter

_SECRETS: ContextVar["SecretFilter"] = ContextVar("secrets of the command")


@contextmanager
def filtered_output(arguments: Sequence[str]) -> Iterator[None]:
    """Remove secrets from everything that a command prints: those of the environment, of its arguments and servers."""
    from pytest_mcpbench.servers.secret_filter import SecretFilter

    secrets = SecretFilter.of_environment()
    secrets.add_command_line(arguments)
    token = _SECRETS.set(secrets)
    with ExitStack() as exits:
        exits.callback(_SECRETS.reset, token)
        exits.enter_context(redirect_stdout(_FilteredStream(sys.stdout, secrets)))
        exits.enter_context(redirect_stderr(_FilteredStream(sys.stderr, secrets)))
        yield


def known_secrets() -> "SecretFilter":
    """Return the filter of the command that runs; commands add the servers and models that they resolve."""
    from pytest_mcpbench.servers.secret_filter import SecretFilter

    return _SECRETS.get(None) or SecretFilter.of_environment()


class _FilteredStream:
    """Stream that removes secrets from what is written to another one."""

    def __init__(self, stream: Any, secrets: "SecretFilter") -> None:
        self._stream = stream
        self._secrets = secrets

    def write(self, text: str) -> int:
        return int(self._stream.write(self._secrets.remove(text)) or 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def write_file(file: Path, text: str) -> None:
    """Write a file without secrets."""
    file.write_text(known_secrets().remove(text), encoding="utf-8")


def write_text(pieces: Iterable[str], out: Path | None) -> None:
    """Write to a file, or to standard output, where characters that its encoding lacks are replaced."""
    if out is None:
        encoding = sys.stdout.encoding or "utf-8"
        for piece in [pieces] if isinstance(pieces, str) else pieces:
            sys.stdout.write(piece.encode(encoding, "replace").decode(encoding))
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    # A command that is ended leaves no half of a report.
    with replacing(out) as target, target.open("w", encoding="utf-8") as file:
        file.writelines(map(known_secrets().remove, pieces))


def print_problem(problem: str) -> int:
    """Print one line to standard error and return the exit code of an error that the user can mend."""
    from pytest_mcpbench.reporting.forms.display_text import terminal_safe

    print(f"mcpbench: {terminal_safe(problem)}", file=sys.stderr)
    return 2


def terminal_columns() -> int | None:
    """Return the width of the terminal or of ``COLUMNS``; ``None`` where standard output is a file or pipe."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return None
    return shutil.get_terminal_size().columns
