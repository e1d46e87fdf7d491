"""The PayPal server: twelve tools of PayPal's agent toolkit over a simulated merchant account."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.simulated.engine import ZOD, Simulation, ToolFailure
from pytest_mcpbench.simulated.payments.world import PaymentAccount

_CLOSED = ConfigDict(extra="forbid")
_LARGEST_PAGE = 100
_CARRIERS = "Who carries it: CHINA_POST, CORREOS, DHL, FEDEX, JAPAN_POST, ROYAL_MAIL, RUSSIAN_POST, SF_EXPRESS or UPS"
_PAGE_SIZE = Field(description="How many to list at most; 10 if it is left out", json_schema_extra={"default": 10})


@with_config(_CLOSED)
class Money(TypedDict):
    """An amount."""

    currency_code: Annotated[str, Field(description="Three letters")]
    value: Annotated[str, Field(description="With two decimals, as text")]


@with_config(_CLOSED)
class Name(TypedDict):
    """A person's name."""

    given_name: NotRequired[str]
    surname: NotRequired[str]


@with_config(_CLOSED)
class InvoiceDetail(TypedDict):
    """The properties of the complete invoice."""

    currency_code: Annotated[str, Field(description="Currency of all amounts")]
    invoice_date: NotRequired[Annotated[str, Field(description="YYYY-MM-DD; today if it is left out")]]


@with_config(_CLOSED)
class Invoicer(TypedDict):
    """The sender of the invoice."""

    business_name: str
    name: NotRequired[Name]
    email_address: NotRequired[str]


@with_config(_CLOSED)
class BillingInfo(TypedDict):
    """Who pays the invoice."""

    name: NotRequired[Name]
    email_address: NotRequired[str]


@with_config(_CLOSED)
class Recipient(TypedDict):
    """One addressee."""

    billing_info: BillingInfo


@with_config(_CLOSED)
class Tax(TypedDict):
    """A tax on a line."""

    name: NotRequired[str]
    percent: NotRequired[str]


@with_config(_CLOSED)
class InvoiceItem(TypedDict):
    """A line of an invoice."""

    name: str
    quantity: Annotated[str, Field(description="As text")]
    unit_amount: Money
    tax: NotRequired[Tax]


class Invoice(TypedDict):
    """A new invoice."""

    detail: Annotated[InvoiceDetail, Field(description="Currency and date")]
    invoicer: NotRequired[Annotated[Invoicer, Field(description="The business that sends it")]]
    primary_recipients: NotRequired[Annotated[list[Recipient], Field(description="Who pays it")]]
    items: NotRequired[Annotated[list[InvoiceItem], Field(description="Its lines")]]


class Product(TypedDict):
    """A new product."""

    name: Annotated[str, Field(description="What it is called")]
    type: Annotated[Literal["PHYSICAL", "DIGITAL", "SERVICE"], Field(description="What sort of product it is")]
    description: NotRequired[Annotated[str, Field(description="A sentence about it")]]
    category: NotRequired[
        Annotated[
            str, Field(description="Its category in capitals, such as SOFTWARE, HOME_AND_GARDEN or ARTS_AND_CRAFTS")
        ]
    ]


@with_config(_CLOSED)
class Frequency(TypedDict):
    """How often is billed."""

    interval_unit: Literal["DAY", "WEEK", "MONTH", "YEAR"]
    interval_count: int


@with_config(_CLOSED)
class FixedPrice(TypedDict):
    """A price that does not change."""

    fixed_price: Money


@with_config(_CLOSED)
class BillingCycle(TypedDict):
    """One phase of a plan."""

    frequency: Frequency
    tenure_type: Literal["REGULAR", "TRIAL"]
    sequence: Annotated[int, Field(description="1 for the first phase")]
    total_cycles: Annotated[int, Field(description="How often it repeats; 0 for without end")]
    pricing_scheme: FixedPrice


class Plan(TypedDict):
    """A new plan."""

    product_id: Annotated[str, Field(description="The product that is subscribed to")]
    name: Annotated[str, Field(description="What it is called")]
    billing_cycles: Annotated[list[BillingCycle], Field(description="Its phases; a trial comes first")]
    description: NotRequired[Annotated[str, Field(description="A sentence about it")]]


@with_config(_CLOSED)
class OrderItem(TypedDict):
    """A line of an order."""

    name: str
    itemCost: Annotated[float, Field(description="Of one piece")]
    itemTotal: Annotated[float, Field(description="Of the whole line")]
    quantity: NotRequired[Annotated[int, Field(json_schema_extra={"default": 1})]]


class Order(TypedDict):
    """A new order."""

    currencyCode: Annotated[Literal["USD"], Field(description="Currency of all amounts")]
    items: Annotated[list[OrderItem], Field(description="Its lines")]
    discount: NotRequired[Annotated[float, Field(description="Taken off the sum", json_schema_extra={"default": 0})]]
    shippingCost: NotRequired[Annotated[float, Field(description="Added to the sum", json_schema_extra={"default": 0})]]


