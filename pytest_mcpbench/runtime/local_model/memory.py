"""Memory that this process may still use."""

from pathlib import Path

_MEMORY_INFORMATION = Path("/proc/meminfo")
_CONTROL_GROUP = Path("/sys/fs/cgroup")


def available_memory(information: Path = _MEMORY_INFORMATION, control_group: Path = _CONTROL_GROUP) -> int | None:
    """Return the bytes that are free, or that the control group of a container leaves; ``None`` if that is unknown."""
    known = [size for size in (_of_machine(information), _of_group(control_group)) if size is not None]
    return min(known, default=None)


def _of_machine(information: Path) -> int | None:
    try:
        lines = information.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _of_group(group: Path) -> int | None:
    try:
        most = (group / "memory.max").read_text(encoding="ascii").strip()
        used = int((group / "memory.current").read_text(encoding="ascii"))
        reclaimable = _inactive_files(group / "memory.stat")
    except (OSError, ValueError):
        return None
    return int(most) - used + reclaimable if most.isdigit() else None


def _inactive_files(statistics: Path) -> int:
    """Return the bytes of cached files, which the kernel gives up before it kills a process."""
    lines = statistics.read_text(encoding="ascii").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("inactive_file ")), 0)
