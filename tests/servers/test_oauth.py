"""OAuth against an authorization server on loopback, made with the server side of mcp."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.servers.login import log_in
from pytest_mcpbench.servers.oauth import RunOAuth, RunTokens, TokenFile, stored_secrets
from tests.servers.subjects import open_connection, url_server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with url_server("with_oauth.py") as url:
        yield url


@pytest.fixture
def server(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServerRef:
    monkeypatch.setenv("MCPBENCH_TOKENS", str(tmp_path / "tokens"))
    return ServerRef(name="remote", transport="http", url=url, auth="oauth")


async def agree(page: str) -> None:
    """Do what a user does in a browser: open the page, which redirects back to this machine."""
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        assert (await browser.get(page)).text == "You can close this page.\n"


async def who(ref: ServerRef, directory: Path) -> str:
    async with open_connection(ref, directory) as connection:
        return (await connection.call("who", {})).text


def test_a_run_uses_and_refreshes_the_tokens_of_a_login(server: ServerRef, tmp_path: Path) -> None:
    assert anyio.run(log_in, server, agree) == 1
    storage = TokenFile(str(server.url))
    assert storage.path.stat().st_mode & 0o777 == 0o600
    first = storage.read()["tokens"]["access_token"]
    assert anyio.run(who, server, tmp_path) == first

    storage.write(expires_at=1.0)
    second = anyio.run(who, server, tmp_path)
    assert second.startswith("token-")
    assert (second != first, storage.read()["tokens"]["access_token"]) == (True, second)


def test_a_server_without_a_stored_token_names_the_command(server: ServerRef, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"no OAuth token for it is in .*; run: mcpbench login http://127"):
        anyio.run(who, server, tmp_path)


def test_a_token_that_is_revoked_names_the_command(server: ServerRef, tmp_path: Path) -> None:
    anyio.run(log_in, server, agree)
    storage = TokenFile(str(server.url))
    storage.write(tokens={"access_token": "revoked", "token_type": "Bearer"}, expires_at=None)
    with pytest.raises(ServerError, match="its OAuth token is not accepted any more; run: mcpbench login"):
        anyio.run(who, server, tmp_path)


def test_a_server_that_asks_for_oauth_names_the_command(server: ServerRef, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"it asks for OAuth: run `mcpbench login http:.* and set auth"):
        anyio.run(who, server.model_copy(update={"auth": None}), tmp_path)


@pytest.mark.extra
def test_a_client_with_a_document_needs_no_registration(
    server: ServerRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with url_server("with_oauth.py", "documents") as url:
        ref = server.model_copy(update={"url": url})
        with pytest.raises(BaseExceptionGroup):
            anyio.run(log_in, ref, agree)
        document = "https://client.example/mcpbench.json"
        assert anyio.run(log_in, ref, agree, document) == 1
        storage = TokenFile(url)
        assert storage.read()["client"]["client_id"] == document
        storage.write(expires_at=1.0)
        assert anyio.run(who, ref, tmp_path).startswith("token-")


@pytest.fixture(scope="module")
def ci_url() -> Iterator[str]:
    with url_server("with_client_credentials.py") as url:
        yield url


def a_client(url: str, **changes: str) -> ServerRef:
    issuer = url.removesuffix("/mcp")
    client = {"client_id": "ci", "client_secret": "s3cret-of-ci", "issuer": issuer, **changes}
    return ServerRef.model_validate({"name": "remote", "transport": "http", "url": url, "auth": client})


def test_a_client_gets_a_token_without_a_user_for_all_connections_of_a_run(ci_url: str, tmp_path: Path) -> None:
    server = a_client(ci_url)
    answers = [anyio.run(who, server, tmp_path) for _ in range(2)]
    assert answers == ["ci ci-token-1"] * 2
    assert stored_secrets(server).remove("ci-token-1, s3cret-of-ci") == (
        "[secret remote access_token], [secret remote client_secret]"
    )


def test_a_client_that_has_been_refused_is_not_asked_for_again(
    ci_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(RunTokens, "by_url", {})
    asked: list[str] = []
    answer = RunOAuth._handle_token_response

    async def counted(client: RunOAuth, response: httpx2.Response) -> None:
        asked.append(str(response.request.url))
        await answer(client, response)

    monkeypatch.setattr(RunOAuth, "_handle_token_response", counted)
    for _ in range(2):
        with pytest.raises(ServerError, match="gives no token; check `client_id` and `client_secret`") as caught:
            anyio.run(who, a_client(ci_url, client_secret="s3cret-of-another"), tmp_path)
        assert (caught.value.phase, "s3cret" in str(caught.value)) == ("configure", False)
    assert len(asked) == 1
    assert caplog.records == []


def test_a_client_of_another_authorization_server_sends_it_nothing(
    ci_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunTokens, "by_url", {})
    with pytest.raises(
        ServerError, match=r"asks for a token of http.*, and `issuer` of its auth is http://127.0.0.1:1"
    ):
        anyio.run(who, a_client(ci_url, issuer="http://127.0.0.1:1/"), tmp_path)
