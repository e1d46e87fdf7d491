import pytest

from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.prices import Price, parse_price

PRICE = Price(input=2.0, output=10.0)
COSTS: dict[str, tuple[Price, Usage, float | None]] = {
    "input and output": (PRICE, Usage(input_tokens=1_000_000, output_tokens=100_000), 3.0),
    "nothing": (PRICE, Usage(input_tokens=0, output_tokens=0), 0.0),
    "unknown input": (PRICE, Usage(output_tokens=1), None),
    "unknown output": (PRICE, Usage(input_tokens=1), None),
    "cached input as other input": (PRICE, Usage(input_tokens=1_000_000, output_tokens=0, cached_tokens=500_000), 2.0),
    "cached input": (
        Price(input=2.0, output=10.0, cached=0.5),
        Usage(input_tokens=1_000_000, output_tokens=0, cached_tokens=400_000),
        1.4,
    ),
    "input written to the cache": (
        Price(input=2.0, output=10.0, cached=0.5, cache_write=2.5),
        Usage(input_tokens=1_000_000, output_tokens=0, cached_tokens=400_000, cache_write_tokens=200_000),
        1.5,
    ),
    "a long request": (
        Price(input=2.0, output=10.0, long_context_from=200_000, long_context=Price(input=4.0, output=15.0)),
        Usage(input_tokens=1_000_000, output_tokens=100_000),
        5.5,
    ),
    "not yet long": (
        Price(input=2.0, output=10.0, long_context_from=200_000, long_context=Price(input=4.0, output=15.0)),
        Usage(input_tokens=200_000, output_tokens=0),
        0.4,
    ),
}


@pytest.mark.parametrize(("price", "usage", "cost"), COSTS.values(), ids=COSTS.keys())
def test_what_a_request_costs(price: Price, usage: Usage, cost: float | None) -> None:
    assert price.cost(usage) == (None if cost is None else pytest.approx(cost))


def test_a_listed_price_has_its_tier_for_long_requests() -> None:
    entry = {
        "input_cost_per_token": 2e-6,
        "output_cost_per_token": 1e-5,
        "cache_read_input_token_cost": 1e-7,
        "input_cost_per_token_above_272k_tokens": 4e-6,
        "output_cost_per_token_above_272k_tokens": 1.5e-5,
    }
    long_context = Price(input=4.0, output=15.0)
    assert parse_price(entry) == Price(
        input=2.0, output=10.0, cached=0.1, long_context_from=272_000, long_context=long_context
    )


def test_an_entry_without_both_prices_has_none() -> None:
    assert parse_price({"input_cost_per_token": 2e-6}) is None
