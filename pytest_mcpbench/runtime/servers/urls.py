"""URLs in messages."""

from urllib.parse import urlsplit, urlunsplit


def without_secrets(url: str) -> str:
    """Return the URL without user, password, query and fragment; of a malformed one only that it is malformed."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        return f"malformed URL ({error})"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
