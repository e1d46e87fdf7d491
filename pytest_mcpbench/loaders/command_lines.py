"""Commands of servers in one line, which no shell reads."""

import re
import shlex

from pytest_mcpbench.loaders.field_errors import FieldError

_SHELL_OPERATORS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_READ_ESCAPE = re.compile(r"\\[A-Za-z0-9._-]")
_QUOTED = re.compile(r"(?P<escape>\\.)|'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_SHELL_VARIABLE = re.compile(r"\$\w+|\$\(|`")


def split_command(name: str, line: str) -> list[str]:
    """Return the words of a command line. Raises FieldError for a line that only a shell understands."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise _problem(name, f"cannot be split into words: {error}") from None
    if not words:
        raise _problem(name, "is empty")
    # An escaped quotation mark begins no quoted text.
    unquoted = _QUOTED.sub(lambda match: match["escape"] or " quoted ", line)
    _reject_shell_syntax(name, unquoted)
    _reject_backslashes(name, line, unquoted)
    return words


def _reject_shell_syntax(name: str, unquoted: str) -> None:
    words = unquoted.split() or [unquoted]
    operator = next((word for word in words if word in _SHELL_OPERATORS), None)
    if words[0] == "cd" or operator is not None:
        found = "cd" if words[0] == "cd" else operator
        remedy = "Set `working_directory` and `environment` of the server, or write: bash -c '…'."
        raise _problem(name, f"contains {found!r}, and no shell runs it", remedy)
    if _ASSIGNMENT.fullmatch(words[0]):
        variable, _, value = words[0].partition("=")
        remedy = f'Write it as `environment: {{{variable}: "{value}"}}` of the server.'
        raise _problem(name, f"begins with the variable {variable!r}, and no shell runs it", remedy)
    variable_found = _SHELL_VARIABLE.search(unquoted)
    if variable_found is not None:
        remedy = "Write ${NAME} for an environment variable; no shell replaces anything else."
        raise _problem(name, f"contains {variable_found[0]!r}, and no shell runs it", remedy)
    if any(word.startswith("~") for word in words):
        raise _problem(name, "contains '~', and no shell replaces it", "Write ${HOME} instead.")


def _reject_backslashes(name: str, line: str, unquoted: str) -> None:
    found = _READ_ESCAPE.search(unquoted)
    if found is not None:
        problem = f"contains {found[0]!r}: a backslash outside of quotes is dropped"
        word = next((word for word in line.split() if found[0] in word), found[0])
        raise _problem(name, problem, f"Write / instead, or single quotes around the word: '{word}'.")


def _problem(name: str, problem: str, remedy: str | None = None) -> FieldError:
    return FieldError(None, f"server {name!r}: the command {problem}.", remedy)
