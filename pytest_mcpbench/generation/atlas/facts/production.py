# ruff: noqa: D103 (the task of that name says what the facts are for)
"""Facts for the tasks about building, moving, measuring and programming."""

from datetime import date, timedelta

from pytest_mcpbench.generation.atlas.facts import sources as data
from pytest_mcpbench.generation.atlas.facts.sources import TODAY, Facts, require


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


def sander_belt() -> Facts:
    sander = data.record("Machines", Machine="Band sander")
    limit = data.number(data.message("The band sander has")["text"], r"changed at (\d+)")
    data.message("three and a half hours today")
    hours = sander["Hours"] + 3.5
    require(hours >= limit, "the belt is due")
    stand_in = data.relation(None, "stands_in_for", "Tomás Herrera")
    return {"hours": hours, "limit": limit, "sander": sander, "stand_in": stand_in}


def wave_wall_crane() -> Facts:
    milestone = data.record("Milestones", Milestone="Crane booked for the wave wall")
    data.observations("Tomás Herrera", "crane licence that is valid until 30 April 2026")
    data.observations("Hanna Weiss", "crane licence that is valid until 31 August 2028")
    require("2026-04-30" < milestone["Due"] < "2028-08-31", "only Hanna's licence is valid")
    data.message("We lift it in two parts of 174 kg and 138 kg")
    data.file("harbour-hall/contract-summary.md", "Lifting on the pier only between 07:00 and 10:00")
    data.page("pg-5d68-transport", "Above 80 kg: crane")
    return {"milestone": milestone}


def lens_on_floor() -> Facts:
    weight = data.number(data.message("the lens weighs")["text"], r"weighs (\d+) kg")
    area = data.number(data.message("lens stands on a plinth")["text"], r"of ([\d.]+) square")
    limit = data.number(data.message("The floor of room 3 carries")["text"], r"carries (\d+) kg")
    load = weight / area
    require(load < limit, "the floor is strong enough")
    data.record("Risks", Risk="Floor of room 3 too weak for the lens")
    return {"weight": weight, "load": load, "limit": limit}


def loan_list_weight() -> Facts:
    weight = data.number(data.message("the lens weighs")["text"], r"weighs (\d+) kg")
    lens = data.record("Objects", Object="Lighthouse lens")
    others = [o for o in data.records("Objects") if o["Lender"] == lens["Lender"] and o["Object"] != lens["Object"]]
    total = weight + sum(o["Weight kg"] for o in others)
    require(lens["Weight kg"] != weight, "the list is wrong")
    return {"lens": lens, "weight": weight, "total": total}


def couriers() -> Facts:
    data.page("pg-5d68-transport", "Objects insured for more than 30,000 EUR travel with a courier")
    objects = data.records("Objects")
    guarded = sorted(o["Object"] for o in objects if o["Insured EUR"] > 30000)
    sums = {o["Lender"]: sum(x["Insured EUR"] for x in objects if x["Lender"] == o["Lender"]) for o in objects}
    two = [lender for lender, value in sums.items() if value > 90000]
    data.observations("Yuki Tanabe", "two couriers whenever the insured value of one lender exceeds 90000 EUR")
    require(len(two) == 1 and len(guarded) == 3, "one lender needs two couriers")
    return {"guarded": guarded, "two": two, "sums": sums}


def calder_textiles() -> Facts:
    data.page("pg-6a3f-fire", "Public buildings: B-s2 or better")
    data.message("fire class B-s1 for everything above 2 m height")
    textiles = [m for m in data.records("Materials") if m["Kind"] == "textile"]
    good = [m for m in textiles if m["Fire class"] == "B-s1"]
    require([m["Material"] for m in good] == ["Felt panel grey", "Acoustic curtain"], "two textiles are good enough")
    return {"good": good}


