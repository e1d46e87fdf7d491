import anyio
import httpx2

from pytest_mcpbench.runtime.models.clients import REQUESTS_EACH, Clients


def test_one_client_serves_until_it_is_full_and_again_when_it_has_room() -> None:
    async def run() -> None:
        clients = Clients(httpx2.AsyncClient)
        with clients.one() as first:
            pass
        uses = [clients.one() for _ in range(REQUESTS_EACH + 1)]
        taken = [use.__enter__() for use in uses]
        uses[0].__exit__(None, None, None)
        with clients.one() as again:
            pass
        await clients.aclose()

        assert [client is first for client in taken] == [True] * REQUESTS_EACH + [False]
        assert again is first
        assert all(client.is_closed for client in taken)

    anyio.run(run)
