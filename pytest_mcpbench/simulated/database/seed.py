"""Initial database of an attempt: clients, projects, hours, invoices, suppliers and orders of a design studio."""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from random import Random
from typing import NamedTuple

Value = str | int | float | None


class SeedTable(NamedTuple):
    """A table: its column declarations in SQL and its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.split()[0] for column in self.columns)


_CLIENTS = (
    (1, "Harmon Logistics", "Aldern", "logistics", "2023-05-02"),
    (2, "Museum of Tides", "Aldern", "culture", "2021-09-14"),
    (3, "Petrova Bakeries", "Aldern", "food", "2025-11-19"),
    (4, "Calder City Library", "Calder", "public", "2026-01-22"),
    (5, "Saltmarsh Inns", "Port Ness", "hospitality", "2022-02-01"),
    (6, "Orchard Clinic", "Calder", "health", "2024-06-17"),
    (7, "Stork Street Nursery", "Aldern", "education", "2024-10-03"),
    (8, "Wren Hotels", "Port Ness", "hospitality", "2023-11-20"),
    (9, "Aldern Port Authority", "Aldern", "public", "2022-08-29"),
)
_PROJECTS = (
    ("HBH", "Harbour Hall", 1, "Nora Lindqvist", "active", 184000, "2025-12-15", "2026-06-05"),
    ("LAN", "Lantern exhibition", 2, "Priya Raman", "active", 96500, "2025-11-11", "2026-04-16"),
    ("MLN", "Mill Lane shop", 3, "Julia Behrens", "active", 58200, "2026-01-15", "2026-07-24"),
    ("CAL", "Calder reading room", 4, "Nora Lindqvist", "tender", 142000, "2026-01-22", "2026-11-27"),
    ("KLP", "Kelp Bar", 5, "Julia Behrens", "closed", 71400, "2025-02-10", "2025-09-12"),
    ("ORC", "Orchard waiting room", 6, "Priya Raman", "closed", 38800, "2025-04-07", "2025-10-31"),
    ("STK", "Stork Street playroom", 7, "Tomás Herrera", "active", 27600, "2025-10-20", "2026-03-27"),
    ("WRN", "Wren lobby", 8, "Julia Behrens", "on hold", 112300, "2025-08-18", "2026-08-28"),
    ("FRY", "Ferry terminal benches", 9, "Tomás Herrera", "active", 64900, "2025-09-08", "2026-05-15"),
)
_PEOPLE = {
    "Nora Lindqvist": ("HBH", "CAL", "LAN"),
    "Priya Raman": ("LAN", "ORC", "HBH", "MLN"),
    "Julia Behrens": ("MLN", "KLP", "WRN", "CAL"),
    "Tomás Herrera": ("STK", "FRY", "HBH", "LAN"),
    "Sofia Marchetti": ("HBH", "WRN", "FRY", "CAL"),
    "Bea Novak": ("HBH", "LAN", "KLP"),
}
_PHASES = ("concept", "drawings", "workshop", "site", "meetings")
_SUPPLIERS = (
    (1, "Oakline", "Fennwick", "timber", 21),
    (2, "Brightwire", "Aldern", "lighting", 35),
    (3, "Keller Ceramics", "Calder", "tiles", 28),
    (4, "Norrhem Metal", "Port Ness", "metalwork", 18),
    (5, "Vetro Lume", "Fennwick", "glass", 42),
    (6, "Silt & Sons", "Aldern", "plaster", 12),
    (7, "Woolcraft Lune", "Calder", "felt", 16),
    (8, "Harrow Fixings", "Aldern", "hardware", 5),
)
_FIXED_ORDERS: dict[int, tuple[Value, ...]] = {
    60418: (60418, 1, "HBH", "ash board 40 mm", 24, 86.5, "2025-12-16", "2026-01-06", "2026-01-08"),
    60434: (60434, 3, "HBH", "sea-green tile, m2", 9, 63.4, "2026-02-03", "2026-03-03", None),
    60439: (60439, 4, "FRY", "bench frame", 24, 218.0, "2026-02-18", "2026-03-08", None),
    60440: (60440, 6, "STK", "clay paint bucket", 27, 58.0, "2026-02-20", "2026-03-04", None),
    60442: (60442, 2, "LAN", "picture spot", 26, 74.5, "2026-02-27", "2026-04-03", None),
}
"""Orders that the studio's calendar, chat or files mention."""
_ITEMS = {
    1: (("ash board 40 mm", 86.5), ("oak veneer sheet", 54.0), ("larch batten", 11.2)),
    2: (("ring lamp 60 cm", 312.0), ("picture spot", 74.5), ("dimmer module", 48.0)),
    3: (("sea-green tile, m2", 63.4), ("white tile, m2", 38.9)),
    4: (("steel bracket", 9.8), ("bench frame", 218.0), ("handrail, metre", 92.0)),
    5: (("curved pane", 445.0), ("display case glass", 268.0)),
    6: (("lime plaster bag", 17.6), ("clay paint bucket", 58.0)),
    7: (("felt panel", 41.3), ("acoustic curtain, metre", 29.5)),
    8: (("screw box", 12.4), ("hinge pair", 7.9)),
}


