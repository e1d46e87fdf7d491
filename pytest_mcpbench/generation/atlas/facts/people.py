# ruff: noqa: D103 (the task of that name says what the facts are for)
"""Facts for the tasks about people, dates and rooms, and about facts to store in the knowledge graph."""

from datetime import date

from pytest_mcpbench.generation.atlas.facts import sources as data
from pytest_mcpbench.generation.atlas.facts.sources import Facts, require


def julias_leave() -> Facts:
    data.observations("Julia Behrens", "On leave from 7 to 17 April 2026")
    hit = [
        m
        for m in data.records("Milestones")
        if m["Owner"] == "Julia Behrens" and "2026-04-07" <= m["Due"] <= "2026-04-17"
    ]
    require(len(hit) == 1, "one milestone falls into the leave")
    stand_in = data.relation(None, "stands_in_for", "Julia Behrens")
    others = [m for m in data.records("Milestones") if m["Owner"] == stand_in and m["Due"][:7] == "2026-04"]
    require(len(others) == 1, "the stand-in has one milestone in April")
    return {"hit": hit, "stand_in": stand_in, "others": others}


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


def second_till() -> Facts:
    limit = data.number(data.file("mill-lane/brief.md"), r"more than (\d+) percent")
    saturdays = [d for d in data.table("mill-lane/footfall.csv") if date.fromisoformat(d["day"]).weekday() == 5]
    passed = sum(int(d[k]) for d in saturdays for k in ("morning", "noon", "afternoon"))
    entered = sum(int(d["entered"]) for d in saturdays)
    share = entered / passed * 100
    require(share <= limit and limit - share > 0.2, "there is no second till")
    "+".join(d["entered"] for d in saturdays)
    return {"entered": entered, "passed": passed, "share": share, "limit": limit}


def bakery_floor() -> Facts:
    data.observations("Elena Petrova", "Dislikes linoleum")
    text = data.file("mill-lane/brief.md", "46 square metres")
    limit = data.number(text, r"at most (\d+) EUR a square")
    coverings = [m for m in data.records("Materials") if m["Kind"] == "covering"]
    require(
        {m["Material"]: m["Fire class"] for m in coverings} == {"Cork sheet": "E", "Linoleum blue": "C-s1"},
        "two coverings",
    )
    data.page("pg-6a3f-fire", "Shops and offices: D-s2 or better")
    tile = data.record("Materials", Material="White tile")
    price = max(o["unit_price_eur"] for o in data.rows("orders") if o["item"].startswith("white tile"))
    missing = 46 - tile["Stock"]
    require(price <= limit, "white tiles are cheap enough")
    return {"price": price, "limit": limit, "missing": missing}


def old_supplier() -> Facts:
    data.observations("Old saw blade supplier", "Not used since 2024")
    require(all("saw" not in s["name"].lower() for s in data.rows("suppliers")), "the books do not know it")
    who = data.relation(None, "ordered_from", "Old saw blade supplier")
    saw = data.record("Machines", Machine="Panel saw")
    return {"who": who, "saw": saw}


def crane_hire() -> Facts:
    facts = "\n".join(data.observations("Northgate Crane Hire"))
    half, operator = data.number(facts, r"Costs (\d+) EUR"), data.number(facts, r"for (\d+) EUR more")
    who = data.relation(None, "recommends", "Northgate Crane Hire")
    require(half + operator > 500, "it is too expensive")
    parts = [
        data.number(data.message("We lift it in two parts")["text"], pattern)
        for pattern in (r"of (\d+) kg", r"and (\d+) kg")
    ]
    limit = data.number(data.page("pg-5d68-transport"), r"Above (\d+) kg: crane")
    require(min(parts) > limit, "both parts need a crane")
    return {"half": half, "operator": operator, "who": who, "parts": parts, "limit": limit}


def french_speaker() -> Facts:
    names = [name for name in ("Priya Raman", "Sofia Marchetti") if "French" in "\n".join(data.observations(name))]
    require(len(names) == 2, "two people speak French")
    hours = {
        name: sum(e["hours"] for e in data.rows("time_entries") if e["person"] == name and e["day"] >= "2026-01-01")
        for name in names
    }
    require(len(set(hours.values())) == 2, "one has booked less")
    less = min(names, key=lambda name: hours[name])
    text = data.page("pg-4b22-rates")
    rate = data.number(text, rf"{less} \| (\d+)")
    return {"less": less, "hours": hours, "rate": rate}
