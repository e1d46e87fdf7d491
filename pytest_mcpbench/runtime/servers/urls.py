"""URLs in messages."""

from urllib.parse import urlsplit, urlunsplit


def without_secrets(url: str) -> str:
    """Return the URL without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
