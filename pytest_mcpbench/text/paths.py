"""Paths: of files, of the web, and to the parts of a JSON value."""

import hashlib
import posixpath
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pytest_mcpbench.text.normal_forms import normal_form

SANDBOX = "{sandbox}"
"""Placeholder of an attempt's directory in servers, tasks and evidence, which are the same for every attempt."""
_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443}
_INDEX = re.compile(r"\[(-?\d+)\]")


def normal_path(text: str) -> str:
    """Return the path without repeated separators, ``.`` and ``..``, with forward slashes."""
    normal = posixpath.normpath(normal_form("NFC", text).strip().replace("\\", "/"))
    # POSIX keeps exactly two leading slashes apart; no tool does.
    return "/" + normal.lstrip("/") if normal.startswith("//") else normal


def name_digest(name: str, digits: int = 8) -> str:
    """Return the digest that stands in a file name, or in another short name, for one that it cannot hold.

    Names that are cut, or that have other characters in place of forbidden ones, are told apart by it.
    """
    # The name of a directory may not be UTF-8, and that of a model may have any surrogate.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def same_file(left: str, right: str) -> bool:
    """Return whether both are paths to one place; addresses of the web and text of several lines are none.

    A path relative to the attempt's directory is the same as one that begins with ``{sandbox}``.
    """
    if not left or not right or "://" in left + right or "\n" in left + right:
        return False
    if not any(sign in left + right for sign in ("/", "\\", SANDBOX)):
        return False
    return _in_sandbox(left) == _in_sandbox(right)


def _in_sandbox(text: str) -> str:
    """Return a path relative to the attempt's directory, if it begins there: ``{sandbox}/../x`` is ``../x``."""
    path = text.strip().replace("\\", "/")
    begins_there = path == SANDBOX or path.startswith(f"{SANDBOX}/")
    return normal_path(f".{path.removeprefix(SANDBOX)}" if begins_there else path)


def normal_url(text: str) -> tuple[Any, ...]:
    """Return the parts of a URL, the last two its query and fragment.

    Case of scheme and host, a default port, a missing scheme, a final slash and the order of the query do not count.
    """
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        port = parts.port
    except ValueError:
        return text, (), ""
    scheme = parts.scheme.lower()
    query = tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    shown_port = None if port == _DEFAULT_PORTS.get(scheme) else port
    return scheme, (parts.hostname or "").lower(), shown_port, unquote(parts.path).rstrip("/"), query, parts.fragment


def part_at(value: Any, path: str, default: Any = None) -> Any:
    """Return the part of a JSON value at ``items[0].owner.name``, or the default if there is none.

    Items of lists have an index (``[0]`` or ``.0``, from the end ``[-1]``); of members whose names have dots the one
    with the longest name counts.
    """
    rest = _INDEX.sub(r".\1", path).strip(".")
    while rest:
        if isinstance(value, list):
            head, _, rest = rest.partition(".")
            index = int(head) if re.fullmatch(r"-?\d+", head, re.ASCII) else len(value)
            if not -len(value) <= index < len(value):
                return default
            value = value[index]
        elif isinstance(value, Mapping):
            parts = rest.split(".")
            used = next((count for count in range(len(parts), 0, -1) if ".".join(parts[:count]) in value), None)
            if used is None:
                return default
            value, rest = value[".".join(parts[:used])], ".".join(parts[used:])
        else:
            return default
    return value
