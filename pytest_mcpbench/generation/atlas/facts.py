# ruff: noqa: D103 (the task of that name says what the facts are for)
"""Facts that claims of tasks state and that need more than an expression in the source file of their task.

They are computed from the data behind the servers without calling any tool. A function has the name of its task. It
also requires what the task relies on, such as the branch of a condition.
"""

import sys
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from inspect import getmembers, isfunction
from types import MappingProxyType

from pytest_mcpbench.generation.atlas import fact_sources as data
from pytest_mcpbench.generation.atlas.fact_sources import Facts, require


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


def lisbon_costs() -> Facts:
    text = data.page("pg-a1d4-travel", "for each day begun", "after 22:00")
    allowance, limit = data.number(text, r"(\d+) EUR abroad, for"), data.number(text, r"(\d+) EUR abroad\.")
    costs = data.table("lisbon/trip-costs.csv")
    nights = [float(c["amount_eur"]) for c in costs if c["item"] == "hotel night"]
    above = sum(max(0.0, night - limit) for night in nights)
    taxi = next(float(c["amount_eur"]) for c in costs if c["item"].startswith("taxi"))
    days = (date(2026, 5, 23) - date(2026, 5, 20)).days + 1
    total = sum(float(c["amount_eur"]) for c in costs) - above - taxi + days * allowance
    data.observations("Nora Lindqvist", "talk in Lisbon on 21 May 2026")
    return {
        "total": total,
        "above": above,
        "limit": limit,
        "taxi": taxi,
        "departure": data.event("Flight to Lisbon")["start_time"][11:16],
    }


def tender_variant() -> Facts:
    text = data.file("calder/tender-criteria.md", "fewer than 5 points in accessibility are excluded", "below 6.5")
    names = ("price", "design", "accessibility", "schedule")
    weights = {name: data.number(text, rf"\| {name} \| (\d+)") for name in names}
    variants = data.table("calder/self-assessment.csv")
    means = {v["variant"]: sum(float(v[n]) * weights[n] for n in names) / 100 for v in variants}
    excluded = [v["variant"] for v in variants if float(v["accessibility"]) < 5]
    best = max((v for v in means if v not in excluded), key=lambda v: means[v])
    require(excluded == [max(means, key=lambda v: means[v])], "the best one is excluded")
    due = data.event("Offer for the Calder library due")
    return {"excluded": excluded, "means": means, "best": best, "due": due}


def long_thursdays() -> Facts:
    text = data.file("lantern/tickets.md", "If more than 1,700 people are expected in a week", "members | free")
    adults, pupils = data.number(text, r"adults \| ([\d.]+)"), data.number(text, r"pupils \| ([\d.]+)")
    weeks = data.table("lantern/visitor-forecast.csv")
    long = [w for w in weeks if sum(int(w[k]) for k in ("adults", "pupils", "members")) > 1700]
    income = sum(int(w["adults"]) * adults + int(w["pupils"]) * pupils for w in long)
    opening = date.fromisoformat(data.event("Opening of Lantern")["start_time"][:10])
    require(opening.isocalendar().week == 16, "it opens in week 16")
    require("16" not in [w["week"] for w in long], "the first week is none of them")
    return {"long": long, "income": income, "opening": opening}


def lamp_circuits() -> Facts:
    text = data.page("pg-e377-electrics", "Emergency lamps are not counted")
    limit = (
        data.number(text, r"with (\d+) A")
        * data.number(text, r"at (\d+) V")
        * data.number(text, r"most (\d+) percent")
        / 100
    )
    price = data.number(text, r"at (\d+) EUR")
    lamps = [lamp for lamp in data.table("harbour-hall/lamp-plan.csv") if lamp["emergency"] == "no"]
    zones = {lamp["zone"]: 0 for lamp in lamps}
    for lamp in lamps:
        zones[lamp["zone"]] += int(lamp["count"]) * int(lamp["watts_each"])
    above = sorted(zone for zone, watts in zones.items() if watts > limit)
    cost = price * len(above)
    require(len(above) == 2, "two zones are above")
    data.file("harbour-hall/contract-summary.md", "Changes above 2,500 EUR need the signature of the board")
    require(cost <= 2500, "the head of facilities decides")
    data.observations("Lucy Adeyemi", "Head of facilities")
    return {"limit": limit, "above": above, "zones": zones, "cost": cost}


def ash_batches() -> Facts:
    latest: dict[str, dict[str, str]] = {}
    for each in data.table("workshop/moisture-log.csv"):
        latest[each["board"]] = each
    batches = sorted({each["batch"] for each in latest.values()})
    values = {b: [float(each["moisture_percent"]) for each in latest.values() if each["batch"] == b] for b in batches}
    means = {b: sum(v) / len(v) for b, v in values.items()}
    dry = [b for b in batches if means[b] <= 9.5 and max(values[b]) <= 11]
    aside = [board for board, each in latest.items() if float(each["moisture_percent"]) > 11]
    days = {latest[board]["day"] for board in aside}
    require(dry == ["A", "C"] and len(aside) == 2 and len(days) == 1, "only batch B is too damp")
    again = date.fromisoformat(days.pop()) + timedelta(days=14)
    data.page("pg-7e05-timber", "at most 9.5 percent moisture and no board is above 11 percent", "after 14 days")
    data.message("Batch B of the ash lay under the leaking gutter")
    return {"means": means, "aside": aside, "again": again}


FACTS: Mapping[str, Callable[[], Facts]] = MappingProxyType(
    {
        name.replace("_", "-"): function
        for name, function in getmembers(sys.modules[__name__], isfunction)
        if function.__module__ == __name__
    }
)
"""Id of a task -> function that returns the values for the slots of its claims.

It raises ``GenerationError`` if the data no longer contain what the task relies on.
"""
