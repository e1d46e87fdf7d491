# ruff: noqa: D103 (what a task is about, its prompt says)
"""Tasks about people, dates and rooms, and about facts to store in the knowledge graph."""

from datetime import date, timedelta

from pytest_mcpbench.generation.atlas import sources as data
from pytest_mcpbench.generation.atlas.draft import (
    Draft,
    Step,
    calculate,
    create_record,
    draft,
    list_bases,
    list_events,
    list_folder,
    list_records,
    list_tables,
    open_nodes,
    post_message,
    read_files,
    read_page,
    search_messages,
    search_nodes,
    search_pages,
    search_records,
    sql,
    update_record,
)
from pytest_mcpbench.generation.atlas.sources import long_date, money, require


def harmon_room() -> Draft:
    data.message("Eleven people come on 17 March")
    data.file("notes/round-2026-02-23.md", "everybody who comes, and Nora, Priya and Tomás")
    visit = data.event("Visit of the Harmon board")
    data.page("pg-9f7b-rooms", "Loft: 16 seats, screen, only in the afternoon", "Harbour: 12 seats")
    require(visit["start_time"][11:13] == "10", "the visit is in the morning")
    return draft(
        "Sofia was asked in the weekly round of 23 February to find a room for the visit of the Harmon board. How "
        "many seats does she need, counting everybody that the notes count, and is there a meeting room with enough "
        "of them at the hour at which the calendar has the visit? If there isn't, is there one that would do if the "
        "visit were moved to the afternoon?",
        [
            list_folder("notes"),
            read_files("notes/round-2026-02-23.md"),
            search_messages("people come", channel="#harbour-hall"),
            list_events("2026-03-17", "2026-03-17"),
            search_pages("meeting rooms"),
            read_page("pg-9f7b-rooms"),
            calculate("11 + 3"),
        ],
        [
            "14 seats are needed.",
            "The visit is on 17 March from 10:00 to 12:00, and no room with enough seats is free to use in the "
            "morning.",
            "In the afternoon the 'Loft' would do, with 16 seats.",
        ],
        conditional=True,
    )


def first_aid() -> Draft:
    data.observations("Sofia Marchetti", "first aid certificate that is valid until 12 March 2026")
    data.observations("Bea Novak", "first aid certificate that is valid until 9 October 2027")
    opening = data.event("Opening of Lantern")
    require("2026-03-12" < opening["start_time"][:10] < "2027-10-09", "one certificate has run out by the opening")
    risk = "First aid certificate of Sofia Marchetti runs out"
    return draft(
        "When is the opening of Lantern in the calendar, and whose first aid certificates will still be valid on that "
        "evening? If somebody's runs out before, put a risk of level 2 for Lantern (project code LAN) into our "
        "tracker, owned by that person; if nobody's does, don't.",
        [
            list_events("2026-04-01", "2026-04-30"),
            search_nodes("first aid"),
            list_bases(),
            list_tables("tracker"),
            create_record("Risks", Risk=risk, Project="LAN", Level=2, Owner="Sofia Marchetti"),
        ],
        [
            f"The opening is on {long_date(opening['start_time'][:10])} at {opening['start_time'][11:16]}.",
            "Only the certificate of Bea Novak is still valid then, until 9 October 2027.",
            "That of Sofia Marchetti runs out on 12 March 2026, and the risk has been put into the tracker.",
        ],
        conditional=True,
    )


def julias_leave() -> Draft:
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
    return draft(
        "Julia will be away in April. Does one of her milestones fall due while she is on leave? If so, make whoever "
        "stands in for her its owner in the tracker, and tell me which milestone and when it is due; if not, leave "
        "the tracker as it is. What else is due in April that the stand-in owned before?",
        [
            open_nodes("Julia Behrens"),
            list_records("Milestones", '{Owner}="Julia Behrens"'),
            list_records("Milestones", f'{{Owner}}="{stand_in}"'),
            update_record("Milestones", hit[0]["id"], {"Owner": stand_in}),
        ],
        [
            f"Julia is on leave from 7 to 17 April, and '{hit[0]['Milestone']}' is due on {long_date(hit[0]['Due'])}.",
            f"Its owner is now {stand_in}, who stands in for her.",
            f"In April {stand_in} also has '{others[0]['Milestone']}', due on {long_date(others[0]['Due'])}.",
        ],
        conditional=True,
    )


