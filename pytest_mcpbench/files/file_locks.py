"""Locks on open files, which the operating system releases when their holder ends in any way.

Each function raises ``BlockingIOError`` or ``PermissionError`` if somebody else holds the lock, and another ``OSError``
on file systems without locks.
"""

import sys

if sys.platform == "win32":
    import msvcrt
    import os

    _LOCKED_BYTE = 2**30
    """Place of the lock, behind the content: nobody could read a byte that is locked."""

    def lock_file(descriptor: int) -> None:
        """Lock an open file; opening it once more in this process gives no further lock."""
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

    lock_for_process = share_lock = lock_file

else:
    import fcntl

    def lock_file(descriptor: int) -> None:
        """Lock an open file; opening it once more in this process gives no further lock."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def lock_for_process(descriptor: int) -> None:
        """Lock a file for this process; children of a fork do not inherit the lock."""
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def share_lock(descriptor: int) -> None:
        """Lock a file together with others that do the same, which needs no permission to write."""
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
