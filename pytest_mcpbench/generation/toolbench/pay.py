"""Requests to a merchant's PayPal account: invoices, product catalogue, orders, refunds and shipments."""

from typing import Any

from pytest_mcpbench.generation.toolbench.request import ReferenceCall, Request, call, request


def _money(value: str, currency: str = "USD") -> dict[str, str]:
    return {"currency_code": currency, "value": value}


def invoice_line(name: str, quantity: str, price: str, currency: str = "USD") -> dict[str, Any]:
    """Return one line item of an invoice."""
    return {"name": name, "quantity": quantity, "unit_amount": _money(price, currency)}


def draft_invoice(business: str, *lines: dict[str, Any], to: str | None = None, currency: str = "USD") -> ReferenceCall:
    """Return the call that drafts an invoice."""
    recipient = {"primary_recipients": [{"billing_info": {"email_address": to}}]} if to else {}
    detail, sender = {"currency_code": currency}, {"business_name": business}
    return call("create_invoice", detail=detail, invoicer=sender, items=list(lines), **recipient)


def _billing_cycle(
    price: str, *, unit: str = "MONTH", kind: str = "REGULAR", position: int = 1, times: int = 0
) -> dict[str, Any]:
    return {
        "frequency": {"interval_unit": unit, "interval_count": 1},
        "tenure_type": kind,
        "sequence": position,
        "total_cycles": times,
        "pricing_scheme": {"fixed_price": _money(price)},
    }


def _product(name: str, kind: str, **fields: str) -> ReferenceCall:
    return call("create_product", name=name, type=kind, **fields)


def _monthly_plan(product_id: str, name: str, price: str) -> ReferenceCall:
    return call("create_subscription_plan", product_id=product_id, name=name, billing_cycles=[_billing_cycle(price)])


def requests() -> list[Request]:
    """Return all requests of the category ``pay``."""
    return [*_invoice_requests(), *_catalogue_requests(), *_order_requests(), *_multi_call_requests()]


def _invoice_requests() -> list[Request]:
    return [
        request(
            "en",
            'Draft an invoice from "Fernhill Studio" in US dollars with one line: 1 "Site visit" at 180.00.',
            draft_invoice("Fernhill Studio", invoice_line("Site visit", "1", "180.00")),
        ),
        request(
            "fr",
            'Prépare une facture en euros au nom de "Fernhill Studio" : 3 "Suspension Brume" à 96.50 pièce.',
            draft_invoice("Fernhill Studio", invoice_line("Suspension Brume", "3", "96.50", "EUR"), currency="EUR"),
        ),
        request(
            "es",
            'Borrador de factura en dólares de "Fernhill Studio" para el correo "ines.carvajal@mail.example": '
            '2 "Lámpara Arden" a 64.00 cada una y 1 "Envío" a 9.90, en ese orden.',
            draft_invoice(
                "Fernhill Studio",
                invoice_line("Lámpara Arden", "2", "64.00"),
                invoice_line("Envío", "1", "9.90"),
                to="ines.carvajal@mail.example",
            ),
        ),
        request("en", "Which invoices have we got on PayPal, and in what state are they?", call("list_invoices")),
        request(
            "ru", "Покажи счёт INV2-9FBN-55VD-17GY целиком.", call("get_invoice", invoice_id="INV2-9FBN-55VD-17GY")
        ),
        request(
            "zh", "把草稿账单 INV2-2PWL-08HC-63ZR 发给客户。", call("send_invoice", invoice_id="INV2-2PWL-08HC-63ZR")
        ),
    ]


def _catalogue_requests() -> list[Request]:
    return [
        request(
            "en",
            'Add the physical product "Skerry wall light" to the catalogue, with no other details.',
            _product("Skerry wall light", "PHYSICAL"),
        ),
        request(
            "zh",
            '在产品目录里新建一个数字产品 "灯光课程"，描述写 "八节视频课"。',
            _product("灯光课程", "DIGITAL", description="八节视频课"),
        ),
        request("ru", "Какие товары и услуги есть в нашем каталоге PayPal?", call("list_products")),
        request(
            "en",
            'Offer the product PROD-3HX62871LK909174B as a subscription plan called "Newsletter yearly": 24.00 USD '
            "once a year, without end, no trial.",
            call(
                "create_subscription_plan",
                product_id="PROD-3HX62871LK909174B",
                name="Newsletter yearly",
                billing_cycles=[_billing_cycle("24.00", unit="YEAR")],
            ),
        ),
    ]