def hannas_first_day() -> Draft:
    first = data.event("First day of Hanna Weiss")
    require(first["start_time"][:10] == "2026-04-01", "she starts on 1 April")
    data.page("pg-b5e8-onboarding", "three working days before", "two working days before", "first day at 10:30")
    stand_in = data.relation(None, "stands_in_for", "Julia Behrens")
    return draft(
        "Prepare Hanna's arrival: by what dates must Bea and Ian be ready according to our list for new colleagues, "
        "counting Monday to Friday as working days? The day itself is in the calendar. Who will be her stand-in in "
        "the first month? Store that in the knowledge graph in the way in which it keeps the other stand-ins.",
        [
            list_events("2026-03-25", "2026-04-02"),
            search_pages("new colleague"),
            read_page("pg-b5e8-onboarding"),
            open_nodes("Julia Behrens", "Hanna Weiss"),
            Step(
                "memory_create_relations",
                {"relations": [{"from": stand_in, "to": "Hanna Weiss", "relationType": "stands_in_for"}]},
            ),
        ],
        [
            "Hanna starts on 1 April 2026.",
            "Bea must have contract and keys ready by 27 March.",
            "Ian must have laptop and accounts ready by 30 March.",
            f"Her stand-in is {stand_in}, as the knowledge graph now says.",
        ],
    )


def lisbon_costs() -> Draft:
    text = data.page("pg-a1d4-travel", "for each day begun", "after 22:00")
    allowance, limit = data.number(text, r"(\d+) EUR abroad, for"), data.number(text, r"(\d+) EUR abroad\.")
    costs = data.table("lisbon/trip-costs.csv")
    nights = [float(c["amount_eur"]) for c in costs if c["item"] == "hotel night"]
    above = sum(max(0.0, night - limit) for night in nights)
    taxi = next(float(c["amount_eur"]) for c in costs if c["item"].startswith("taxi"))
    days = (date(2026, 5, 23) - date(2026, 5, 20)).days + 1
    total = sum(float(c["amount_eur"]) for c in costs) - above - taxi + days * allowance
    data.observations("Nora Lindqvist", "talk in Lisbon on 21 May 2026")
    return draft(
        "Nora's trip to Lisbon is planned in a list among our files. By our travel rules, what does Fernhill pay in "
        "total, with the daily allowance from the day she flies out to the day she flies back? She carries 8 kg of "
        "luggage. Tell me also what she pays herself, split into hotel and taxi, and when her flight out leaves "
        "according to the calendar.",
        [
            list_folder("lisbon"),
            read_files("lisbon/trip-costs.csv"),
            search_pages("travel rules"),
            read_page("pg-a1d4-travel"),
            calculate(" + ".join(f"max(0, {night:g} - {limit:g})" for night in nights)),
            calculate(
                " + ".join(f"{float(c['amount_eur']):g}" for c in costs)
                + f" - {above:g} - {taxi:g} + {days} * {allowance:g}"
            ),
            list_events("2026-05-20", "2026-05-20"),
        ],
        [
            f"Fernhill pays {money(total)} EUR.",
            f"Nora pays {above:.2f} EUR of the hotel herself, because two nights are above {limit:g} EUR.",
            f"She also pays the taxi, {taxi:.2f} EUR.",
            f"The flight out leaves at {data.event('Flight to Lisbon')['start_time'][11:16]}.",
        ],
    )


def tender_variant() -> Draft:
    text = data.file("calder/tender-criteria.md", "fewer than 5 points in accessibility are excluded", "below 6.5")
    names = ("price", "design", "accessibility", "schedule")
    weights = {name: data.number(text, rf"\| {name} \| (\d+)") for name in names}
    variants = data.table("calder/self-assessment.csv")
    means = {v["variant"]: sum(float(v[n]) * weights[n] for n in names) / 100 for v in variants}
    excluded = [v["variant"] for v in variants if float(v["accessibility"]) < 5]
    best = max((v for v in means if v not in excluded), key=lambda v: means[v])
    require(excluded == [max(means, key=lambda v: means[v])], "the best one is excluded")
    due = data.event("Offer for the Calder library due")
    return draft(
        "We have given points to our own variants for the Calder reading room; they lie next to the criteria of the "
        "tender. Which variant has the highest weighted mean? If the criteria exclude it, name the best one that they "
        "do not exclude. I need both means, and until what day and hour the calendar says the offer can be handed in.",
        [
            list_folder("calder"),
            read_files("calder/self-assessment.csv", "calder/tender-criteria.md"),
            *(calculate("(" + " + ".join(f"{v[n]}*{weights[n]:g}" for n in names) + ") / 100") for v in variants),
            list_events("2026-04-01", "2026-04-30"),
        ],
        [
            f"The variant '{excluded[0]}' has the highest mean, {means[excluded[0]]:.2f}.",
            f"It is excluded, because it has fewer than 5 points in accessibility; the best of the others is '{best}'.",
            f"The mean of '{best}' is {means[best]:.2f}.",
            f"The offer is due on {long_date(due['start_time'][:10])} at {due['start_time'][11:16]}.",
        ],
        conditional=True,
    )


