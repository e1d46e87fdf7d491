"""Isolation of server processes: limits of their resources and, with bubblewrap, of what they can reach."""

import functools
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerLimits, ServerRef

IsolationMode = Literal["auto", "bwrap", "none"]

_PROBE_SECONDS = 5.0
_MEGABYTE = 2**20
_PRIVATE = ("/tmp", "/var/tmp", "/run", "/dev/shm")
"""Directories of which each server has an empty one of its own."""
_PACKAGE = Path(__file__).parents[1]
"""Directory of this package, which `mcpbench serve` needs, also in a checkout below a private directory."""
CREDENTIALS = (
    # Keys and tokens of programs.
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".npmrc", ".pypirc", ".git-credentials"),
    *(".pgpass", ".my.cnf", ".vault-token", ".terraform.d", ".s3cfg", ".boto", ".password-store", ".huggingface"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml"),
    *(".gradle/gradle.properties", ".composer/auth.json", ".cache/huggingface/token", ".config/huggingface"),
    *(".config/gcloud", ".config/gh", ".config/hub", ".config/glab-cli", ".config/op", ".config/rclone"),
    *(".config/doctl", ".config/heroku", ".config/composer/auth.json", ".config/pytest-mcpbench"),
    *(".config/git/credentials", ".config/containers/auth.json", ".config/pip/pip.conf"),
    *(".local/share/uv/credentials", ".databrickscfg", ".snowflake", ".oci", ".aliyun", ".fly"),
    *(".config/hcloud", ".terraformrc"),
    *(".config/sops", ".dbt/profiles.yml", ".kaggle", ".config/stripe", ".config/netlify"),
    *(".local/share/com.vercel.cli", ".config/ngrok", ".sentryclirc", ".cloudflared", ".config/.wrangler"),
    *(".Xauthority", ".config/io.datasette.llm/keys.json"),
    # Keyrings and profiles of browsers.
    *(".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".thunderbird", ".config/chromium"),
    *(".config/google-chrome", ".config/BraveSoftware", ".config/microsoft-edge", "snap/firefox", "snap/chromium"),
    # Coding agents and histories.
    *(".claude", ".claude.json", ".codex", ".gemini", ".config/github-copilot", ".config/goose"),
    *(".local/share/opencode", ".bash_history", ".zsh_history", ".python_history", ".psql_history"),
    *(".mysql_history", ".local/share/fish/fish_history"),
    *(".cursor/mcp.json", ".config/Claude", ".node_repl_history", ".rediscli_history", ".sqlite_history"),
)
"""Files and directories of a home directory that no server sees."""
SYSTEM_SECRETS = (
    *("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/krb5.keytab", "/etc/ssl/private"),
    *("/etc/ssh", "/etc/kubernetes", "/etc/rancher", "/var/lib/cloud", "/var/spool/cron"),
)
"""Files and directories that only root may read, whose rights a server has where root runs pytest."""
POINTERS = (
    *("SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY", "KUBECONFIG", "NETRC", "PGPASSFILE"),
    *("AWS_SHARED_CREDENTIALS_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE"),
)
"""Variables of pytest's environment that say where a socket or a file with credentials is."""
_DOTENV = ".env"
_SYSTEM = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/sysrq-trigger")
"""What root may write without any capability: a program in ``core_pattern`` would run outside of the namespaces."""
_KERNEL = ("keys", "key-users", "kcore", "timer_list", "timer_stats", "sched_debug", "latency_stats")
"""Files of ``/proc`` about the whole machine that container engines hide: keyrings, memory and timers of others."""
_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent")
_USER = ("--unshare-user", "--disable-userns")
"""Options for a namespace of users in which no other can be made, where the system permits it."""
_RIGHTS = ("--cap-drop", "ALL")
"""Options without which a server that root starts could mount the system writable, or its private directories away."""


@dataclass(frozen=True)
class Isolation:
    """Means by which the servers of a run are isolated from the system."""

    bwrap: str | None = None
    """Path of bubblewrap; ``None``: servers have the rights of this process."""
    user_namespace: tuple[str, ...] = ()
    """Options of bubblewrap for a namespace of users; empty where that is not permitted."""
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
            command = (
                self.bwrap,
                *_mounts(visible, (suite_directory, directory)),
                *(option for path in writable for option in ("--bind", str(path), str(path))),
                *_NAMESPACES,
                *self.user_namespace,
                *_RIGHTS,
                *(() if ref.network else ("--unshare-net",)),
                "--chdir",
                str(directory),
                "--",
                *command,
            )
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
        command = [str(bwrap), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
        return Isolation(bwrap, user_namespace, f"bwrap ({done.stdout.strip() or 'unknown version'})")
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


def _problem_of(bwrap: str | None, options: Sequence[str]) -> str | None:
    """Return why bubblewrap does not work with some options; ``None`` if it does."""
    if bwrap is None:
        return "bubblewrap (bwrap) is not installed"
    try:
        command = [bwrap, *_mounts((), ()), *_NAMESPACES, *options, *_RIGHTS, "--unshare-net", "--", "true"]
        probe = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap does not work here: {error}"
    if probe.returncode == 0:
        return None
    return f"bwrap does not work here: {probe.stderr.strip() or f'exit code {probe.returncode}'}"


def _mounts(visible: Sequence[Path], projects: Sequence[Path]) -> Iterator[str]:
    """Yield the options for a system that can only be read, with private directories and without credentials.

    Args:
        visible: Paths that stay visible in private directories.
        projects: Directories in which, and in those above them, no file with variables is visible.
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
    for path in (*map(Path.home().joinpath, CREDENTIALS), *map(Path, SYSTEM_SECRETS), *_paths_in_environment()):
        yield from _hidden(path, visible)
    for project in dict.fromkeys(above for each in (*projects, Path.cwd()) for above in (each, *each.parents)):
        for path in sorted(project.glob(f"{_DOTENV}*")):
            if path.is_file() and not path.name.endswith(("example", "sample", "template")):
                yield from _hidden(path, visible)


def _hidden(path: Path, visible: Sequence[Path]) -> Iterator[str]:
    """Yield the options that hide a file or directory, unless it is in a private directory and not visible anyway."""
    is_private = any(path.is_relative_to(private) for private in _PRIVATE)
    if is_private and not any(path.is_relative_to(each) for each in visible):
        return
    with suppress(OSError):
        if path.is_dir():
            yield from ("--tmpfs", str(path))
        elif path.is_file() or path.is_socket():
            yield from ("--ro-bind", "/dev/null", str(path))


def _paths_in_environment() -> Iterator[Path]:
    """Yield the files and sockets that variables name, also as in ``unix:///path`` and ``unix:path=/path,guid=1``."""
    for name in POINTERS:
        for value in os.environ.get(name, "").split(os.pathsep if name == "KUBECONFIG" else "\0"):
            path = value.removeprefix("unix://").removeprefix("unix:path=").partition(",")[0]
            if Path(path).is_absolute():
                yield Path(path)


def _installation(executable: str) -> tuple[Path, ...]:
    """Return the directory above that of an executable, such as a virtual environment, also of its link's target."""
    return tuple({Path(each).parent.parent for each in (executable, os.path.realpath(executable))})


def _absolute_paths(arguments: Sequence[str]) -> Iterator[Path]:
    """Yield the files and directories that arguments name."""
    for argument in arguments:
        with suppress(OSError, ValueError):
            if argument.startswith("/") and (path := Path(argument)).exists():
                yield path
