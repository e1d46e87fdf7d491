"""Isolation of server processes: limits of their resources and, with bubblewrap, of what they can reach."""

import errno
import functools
import os
import platform
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerLimits, ServerRef

if sys.platform != "win32":
    import pwd

IsolationMode = Literal["auto", "bwrap", "none"]

_PROBE_SECONDS = 5.0
_MEGABYTE = 2**20
_PRIVATE = ("/tmp", "/var/tmp", "/run", "/dev/shm")
"""Directories of which each server has an empty one of its own."""
_PACKAGE = Path(__file__).parents[1]
"""Directory of this package, which `mcpbench serve` needs, also in a checkout below a private directory."""
PROGRAMS = (
    *(".local/bin", ".local/lib", ".local/pipx", ".local/share/fnm", ".local/share/mise", ".local/share/pipx"),
    *(".local/share/pnpm", ".local/share/uv/python", ".local/share/uv/tools", ".local/share/virtualenvs"),
    *(".cache/deno", ".cache/huggingface/hub", ".cache/ms-playwright/chromium*", ".cache/ms-playwright/ffmpeg*"),
    *(".cache/ms-playwright/firefox*", ".cache/ms-playwright/webkit*", ".cache/node", ".cache/pip", ".cache/pnpm"),
    *(".cache/puppeteer", ".cache/torch", ".cache/uv", ".asdf", ".bun", ".cargo/bin", ".cargo/registry", ".conda"),
    *(".deno", ".dotnet/dotnet", ".dotnet/host", ".dotnet/packs", ".dotnet/sdk*", ".dotnet/shared", ".dotnet/tools"),
    *(".fnm", ".fonts", ".gem/ruby", ".jdks", ".linuxbrew", ".m2/repository", ".mambaforge", ".miniconda*"),
    *(".miniforge*", ".nix-profile", ".nodenv", ".npm", ".npm-global", ".nvm", ".pixi"),
    *(".poetry", ".pyenv", ".rbenv", ".rustup", ".rye/py", ".rye/self", ".rye/shims", ".rye/tools", ".rye/uv"),
    *(".sdkman", ".venv", ".virtualenvs", ".volta"),
)
"""Patterns of what a server sees of the entries of a home directory that begin with a point: programs and caches."""
PROJECT_SECRETS = (
    *(".env*", ".npmrc", ".pypirc", ".netrc", ".git-credentials", ".git/config", ".git/modules/*/config"),
    *(".git/modules/*/*/config", ".streamlit/secrets.toml"),
)
"""Files of a project, and of the directories above it and below it, that no server sees."""
SYSTEM_SECRETS = ("/etc/ssh", "/var/backups", "/var/lib/cloud", "/var/log", "/var/mail", "/var/spool")
"""Directories that no server sees where root runs pytest, besides what other users may not read."""
POINTERS = (
    *("SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY", "KUBECONFIG", "NETRC", "PGPASSFILE"),
    *("AWS_SHARED_CREDENTIALS_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE"),
)
"""Variables of pytest's environment that say where a socket or a file with credentials is."""
_SYSTEM = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/sysrq-trigger")
"""What root may write without any capability: a program in ``core_pattern`` would run outside of the namespaces."""
_KERNEL = (
    *("keys", "key-users", "kcore", "timer_list", "timer_stats", "sched_debug", "latency_stats", "interrupts"),
    *("kpagecount", "kpageflags", "slabinfo", "vmallocinfo"),
)
"""Files of ``/proc`` about the whole machine that container engines hide: keyrings, memory and timers of others."""
_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent")
_USER = ("--unshare-user", "--disable-userns")
"""Options for a namespace of users in which no other can be made, where the system permits it."""
_RIGHTS = ("--cap-drop", "ALL")
"""Options without which a server that root starts could mount the system writable, or its private directories away."""
_KEYRING_CALLS = {
    "x86_64": ((0xC000003E, (248, 249, 250)), (0x40000003, (286, 287, 288))),
    "aarch64": ((0xC00000B7, (217, 218, 219)), (0x40000028, (309, 310, 311))),
}
"""By machine, the architectures that the kernel runs, and the numbers of add_key, request_key and keyctl in each."""
# Instructions of a filter of system calls (seccomp(2)), and what they load and return.
_LOAD, _AND, _RETURN = (struct.pack("=HBB", code, 0, 0) for code in (0x20, 0x54, 0x06))
_IS_EQUAL, _ARCHITECTURE = 0x15, 4
_REFUSE, _PERMIT = 0x00050000, 0x7FFF0000
_CACHES = {"UV_CACHE_DIR": "/tmp/.uv", "UV_TOOL_DIR": "/tmp/.uv-tools", "npm_config_cache": "/tmp/.npm"}
"""Caches of a server's own for `uvx` and `npx`, which have to write: each start downloads anew, and harms no others."""
_DEEPEST = 3
_MOST_DIRECTORIES = 2000
"""Levels and number of directories below a project in which its secrets are looked for."""
_LISTENS = "00010000"
"""Flag of a socket in `/proc/net/unix` that accepts connections."""


