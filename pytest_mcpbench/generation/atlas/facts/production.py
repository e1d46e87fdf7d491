# ruff: noqa: D103 (the task of that name says what the facts are for)
"""Facts for the tasks about building, moving, measuring and programming."""

from datetime import date, timedelta

from pytest_mcpbench.generation.atlas.facts import sources as data
from pytest_mcpbench.generation.atlas.facts.sources import Facts, require


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


def couriers() -> Facts:
    data.page("pg-5d68-transport", "Objects insured for more than 30,000 EUR travel with a courier")
    objects = data.records("Objects")
    guarded = sorted(o["Object"] for o in objects if o["Insured EUR"] > 30000)
    sums = {o["Lender"]: sum(x["Insured EUR"] for x in objects if x["Lender"] == o["Lender"]) for o in objects}
    two = [lender for lender, value in sums.items() if value > 90000]
    data.observations("Yuki Tanabe", "two couriers whenever the insured value of one lender exceeds 90000 EUR")
    require(len(two) == 1 and len(guarded) == 3, "one lender needs two couriers")
    return {"guarded": guarded, "two": two, "sums": sums}


def lamp_counts() -> Facts:
    change = data.commit("lamp-controller", "Plan two more wall lamps")
    plan = {lamp["lamp"]: lamp["count"] for lamp in data.table("harbour-hall/lamp-plan.csv") if lamp["zone"] == "foyer"}
    require((plan["ring lamp"], plan["wall lamp"]) == ("14", "9"), "the plan has 14 and 9")
    require("count = 11" in change["files"]["lamps.ini"], "the controller has 11 wall lamps")
    milestone = data.record("Milestones", Milestone="Lamp plan approved")
    return {"change": change, "milestone": milestone}