def long_thursdays() -> Draft:
    text = data.file("lantern/tickets.md", "If more than 1,700 people are expected in a week", "members | free")
    adults, pupils = data.number(text, r"adults \| ([\d.]+)"), data.number(text, r"pupils \| ([\d.]+)")
    weeks = data.table("lantern/visitor-forecast.csv")
    long = [w for w in weeks if sum(int(w[k]) for k in ("adults", "pupils", "members")) > 1700]
    income = sum(int(w["adults"]) * adults + int(w["pupils"]) * pupils for w in long)
    opening = date.fromisoformat(data.event("Opening of Lantern")["start_time"][:10])
    require(opening.isocalendar().week == 16, "it opens in week 16")
    require("16" not in [w["week"] for w in long], "the first week is none of them")
    return draft(
        "In which calendar weeks will the museum have to stay open until 20:00 on Thursday, if the forecast for "
        "Lantern comes true? What does it earn with tickets in these weeks together? Tell me also whether the week in "
        "which the calendar has the opening is one of them, and which week of the year that is.",
        [
            list_folder("lantern"),
            read_files("lantern/visitor-forecast.csv", "lantern/tickets.md"),
            *(calculate(f"{w['adults']} + {w['pupils']} + {w['members']}") for w in long),
            calculate(" + ".join(f"{w['adults']}*{adults:g} + {w['pupils']}*{pupils:g}" for w in long)),
            list_events("2026-04-13", "2026-04-19"),
        ],
        [
            f"More than 1,700 people are expected in weeks {', '.join(w['week'] for w in long[:-1])} and "
            f"{long[-1]['week']}.",
            f"In these weeks the tickets bring {money(income)} EUR.",
            f"The opening on {long_date(opening)} is in week 16, which is not one of them.",
        ],
        conditional=True,
    )


def second_till() -> Draft:
    limit = data.number(data.file("mill-lane/brief.md"), r"more than (\d+) percent")
    saturdays = [d for d in data.table("mill-lane/footfall.csv") if date.fromisoformat(d["day"]).weekday() == 5]
    passed = sum(int(d[k]) for d in saturdays for k in ("morning", "noon", "afternoon"))
    entered = sum(int(d["entered"]) for d in saturdays)
    share = entered / passed * 100
    require(share <= limit and limit - share > 0.2, "there is no second till")
    weekdays = "+".join(d["entered"] for d in saturdays)
    return draft(
        "Elena wants a second till in Mill Lane on a condition that is in her brief. Decide it by the Saturdays in "
        "our count of people, both taken together. If the condition is met, post in the channel of the project that "
        "the second till is needed, otherwise that one till is enough. Then give me the share to two decimals and the "
        "two numbers behind it.",
        [
            list_folder("mill-lane"),
            read_files("mill-lane/brief.md", "mill-lane/footfall.csv"),
            calculate(weekdays),
            calculate("+".join(d[k] for d in saturdays for k in ("morning", "noon", "afternoon"))),
            calculate(f"100 * {entered} / {passed}"),
            Step("messages_channels_list", {"channel_types": "public_channel"}),
            post_message("#mill-lane", f"One till is enough: {share:.2f} % of those who pass on Saturdays come in."),
        ],
        [
            f"On the two Saturdays {entered} of {passed} people came in.",
            f"That is {share:.2f}%, so the condition of more than {limit:g} percent is not met.",
            "One till is enough, and that has been posted in #mill-lane.",
        ],
        conditional=True,
    )


