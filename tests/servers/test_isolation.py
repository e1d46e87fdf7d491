"""A server of a stranger reaches what isolation leaves it, and nothing else."""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerLimits, ServerRef
from pytest_mcpbench.servers import file_view, isolation
from pytest_mcpbench.servers.file_view import POINTERS, PROGRAMS, PROJECT_SECRETS, SYSTEM_SECRETS, FileView
from pytest_mcpbench.servers.isolation import NO_ISOLATION, Isolation, limited, make_isolation

CAP_DAC_OVERRIDE = 1
CAP_SYS_ADMIN = 21
SERVER = """
import ctypes, functools, os, platform, socket, subprocess
from pathlib import Path
from mcp.server import MCPServer

made = MCPServer("nosy", log_level="CRITICAL")

def tool(function):
    # Other errors are those of the tool itself.
    @functools.wraps(function)
    def call(**arguments) -> str:
        try:
            return function(**arguments)
        except (OSError, MemoryError, subprocess.CalledProcessError):
            return "refused"
    made.tool()(call)

@tool
def read(path: str) -> str:
    text = Path(path).expanduser().read_text()
    if not text:
        raise FileNotFoundError(path)
    return text

@tool
def write(path: str) -> str:
    Path(path).write_text("mine")
    return "written"

@tool
def run_outside() -> str:
    # As the kernel's handler of crashes, which runs outside of all namespaces.
    handler = Path("/proc/sys/kernel/core_pattern")
    with handler.open("r+") as file:
        file.write(handler.read_text())
    return "changed"

@tool
def new_namespace() -> str:
    os.unshare(os.CLONE_NEWUSER) if hasattr(os, "unshare") else subprocess.run(["unshare", "-U", "true"], check=True)
    return "made"

@tool
def write_to_cache(name: str) -> str:
    directory = Path(os.environ[name])
    directory.mkdir(parents=True)
    (directory / "package").write_text("mine")
    return "written"

@tool
def connect(port: int) -> str:
    socket.create_connection(("127.0.0.1", port), timeout=2).close()
    return "connected"

@tool
def connect_to_file(path: str) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
    return "connected"

@tool
def keyring() -> str:
    # keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, create): the keys of whoever has started pytest.
    keyctl = {"x86_64": 250, "aarch64": 219}[platform.machine()]
    if ctypes.CDLL(None).syscall(keyctl, 0, ctypes.c_int(-3), 1) == -1:
        raise PermissionError
    return "found"

@tool
def processes() -> str:
    return str(sum(name.isdigit() for name in os.listdir("/proc")))

@tool
def use_right(number: int) -> str:
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    if not int(status["CapEff"], 16) >> number & 1:
        raise PermissionError(number)
    return "permitted"

@tool
def allocate(megabytes: int) -> str:
    return str(len(bytearray(megabytes * 2**20)))

made.run()
"""


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home directory with a key, outside of the directories that are private."""
    visible = (base for base in (Path.cwd(), Path.home()) if not base.is_relative_to("/tmp"))
    with tempfile.TemporaryDirectory(prefix=".home-of-a-test-", dir=next(visible, None)) as name:
        directory = Path(name)
        if directory.is_relative_to("/tmp"):
            pytest.skip("the checkout and the home directory lie below /tmp, which is private to each server")
        (directory / ".ssh").mkdir()
        (directory / ".ssh" / "id").write_text("key")
        monkeypatch.setenv("HOME", name)
        yield directory


def reached(
    using: Isolation,
    suite: Path,
    calls: dict[str, tuple[str, dict[str, Any]]],
    command: Sequence[str] = (sys.executable,),
    **fields: Any,
) -> dict[str, bool]:
    """Return, by name, which calls of the server succeed; the others are refused."""
    (suite / "nosy.py").write_text(SERVER)
    arguments = (*command[1:], "nosy.py")
    ref = ServerRef(name="nosy", transport="stdio", command=command[0], arguments=arguments, **fields)
    sandbox = suite / "sandbox"
    sandbox.mkdir()

    async def ask() -> dict[str, Any]:
        async with (
            ServerPool(root=suite, isolation=using) as pool,
            pool.session(ref, sandbox, directory=suite) as connection,
        ):
            return {name: await connection.call(*call) for name, call in calls.items()}

    results = asyncio.run(ask())
    assert [result for result in results.values() if result.is_error] == []
    return {name: result.text != "refused" for name, result in results.items()}


def options(suite: Path, using: Isolation | None = None, program: str = "/bin/true", **fields: Any) -> tuple[str, ...]:
    """Return the command line of a program, of one that does nothing if there is no other."""
    ref = ServerRef(name="s", transport="stdio", command="true", **fields)
    using = using or Isolation("bwrap")
    return using.wrap((program,), ref, directory=suite, suite_directory=suite, writable=())


@pytest.mark.bwrap
def test_a_server_reaches_its_own_directory_and_nothing_else(tmp_path: Path, home: Path, bwrap: Isolation) -> None:
    other = home / "notes.txt"
    other.write_text("mine")
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(home / "socket"))
        local.listen()
        calls = {
            "own file": ("write", {"path": str(tmp_path / "sandbox" / "a")}),
            "temporary file": ("write", {"path": "/tmp/a"}),
            "cache of uvx": ("write_to_cache", {"name": "UV_CACHE_DIR"}),
            "cache of npx": ("write_to_cache", {"name": "npm_config_cache"}),
            "suite": ("read", {"path": str(tmp_path / "nosy.py")}),
            "suite, to write": ("write", {"path": str(tmp_path / "nosy.py")}),
            "file of the user": ("read", {"path": str(other)}),
            "file of the user, to write": ("write", {"path": str(other)}),
            "key": ("read", {"path": str(home / ".ssh" / "id")}),
            "network": ("connect", {"port": listener.getsockname()[1]}),
            "a socket in the file system": ("connect_to_file", {"path": str(home / "socket")}),
            "keys of the kernel": ("keyring", {}),
            "mounts": ("use_right", {"number": CAP_SYS_ADMIN}),
            "files of others": ("use_right", {"number": CAP_DAC_OVERRIDE}),
            "a program outside": ("run_outside", {}),
            "keyrings": ("read", {"path": "/proc/keys"}),
            "a namespace of its own": ("new_namespace", {}),
        }
        found = reached(bwrap, tmp_path, calls)
    assert [name for name, is_reached in found.items() if is_reached] == [
        "own file",
        "temporary file",
        "cache of uvx",
        "cache of npx",
        "suite",
        "file of the user",
    ]
    assert (tmp_path / "sandbox" / "a").read_text() == "mine"
    assert not Path("/tmp/a").exists()


@pytest.mark.bwrap
@pytest.mark.parametrize("is_private", [False, True], ids=["home", "home below /tmp"])
def test_no_credential_of_a_home_directory_is_reached(
    is_private: bool, tmp_path: Path, home: Path, bwrap: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_private:
        # The suite is in the home directory, so that all of it is visible.
        home = tmp_path
        monkeypatch.setenv("HOME", str(home))
    of_home = (
        *(".ssh/id", ".pgpass", ".cargo/credentials.toml", ".config/vivaldi/Login Data", ".local/share/keyrings/a"),
        *(".local/share/uv/credentials/a", "scratch/cache/huggingface/token", ".cache/huggingface/token"),
        *("snap/firefox/key4.db", "main/.git/config"),
    )
    of_project = (".env", "service/.env.local", ".npmrc", ".git/config", "a/b/.streamlit/secrets.toml")
    of_modules = (".git/modules/a/config", ".git/modules/libraries/b/config")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".git").write_text(f"gitdir: {home}/main/.git/worktrees/work\n")
    hidden = [*map(home.joinpath, of_home), *map(tmp_path.joinpath, (*of_project, *of_modules))]
    open_names = ("notes.txt", ".local/bin/program", ".cargo/bin/program", ".cache/uv/a", "scratch/cache/uv/a")
    (home / "scratch" / "cache").mkdir(parents=True)
    (home / ".cache").symlink_to(home / "scratch" / "cache")
    others = [*map(home.joinpath, open_names), tmp_path / "service" / ".env.example"]
    for path in (*hidden, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("key")
    calls = {str(path): ("read", {"path": str(path)}) for path in (*hidden, *others)}
    program = home / ".local" / "bin" / "program"
    # The environment of Python is an argument, and so is visible, also below /tmp.
    program.write_text('#!/bin/sh\nexec "$1/bin/python" "$2"')
    program.chmod(0o755)
    found = reached(bwrap, tmp_path, calls, command=(str(program), sys.prefix))
    assert [path for path, is_reached in found.items() if is_reached] == list(map(str, others))


@pytest.mark.parametrize(
    ("program", "shown"),
    [(".tool", ".tool"), (".local/tool", ".local/tool"), (".tool/bin/a", ".tool/bin"), (".x/env/bin/a", ".x/env")],
)
def test_of_a_program_in_a_home_directory_its_installation_is_shown(
    home: Path, tmp_path: Path, program: str, shown: str
) -> None:
    path = home / program
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    line = options(tmp_path, program=str(path))
    bound = {target for option, target in pairwise(line) if option == "--ro-bind-try"}
    assert [each for each in bound if each.startswith(f"{home}/")] == [str(home / shown)]


@pytest.mark.bwrap
def test_a_server_starts_where_files_of_the_home_directory_vanish_meanwhile(
    tmp_path: Path, home: Path, bwrap: Isolation
) -> None:
    files = [home / ".claude.json.lock", home / "notes.txt"]
    for path in files:
        path.touch()
    command = options(tmp_path, bwrap)
    for path in files:
        path.unlink()
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


def test_a_directory_that_the_user_may_not_search_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    monkeypatch.setenv("PATH", str(closed / "bin"))
    monkeypatch.setenv("HOME", str(closed / "home"))
    assert str(closed / "bin") not in options(tmp_path)


def test_a_link_in_a_directory_that_the_user_may_not_search_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "is_symlink", refuse)
    assert [*FileView().hide(Path("/run/user/1/bus"))] == []


def test_a_home_directory_that_is_none_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/dev/null")
    assert ("--tmpfs", "/dev/null") not in pairwise(options(tmp_path))


def test_what_the_group_of_root_may_read_stays_visible_in_a_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "suite").mkdir()
    files = [tmp_path / "suite" / "suite.toml", tmp_path / "key"]
    for path in files:
        path.touch()
    monkeypatch.setattr(file_view, "_PRIVATE", ())
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(file_view, "_unreadable_for_others", lambda: files)
    line = options(tmp_path / "suite")
    assert [("/dev/null", str(path)) in pairwise(line) for path in files] == [False, True]


@pytest.mark.bwrap
def test_the_home_directory_of_the_user_is_closed_where_the_environment_names_another(
    tmp_path: Path, home: Path, bwrap: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_dir=str(home)))
    assert reached(bwrap, tmp_path, {"key": ("read", {"path": str(home / ".ssh" / "id")})}) == {"key": False}


@pytest.mark.parametrize(
    ("variable", "form"),
    [("SSH_AUTH_SOCK", "{}"), ("DOCKER_HOST", "unix://{}"), ("DBUS_SESSION_BUS_ADDRESS", "unix:path={},guid=1")],
)
def test_a_socket_that_the_environment_names_is_hidden(
    home: Path, monkeypatch: pytest.MonkeyPatch, variable: str, form: str
) -> None:
    path = home / "s"
    monkeypatch.setenv(variable, form.format(path))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        line = options(Path("/usr"))
    assert ("--ro-bind", "/dev/null", str(path)) in zip(line, line[1:], line[2:], strict=False)


@pytest.mark.bwrap
def test_files_that_the_environment_names_and_secrets_of_the_system_are_hidden(
    tmp_path: Path, home: Path, bwrap: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    configs = [home / "first", home / "second"]
    for path in configs:
        path.write_text("key")
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(map(str, configs)))
    # Others cannot read it anyway.
    of_system = ["/etc/shadow"] if os.geteuid() == 0 else []
    files = {str(path): ("read", {"path": str(path)}) for path in (*configs, *of_system)}
    assert not any(reached(bwrap, tmp_path, files).values())


def test_the_documentation_names_each_hidden_file() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "isolate-servers.md").read_text(encoding="utf-8")
    assert [name for name in (*PROGRAMS, *PROJECT_SECRETS, *SYSTEM_SECRETS, *POINTERS) if f"`{name}`" not in page] == []


@pytest.mark.bwrap
def test_network_comes_back_where_the_definition_asks_for_it(tmp_path: Path, bwrap: Isolation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        calls = {"network": ("connect", {"port": listener.getsockname()[1]})}
        assert reached(bwrap, tmp_path, calls, network=True) == {"network": True}


@pytest.mark.extra
def test_without_isolation_a_server_reaches_everything_but_has_limits(tmp_path: Path, home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        calls = {
            "key": ("read", {"path": str(home / ".ssh" / "id")}),
            "network": ("connect", {"port": listener.getsockname()[1]}),
            "little memory": ("allocate", {"megabytes": 10}),
            "much memory": ("allocate", {"megabytes": 500}),
        }
        found = reached(NO_ISOLATION, tmp_path, calls, limits={"memory_mb": 300})
    assert found == {"key": True, "network": True, "little memory": True, "much memory": False}


def test_this_package_is_visible_in_a_checkout_below_a_private_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_view, "_PACKAGE", Path("/tmp/checkout/pytest_mcpbench"))
    assert ("--ro-bind-try", "/tmp/checkout/pytest_mcpbench") in pairwise(options(tmp_path))


def test_a_cache_that_the_definition_names_is_kept(tmp_path: Path) -> None:
    line = options(tmp_path, environment={"NPM_CONFIG_CACHE": "/cache"})
    assert ("npm_config_cache" in line, "UV_CACHE_DIR" in line) == (False, True)


@pytest.mark.bwrap
def test_isolation_is_made_by_a_python_without_files_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    isolation._make_keyring_filter.cache_clear()
    assert isolation._make_keyring_filter()


def test_limits_are_options_of_prlimit() -> None:
    command = limited(("server", "--data=1"), ServerLimits(memory_mb=1, file_mb=None, open_files=64, cpu_seconds=9))
    assert command[1:] == ("--core=0", "--data=1048576", "--nofile=64", "--cpu=9", "--", "server", "--data=1")


def test_a_mode_that_does_not_work_here_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    make_isolation.cache_clear()
    try:
        assert make_isolation("auto") == Isolation(description="none: bubblewrap (bwrap) is not installed")
        with pytest.raises(UsageError, match=r"--mcpbench-isolation=bwrap: bubblewrap \(bwrap\) is not installed"):
            isolation.make_isolation("bwrap")
    finally:
        make_isolation.cache_clear()
