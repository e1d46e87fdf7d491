"""Finding of secrets in what users configure: variables, URLs, command lines, headers and servers."""

import base64
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from pytest_mcpbench.core.model_names import is_url
from pytest_mcpbench.core.secrets import Secrets, base64_forms, has_shape
from pytest_mcpbench.core.server import ServerRef

_SECRET_NAME = re.compile(
    r"key|token|secret|passw|pwd|passphrase|credential|cookie|session|signature|bearer"
    r"|(?:^|[_-])(?:auth|authorization|pat|pass|dsn|pin|jwt|sig)(?:$|[_-])",
    re.IGNORECASE,
)
_INNOCENT_NAME = re.compile(
    r"(?:^|_)(?:max|num|count|limit)?_?tokens$|keyboard|keymap|monkey|public_key|_env$", re.IGNORECASE
)
_ORDINARY = re.compile(
    r"""(?![A-Za-z0-9+/]{40}$)(?:[~.]{0,2}/|[A-Za-z]:\\|\$)[^\r\n]*  # a path, or a reference to another variable
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+              # an address of mail
    | [A-Za-z]{1,11}                            # a word
    | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+             # the name of a variable
    | [-+]?\d{1,7}                              # a small number
    | [-+]?\d*\.\d+ | v?\d+(?:\.\d+)+           # a number, a version or an address
    | \d{4}-\d\d-\d\d[T\d:.Z+-]*                # a date
    | (?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?       # a host
    | localhost(?::\d+)?
    | [a-z]{2}-[a-z]+-\d                        # a region
    | [A-Za-z]{2}_[A-Z]{2}(?:\.[\w-]+)?         # a locale
    """,
    re.VERBOSE,
)
_PASSWORD_NAME = re.compile(
    r"(?:passw\w*|pwd|pass|passphrase|secret|token|credentials?|cookie|sig|signature|auth|authorization|jwt"
    r"|\b(?:pat|pin|session)|(?:account|access|api|app|auth|encryption|master|private|secret|shared|signing)[_-]?key)$",
    re.IGNORECASE,
)
"""Name in a connection string of what is a secret in each form; ``key`` alone often has the name of a field."""
_PAIR = r"""\s*=\s*('[^']*'|"[^"]*"|\{[^}]*\}|"""
_PAIRS = re.compile(rf"(?<!\S)([\w.-]+){_PAIR}\S*)")
_PAIRS_WITH_SEMICOLONS = re.compile(rf"(?:^|(?<=[;\n]))([\w .-]*[\w.-]){_PAIR}[^;\n]*)")
"""Names and parts of connection strings, such as ``host=db password='…'`` and ``Server=db;Password={…}``."""
_COMMON = frozenset(("changeme", "password", "password1", "undefined", "anonymous", "development", "production"))
_LEAST = 8
_LEAST_OF_NAMED = 6
"""Shortest secret in a variable whose name says that it is one."""
_KEY_LIKE = re.compile(r"(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_.~+=-]{16,}")
"""Letters and digits without a word: part of a path, or value of a harmless variable, that is probably a key."""
_PASSWORD_LIKE = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)(?=\S*[^\w\s.,:;=@+/\\-])\S{8,}")
"""Letters, digits and a character that names, paths, versions and lists do not have."""
_ENCODED_KEY = re.compile(r"(?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9+/]{32,}={0,2}")
"""Key in base64, in which a slash does not make a path."""
_PATH = re.compile(r"(?:[A-Za-z]?[a-z]*\d*/|[A-Z]+/)+(?:[A-Za-z]?[a-z]*\d*|[A-Z]+)")
_DATED_NAME = re.compile(r"(?:[A-Za-z]+[\d.]*|[\d.]+[a-z]{0,2})(?:[-_.](?:[A-Za-z]+[\d.]*|[\d.]+[A-Za-z]{0,2}))+")
"""Name in words and numbers, such as ``claude-opus-5-5-20270101``."""
_REFERENCE = re.compile(r"\$\{(\w+)\}")
"""Variable of the environment in a header."""
_NAMING = frozenset(("deselect", "task", "model", "judge", "user", "solver", "dispatcher", "tool-search", "sampling"))
"""Options that name tasks, as those of one letter do, or models, as in ``agent:codex#gpt-5.1``."""
_NAMING_IN_COMMANDS = frozenset(("model", *(f"mcpbench-{name}" for name in _NAMING)))
"""Those of pytest in an argument that may be the command of a server, whose ``--user`` may have a password."""
_OPTION = re.compile(r"--?(?P<name>[A-Za-z][\w-]*)(?:=(?P<value>.*))?", re.DOTALL)