def bakery_floor() -> Draft:
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
    return draft(
        "Is there a floor for the shop in Mill Lane among the coverings of our materials library that the fire rules "
        "for shops permit and that its owner can live with? If so, name it. If not, say what speaks against each of "
        "them and look at white tiles instead: would our usual price for them stay within the brief, and how many "
        "square metres would we be short?",
        [
            list_records("Materials", 'OR({Kind}="covering",{Material}="White tile")'),
            read_page("pg-6a3f-fire"),
            open_nodes("Elena Petrova"),
            read_files("mill-lane/brief.md"),
            sql("SELECT item, unit_price_eur, ordered_on FROM orders WHERE item LIKE 'white tile%'"),
            calculate(f"46 - {tile['Stock']}"),
        ],
        [
            "Cork is out, because shops need D-s2 or better and its fire class is only E.",
            "Linoleum is out, because Elena Petrova dislikes it.",
            f"White tiles cost {price:.2f} EUR a square metre, within the {limit:g} EUR of the brief.",
            f"{missing:g} square metres would be missing.",
        ],
        conditional=True,
    )


def closed_lane() -> Draft:
    data.message("The lane is closed for vans from 6 to 10 July")
    risk = data.record("Risks", Risk="Lane closed for vans")
    require(risk["Answer"] == "Deliver in the week before", "the answer is to deliver before")
    lead = data.row("suppliers", name="Keller Ceramics")["lead_time_days"]
    latest = date(2026, 7, 3) - timedelta(days=lead)
    event = data.event("Harbour Hall complete")
    require(event["start_time"][:10] == latest.isoformat(), "there is an event on that day")
    return draft(
        "Vans cannot reach Mill Lane for some days in July. What does our tracker say we do about it? If the answer "
        "is to deliver before, take the Friday before the closure as the day of delivery: by what date must an order "
        "with Keller Ceramics go out, at the lead time in the books, and what does the calendar have on that date? If "
        "it is to deliver afterwards, take the Monday after.",
        [
            search_messages("lane vans"),
            search_records("Risks", "vans"),
            sql(
                "SELECT name, lead_time_days, date('2026-07-03', '-' || lead_time_days || ' days') AS latest FROM "
                "suppliers WHERE name = 'Keller Ceramics'"
            ),
            list_events(latest.isoformat(), latest.isoformat()),
        ],
        [
            "The lane is closed from 6 to 10 July, and the tracker says to deliver in the week before.",
            f"With a lead time of {lead} days the order must go out by {long_date(latest)}, for delivery on 3 July.",
            f"On that date the calendar has '{event['title']}'.",
        ],
        conditional=True,
    )


def call_yuki() -> Draft:
    data.observations("Yuki Tanabe", "Best reached after 14:00")
    data.observations("Museum of Tides", "Closed on Tuesdays")
    milestone = data.record("Milestones", Milestone="Loan contracts signed")
    review = data.event("Design review: wave wall")
    require(review["end_time"] == "2026-03-04T14:30:00", "Wednesday is free from 14:30 on")
    return draft(
        "It is Monday, 2 March 2026. From tomorrow on, what is the first half hour in which the curator of Lantern "
        "can well be reached, her museum is not closed and Nora's calendar is free? Put a call with her there, under "
        "the title 'Call Yuki about the loan contracts'. When are these contracts due, and who on our side owns that "
        "milestone?",
        [
            search_nodes("curator"),
            search_nodes("Museum of Tides"),
            list_events("2026-03-03", "2026-03-06"),
            search_records("Milestones", "loan contracts"),
            Step(
                "calendar_create_event",
                {
                    "create_event_request": {
                        "title": "Call Yuki about the loan contracts",
                        "start_time": "2026-03-04T14:30:00",
                        "end_time": "2026-03-04T15:00:00",
                    }
                },
            ),
        ],
        [
            "The call is in the calendar for Wednesday, 4 March 2026, from 14:30 to 15:00.",
            f"The loan contracts are due on {long_date(milestone['Due'])}.",
            f"The milestone is owned by {milestone['Owner']}.",
        ],
    )


def old_supplier() -> Draft:
    data.observations("Old saw blade supplier", "Not used since 2024")
    require(all("saw" not in s["name"].lower() for s in data.rows("suppliers")), "the books do not know it")
    who = data.relation(None, "ordered_from", "Old saw blade supplier")
    saw = data.record("Machines", Machine="Panel saw")
    return draft(
        "The knowledge graph still has a supplier of saw blades that it calls old. If the list of suppliers in our "
        "books has nobody by that name either, delete it from the graph; if it has, leave it. Who used to order "
        "there, and when is the next service of the panel saw, so that I can ask that person about new blades in time?",
        [
            search_nodes("saw blade"),
            Step("database_list_tables", {}),
            sql("SELECT name, product FROM suppliers ORDER BY name"),
            Step("memory_delete_entities", {"entityNames": ["Old saw blade supplier"]}),
            search_records("Machines", "saw"),
        ],
        [
            "The books have no supplier of that name, so the 'Old saw blade supplier' has been deleted.",
            f"{who} used to order there.",
            f"The next service of the panel saw is on {long_date(saw['Next service'])}.",
        ],
        conditional=True,
    )


