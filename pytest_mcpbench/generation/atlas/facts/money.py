# ruff: noqa: D103 (the task of that name says what the facts are for)
"""Facts for the tasks about money: invoices, budgets, working hours, orders and spending limits."""

from datetime import date

from pytest_mcpbench.generation.atlas.facts import sources as data
from pytest_mcpbench.generation.atlas.facts.sources import TODAY, Facts, require


def red_projects() -> Facts:
    shares = {}
    for project in data.rows("projects"):
        invoiced = sum(i["amount_eur"] for i in data.rows("invoices") if i["project_code"] == project["code"])
        shares[project["code"]] = (invoiced / project["budget_eur"] * 100, project)
    red = [(share, p) for share, p in shares.values() if share > 70 and p["status"] == "active"]
    require(len(red) == 1, "one active project is red")
    share, project = red[0]
    march = [m for m in data.records("Milestones") if m["Project"] == project["code"] and m["Due"] < "2026-04-01"]
    require(len(march) == 1, "it has one milestone in March")
    data.page("pg-8c14-budget", "red: above 70 percent")
    return {"project": project, "share": share, "march": march}


def glass_contract() -> Facts:
    supplier = data.row("suppliers", name="Vetro Lume")
    delivered = [o for o in data.rows("orders") if o["supplier_id"] == supplier["id"] and o["delivered_on"]]
    late = [o for o in delivered if o["delivered_on"] > o["promised_on"]]
    share = len(late) / len(delivered) * 100
    data.observations("Vetro Lume", "Framework contract ends on 15 March 2026")
    data.observations("Brightwire", "Framework contract ends on 30 June 2026")
    data.page("pg-3e91-suppliers", "B: above 20 and at most 45 percent")
    require(20 < share <= 45, "the grade is B")
    return {"delivered": delivered, "late": late, "share": share}


def loan_insurance() -> Facts:
    objects = data.records("Objects")
    lenders = sorted({o["Lender"] for o in objects})
    sums = {lender: sum(o["Insured EUR"] for o in objects if o["Lender"] == lender) for lender in lenders}
    data.message("0.35 percent of the insured value, minimum 250 EUR a lender")
    premiums = {lender: max(250.0, value * 0.0035) for lender, value in sums.items()}
    least = [lender for lender, premium in premiums.items() if premium == 250]
    require(len(least) == 2, "two lenders fall under the minimum")
    total = sum(premiums.values())
    return {"total": total, "least": least, "most": max(premiums, key=lambda k: premiums[k]), "premiums": premiums}


def petty_cash() -> Facts:
    limit = data.number(data.message("Petty cash")["text"], r"above (\d+) EUR")
    over = [r for r in data.table("finance/petty-cash-2026-02.csv") if float(r["amount_eur"]) > limit]
    total = sum(float(r["amount_eur"]) for r in over)
    names = sorted({r["who"] for r in over})
    largest = max(over, key=lambda r: float(r["amount_eur"]))
    require(len(over) >= 2, "there is more than one receipt")
    return {"over": over, "limit": limit, "total": total, "names": names, "largest": largest}


def lantern_hours() -> Facts:
    rates = {
        line.split("|")[1].strip(): float(line.split("|")[2])
        for line in data.page("pg-4b22-rates").splitlines()
        if line.startswith("| ") and "who" not in line
    }
    hours: dict[str, float] = {}
    for entry in data.rows("time_entries"):
        if entry["project_code"] == "LAN":
            hours[entry["person"]] = hours.get(entry["person"], 0) + entry["hours"]
    cost = sum(hours[person] * rates[person] for person in hours)
    invoiced = sum(i["amount_eur"] for i in data.rows("invoices") if i["project_code"] == "LAN")
    difference = invoiced - cost
    require(difference > 0, "more has been invoiced than worked")
    most = max(hours, key=lambda person: hours[person])
    return {"cost": cost, "invoiced": invoiced, "difference": difference, "most": most, "hours": hours}


def three_largest() -> Facts:
    data.file("notes/round-2026-02-23.md", "three largest open invoices on one page")
    rate = data.number("\n".join(data.observations("Fernhill")), r"is (\d+) percent")
    top = sorted((i for i in data.rows("invoices") if i["paid_on"] is None), key=lambda i: -i["amount_eur"])[:3]
    net = sum(i["amount_eur"] for i in top)
    return {"top": top, "rate": rate, "net": net}


def bench_frames() -> Facts:
    positions = data.table("ferry/bench-positions.csv")
    needed = sum(int(p["benches"]) * int(p["frames_per_bench"]) for p in positions)
    ordered = sum(
        o["quantity"] for o in data.rows("orders") if o["item"] == "bench frame" and o["project_code"] == "FRY"
    )
    old = data.row("orders", number=60439)["unit_price_eur"]
    new = data.number(data.message("price of bench frames")["text"], r"to (\d+) EUR")
    more = needed - ordered
    require(more > 0, "frames are missing")
    return {"needed": needed, "ordered": ordered, "more": more, "old": old, "new": new}


def calder_hours() -> Facts:
    words = ("My estimate:", "Mine:", "And I come to", "Workshop is")
    estimates = [data.number(data.message(each)["text"], r"(\d+) hours") for each in words]
    data.message("Correction: I forgot the shelves")
    total = sum(estimates)
    most = data.number(data.page("pg-d0b6-calder"), r"at most (\d+) hours")
    off = data.number(data.page("pg-d0b6-calder"), r"takes (\d+) hours")
    reserve = data.number(data.message("For Calder we plan")["text"], r"(\d+) percent")
    require(total > most, "the estimates are above the limit")
    left = total - off
    with_reserve = left * (1 + reserve / 100)
    require(with_reserve <= most, "it fits with the reserve")
    return {"total": total, "most": most, "left": left, "reserve": reserve, "with_reserve": with_reserve}


def silt_delivery() -> Facts:
    order = data.row("orders", number=60440)
    data.message("order 60440 is here")
    supplier = data.row("suppliers", name="Silt & Sons")
    require(order["supplier_id"] == supplier["id"] and order["delivered_on"] is None, "the order is open")
    done = [o for o in data.rows("orders") if o["supplier_id"] == supplier["id"] and o["delivered_on"]]
    late = [o for o in done if o["delivered_on"] > o["promised_on"]]
    early = (date.fromisoformat(order["promised_on"]) - TODAY).days
    share = len(late) / (len(done) + 1) * 100
    require(early > 0 and share > 45, "the order is early and the grade stays C")
    return {"early": early, "late": late, "done": done, "share": share}