@cache
def tables() -> dict[str, SeedTable]:
    """Return the tables by name in creation order; the result is the same in every process."""
    return {
        "clients": SeedTable(
            ("id INTEGER PRIMARY KEY", "name TEXT NOT NULL", "city TEXT", "sector TEXT", "client_since TEXT"), _CLIENTS
        ),
        "projects": SeedTable(
            (
                "code TEXT PRIMARY KEY",
                "name TEXT NOT NULL",
                "client_id INTEGER REFERENCES clients(id)",
                "lead TEXT",
                "status TEXT",
                "budget_eur REAL",
                "started TEXT",
                "due TEXT",
            ),
            _PROJECTS,
        ),
        "time_entries": SeedTable(
            (
                "id INTEGER PRIMARY KEY",
                "project_code TEXT REFERENCES projects(code)",
                "person TEXT",
                "day TEXT",
                "phase TEXT",
                "hours REAL",
            ),
            tuple(_time_entries()),
        ),
        "invoices": SeedTable(
            (
                "number TEXT PRIMARY KEY",
                "project_code TEXT REFERENCES projects(code)",
                "issued TEXT",
                "due TEXT",
                "amount_eur REAL",
                "paid_on TEXT",
            ),
            tuple(_invoices()),
        ),
        "suppliers": SeedTable(
            ("id INTEGER PRIMARY KEY", "name TEXT NOT NULL", "city TEXT", "product TEXT", "lead_time_days INTEGER"),
            _SUPPLIERS,
        ),
        "orders": SeedTable(
            (
                "number INTEGER PRIMARY KEY",
                "supplier_id INTEGER REFERENCES suppliers(id)",
                "project_code TEXT REFERENCES projects(code)",
                "item TEXT",
                "quantity INTEGER",
                "unit_price_eur REAL",
                "ordered_on TEXT",
                "promised_on TEXT",
                "delivered_on TEXT",
            ),
            tuple(_orders()),
        ),
    }


_TODAY = date(2026, 3, 2)


def _time_entries() -> Iterator[tuple[Value, ...]]:
    random = Random("hours")
    number = 0
    for week in range(26):
        monday = date(2025, 9, 1) + timedelta(weeks=week)
        for person, codes in _PEOPLE.items():
            for code in random.sample(codes, 2):
                if _is_worked_on(code, monday):
                    number += 1
                    day = monday + timedelta(days=random.randint(0, 4))
                    yield number, code, person, day.isoformat(), random.choice(_PHASES), random.randint(4, 32) / 2


def _is_worked_on(code: str, day: date) -> bool:
    row = next(row for row in _PROJECTS if row[0] == code)
    return str(row[6]) <= day.isoformat() <= str(row[7])


def _invoices() -> Iterator[tuple[Value, ...]]:
    random = Random("invoices")
    number = 0
    for code, *_, budget, start_date, _due in _PROJECTS:
        if code == "CAL":
            continue
        issue_date = date.fromisoformat(start_date) + timedelta(days=random.randint(10, 20))
        while issue_date < _TODAY and issue_date < date.fromisoformat(start_date) + timedelta(days=200):
            number += 1
            due = issue_date + timedelta(days=30)
            amount = round(float(budget) * random.randint(70, 190) / 1000, 2)
            # Choose at random the day on which an invoice was paid; `None` if it is unpaid.
            payment_day = due + timedelta(days=random.randint(-18, 26))
            is_open = due > _TODAY - timedelta(days=45) and random.random() < 0.6
            payment_date = None if is_open or payment_day >= _TODAY else payment_day.isoformat()
            yield (
                f"F-{2500 + number}",
                code,
                issue_date.isoformat(),
                due.isoformat(),
                amount,
                payment_date,
            )
            issue_date += timedelta(days=random.randint(28, 45))


def _orders() -> Iterator[tuple[Value, ...]]:
    random = Random("orders")
    for number in range(60377, 60443):
        supplier, _, _, _, lead = random.choice(_SUPPLIERS)
        item, price = random.choice(_ITEMS[supplier])
        order_date = date(2025, 8, 15) + timedelta(days=(number - 60377) * 3 + random.randint(0, 2))
        promised_date = order_date + timedelta(days=lead)
        delivery_date = promised_date + timedelta(days=random.choice((-3, -1, 0, 0, 0, 2, 5, 9, 13)))
        project_code = random.choice(
            [row[0] for row in _PROJECTS if row[0] != "CAL" and _is_worked_on(row[0], order_date)]
        )
        if number in _FIXED_ORDERS:
            yield _FIXED_ORDERS[number]
            continue
        yield (
            number,
            supplier,
            "FRY" if item == "bench frame" else project_code,
            item,
            random.randint(2, 60),
            price,
            order_date.isoformat(),
            promised_date.isoformat(),
            delivery_date.isoformat() if delivery_date < _TODAY else None,
        )
