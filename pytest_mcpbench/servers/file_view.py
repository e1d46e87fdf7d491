"""What a server in isolation sees of the file system: programs and its suite, but neither credentials nor sockets."""

import functools
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

if sys.platform != "win32":
    import pwd

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
_DEEPEST = 3
_MOST_DIRECTORIES = 2000
"""Levels and number of directories below a project in which its secrets are looked for."""
_LISTENS = "00010000"
"""Flag of a socket in `/proc/net/unix` that accepts connections."""


@dataclass(frozen=True)
class FileView:
    """What one server sees of the file system, as options of bubblewrap. Each start looks anew at what is there."""

    programs: Sequence[Sequence[str]] = ()
    """Command lines of the server, and of the programs that it starts itself, whose files it has to see."""
    directories: Sequence[Path] = ()
    """The directories in which it works, and from which it reads."""

    def mounts(self, projects: Sequence[Path]) -> Iterator[str]:
        """Yield the options for a system that can only be read, with private directories and without credentials.

        Args:
            projects: The suite's directory and the server's, unless writable. Secrets in these and in the directories
                above them are hidden, and those below the first.
        """
        yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
        yield from (option for path in _SYSTEM if Path(path).exists() for option in ("--ro-bind-try", path, path))
        hidden = (path for name in _KERNEL if (path := Path("/proc", name)).exists())
        yield from (option for path in hidden for option in ("--ro-bind", "/dev/null", str(path)))
        for directory in _PRIVATE:
            if Path(directory).is_dir() and not Path(directory).is_symlink():
                yield from ("--tmpfs", directory)
        yield from ("--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve")
        for path in self._visible:
            if any(path.is_relative_to(private) and path != Path(private) for private in _PRIVATE):
                yield from ("--ro-bind-try", str(path), str(path))
        # After what is visible: a home directory may lie below a private one, with a program or a suite in it.
        for home in self._homes:
            yield from self._programs_of_home(home)
        # A container may have the root as the home directory, which nothing can replace.
        in_root = Path("/").glob(".*") if os.path.realpath(os.environ.get("HOME", "")) == "/" else ()
        is_root = sys.platform != "win32" and os.geteuid() == 0
        unreadable = _unreadable_for_others() if is_root else ()
        unreadable = tuple(path for path in unreadable if not any(path.is_relative_to(each) for each in projects))
        for path in (*in_root, *_paths_in_environment(), *unreadable):
            yield from self.hide(path, self._shown)
        above = dict.fromkeys(place for each in (*projects, Path.cwd()) for place in (each, *each.parents))
        below = (path for each in dict.fromkeys((*projects[:1], Path.cwd())) for path in _secrets_below(each))
        for path in dict.fromkeys((*(path for each in above for path in _secrets_in(each)), *below)):
            yield from self.hide(path)

    def without_sockets(self) -> Iterator[str]:
        """Yield the options that hide the sockets on which other programs listen: they work without a network."""
        lines = []
        with suppress(OSError):
            lines = Path("/proc/net/unix").read_text(errors="surrogateescape").splitlines()
        for fields in (line.split(maxsplit=7) for line in lines):
            if len(fields) == 8 and fields[3] == _LISTENS and fields[7].startswith("/"):
                yield from self.hide(Path(fields[7]))

    def hide(self, path: Path, shown: Sequence[Path] = ()) -> Iterator[str]:
        """Yield the options that hide a file or directory, unless it is in a private directory and not visible anyway.

        Args:
            path: What to hide; the target of a link, unless it belongs to the system or contains a home directory.
            shown: Sorted paths that stay visible.
        """
        real = Path(os.path.realpath(path))
        is_of_system = _is_link(path) and (real.is_relative_to("/usr") or real.is_relative_to("/nix"))
        is_above_home = any(home.is_relative_to(real) for home in self._homes)
        if self._is_private(path) or is_of_system or is_above_home or real in shown:
            return
        with suppress(OSError):
            if real.is_dir():
                yield from ("--tmpfs", str(real))
                inner = _inside(real, shown)
                yield from (option for each in inner for option in ("--ro-bind-try", str(each), str(each)))
            elif real.is_file() or real.is_socket():
                yield from ("--ro-bind", "/dev/null", str(real))

    def _programs_of_home(self, home: Path) -> Iterator[str]:
        """Yield the options that replace a home by one with its visible entries and what is shown of others."""
        if self._is_private(home):
            return
        closed = _closed_entries(home)
        # An entry that cannot be looked at, such as a mount whose server is gone, cannot be shown.
        entries = {path for path in home.glob("*") if _is_link(path) or os.access(path, os.F_OK)} - set(closed)
        yield from ("--tmpfs", str(home))
        for path in _inside(home, sorted({*self._shown, *entries})):
            if path in entries and _is_link(path):
                yield from ("--symlink", str(path.readlink()), str(path))
            else:
                yield from ("--ro-bind-try", str(path), str(path))
        for path in filter(_is_link, closed):
            yield from self.hide(path, self._shown)

    def _is_private(self, path: Path) -> bool:
        """Return whether a path is in a private directory and not visible there."""
        is_below = any(path.is_relative_to(private) for private in _PRIVATE)
        return is_below and not any(path.is_relative_to(each) for each in self._visible)

    @cached_property
    def _homes(self) -> list[Path]:
        """The home directory that the environment names, and that of the user who runs pytest, without links."""
        names = [os.environ.get("HOME", "")]
        if sys.platform != "win32":
            with suppress(KeyError):
                names.append(pwd.getpwuid(os.getuid()).pw_dir)
        homes = {os.path.realpath(name) for name in names if name.startswith("/")} - {"/"}
        return sorted(Path(home) for home in homes if os.access(f"{home}/.", os.F_OK))

    @cached_property
    def _visible(self) -> list[Path]:
        """Paths that stay visible in private directories."""
        files = (path for each in self.programs for path in (*self._installation(each[0]), *_absolute_paths(each[1:])))
        return [*self.directories, _PACKAGE, *files]

    @cached_property
    def _shown(self) -> list[Path]:
        """Sorted paths that stay visible where what surrounds them is hidden: programs, those of homes among them."""
        search_path = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each.startswith("/")]
        named = (path for path in search_path if os.path.realpath(path) not in self._with_secrets)
        of_homes = (path for home in self._homes for each in PROGRAMS for path in home.glob(each))
        # Path.exists would raise an error for a path in a directory that this user may not search.
        found = [each for each in (*self._visible, *of_homes, *named) if os.access(each, os.F_OK)]
        return sorted({*found, *(Path(os.path.realpath(each)) for each in found)})

    @cached_property
    def _with_secrets(self) -> set[str]:
        """The homes, those above them, and those in them that hold more than one program, with links followed."""
        inner = (path for home in self._homes for path in (*_closed_entries(home), *home.glob(".local/*")))
        kept = ("pyvenv.cfg", "conda-meta")  # of an environment of Python, in which nothing else is
        with_secrets = (path for path in inner if not any(os.access(path / name, os.F_OK) for name in kept))
        above = (path for home in self._homes for path in (home, *home.parents))
        return {os.path.realpath(path) for path in (*above, *with_secrets)}

    def _installation(self, executable: str) -> Iterator[Path]:
        """Yield the directory above that of an executable, such as a virtual environment, also of its link's target.

        Where secrets of other programs are in there, it is the executable's directory, or the executable alone.
        """
        for path in {Path(executable), Path(os.path.realpath(executable))}:
            around = (path.parent.parent, path.parent)
            yield next((each for each in around if os.path.realpath(each) not in self._with_secrets), path)


