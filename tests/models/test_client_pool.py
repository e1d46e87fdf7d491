import anyio
import httpx2

from pytest_mcpbench.models.http_backend import REQUESTS_PER_CLIENT, ClientPool


def test_one_client_serves_until_it_is_full_and_again_when_it_has_room() -> None:
    async def run() -> None:
        clients = ClientPool(httpx2.AsyncClient)
        with clients.client() as first:
            pass
        uses = [clients.client() for _ in range(REQUESTS_PER_CLIENT + 1)]
        taken = [use.__enter__() for use in uses]
        uses[0].__exit__(None, None, None)
        with clients.client() as again:
            pass
        await clients.aclose()

        assert [client is first for client in taken] == [True] * REQUESTS_PER_CLIENT + [False]
        assert again is first
        assert all(client.is_closed for client in taken)

    anyio.run(run)
