"""Reading of files that others name, which may be devices and pipes without an end, or no paths at all."""

import errno
from pathlib import Path


def read_regular_file(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: the path cannot be one, or the file cannot be read or is a device, a pipe or a socket.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError(errno.EINVAL, "it is a device, a pipe or a socket")
        return path.read_bytes()
    except ValueError as error:  # such as an embedded null byte
        raise OSError(errno.EINVAL, str(error)) from None