def _closed_entries(home: Path) -> list[Path]:
    return [*sorted(home.glob(".*")), home / "snap"]


def _inside(directory: Path, paths: Sequence[Path]) -> list[Path]:
    """Return those of sorted paths that lie in a directory, without those that lie in another of them."""
    found: list[Path] = []
    for path in paths:
        if directory in path.parents and not (found and found[-1] in path.parents):
            found.append(path)
    return found


def _is_link(path: Path) -> bool:
    """Return whether a path is a link; not if it lies in a directory that this user may not search."""
    with suppress(OSError):
        return path.is_symlink()
    return False


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


def _paths_in_environment() -> Iterator[Path]:
    """Yield the files and sockets that variables name, also as in ``unix:///path`` and ``unix:path=/path,guid=1``."""
    for name in POINTERS:
        for value in os.environ.get(name, "").split(os.pathsep if name == "KUBECONFIG" else "\0"):
            path = value.removeprefix("unix://").removeprefix("unix:path=").partition(",")[0]
            if Path(path).is_absolute():
                yield Path(path)


def _absolute_paths(arguments: Sequence[str]) -> Iterator[Path]:
    """Yield the files and directories that arguments name."""
    for argument in arguments:
        with suppress(OSError, ValueError):
            if argument.startswith("/") and (path := Path(argument)).exists():
                yield path
