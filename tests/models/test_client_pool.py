import anyio
import httpx2

from pytest_mcpbench.models.http_backend import ClientPool


def test_each_request_in_flight_has_a_client_and_later_ones_use_the_same() -> None:
    async def use() -> None:
        clients = ClientPool(httpx2.AsyncClient)
        with clients.client() as first:
            with clients.client() as second:
                assert second is not first
            with clients.client() as third:
                assert third is second
        with clients.client() as again:
            assert again is first
        await clients.aclose()
        assert first.is_closed
        assert second.is_closed

    anyio.run(use)