class Refund(TypedDict):
    """Money back."""

    capture_id: Annotated[str, Field(description="The payment, as the order names it")]
    amount: NotRequired[Annotated[Money, Field(description="Only a part of it; all of it if this is left out")]]
    note_to_payer: NotRequired[Annotated[str, Field(description="A word to the payer")]]


class Shipment(TypedDict):
    """A parcel."""

    tracking_number: Annotated[str, Field(description="From the carrier")]
    transaction_id: Annotated[str, Field(description="The payment, as the order names it")]
    carrier: NotRequired[Annotated[str, Field(description=_CARRIERS)]]
    status: NotRequired[
        Annotated[
            Literal["ON_HOLD", "SHIPPED", "DELIVERED", "CANCELLED"],
            Field(description="Where it is", json_schema_extra={"default": "SHIPPED"}),
        ]
    ]


def create_invoice(account: PaymentAccount, **invoice: Unpack[Invoice]) -> Any:
    """Draft an invoice; it is not sent yet."""
    return account.create_invoice(invoice)


def _page_limit(page_size: int | None) -> int:
    if page_size is not None and not 0 <= page_size <= _LARGEST_PAGE:
        raise ToolFailure(f"INVALID_REQUEST: page_size must be between 1 and {_LARGEST_PAGE}")
    return page_size or 10


def list_invoices(account: PaymentAccount, page_size: Annotated[int | None, _PAGE_SIZE] = None) -> Any:
    """List the invoices of the account with status and amount."""
    invoices = account.invoices.all(limit=_page_limit(page_size))
    invoice_lines: list[dict[str, Any]] = []
    for invoice in invoices:
        recipients = [each["billing_info"] for each in invoice.get("primary_recipients", ())]
        facts = {"id": invoice["id"], "status": invoice["status"], "detail": invoice["detail"]}
        invoice_lines.append({**facts, "primary_recipients": recipients, "amount": invoice["amount"]})
    return {"total_items": len(account.invoices.all()), "items": invoice_lines}


def get_invoice(account: PaymentAccount, invoice_id: Annotated[str, Field(description="Id of the invoice")]) -> Any:
    """Show one invoice in full."""
    return account.invoices.get(invoice_id)


def send_invoice(account: PaymentAccount, invoice_id: Annotated[str, Field(description="Id of a draft")]) -> Any:
    """Send a drafted invoice to its recipient."""
    invoice = account.send_invoice(invoice_id)
    return {
        "id": invoice["id"],
        "status": invoice["status"],
        "href": f"https://www.paypal.example/invoice/p/#{invoice_id}",
    }


def create_product(account: PaymentAccount, **product: Unpack[Product]) -> Any:
    """Put a product into the catalogue, for plans to refer to."""
    return account.create_product(product)


def list_products(account: PaymentAccount, page_size: Annotated[int | None, _PAGE_SIZE] = None) -> Any:
    """List the catalogue."""
    products = account.products.all(limit=_page_limit(page_size))
    return {"total_items": len(account.products.all()), "products": products}


def create_subscription_plan(account: PaymentAccount, **plan: Unpack[Plan]) -> Any:
    """Offer a product as a subscription."""
    return account.create_plan(plan)


def create_order(account: PaymentAccount, **order: Unpack[Order]) -> Any:
    """Set up an order; the answer has the link at which it is paid."""
    return account.create_order(order)


def get_order(account: PaymentAccount, id: Annotated[str, Field(description="Id of the order")]) -> Any:  # noqa: A002
    """Show one order with its payments."""
    return account.orders.get(id)


def create_refund(account: PaymentAccount, **refund: Unpack[Refund]) -> Any:
    """Give money back for a payment."""
    return account.create_refund(refund)


def create_shipment_tracking(account: PaymentAccount, **shipment: Unpack[Shipment]) -> Any:
    """Note the parcel that was sent for a payment."""
    return account.create_tracker(shipment)


def get_shipment_tracking(
    account: PaymentAccount, transaction_id: Annotated[str, Field(description="The payment, as the order names it")]
) -> Any:
    """Show the parcels that were sent for a payment."""
    account.capture(transaction_id)
    return {"trackers": account.trackers.all({"transaction_id": transaction_id})}


SIMULATION = Simulation(
    name="paypal",
    state=PaymentAccount,
    tools=(
        create_invoice,
        list_invoices,
        get_invoice,
        send_invoice,
        create_product,
        list_products,
        create_subscription_plan,
        create_order,
        get_order,
        create_refund,
        create_shipment_tracking,
        get_shipment_tracking,
    ),
    dialect=ZOD,
    failure="PayPal API error: {message}",
)
server = SIMULATION.server
"""Factory that builds the server over the account of one attempt."""