@dataclass(frozen=True)
class Isolation:
    """Means by which the servers of a run are isolated from the system."""

    bwrap: str | None = None
    """Path of bubblewrap; ``None``: servers have the rights of this process."""
    user_namespace: tuple[str, ...] = ()
    """Options of bubblewrap for a namespace of users; empty where that is not permitted."""
    keyring_filter: str | None = None
    """File with the filter of system calls that keeps keyrings of the kernel closed, if the system permits one."""
    description: str = "none"
    """What is in force, for ``run.json``."""

    def wrap(  # noqa: PLR0913 (what a command line depends on)
        self,
        command: Sequence[str],
        ref: ServerRef,
        *,
        directory: Path,
        suite_directory: Path,
        writable: Sequence[Path],
        helper: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Return the command line that starts a server with its limits, and in isolation.

        Args:
            command: Absolute path of the executable, followed by its arguments.
            ref: Definition of the server.
            directory: Its working directory.
            suite_directory: Directory whose files it may read.
            writable: Directories into which it may write: those that belong to one attempt.
            helper: Command line of a program that it starts itself, whose files it has to see.
        """
        if self.bwrap is not None:
            programs = (each for each in (command, helper) if each)
            files = (path for each in programs for path in (*_installation(each[0]), *_absolute_paths(each[1:])))
            visible = (suite_directory, directory, _PACKAGE, *files)
            # The case of letters does not matter to npm.
            set_names = {name.lower() for name in ref.environment}
            caches = (pair for pair in _CACHES.items() if pair[0].lower() not in set_names)
            options = (
                *_mounts(visible, [each for each in (suite_directory, directory) if each not in writable]),
                *(() if ref.network else _without_sockets(visible)),
                *(option for path in writable for option in ("--bind", str(path), str(path))),
                *_NAMESPACES,
                *self.user_namespace,
                *_RIGHTS,
                *(() if ref.network else ("--unshare-net",)),
                *(part for pair in caches for part in ("--setenv", *pair)),
                "--chdir",
                str(directory),
            )
            command = _filtered((self.bwrap, *options, "--", *command), self.keyring_filter)
        return limited(command, ref.limits)


NO_ISOLATION = Isolation()


@functools.cache
def make_isolation(mode: IsolationMode) -> Isolation:
    """Return the isolation of a mode; ``auto`` uses bubblewrap where it works.

    Raises:
        UsageError: the mode is ``bwrap``, and bubblewrap is missing or not permitted to work here.
    """
    if mode == "none":
        return NO_ISOLATION
    bwrap = shutil.which("bwrap")
    problem = _problem_of(bwrap, ())
    if problem is None:
        user_namespace = _USER if _problem_of(bwrap, _USER) is None else ()
        keyring_filter = _make_keyring_filter()
        if _problem_of(bwrap, user_namespace, keyring_filter) is not None:
            keyring_filter = None
        command = [str(bwrap), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
        version = done.stdout.strip() or "unknown version"
        return Isolation(bwrap, user_namespace, keyring_filter, f"bwrap ({version})")
    if mode == "bwrap":
        raise UsageError(f"--mcpbench-isolation=bwrap: {problem}")
    return Isolation(description=f"none: {problem}")


def limited(command: Sequence[str], limits: ServerLimits) -> tuple[str, ...]:
    """Return the command with the limits of its resources; unchanged on systems without ``prlimit``."""
    # Not through preexec_fn: Python code between fork and exec can deadlock in a process with threads.
    prlimit = shutil.which("prlimit")
    return (prlimit, "--core=0", *_limit_options(limits), "--", *command) if prlimit else tuple(command)


def _limit_options(limits: ServerLimits) -> Iterator[str]:
    if limits.memory_mb is not None:
        yield f"--data={limits.memory_mb * _MEGABYTE}"
    if limits.file_mb is not None:
        yield f"--fsize={limits.file_mb * _MEGABYTE}"
    if limits.open_files is not None:
        yield f"--nofile={limits.open_files}"
    if limits.cpu_seconds is not None:
        yield f"--cpu={limits.cpu_seconds}"


def _problem_of(bwrap: str | None, options: Sequence[str], keyring_filter: str | None = None) -> str | None:
    """Return why bubblewrap does not work with some options and a filter; ``None`` if it does."""
    if bwrap is None:
        return "bubblewrap (bwrap) is not installed"
    # Not in the ``try``: an error in here is no reason to go without isolation.
    command = (bwrap, *_mounts((), ()), *_NAMESPACES, *options, *_RIGHTS, "--unshare-net", "--", "true")
    command = _filtered(command, keyring_filter)
    try:
        probe = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"bwrap does not work here: it has not started a program within {_PROBE_SECONDS:.0f} s"
    except OSError as error:
        return f"bwrap does not work here: {error}"
    if probe.returncode == 0:
        return None
    return f"bwrap does not work here: {probe.stderr.strip() or f'exit code {probe.returncode}'}"


def _filtered(command: Sequence[str], keyring_filter: str | None) -> tuple[str, ...]:
    """Return a command line of bubblewrap with a filter of system calls, which it reads from an open file."""
    if keyring_filter is None:
        return tuple(command)
    bwrap, *options = command
    return ("/bin/sh", "-c", 'exec "$@" 9<"$0"', keyring_filter, bwrap, "--seccomp", "9", *options)


@functools.cache
def _make_keyring_filter() -> str | None:
    """Return the file of a filter that refuses the calls about keyrings, which no namespace separates.

    The file has no name, and is there as long as this process.
    """
    if sys.platform != "linux" or platform.machine() not in _KEYRING_CALLS:
        return None
    program = [_LOAD + struct.pack("=I", _ARCHITECTURE)]
    refuse, permit = (_RETURN + struct.pack("=I", each) for each in (_REFUSE | errno.EPERM, _PERMIT))
    for architecture, calls in _KEYRING_CALLS[platform.machine()]:
        # The numbers of x32 are those of x86-64 with another bit.
        block = [_LOAD + struct.pack("=I", 0), _AND + struct.pack("=I", 0xBFFFFFFF)]
        for call in calls:
            block += [struct.pack("=HBBI", _IS_EQUAL, 0, 1, call), refuse]
        program += [struct.pack("=HBBI", _IS_EQUAL, 0, len(block) + 1, architecture), *block, permit]
    # Not memfd_create(2), which many builds of Python lack.
    file, name = tempfile.mkstemp()
    Path(name).unlink()
    os.write(file, b"".join((*program, permit)))
    return f"/proc/{os.getpid()}/fd/{file}"


def _mounts(visible: Sequence[Path], projects: Sequence[Path]) -> Iterator[str]:
    """Yield the options for a system that can only be read, with private directories and without credentials.

    Args:
        visible: Paths that stay visible in private directories.
        projects: The suite's directory and the server's, unless writable. Secrets in these and in the directories above
            them are hidden, and those below the first.
    """
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    yield from (option for path in _SYSTEM if Path(path).exists() for option in ("--ro-bind-try", path, path))
    hidden = (path for name in _KERNEL if (path := Path("/proc", name)).exists())
    yield from (option for path in hidden for option in ("--ro-bind", "/dev/null", str(path)))
    for directory in _PRIVATE:
        if Path(directory).is_dir() and not Path(directory).is_symlink():
            yield from ("--tmpfs", directory)
    yield from ("--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve")
    for path in visible:
        if any(path.is_relative_to(private) and path != Path(private) for private in _PRIVATE):
            yield from ("--ro-bind-try", str(path), str(path))
    # After what is visible: a home directory may lie below a private one, with a program or a suite in it.
    # Path.exists would raise an error for a path in a directory that this user may not search.
    found = [each for each in (*visible, *_programs()) if os.access(each, os.F_OK)]
    shown = sorted({*found, *(Path(os.path.realpath(each)) for each in found)})
    for home in _homes():
        yield from _programs_of_home(home, visible, shown)
    # A container may have the root as the home directory, which nothing can replace.
    in_root = Path("/").glob(".*") if os.path.realpath(os.environ.get("HOME", "")) == "/" else ()
    for path in in_root:
        yield from _hidden(path, visible, shown)
    unreadable = _unreadable_for_others() if os.geteuid() == 0 else ()
    unreadable = tuple(path for path in unreadable if not any(path.is_relative_to(each) for each in projects))
    for path in (*_paths_in_environment(), *unreadable):
        yield from _hidden(path, visible, shown)
    above = dict.fromkeys(place for each in (*projects, Path.cwd()) for place in (each, *each.parents))
    below = (path for each in dict.fromkeys((*projects[:1], Path.cwd())) for path in _secrets_below(each))
    for path in dict.fromkeys((*(path for each in above for path in _secrets_in(each)), *below)):
        yield from _hidden(path, visible)


def _programs_of_home(home: Path, visible: Sequence[Path], shown: Sequence[Path]) -> Iterator[str]:
    """Yield the options that replace a home directory by one with its visible entries and what is shown of others."""
    if _is_private(home, visible):
        return
    closed = _closed_entries(home)
    # An entry that cannot be looked at, such as a mount whose server is gone, cannot be shown.
    entries = {path for path in home.glob("*") if _is_link(path) or os.access(path, os.F_OK)} - set(closed)
    yield from ("--tmpfs", str(home))
    for path in _inside(home, sorted({*shown, *entries})):
        if path in entries and _is_link(path):
            yield from ("--symlink", str(path.readlink()), str(path))
        else:
            yield from ("--ro-bind-try", str(path), str(path))
    for path in filter(_is_link, closed):
        yield from _hidden(path, visible, shown)


def _closed_entries(home: Path) -> list[Path]:
    return [*sorted(home.glob(".*")), home / "snap"]


def _inside(directory: Path, paths: Sequence[Path]) -> list[Path]:
    """Return those of sorted paths that lie in a directory, without those that lie in another of them."""
    found: list[Path] = []
    for path in paths:
        if directory in path.parents and not (found and found[-1] in path.parents):
            found.append(path)
    return found


def _is_private(path: Path, visible: Sequence[Path]) -> bool:
    """Return whether a path is in a private directory and not visible there."""
    is_below = any(path.is_relative_to(private) for private in _PRIVATE)
    return is_below and not any(path.is_relative_to(each) for each in visible)


def _hidden(path: Path, visible: Sequence[Path], shown: Sequence[Path] = ()) -> Iterator[str]:
    """Yield the options that hide a file or directory, unless it is in a private directory and not visible anyway.

    Args:
        path: What to hide; the target of a link, unless it belongs to the system or contains a home directory.
        visible: What is visible in private directories.
        shown: Sorted paths that stay visible.
    """
    real = Path(os.path.realpath(path))
    is_of_system = _is_link(path) and (real.is_relative_to("/usr") or real.is_relative_to("/nix"))
    is_above_home = any(home.is_relative_to(real) for home in _homes())
    if _is_private(path, visible) or is_of_system or is_above_home or real in shown:
        return
    with suppress(OSError):
        if real.is_dir():
            yield from ("--tmpfs", str(real))
            inner = _inside(real, shown)
            yield from (option for each in inner for option in ("--ro-bind-try", str(each), str(each)))
        elif real.is_file() or real.is_socket():
            yield from ("--ro-bind", "/dev/null", str(real))


def _is_link(path: Path) -> bool:
    """Return whether a path is a link; not if it lies in a directory that this user may not search."""
    with suppress(OSError):
        return path.is_symlink()
    return False


def _homes() -> list[Path]:
    """Return the home directory that the environment names, and that of the user who runs pytest, without links."""
    names = [os.environ.get("HOME", "")]
    with suppress(KeyError):
        names.append(pwd.getpwuid(os.getuid()).pw_dir)
    homes = {os.path.realpath(name) for name in names if name.startswith("/")} - {"/"}
    return sorted(Path(home) for home in homes if os.access(f"{home}/.", os.F_OK))


def _programs() -> tuple[Path, ...]:
    """Return the directories of programs in home directories, those of the search path among them."""
    found = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each.startswith("/")]
    closed = _directories_with_secrets()
    named = (path for path in found if os.path.realpath(path) not in closed)
    return (*(path for home in _homes() for each in PROGRAMS for path in home.glob(each)), *named)


def _directories_with_secrets() -> set[str]:
    """Return the homes, those above them, and those in them that hold more than one program, with links followed."""
    homes = _homes()
    inner = (path for home in homes for path in (*_closed_entries(home), *home.glob(".local/*")))
    kept = ("pyvenv.cfg", "conda-meta")  # of an environment of Python, in which nothing else is
    with_secrets = (path for path in inner if not any(os.access(path / name, os.F_OK) for name in kept))
    above = (path for home in homes for path in (home, *home.parents))
    return {os.path.realpath(path) for path in (*above, *with_secrets)}


@functools.cache
def _unreadable_for_others() -> tuple[Path, ...]:
    """Return what only root and its groups may read in `/etc` and `/var`, and what is secret there besides."""
    found = [Path(each) for each in SYSTEM_SECRETS]
    remaining = [(Path("/etc"), 5), (Path("/var"), 3)]
    while remaining:
        directory, levels = remaining.pop()
        with suppress(OSError), os.scandir(directory) as entries:
            for entry in entries:
                path, is_directory = Path(entry.path), entry.is_dir(follow_symlinks=False)
                if entry.is_symlink() or path in found:
                    continue
                needed = stat.S_IROTH | (stat.S_IXOTH if is_directory else 0)
                if entry.stat(follow_symlinks=False).st_mode & needed != needed:
                    found.append(path)
                elif is_directory and levels:
                    remaining.append((path, levels - 1))
    return tuple(found)


def _secrets_in(directory: Path) -> Iterator[Path]:
    for path in (path for pattern in PROJECT_SECRETS for path in sorted(directory.glob(pattern))):
        is_file = os.access(path, os.F_OK) and path.is_file()
        if is_file and not path.name.endswith(("example", "sample", "template")):
            yield path
    with suppress(OSError, UnicodeDecodeError):
        # A worktree or submodule names a directory in that of the repository.
        place = Path(directory, (directory / ".git").read_text().removeprefix("gitdir:").strip())
        yield from (path for each in (place, place.parent.parent) if (path := each / "config").is_file())


@functools.cache
def _secrets_below(project: Path) -> tuple[Path, ...]:
    """Return the secrets in the directories of a project, without hidden directories and those of packages."""
    found: list[Path] = []
    for number, (root, names, _) in enumerate(os.walk(project)):
        found += _secrets_in(Path(root))
        is_deepest = len(Path(root).relative_to(project).parts) == _DEEPEST
        names[:] = [] if is_deepest else [each for each in names if each[0] != "." and each != "node_modules"]
        if number == _MOST_DIRECTORIES:
            break
    return tuple(found)


def _without_sockets(visible: Sequence[Path]) -> Iterator[str]:
    """Yield the options that hide the sockets on which other programs listen: they work without a network."""
    lines = []
    with suppress(OSError):
        lines = Path("/proc/net/unix").read_text(errors="surrogateescape").splitlines()
    for fields in (line.split(maxsplit=7) for line in lines):
        if len(fields) == 8 and fields[3] == _LISTENS and fields[7].startswith("/"):
            yield from _hidden(Path(fields[7]), visible)


def _paths_in_environment() -> Iterator[Path]:
    """Yield the files and sockets that variables name, also as in ``unix:///path`` and ``unix:path=/path,guid=1``."""
    for name in POINTERS:
        for value in os.environ.get(name, "").split(os.pathsep if name == "KUBECONFIG" else "\0"):
            path = value.removeprefix("unix://").removeprefix("unix:path=").partition(",")[0]
            if Path(path).is_absolute():
                yield Path(path)


def _installation(executable: str) -> tuple[Path, ...]:
    """Return the directory above that of an executable, such as a virtual environment, also of its link's target.

    Where secrets of other programs are in there, it is the executable's directory, or the executable alone.
    """
    closed = _directories_with_secrets()
    paths = {Path(executable), Path(os.path.realpath(executable))}
    return tuple(
        next((each for each in (path.parent.parent, path.parent) if os.path.realpath(each) not in closed), path)
        for path in paths
    )


def _absolute_paths(arguments: Sequence[str]) -> Iterator[Path]:
    """Yield the files and directories that arguments name."""
    for argument in arguments:
        with suppress(OSError, ValueError):
            if argument.startswith("/") and (path := Path(argument)).exists():
                yield path
