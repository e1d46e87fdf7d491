"""The PayPal server: sums, states and refusals of a merchant's account."""

from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.payments.server import SIMULATION
from pytest_mcpbench.simulated.payments.world import PaymentAccount

PAYMENT = "2GG27953PV4081146"
"""64 dollars, all of the order 5TR81462KX9930217."""


@pytest.fixture
def account() -> PaymentAccount:
    return PaymentAccount(World("paypal", Path("/nonexistent"), DEFAULT_NOW, Ids("pay")))


def _call(account: PaymentAccount, tool: str, **arguments: Any) -> Any:
    return SIMULATION.call(account, tool, arguments)


def _line(quantity: str, price: str, **tax: str) -> dict[str, Any]:
    line = {"name": "Lamp", "quantity": quantity, "unit_amount": {"currency_code": "USD", "value": price}}
    return {**line, "tax": tax} if tax else line


def _item(**fields: Any) -> dict[str, Any]:
    return {"name": "Lamp", "quantity": 2, "itemCost": 9.95, "itemTotal": 19.9, **fields}


def test_an_invoice_is_a_draft_with_its_sum_and_the_next_number(account: PaymentAccount) -> None:
    lines = [_line("2", "10.05"), _line("1.5", "8.00", percent="19")]
    invoice = _call(account, "create_invoice", detail={"currency_code": "USD"}, items=lines)
    assert (invoice["status"], invoice["amount"]["value"]) == ("DRAFT", "34.38")
    assert invoice["detail"] == {"invoice_date": "2026-03-02", "currency_code": "USD", "invoice_number": "0009"}
    assert _call(account, "get_invoice", invoice_id=invoice["id"]) == invoice


def test_only_a_draft_is_sent_and_only_once(account: PaymentAccount) -> None:
    assert _call(account, "send_invoice", invoice_id="INV2-2PWL-08HC-63ZR")["status"] == "SENT"
    with pytest.raises(ToolFailure, match="only a draft can be sent"):
        _call(account, "send_invoice", invoice_id="INV2-2PWL-08HC-63ZR")


def test_an_order_sums_up_its_lines_with_shipping_and_discount(account: PaymentAccount) -> None:
    order = _call(account, "create_order", currencyCode="USD", items=[_item()], shippingCost=5, discount=1.5)
    assert (order["amount"]["value"], order["status"]) == ("23.40", "PAYER_ACTION_REQUIRED")
    assert order["id"] in order["links"][0]["href"]


def test_no_more_is_refunded_than_was_paid(account: PaymentAccount) -> None:
    part = _call(account, "create_refund", capture_id=PAYMENT, amount={"currency_code": "USD", "value": "10.00"})
    rest = _call(account, "create_refund", capture_id=PAYMENT)
    assert (part["amount"]["value"], rest["amount"]["value"]) == ("10.00", "54.00")
    with pytest.raises(ToolFailure, match=r"REFUND_AMOUNT_EXCEEDED: invalid amount, 0\.00 is left"):
        _call(account, "create_refund", capture_id=PAYMENT)


def test_a_parcel_is_noted_once_for_its_payment(account: PaymentAccount) -> None:
    parcel = {"transaction_id": PAYMENT, "tracking_number": "X1"}
    made = _call(account, "create_shipment_tracking", **parcel, carrier="DHL")
    assert made["status"] == "SHIPPED"
    assert _call(account, "get_shipment_tracking", transaction_id=PAYMENT) == {"trackers": [made]}
    with pytest.raises(ToolFailure, match="already on this transaction"):
        _call(account, "create_shipment_tracking", **parcel)


def test_a_list_counts_all_of_the_account_and_shows_as_many_as_asked(account: PaymentAccount) -> None:
    invoices, products = (_call(account, tool, page_size=2) for tool in ("list_invoices", "list_products"))
    assert (invoices["total_items"], len(invoices["items"])) == (8, 2)
    assert (products["total_items"], len(products["products"])) == (5, 2)


def test_a_plan_belongs_to_a_product(account: PaymentAccount) -> None:
    product = _call(account, "create_product", name="Care", type="SERVICE")
    phase = {
        "frequency": {"interval_unit": "MONTH", "interval_count": 1},
        "tenure_type": "REGULAR",
        "sequence": 1,
        "total_cycles": 0,
        "pricing_scheme": {"fixed_price": {"currency_code": "USD", "value": "5.00"}},
    }
    plan = _call(account, "create_subscription_plan", product_id=product["id"], name="P", billing_cycles=[phase])
    assert (plan["status"], plan["product_id"]) == ("ACTIVE", product["id"])
    with pytest.raises(ToolFailure, match="RESOURCE_NOT_FOUND"):
        _call(account, "create_subscription_plan", product_id="PROD-X", name="P", billing_cycles=[phase])


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("get_order", {"id": "X"}, "PayPal API error: RESOURCE_NOT_FOUND"),
        ("create_order", {"currencyCode": "USD", "items": [_item(itemTotal=20)]}, "expected 19.90"),
        ("create_order", {"currencyCode": "EUR", "items": []}, "Invalid literal value"),
        ("create_invoice", {"detail": {"currency_code": "EUR"}, "items": [_line("1", "1.00")]}, "CURRENCY_MISMATCH"),
        (
            "create_invoice",
            {"detail": {"currency_code": "USD"}, "items": [_line("one", "1.00")]},
            "invalid amount 'one'",
        ),
        ("create_product", {"name": "x", "type": "SERVICE", "price": 1}, "unrecognized_keys"),
        ("create_refund", {"capture_id": "X"}, "RESOURCE_NOT_FOUND"),
    ],
)
def test_what_is_refused(account: PaymentAccount, tool: str, arguments: dict[str, Any], message: str) -> None:
    before = account.tree.text()
    with pytest.raises(ToolFailure) as refused:
        _call(account, tool, **arguments)
    assert message in str(refused.value)
    assert account.tree.text() == before


def test_two_attempts_give_the_same_ids() -> None:
    made = [
        _call(
            PaymentAccount(World("paypal", Path("/x"), DEFAULT_NOW, Ids("same"))),
            "create_product",
            name="x",
            type="DIGITAL",
        )
        for _ in range(2)
    ]
    assert made[0] == made[1]