def is_secret_name(name: str) -> bool:
    """Return whether the name of a variable, option, header or parameter says that its value is a secret."""
    return bool(_SECRET_NAME.search(name)) and not _INNOCENT_NAME.search(name)


def secrets_of_value(name: str, value: str, *, is_expected: bool = False) -> Secrets:
    """Return the secrets in one value.

    Args:
        name: Name of the variable, option or header that has the value.
        value: The value.
        is_expected: Whether the value is one that a user has passed on by ``${NAME}``. Then it is a secret unless it
            is ordinary: a word, a path, a number, a host.
    """
    value = value.strip()
    whole, parts = _secrets_of_whole(name, value, is_expected=is_expected), merged(_secrets_of_parts(name, value))
    if parts.names:
        # Programs encode the whole: its base64 has the form of none of its parts. Its beginning is no secret.
        if not is_secret_name(name):
            whole = Secrets({each: label for each, label in whole.names.items() if each != value})
        whole |= parts | Secrets(dict.fromkeys(base64_forms(value), name))
    if has_shape(value) and "://" not in value:
        whole |= Secrets({value: name})
    if "\n" not in value or value not in whole.names:
        return whole
    # Programs print a line at a time.
    lines = (line.strip() for line in value.splitlines())
    return whole | Secrets({line: name for line in lines if _is_removable(line, _LEAST)})


def _secrets_of_whole(name: str, value: str, *, is_expected: bool) -> Secrets:
    if "://" in value:
        return secrets_of_url(value, name)
    scheme, _, credentials = value.partition(" ")
    if scheme.lower() in ("bearer", "basic", "token") and credentials:
        return Secrets({value: name}) | _credentials(credentials.strip(), name)
    if is_secret_name(name):
        return Secrets({value: name}) if _is_removable(value, _LEAST_OF_NAMED) else Secrets()
    if (is_expected and _is_removable(value, _LEAST)) or is_key_like(value) or is_password_like(value):
        return Secrets({value: name})
    return Secrets()