def _order_requests() -> list[Request]:
    return [
        request(
            "en",
            'Set up an order in dollars for 3 pieces of "Paper lantern" at 18.5 each, 55.5 together; no shipping '
            "costs, no discount.",
            call(
                "create_order",
                currencyCode="USD",
                items=[{"name": "Paper lantern", "quantity": 3, "itemCost": 18.5, "itemTotal": 55.5}],
            ),
        ),
        request(
            "fr",
            'Crée une commande en dollars : 1 "Desk lamp Arden" à 64 (total de la ligne 64, quantité 1), plus 7.5 '
            "de frais de port.",
            call(
                "create_order",
                currencyCode="USD",
                shippingCost=7.5,
                items=[{"name": "Desk lamp Arden", "quantity": 1, "itemCost": 64, "itemTotal": 64}],
            ),
        ),
        request("es", "¿Ya está pagado el pedido 7DS64185FY2038817?", call("get_order", id="7DS64185FY2038817")),
        request(
            "en",
            "Give all the money back for the payment 2GG27953PV4081146.",
            call("create_refund", capture_id="2GG27953PV4081146"),
        ),
        request(
            "zh",
            "对付款 9XK55417DR2096834 部分退款 12.25 美元。",
            call("create_refund", capture_id="9XK55417DR2096834", amount=_money("12.25")),
        ),
        request(
            "ru",
            'Внеси для платежа 9XK55417DR2096834 посылку с номером "RM220913547" и перевозчиком "ROYAL_MAIL".',
            call(
                "create_shipment_tracking",
                transaction_id="9XK55417DR2096834",
                tracking_number="RM220913547",
                carrier="ROYAL_MAIL",
            ),
        ),
        request(
            "en",
            "Has the parcel for payment 6AB90284MN1573620 arrived?",
            call("get_shipment_tracking", transaction_id="6AB90284MN1573620"),
        ),
    ]


def _multi_call_requests() -> list[Request]:
    return [
        request(
            "en",
            'Invoice "tom.becker@mail.example" for 2 "Consulting hour" at 120.00 USD each, from "Fernhill Studio", '
            "and send it off straight away.",
            draft_invoice(
                "Fernhill Studio", invoice_line("Consulting hour", "2", "120.00"), to="tom.becker@mail.example"
            ),
            call("send_invoice", invoice_id="<1_result.id>"),
        ),
        request(
            "en",
            'A new service called "Lamp care" goes into the catalogue (name and type are all it needs); then sell '
            'it as the plan "Lamp care monthly" at 15.00 USD a month without end.',
            _product("Lamp care", "SERVICE"),
            call(
                "create_subscription_plan",
                product_id="<1_result.id>",
                name="Lamp care monthly",
                billing_cycles=[_billing_cycle("15.00")],
            ),
        ),
        request(
            "zh",
            '新建服务类产品 "茶席布光"（只要名称和类型），再为它建订阅方案 "茶席布光月付"：先试用一个月 '
            "1.00 美元（一期），之后每月 20.00 美元，不限期数。",
            _product("茶席布光", "SERVICE"),
            call(
                "create_subscription_plan",
                product_id="<1_result.id>",
                name="茶席布光月付",
                billing_cycles=[_billing_cycle("1.00", kind="TRIAL", times=1), _billing_cycle("20.00", position=2)],
            ),
        ),
        request(
            "ru",
            "Посмотри заказ 1LC77029ZE4815530 и верни покупателю всю сумму его платежа.",
            call("get_order", id="1LC77029ZE4815530"),
            call("create_refund", capture_id="<1_result.captures[0].id>"),
        ),
        request(
            "es",
            'Mira el pedido 3QV20948BT7719462 y anota para su pago el paquete "ES7740012" con el transportista '
            '"CORREOS"; comprueba al final qué envíos constan para el pago 4ZM81630HJ5507291.',
            call("get_order", id="3QV20948BT7719462"),
            call(
                "create_shipment_tracking",
                transaction_id="<1_result.captures[0].id>",
                tracking_number="ES7740012",
                carrier="CORREOS",
            ),
            call("get_shipment_tracking", transaction_id="4ZM81630HJ5507291"),
        ),
        request(
            "fr",
            "Envoie les deux brouillons INV2-2PWL-08HC-63ZR et INV2-4MTS-72JA-30KE, puis montre-moi la liste des "
            "factures.",
            (
                call("send_invoice", invoice_id="INV2-2PWL-08HC-63ZR"),
                call("send_invoice", invoice_id="INV2-4MTS-72JA-30KE"),
            ),
            call("list_invoices"),
        ),
        request(
            "en",
            'Three new services, name and type only: "Light audit", "Bulb swap", "Wiring check". Once they exist, a '
            'monthly plan without end for each: "Audit plan" at 30.00 USD, "Swap plan" at 12.00 USD, "Wiring plan" at '
            '45.00 USD. When the plans stand, draft an invoice in USD from "Fernhill Studio" with 1 "Set-up" at 75.00, '
            "send it, and then list all invoices.",
            (_product("Light audit", "SERVICE"), _product("Bulb swap", "SERVICE"), _product("Wiring check", "SERVICE")),
            (
                _monthly_plan("<1_result.id>", "Audit plan", "30.00"),
                _monthly_plan("<2_result.id>", "Swap plan", "12.00"),
                _monthly_plan("<3_result.id>", "Wiring plan", "45.00"),
            ),
            draft_invoice("Fernhill Studio", invoice_line("Set-up", "1", "75.00")),
            call("send_invoice", invoice_id="<7_result.id>"),
            call("list_invoices"),
        ),
    ]