def nursery_floor() -> Facts:
    data.page("pg-6a3f-fire", "Schools, nurseries and clinics: C-s1 or better")
    cork = data.record("Materials", Material="Cork sheet")
    linoleum = data.record("Materials", Material="Linoleum blue")
    require((cork["Fire class"], linoleum["Fire class"]) == ("E", "C-s1"), "only linoleum is allowed")
    first = data.commit("configurator", "Start the counter")
    price = data.number(first["files"]["pricing.json"], r'"linoleum": ([\d.]+)')
    require(linoleum["Stock"] >= 29, "there is enough in stock")
    return {"linoleum": linoleum, "price": price}


def felt_branch() -> Facts:
    last = data.commit("configurator", "Lower the felt price")
    require('"felt": 66.0' in last["files"]["pricing.json"], "the branch has the quoted price")
    quote = data.message("Woolcraft quoted 66 EUR", "valid for 30 days from 16 February")
    require(quote["user"] == "U07SOFI", "Sofia wrote of the quote")
    data.page("pg-c92c-releases", "A branch is merged when its latest commit is at least 14 days old")
    ripe = date.fromisoformat(last["when"][:10]) + timedelta(days=14)
    require(ripe > TODAY, "the branch may not be merged yet")
    return {"ripe": ripe}


def rush_surcharge() -> Facts:
    change = data.commit("configurator", "Charge more for rush orders")
    release = data.commit("configurator", "Release 1.1")
    require(release["when"] < change["when"], "the change is not released")
    require('"rush_surcharge_percent": 20' in change["files"]["pricing.json"], "it is 20 percent")
    data.page("pg-c92c-releases", "a price that was committed after the last tag is not in use at the counter yet")
    fee = 2400 * 0.15
    return {"change": change, "fee": fee}


def larch_counter() -> Facts:
    size = data.message("counter in larch")["text"]
    length, depth = data.number(size, r"([\d.]+) m long"), data.number(size, r"([\d.]+) m deep")
    prices = data.commit("configurator", "Start the counter")["files"]["pricing.json"]
    larch, edge = data.number(prices, r'"larch": ([\d.]+)'), data.number(prices, r'"edge_per_metre": ([\d.]+)')
    waste = data.number(prices, r'"waste_percent": (\d+)')
    limit = data.number(data.file("mill-lane/brief.md"), r"further than ([\d.]+) m")
    require(depth <= limit, "the counter is not too deep")
    board, border = length * depth * larch * (1 + waste / 100), 2 * (length + depth) * edge
    return {"depth": depth, "limit": limit, "waste": waste, "board": board, "border": border}


def lamp_release() -> Facts:
    data.page("pg-c92c-releases", "Nothing is released with uncommitted changes in the working tree")
    quotation = data.message("I have lowered the current of the ring lamps on my laptop")
    require(quotation["user"] == "U07TOMA", "Tomás did it")
    return {}


def lamp_counts() -> Facts:
    change = data.commit("lamp-controller", "Plan two more wall lamps")
    plan = {lamp["lamp"]: lamp["count"] for lamp in data.table("harbour-hall/lamp-plan.csv") if lamp["zone"] == "foyer"}
    require((plan["ring lamp"], plan["wall lamp"]) == ("14", "9"), "the plan has 14 and 9")
    require("count = 11" in change["files"]["lamps.ini"], "the controller has 11 wall lamps")
    milestone = data.record("Milestones", Milestone="Lamp plan approved")
    return {"change": change, "milestone": milestone}


def strict_rules() -> Facts:
    last = data.commit("configurator", "Check thickness before span")
    ripe = date.fromisoformat(last["when"][:10]) + timedelta(days=14)
    review = data.event("Contract review with Bea")
    require(review["start_time"][:10] == ripe.isoformat(), "there is an event on that day")
    return {"ripe": ripe, "review": review}


def bright_ring() -> Facts:
    change = data.commit("lamp-controller", "Dim the ring to 48 percent")
    data.observations("Daniel Harmon", "Found the ring of lamps too bright")
    return {"change": change}
