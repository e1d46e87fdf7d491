import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.simulated.serve import build_server, serve, world
from tests.listening import wait_until_it_listens
from tests.simulated.mail.worlds import a_message, a_tree

PROGRAM = """
import json, sys
from pytest_mcpbench.simulated.serve import serve
serve(sys.argv[1], **json.loads(sys.argv[2]))
"""


def command(name: str, **options: object) -> list[str]:
    return [sys.executable, "-c", PROGRAM, name, json.dumps(options)]


@pytest.fixture
def seed(tmp_path: Path) -> Path:
    """A file with a mailbox of one message."""
    file = tmp_path / "seed.json"
    file.write_text(json.dumps(a_tree(a_message("m1", subject="Only one"))))
    return file


@contextmanager
def running(*arguments: str, port: int) -> Iterator[str]:
    """The address of a server in another process, once it listens."""
    process = subprocess.Popen(arguments)
    try:
        wait_until_it_listens(process, port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def test_every_server_of_the_catalogue_can_be_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where the server `database` creates its file
    assert [name for name in SERVERS if not build_server(name, world(name)).name] == []


@pytest.mark.anyio
async def test_a_server_is_served_over_stdio(seed: Path) -> None:
    executable, *arguments = command("mail", seed=str(seed))
    async with Client(StdioServerParameters(command=executable, args=arguments), mode="legacy") as client:
        found = await client.call_tool("search_emails", {"query": "only"})
        await client.call_tool("delete_email", {"messageId": "m1"})
        tree = await client.read_resource("mcpbench://world")
    assert found.content[0].text.startswith("ID: m1\nSubject: Only one\n")  # type: ignore[union-attr]
    assert json.loads(tree.contents[0].text)["messages"] == {}  # type: ignore[union-attr]


@pytest.mark.extra
@pytest.mark.anyio
async def test_a_server_is_served_over_http(seed: Path, unused_port: int) -> None:
    with running(*command("mail", transport="http", port=unused_port, seed=str(seed)), port=unused_port) as address:
        async with Client(address) as client:
            await client.call_tool("delete_email", {"messageId": "m1"})
        async with Client(address) as client:
            before, after = [await client.read_resource(f"mcpbench://world{part}") for part in ("/before", "")]
    assert list(json.loads(before.contents[0].text)["messages"]) == ["m1"]  # type: ignore[union-attr]
    assert json.loads(after.contents[0].text)["messages"] == {}  # type: ignore[union-attr]


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def test_an_unknown_server_is_an_error_that_names_those_that_there_are() -> None:
    with pytest.raises(
        UsageError, match=r"no simulated server is called 'male'. Did you mean 'mail'\? There are: .*mail"
    ):
        serve("male")


def test_somebodys_own_server_is_made_of_its_file_or_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "somebodys_server.py"
    file.write_text("from pytest_mcpbench.simulated.memory.server import server\n")
    names = [build_server(name, world("app")).name for name in (str(file), "somebodys_server:server")]
    assert names == ["memory-server"] * 2


@pytest.mark.parametrize("name", ["no_such_module:server", "json:server", "no_such_file.py"])
def test_a_server_that_cannot_be_imported_is_an_error_that_names_it(name: str) -> None:
    with pytest.raises(UsageError, match=f"the server '{name}' cannot be imported: "):
        build_server(name, world("app"))


def test_a_seed_that_is_no_json_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "seed.json"
    file.write_text("{")
    with pytest.raises(UsageError, match=f"the seed {file} cannot be read as JSON"):
        serve("mail", seed=file)
    with pytest.raises(UsageError, match="cannot be read as JSON"):
        serve("mail", seed=tmp_path / "none.json")