def crane_hire() -> Draft:
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
    return draft(
        "What would the crane firm in the knowledge graph charge us for half a day with its own operator? If that is "
        "more than 500 EUR, take the recommendation of the firm out of the graph, otherwise leave it in. And do both "
        "parts of the wave wall have to be lifted by crane at all, going by our page on moving things? Give me their "
        "weights.",
        [
            search_nodes("crane hire"),
            calculate(f"{half:g} + {operator:g}"),
            Step(
                "memory_delete_relations",
                {"relations": [{"from": who, "to": "Northgate Crane Hire", "relationType": "recommends"}]},
            ),
            search_messages("two parts", channel="#harbour-hall"),
            read_page("pg-5d68-transport"),
        ],
        [
            f"Half a day with an operator costs {half + operator:g} EUR.",
            f"The recommendation by {who} has been removed from the knowledge graph.",
            f"Both parts need the crane, with {parts[0]:g} kg and {parts[1]:g} kg: they are above {limit:g} kg.",
        ],
        conditional=True,
    )


def french_speaker() -> Draft:
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
    return draft(
        "A hotel in Lyon wants somebody of ours who speaks French for two days of eight hours. Look through "
        "everything that the knowledge graph knows, and pick the one with fewer hours booked in 2026 up to now if "
        "there are several. What do the two days cost at the current rate?",
        [
            Step("memory_read_graph", {}),
            sql(
                "SELECT person, SUM(hours) AS hours FROM time_entries WHERE day >= '2026-01-01' AND person IN ('Priya "
                "Raman', 'Sofia Marchetti') GROUP BY person"
            ),
            read_page("pg-4b22-rates"),
            calculate(f"16 * {rate:g}"),
        ],
        [
            "Priya Raman and Sofia Marchetti speak French.",
            f"{less} has booked less in 2026: {hours[less]:g} hours, against {max(hours.values()):g}.",
            f"Two days of {less} cost {money(16 * rate)} EUR.",
        ],
        conditional=True,
    )


def subcontractor() -> Draft:
    answer = data.record("Risks", Risk="Too many hours in the offer")
    off = data.number(data.page("pg-d0b6-calder", "leave the shelves to a subcontractor"), r"takes (\d+) hours")
    rate = data.number(data.page("pg-4b22-rates"), r"Tomás Herrera \| (\d+)")
    require("subcontractor" in answer["Answer"], "the tracker has the same answer")
    entity = {
        "name": "Calder shelves",
        "entityType": "work package",
        "observations": [
            f"Would take {off:g} hours off the workshop",
            "Goes to a subcontractor if the hours are too many",
        ],
    }
    return draft(
        "What are the shelves of the Calder reading room worth at the rate of the head of our workshop, going by the "
        "hours that a subcontractor would take off him? Check that the tracker names the same way out for the risk of "
        "too many hours, with its level. If it does, store 'Calder shelves' as a work package in the knowledge graph "
        "with the number of hours; if it names another way out, tell me which.",
        [
            search_pages("subcontractor"),
            read_page("pg-d0b6-calder"),
            search_records("Risks", "hours"),
            read_page("pg-4b22-rates"),
            search_nodes("runs the workshop"),
            calculate(f"{off:g} * {rate:g}"),
            Step("memory_create_entities", {"entities": [entity]}),
        ],
        [
            f"A subcontractor takes {off:g} hours off the workshop, which at {rate:g} EUR are worth "
            f"{money(off * rate)} EUR.",
            f"The tracker names the same way out, with level {answer['Level']}.",
            "'Calder shelves' is now a work package in the knowledge graph.",
        ],
        conditional=True,
    )


TASKS = (
    harmon_room,
    first_aid,
    julias_leave,
    hannas_first_day,
    lisbon_costs,
    tender_variant,
    long_thursdays,
    second_till,
    bakery_floor,
    closed_lane,
    call_yuki,
    old_supplier,
    crane_hire,
    french_speaker,
    subcontractor,
)
