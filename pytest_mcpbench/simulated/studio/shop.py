"""The studio's online shop: the tools of the PayPal server over its account."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.payments import server as paypal
from pytest_mcpbench.simulated.payments.world import PaymentAccount


@cache
def seed() -> dict[str, Any]:
    """Return the initial account of the shop; it is loaded once per process and must not be modified."""
    account: dict[str, Any] = json.loads(Path(__file__).with_name("shop.json").read_text(encoding="utf-8"))
    return account


def account(world: World) -> PaymentAccount:
    """Open the account of one attempt."""
    return PaymentAccount(world, seed)


SIMULATION = replace(paypal.SIMULATION, state=account)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
