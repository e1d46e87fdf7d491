"""The merchant's account: invoices, products, plans, orders, refunds and shipments in a context tree.

Amounts are strings with two decimals, as in the service; sums are computed in whole cents.
"""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.entities import Entities
from pytest_mcpbench.simulated.engine.failure import ToolFailure

_COLLECTIONS = ("invoices", "products", "plans", "orders", "refunds", "trackers")
SHAPE = Shape(tuple(Collection(name, id_field="id") for name in _COLLECTIONS))
_LETTERS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_MISSING = "RESOURCE_NOT_FOUND: The specified resource does not exist: {id}"


@cache
def seed() -> dict[str, Any]:
    """Return the initial account of an attempt; it is loaded once per process and must not be modified."""
    account: dict[str, Any] = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    return account


class PaymentAccount:
    """The account of one attempt."""

    def __init__(self, world: World, initial: Callable[[], dict[str, Any]] = seed) -> None:
        """Open the account with the tree that the task sets, else with ``initial``."""
        self.tree = world.tree(initial, shape=SHAPE)
        self._world = world
        self.invoices = Entities(self.tree, "invoices", _MISSING)
        self.products = Entities(self.tree, "products", _MISSING)
        self.plans = Entities(self.tree, "plans", _MISSING)
        self.orders = Entities(self.tree, "orders", _MISSING)
        self.refunds = Entities(self.tree, "refunds", _MISSING)
        self.trackers = Entities(self.tree, "trackers", _MISSING)

    def create_invoice(self, invoice: Mapping[str, Any]) -> dict[str, Any]:
        """Create a draft invoice with the next invoice number."""
        currency = invoice["detail"]["currency_code"]
        items = list(invoice.get("items", ()))
        for item in items:
            _check_currency(currency, item["unit_amount"]["currency_code"])
        number = f"{len(self.invoices.all()) + 1:04d}"
        detail = {"invoice_date": self._world.now.date().isoformat(), **invoice["detail"], "invoice_number": number}
        total = Decimal(0)
        for item in items:
            net = _decimal(item["quantity"]) * _decimal(item["unit_amount"]["value"])
            tax = _decimal(item.get("tax", {}).get("percent", "0"))
            total += (net * (1 + tax / 100)).quantize(Decimal("0.01"))
        amount = {"currency_code": currency, "value": _text(total)}
        return self.invoices.create(
            {
                "id": f"INV2-{self._code(4)}-{self._code(4)}-{self._code(4)}",
                "status": "DRAFT",
                **invoice,
                "detail": detail,
                "amount": amount,
            }
        )

    def send_invoice(self, invoice_id: str) -> dict[str, Any]:
        """Send a draft invoice."""
        invoice = self.invoices.get(invoice_id)
        if invoice["status"] != "DRAFT":
            raise ToolFailure(f"UNPROCESSABLE_ENTITY: invalid status {invoice['status']}: only a draft can be sent")
        return self.invoices.update(invoice_id, {"status": "SENT"})

    def create_product(self, product: Mapping[str, Any]) -> dict[str, Any]:
        return self.products.create({"id": f"PROD-{self._code(17)}", **product, "create_time": self._moment})

    def create_plan(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """Create a plan for an existing product."""
        self.products.get(plan["product_id"])
        return self.plans.create({"id": f"P-{self._code(20)}", "status": "ACTIVE", **plan, "create_time": self._moment})

    def create_order(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Create an order that awaits its payer; the total of each line must be correct."""
        for item in order["items"]:
            expected = _cents(item["itemCost"]) * Decimal(str(item.get("quantity", 1)))
            if _cents(item["itemTotal"]) != expected:
                raise ToolFailure(
                    f"UNPROCESSABLE_ENTITY: invalid itemTotal of {item['name']!r}: expected {_text(expected)}"
                )
        goods = sum((_cents(item["itemTotal"]) for item in order["items"]), Decimal(0))
        total = goods + _cents(order.get("shippingCost") or 0) - _cents(order.get("discount") or 0)
        order_id = self._code(17)
        amount = {"currency_code": order["currencyCode"], "value": _text(total)}
        link = {"rel": "payer-action", "href": f"https://www.sandbox.paypal.example/checkoutnow?token={order_id}"}
        order_fields = {"items": order["items"], "amount": amount, "captures": [], "links": [link]}
        return self.orders.create({"id": order_id, "status": "PAYER_ACTION_REQUIRED", "payer": None, **order_fields})

    def capture(self, capture_id: str) -> dict[str, Any]:
        """Return one payment with the id of its order."""
        for order in self.orders.all():
            for capture in order["captures"]:
                if capture["id"] == capture_id:
                    return {**capture, "order_id": order["id"]}
        raise ToolFailure(_MISSING.format(id=capture_id))

    def create_refund(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Refund a payment, by default everything that has not been refunded yet."""
        capture = self.capture(request["capture_id"])
        currency, paid_amount = capture["amount"]["currency_code"], Decimal(capture["amount"]["value"])
        earlier_refunds = self.refunds.all({"capture_id": capture["id"]})
        remaining = paid_amount - sum((Decimal(refund["amount"]["value"]) for refund in earlier_refunds), Decimal(0))
        amount = request.get("amount") or {"currency_code": currency, "value": _text(remaining)}
        _check_currency(currency, amount["currency_code"])
        if not 0 < _decimal(amount["value"]) <= remaining:
            raise ToolFailure(
                f"UNPROCESSABLE_ENTITY: REFUND_AMOUNT_EXCEEDED: invalid amount, {_text(remaining)} is left"
            )
        return self.refunds.create({"id": self._code(17), "status": "COMPLETED", **request, "amount": amount})

    def create_tracker(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Record a parcel for a payment."""
        self.capture(request["transaction_id"])
        name = f"{request['transaction_id']}-{request['tracking_number']}"
        if self.trackers.find(name) is not None:
            raise ToolFailure("UNPROCESSABLE_ENTITY: invalid tracking_number: it is already on this transaction")
        return self.trackers.create({"id": name, "status": "SHIPPED", **request})

    @property
    def _moment(self) -> str:
        return self._world.now.isoformat(timespec="seconds").replace("+00:00", "Z")

    def _code(self, length: int) -> str:
        return self._world.ids.text(length, _LETTERS)


def _check_currency(expected: str, actual: str) -> None:
    if actual != expected:
        raise ToolFailure(f"UNPROCESSABLE_ENTITY: CURRENCY_MISMATCH: invalid currency {actual}, expected {expected}")


def _cents(amount: float) -> Decimal:
    return Decimal(str(amount)).quantize(Decimal("0.01"))


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ToolFailure(f"INVALID_REQUEST: invalid amount {text!r}") from None


def _text(amount: Decimal) -> str:
    return str(amount.quantize(Decimal("0.01")))