def _secrets_of_parts(name: str, value: str) -> Iterator[Secrets]:
    """Yield the secrets in a value that is JSON or a connection string, such as ``Server=db;Password=…``."""
    if value[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            yield from _secrets_of_settings(json.loads(value), name)
    pairs = _PAIRS_WITH_SEMICOLONS if ";" in value else _PAIRS
    for key, part in pairs.findall(value):
        content = part[1:-1] if part[:1] + part[-1:] in ("''", '""', "{}") else part.strip()
        if _PASSWORD_NAME.search(key.strip()) or is_key_like(content) or is_password_like(content):
            yield _secrets_of_whole(key.strip(), content, is_expected=False)


def secrets_of_variables(values: Mapping[str, str]) -> Secrets:
    """Return the secrets of environment variables or headers, by their names or by their form."""
    return merged(secrets_of_value(name, value) for name, value in values.items())


def secrets_of_url(url: str, name: str = "URL") -> Secrets:
    """Return the secrets of a URL: user and password, the query, and key-like parts of the path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return Secrets()
    found: dict[str, str] = {}
    user_info, separator, _ = parts.netloc.rpartition("@")
    if separator:
        user, _, password = user_info.partition(":")
        names = {user_info: f"{name} user info", unquote(password): f"{name} password", password: f"{name} password"}
        found |= {each: label for each, label in names.items() if _is_removable(each, _LEAST_OF_NAMED)}
        if not password or is_key_like(user):
            found |= {each: f"{name} user" for each in (user, unquote(user)) if _is_removable(each, _LEAST_OF_NAMED)}
        if password:
            found[base64.b64encode(unquote(user_info).encode()).decode()] = f"{name} user info"
    for key, each in parse_qsl(parts.query):
        if (
            is_key_like(each)
            or (_is_removable(each, _LEAST_OF_NAMED) and is_secret_name(key))
            or _is_removable(each, 12)
        ):
            found[each] = f"{name} query {key}"
    found |= {unquote(part): f"{name} path" for part in parts.path.split("/") if is_key_like(unquote(part))}
    return Secrets(found)


def secrets_of_command(arguments: Iterable[str]) -> Secrets:
    """Return the secrets in the arguments of a command: values of options such as ``--api-key``, and URLs.

    An argument with blanks may be a command itself. In such a one only values with a name count.
    """
    return _secrets_of_arguments(arguments, names_tasks=False)


def secrets_of_command_line(arguments: Iterable[str]) -> Secrets:
    """Return the secrets in a command line of pytest or of ``mcpbench``, in which keys have a name.

    What looks like a key and has none is the name of a task, as in ``-k 689bd255c0422b257e7dfcc5``. An argument with
    blanks may be a command itself, as that of ``--mcpbench-baseline="server:COMMAND"``.
    """
    return _secrets_of_arguments(arguments, names_tasks=True)


def _secrets_of_arguments(arguments: Iterable[str], *, names_tasks: bool, is_nested: bool = False) -> Secrets:
    found, option = Secrets(), ""
    for argument in arguments:
        try:
            words = shlex.split(argument) if len(argument.split()) > 1 else [argument]
        except ValueError:
            words = argument.split()
        if words != [argument]:
            found |= _secrets_of_arguments(words, names_tasks=True, is_nested=True)
        match = _OPTION.fullmatch(argument)
        name, value = (match["name"], match["value"]) if match else (option, argument)
        is_short = len(name) == 1 or name.removeprefix("mcpbench-") in _NAMING
        if name in _NAMING_IN_COMMANDS if is_nested else names_tasks and is_short:
            name = ""
        is_name = names_tasks and not name and "=" not in argument and is_key_like(argument)
        if value is not None and not is_name:
            found |= _secrets_of_argument(name, value)
        option = name if match and value is None else ""
    return found


def secrets_of_server(ref: ServerRef) -> Secrets:
    """Return the secrets in the definition of a server."""
    return merged(
        (
            *(secrets_of_value(name, value, is_expected=True) for name, value in ref.variables.items()),
            secrets_of_variables(ref.environment),
            secrets_of_variables(ref.headers),
            secrets_of_url(ref.url or "", ref.name),
            secrets_of_command((ref.command or "", *ref.arguments)),
            *_secrets_of_settings(ref.settings),
        )
    )


def secrets_of_alias(name: str, target: Any, environment: Mapping[str, str]) -> Secrets:
    """Return the secrets of an entry of ``[tool.mcpbench.models]``, with the value of its ``api_key_env``."""
    if isinstance(target, str):
        return secrets_of_url(target, name)
    if not isinstance(target, Mapping):
        return Secrets()
    variable = str(target.get("api_key_env") or "")
    key = environment.get(variable, "").strip()
    found = Secrets({key: variable} if _is_removable(key, _LEAST_OF_NAMED) else {})
    return merged(
        (
            found,
            secrets_of_url(str(target.get("url") or ""), name),
            _secrets_of_headers(target.get("headers"), environment),
            *_secrets_of_settings(target.get("extra")),
        )
    )


def _secrets_of_headers(headers: Any, environment: Mapping[str, str]) -> Secrets:
    """Return the secrets of headers, in which ``${NAME}`` stands for a variable of the environment."""
    if not isinstance(headers, Mapping):
        return Secrets()
    named = {str(name): str(value) for name, value in headers.items()}
    variables = {name for value in named.values() for name in _REFERENCE.findall(value)}
    passed_on = (secrets_of_value(name, environment.get(name, ""), is_expected=True) for name in variables)
    literal = {name: value for name, value in named.items() if not _REFERENCE.search(value)}
    return merged((secrets_of_variables(literal), *passed_on))


def public_url(url: str) -> str:
    """Return a URL for messages and names: without user, password and query; key-like parts of its path replaced."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        return f"malformed URL ({error})"
    path = "/".join("…" if is_key_like(unquote(part)) else part for part in parts.path.split("/"))
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", parts.fragment))


def public_name(name: str) -> str:
    """Return the name of a model, judge or dispatcher for messages; of one that is a URL without its secrets."""
    return public_url(name) if is_url(name) else name


_NAME = r"@?[A-Za-z][\w.-]*(?:/[A-Za-z][\w.-]*)?(?:\[[\w,.-]+\])?"
_PACKAGE = re.compile(rf"{_NAME}(?:@[\w.^~+-]+|==[\w.+-]+)?")
"""Package, with or without its version, as npx and uvx take it."""
_RUNNERS = frozenset(("npx", "bunx", "uvx"))
"""Programs that run a package: what they run is the first argument that is no option and no option's value."""
_FLAGS = frozenset(("-y", "--yes", "-q", "--quiet", "--silent", "--offline", "--prefer-offline", "--isolated"))
"""Options of runners that have no value."""
_PACKAGE_OPTIONS = frozenset(("--from", "--with", "--package", "-p"))
"""Options that name a package; after all but ``--with``, what is run is a program of it."""


def public_program(command: str, arguments: Sequence[str]) -> str:
    """Return the packages that a runner of packages takes, also behind ``sh -c``, or else the program.

    Other arguments may be secrets, such as the password in the URL of a database.
    """
    program = Path(command).name
    if len(arguments) == 2 and arguments[0] == "-c":
        # The text of a shell ends with the runner and its package.
        words = arguments[1].split()
        start = next((place for place, word in enumerate(words) if word in _RUNNERS), len(words))
        return ", ".join(_packages(words[start + 1 :])) or program
    packages = _packages(arguments) if Path(program).stem in _RUNNERS else ()
    return ", ".join(packages) or program


def _packages(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the packages that options name, and what is run; nothing behind it."""
    has_named_program = False
    for word, before in zip(arguments, ("", *arguments), strict=False):
        is_named = before in _PACKAGE_OPTIONS
        is_value = before.startswith("-") and before not in _FLAGS
        if word.startswith("-") or (is_value and not is_named):
            continue
        if not is_named and has_named_program:
            return
        has_named_program |= is_named and before != "--with"
        if _PACKAGE.fullmatch(word) and not is_key_like(re.split("@|==", word.removeprefix("@"))[0]):
            yield word
        if not is_named:
            return


def is_key_like(text: str) -> bool:
    """Return whether a text without a name is probably a key: long, of letters and digits, and not of words."""
    return bool(_KEY_LIKE.fullmatch(text)) and not _DATED_NAME.fullmatch(text) and not _ORDINARY.fullmatch(text)


def is_password_like(text: str) -> bool:
    """Return whether the value of a variable with a harmless name is probably a password, or a key in base64."""
    if _ENCODED_KEY.fullmatch(text):
        return not _PATH.fullmatch(text)
    return bool(_PASSWORD_LIKE.fullmatch(text)) and not _ORDINARY.fullmatch(text)


def merged(every: Iterable[Secrets]) -> Secrets:
    """Return the secrets of all in one; if a value has several names, the first is kept."""
    names: dict[str, str] = {}
    for each in every:
        names |= {value: name for value, name in each.names.items() if value not in names}
    return Secrets(names)


def _is_removable(value: str, least: int) -> bool:
    """Return whether a value is so special that its removal does not destroy unrelated text."""
    return len(value) >= least and not _ORDINARY.fullmatch(value) and value.lower() not in _COMMON


def _credentials(text: str, name: str) -> Secrets:
    """Return the secrets after the scheme of an ``Authorization`` header."""
    found = {text: name} if _is_removable(text, _LEAST_OF_NAMED) else {}
    try:
        _, separator, password = base64.b64decode(text, validate=True).decode("utf-8").partition(":")
    except ValueError:
        return Secrets(found)
    if separator and _is_removable(password, _LEAST_OF_NAMED):
        found[password] = f"{name} password"
    return Secrets(found)


def _secrets_of_argument(option: str, value: str) -> Secrets:
    variable, separator, assigned = value.partition("=")
    if separator and re.fullmatch(r"[\w.:-]+", variable):
        return secrets_of_value(re.split("[.:]", variable)[-1], assigned) | merged(_secrets_of_parts(option, value))
    header, separator, content = value.partition(": ")
    if separator and re.fullmatch(r"[\w-]+", header):
        return secrets_of_value(header, content)
    is_telling = option or "://" in value or value[:1] in ("{", "[") or is_key_like(value)
    return secrets_of_value(option, value) if is_telling else Secrets()


def _secrets_of_settings(value: Any, name: str = "") -> Iterator[Secrets]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _secrets_of_settings(part, str(key))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _secrets_of_settings(part, name)
    elif isinstance(value, str):
        yield secrets_of_value(name, value) if is_secret_name(name) or "://" in value else Secrets()
