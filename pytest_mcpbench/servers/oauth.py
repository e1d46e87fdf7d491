"""OAuth for servers at a URL: tokens that ``mcpbench login`` stores, and that runs use and refresh."""

import json
import logging
import os
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthTokenError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.auth.utils import issuers_match
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata, OAuthToken

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.secret_sources import public_url
from pytest_mcpbench.core.secrets import Secrets
from pytest_mcpbench.core.server import ClientCredentials, ServerRef
from pytest_mcpbench.text.paths import name_digest

# mcp's client raises what it logs with a traceback.
logging.getLogger("mcp.client.auth.oauth2").setLevel(logging.CRITICAL)

DIRECTORY_VARIABLE = "MCPBENCH_TOKENS"
"""Environment variable with the directory of the tokens; by default it is below the user's configuration."""


class TokenFile:
    """Tokens of one server, in a file that only the user can read; the storage of mcp's OAuth client."""

    def __init__(self, url: str) -> None:
        configured = os.environ.get(DIRECTORY_VARIABLE)
        if configured:
            directory = Path(configured)
        else:
            directory = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "mcpbench" / "tokens"
        self.path = directory / f"{name_digest(url, 16)}.json"
        self._url = url

    async def get_tokens(self) -> OAuthToken | None:
        """Return the stored tokens."""
        tokens = self.read().get("tokens")
        return OAuthToken.model_validate(tokens) if tokens else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store tokens with the time at which they expire."""
        expires_at = time.time() + tokens.expires_in if tokens.expires_in is not None else None
        self.write(tokens=tokens.model_dump(mode="json"), expires_at=expires_at)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the client that was registered with the authorization server."""
        client = self.read().get("client")
        return OAuthClientInformationFull.model_validate(client) if client else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store the client."""
        self.write(client=client_info.model_dump(mode="json"))

    def read(self) -> dict[str, Any]:
        """Return the content of the file; empty if there is none."""
        try:
            content: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        return content

    def write(self, **fields: Any) -> None:
        """Replace some fields of the file."""
        content = json.dumps({**self.read(), "url": self._url, **fields}, indent=2)
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Replaced at once: several processes refresh tokens at the same time.
        scratch = self.path.with_suffix(f".{os.getpid()}")
        scratch.touch(mode=0o600)
        scratch.write_text(content, encoding="utf-8")
        scratch.replace(self.path)


class StoredOAuth(OAuthClientProvider):
    """OAuth client of mcp that knows when stored tokens expire, so that it refreshes them."""

    async def _initialize(self) -> None:
        # mcp's client forgets the expiry of stored tokens, and where to refresh them.
        await super()._initialize()
        storage = self.context.storage
        assert isinstance(storage, TokenFile)
        content = storage.read()
        self.context.token_expiry_time = content.get("expires_at")
        if content.get("metadata"):
            self.context.oauth_metadata = OAuthMetadata.model_validate(content["metadata"])


class RunTokens:
    """Tokens of one server for this process only; the storage of mcp's OAuth client."""

    by_url: ClassVar[dict[str, OAuthToken]] = {}

    def __init__(self, url: str) -> None:
        self._url = url

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens, which all connections to the server share."""
        return self.by_url.get(self._url)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep tokens."""
        self.by_url[self._url] = tokens

    async def get_client_info(self) -> None:
        """Return ``None``: the client is defined with the server."""

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Do nothing: no client is registered."""


class RunOAuth(ClientCredentialsOAuthProvider):
    """OAuth client of mcp that needs no user; what an authorization server has refused once is not asked again."""

    refusals: ClassVar[dict[tuple[str, ClientCredentials], str]] = {}
    """Error by URL of the server and client."""

    def __init__(self, ref: ServerRef, client: ClientCredentials) -> None:
        super().__init__(
            str(ref.url),
            RunTokens(str(ref.url)),
            client_id=client.client_id,
            client_secret=client.client_secret,
            issuer=client.issuer,
        )
        self._ref = ref
        self._client = str(ref.url), client

    def _select_authorization_server(self, advertised: list[str]) -> str:
        issuer = self._client[1].issuer
        if not any(issuers_match(each, issuer) for each in advertised):
            names = ", ".join(map(public_url, advertised))
            raise self._error(f"it asks for a token of {names}, and `issuer` of its auth is {public_url(issuer)}")
        return super()._select_authorization_server(advertised)

    async def _perform_authorization(self) -> httpx2.Request:
        if self._client in self.refusals:
            raise self._error(self.refusals[self._client])
        return await super()._perform_authorization()

    async def _handle_token_response(self, response: httpx2.Response) -> None:
        try:
            await super()._handle_token_response(response)
        except OAuthTokenError as error:
            problem = f"its authorization server gives no token; check `client_id` and `client_secret`: {error}"
            if response.status_code == HTTPStatus.UNAUTHORIZED or _is_of_client(await response.aread()):
                self.refusals[self._client] = problem
            raise self._error(problem) from error

    def _error(self, problem: str) -> ServerError:
        return ServerError(stored_secrets(self._ref).remove(problem), self._ref.name, "configure")


def _is_of_client(body: bytes) -> bool:
    """Return whether an error says that the client is unknown or may not do this (RFC 6749, section 5.2)."""
    try:
        answer = json.loads(body)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("error") in ("invalid_client", "unauthorized_client")


def stored_oauth(ref: ServerRef) -> StoredOAuth:
    """Return the authentication of a run.

    Raises:
        ServerError: no tokens are stored for the server.
    """
    storage = TokenFile(str(ref.url))
    if not storage.read().get("tokens"):
        raise _must_log_in(ref, f"no OAuth token for it is in {storage.path.parent}")

    async def refuse(_url: str = "") -> NoReturn:
        raise _must_log_in(ref, "its OAuth token is not accepted any more")

    return _client(ref, storage, "http://127.0.0.1/callback", refuse, refuse)


def stored_secrets(ref: ServerRef) -> Secrets:
    """Return the tokens of a server and the secret of its client."""
    if isinstance(ref.auth, ClientCredentials):
        tokens = RunTokens.by_url.get(str(ref.url))
        content: dict[str, Any] = {"tokens": tokens.model_dump(mode="json") if tokens else {}}
        content["client"] = {"client_secret": ref.auth.client_secret}
    else:
        content = TokenFile(str(ref.url)).read()
    fields = {**(content.get("tokens") or {}), **(content.get("client") or {})}
    names = ("access_token", "refresh_token", "id_token", "client_secret", "registration_access_token")
    return Secrets({fields[name]: f"{ref.name} {name}" for name in names if fields.get(name)})


def interactive_oauth(
    ref: ServerRef,
    redirect_uri: str,
    show: Callable[[str], Awaitable[None]],
    wait: Callable[[], Awaitable[AuthorizationCodeResult]],
    client_url: str | None = None,
) -> StoredOAuth:
    """Return the authentication of a login.

    Args:
        ref: Server to log in to.
        redirect_uri: Where the page sends the user back.
        show: Function that shows a page to the user.
        wait: Function that returns the redirect.
        client_url: Address of a document with the metadata of the client, which needs no registration where
            authorization servers read such documents.
    """
    auth = _client(ref, TokenFile(str(ref.url)), redirect_uri, show, wait)
    auth.context.client_metadata_url = client_url
    return auth


def store_metadata(auth: StoredOAuth) -> None:
    """Store where the tokens that a login has obtained can be refreshed."""
    metadata = auth.context.oauth_metadata
    storage = auth.context.storage
    if metadata is not None and isinstance(storage, TokenFile):
        storage.write(metadata=metadata.model_dump(mode="json", exclude_none=True))


def _client(
    ref: ServerRef,
    storage: TokenFile,
    redirect_uri: str,
    show: Callable[[str], Awaitable[None]],
    wait: Callable[[], Awaitable[AuthorizationCodeResult]],
) -> StoredOAuth:
    metadata = OAuthClientMetadata.model_validate({"client_name": "pytest-mcpbench", "redirect_uris": [redirect_uri]})
    return StoredOAuth(str(ref.url), metadata, storage, redirect_handler=show, callback_handler=wait)


def _must_log_in(ref: ServerRef, problem: str) -> ServerError:
    return ServerError(f"{problem}; run: mcpbench login {public_url(str(ref.url))}", ref.name, "configure")
