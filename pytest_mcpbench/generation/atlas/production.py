# ruff: noqa: D103 (what a task is about, its prompt says)
"""Tasks about building, moving, measuring and programming."""

from datetime import date, timedelta

from pytest_mcpbench.generation.atlas import sources as data
from pytest_mcpbench.generation.atlas.draft import (
    DERIVED,
    Draft,
    Step,
    calculate,
    draft,
    get_record,
    git_branches,
    git_log,
    git_show,
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
    update_record,
)
from pytest_mcpbench.generation.atlas.sources import TODAY, long_date, money, require


def lamp_circuits() -> Draft:
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
    return draft(
        "Does every zone in our lamp plan for Harbour Hall stay within what we allow ourselves to hang on one "
        "circuit? Name the zones that are above with their watts, and what the second circuits for them cost "
        "altogether. If the contract leaves a change of that size to a single person at Harmon, tell me who that is; "
        "if it needs the board, say so.",
        [
            list_folder("harbour-hall"),
            read_files("harbour-hall/lamp-plan.csv", "harbour-hall/contract-summary.md"),
            search_pages("circuit zone"),
            read_page("pg-e377-electrics"),
            *(
                calculate(" + ".join(f"{lamp['count']}*{lamp['watts_each']}" for lamp in lamps if lamp["zone"] == zone))
                for zone in zones
            ),
            calculate("16 * 230 * 0.6"),
            calculate(f"{len(above)} * {price:g}"),
            search_nodes("facilities"),
        ],
        [
            f"A circuit may carry {limit:g} W.",
            f"The zone '{above[0]}' is above that with {zones[above[0]]} W, and '{above[1]}' with {zones[above[1]]} W.",
            f"The second circuits cost {money(cost)} EUR.",
            "A change of that size is decided by the head of facilities, Lucy Adeyemi, without the board.",
        ],
        conditional=True,
    )


def ash_batches() -> Draft:
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
    return draft(
        "Which batches of ash may Tomás cut, going by the latest measurement of every board in the moisture log and "
        "by the workshop's own rules? Give me the mean of every batch. If one may not be cut, I also need the boards "
        "that have to be set aside, the day on which they are to be measured again, and what happened to it according "
        "to the workshop channel.",
        [
            list_folder("workshop"),
            read_files("workshop/moisture-log.csv"),
            search_pages("moisture batch"),
            read_page("pg-7e05-timber"),
            *(calculate(f"mean({', '.join(map(str, values[b]))})") for b in batches),
            search_messages("batch", channel="#workshop"),
        ],
        [
            f"Batch A may be cut: its mean is {means['A']:.2f} percent.",
            f"Batch C may be cut: its mean is {means['C']:.2f} percent.",
            f"Batch B may not be cut: its mean is {means['B']:.2f} percent.",
            f"The boards {aside[0]} and {aside[1]} are set aside.",
            f"They are measured again on {long_date(again)}.",
            "Batch B lay under the leaking gutter.",
        ],
        conditional=True,
    )


def sander_belt() -> Draft:
    sander = data.record("Machines", Machine="Band sander")
    limit = data.number(data.message("The band sander has")["text"], r"changed at (\d+)")
    data.message("three and a half hours today")
    hours = sander["Hours"] + 3.5
    require(hours >= limit, "the belt is due")
    stand_in = data.relation(None, "stands_in_for", "Tomás Herrera")
    return draft(
        "Bring the running hours of the band sander up to date in our list of machines: somebody has used it since "
        "Tomás wrote down its hours, see the workshop channel. If the belt has to be changed by now, tell me so, with "
        "the new hours and the date of the next service; if not, tell me how many hours are left. Who would look "
        "after it if its keeper were away?",
        [
            search_messages("band sander", channel="#workshop"),
            search_records("Machines", "band sander"),
            calculate(f"{sander['Hours']} + 3.5"),
            update_record("Machines", sander["id"], {"Hours": hours}),
            open_nodes("Tomás Herrera"),
        ],
        [
            f"The band sander now has {hours:g} hours, and the list says so.",
            f"The belt has to be changed, because {limit:g} hours are reached.",
            f"The next service is on {long_date(sander['Next service'])}.",
            f"Its keeper is Tomás Herrera; {stand_in} stands in for him.",
        ],
        conditional=True,
    )


def wave_wall_crane() -> Draft:
    milestone = data.record("Milestones", Milestone="Crane booked for the wave wall")
    data.observations("Tomás Herrera", "crane licence that is valid until 30 April 2026")
    data.observations("Hanna Weiss", "crane licence that is valid until 31 August 2028")
    require("2026-04-30" < milestone["Due"] < "2028-08-31", "only Hanna's licence is valid")
    data.message("We lift it in two parts of 174 kg and 138 kg")
    data.file("harbour-hall/contract-summary.md", "Lifting on the pier only between 07:00 and 10:00")
    data.page("pg-5d68-transport", "Above 80 kg: crane")
    return draft(
        "The project tracker has a milestone for the crane that lifts the wave wall. Who in the studio will be "
        "allowed to operate a crane on that very date? If nobody will, tell me what the crane firm takes for an "
        "operator. I also need the weight of the heavier part and the hours in which the contract lets us lift.",
        [
            search_records("Milestones", "wave wall"),
            search_nodes("crane"),
            search_messages("wave wall", channel="#harbour-hall"),
            list_folder("harbour-hall"),
            read_files("harbour-hall/contract-summary.md"),
        ],
        [
            f"The crane is planned for {long_date(milestone['Due'])}.",
            "On that day only Hanna Weiss has a valid crane licence; that of Tomás Herrera ends on 30 April 2026.",
            "The heavier part weighs 174 kg.",
            "Lifting is allowed between 07:00 and 10:00.",
        ],
        conditional=True,
    )


def lens_on_floor() -> Draft:
    weight = data.number(data.message("the lens weighs")["text"], r"weighs (\d+) kg")
    area = data.number(data.message("lens stands on a plinth")["text"], r"of ([\d.]+) square")
    limit = data.number(data.message("The floor of room 3 carries")["text"], r"carries (\d+) kg")
    load = weight / area
    require(load < limit, "the floor is strong enough")
    risk = data.record("Risks", Risk="Floor of room 3 too weak for the lens")
    return draft(
        "One of the risks in the tracker says that a floor may be too weak for the lighthouse lens. Check it with the "
        "newest weight and the other figures from the Lantern channel; leave the weight of the plinth itself out. If "
        "the floor is strong enough, set the level of that risk to 1; if it is not, leave the level and tell me what "
        "the tracker plans to do about it.",
        [
            search_messages(channel="#lantern"),
            search_records("Risks", "lens"),
            get_record("Risks", risk["id"]),
            calculate(f"{weight:g} / {area:g}"),
            update_record("Risks", risk["id"], {"Level": 1}),
        ],
        [
            f"The lens weighs {weight:g} kg and loads the floor with {load:.1f} kg per square metre.",
            f"The floor carries {limit:g} kg per square metre, so it is strong enough.",
            "The level of the risk has been changed from 5 to 1.",
        ],
        conditional=True,
    )


def loan_list_weight() -> Draft:
    weight = data.number(data.message("the lens weighs")["text"], r"weighs (\d+) kg")
    lens = data.record("Objects", Object="Lighthouse lens")
    others = [o for o in data.records("Objects") if o["Lender"] == lens["Lender"] and o["Object"] != lens["Object"]]
    total = weight + sum(o["Weight kg"] for o in others)
    require(lens["Weight kg"] != weight, "the list is wrong")
    return draft(
        "Priya mentioned in the Lantern channel that a weight in the loan list is wrong and that she has left it as "
        "it was. Correct it there. What did the list say before, and how heavy is everything that this lender lends "
        "us, with the corrected weight?",
        [
            search_messages("loan list", channel="#lantern"),
            list_bases(),
            list_tables("loans"),
            list_records("Objects", f'{{Lender}}="{lens["Lender"]}"'),
            update_record("Objects", lens["id"], {"Weight kg": weight}),
            calculate(" + ".join([f"{weight:g}", *(f"{o['Weight kg']:g}" for o in others)])),
        ],
        [
            f"The lighthouse lens had {lens['Weight kg']} kg in the list; it now has {weight:g} kg.",
            f"Everything from {lens['Lender']} weighs {total:g} kg together.",
        ],
    )


def couriers() -> Draft:
    data.page("pg-5d68-transport", "Objects insured for more than 30,000 EUR travel with a courier")
    objects = data.records("Objects")
    guarded = sorted(o["Object"] for o in objects if o["Insured EUR"] > 30000)
    sums = {o["Lender"]: sum(x["Insured EUR"] for x in objects if x["Lender"] == o["Lender"]) for o in objects}
    two = [lender for lender, value in sums.items() if value > 90000]
    data.observations("Yuki Tanabe", "two couriers whenever the insured value of one lender exceeds 90000 EUR")
    require(len(two) == 1 and len(guarded) == 3, "one lender needs two couriers")
    return draft(
        "Which loans for Lantern may only travel with a courier, by our rules for moving exhibits? The curator has a "
        "habit of her own on top of that; see what the knowledge graph has on her. If it touches one of the lenders, "
        "name the lender and the value that is insured there; if it touches none, say so.",
        [
            search_pages("exhibits courier"),
            read_page("pg-5d68-transport"),
            list_records("Objects", "{Insured EUR}>30000"),
            search_nodes("curator"),
            list_records("Objects"),
            calculate(" + ".join(str(o["Insured EUR"]) for o in objects if o["Lender"] == two[0])),
        ],
        [
            f"The {guarded[1].lower()}, the {guarded[0]} and the painting 'Night watch at Ness' travel with a courier.",
            "Yuki Tanabe asks for two couriers where a lender's insured value exceeds 90,000 EUR.",
            f"That is so for {two[0]}, insured for {money(sums[two[0]])} EUR.",
        ],
        conditional=True,
    )


def calder_textiles() -> Draft:
    data.page("pg-6a3f-fire", "Public buildings: B-s2 or better")
    data.message("fire class B-s1 for everything above 2 m height")
    textiles = [m for m in data.records("Materials") if m["Kind"] == "textile"]
    good = [m for m in textiles if m["Fire class"] == "B-s1"]
    require([m["Material"] for m in good] == ["Felt panel grey", "Acoustic curtain"], "two textiles are good enough")
    return draft(
        "For the Calder reading room we think of felt in moss green. Is it allowed in a public building at all, by "
        "our page on fire classes? If not, which textiles of our materials library would satisfy even the stricter "
        "thing that the tender papers ask for above two metres, as Bea reported it? I want to know how much of each "
        "we have and where it lies.",
        [
            search_pages("fire classes"),
            read_page("pg-6a3f-fire"),
            list_bases(),
            list_records("Materials", '{Kind}="textile"'),
            search_messages("fire class", channel="#calder-tender"),
        ],
        [
            "Moss green felt is not allowed: it has class C-s2, and public buildings need B-s2 or better.",
            "Above 2 m the tender papers ask for class B-s1.",
            f"Grey felt panels satisfy it: {good[0]['Stock']} pieces on shelf {good[0]['Shelf']}.",
            f"Acoustic curtain satisfies it too: {good[1]['Stock']} metres on shelf {good[1]['Shelf']}.",
        ],
        conditional=True,
    )


def nursery_floor() -> Draft:
    data.page("pg-6a3f-fire", "Schools, nurseries and clinics: C-s1 or better")
    cork = data.record("Materials", Material="Cork sheet")
    linoleum = data.record("Materials", Material="Linoleum blue")
    require((cork["Fire class"], linoleum["Fire class"]) == ("E", "C-s1"), "only linoleum is allowed")
    first = data.commit("configurator", "Start the counter")
    price = data.number(first["files"]["pricing.json"], r'"linoleum": ([\d.]+)')
    require(linoleum["Stock"] >= 29, "there is enough in stock")
    return draft(
        "Stork Street wants a cork floor of 29 square metres in its playroom, which belongs to a nursery. If the fire "
        "class of our cork permits that, tell me how many sheets we have. If not, propose the covering from our "
        "materials library that does, check that we have enough of it, and work out the price without waste, at what "
        "the counter configurator has charged for a square metre of that material ever since its first commit.",
        [
            read_page("pg-6a3f-fire"),
            list_records("Materials", '{Kind}="covering"'),
            git_log("configurator"),
            git_show("configurator", DERIVED),
            calculate(f"29 * {price:g}"),
        ],
        [
            "Cork is not permitted: a nursery needs C-s1 or better, and it only has class E.",
            f"Blue linoleum is possible, with class C-s1; {linoleum['Stock']} square metres are in stock.",
            f"29 square metres at {price:.2f} EUR cost {money(29 * price)} EUR.",
        ],
        conditional=True,
    )


def felt_branch() -> Draft:
    last = data.commit("configurator", "Lower the felt price")
    require('"felt": 66.0' in last["files"]["pricing.json"], "the branch has the quoted price")
    quote = data.message("Woolcraft quoted 66 EUR", "valid for 30 days from 16 February")
    require(quote["user"] == "U07SOFI", "Sofia wrote of the quote")
    data.page("pg-c92c-releases", "A branch is merged when its latest commit is at least 14 days old")
    ripe = date.fromisoformat(last["when"][:10]) + timedelta(days=14)
    require(ripe > TODAY, "the branch may not be merged yet")
    return draft(
        "Sofia asks in the channel for computer questions whether the configurator has the felt price that was quoted "
        "to us. It is on a branch. Does it agree with the quote? And may that branch be merged today, 2 March 2026, "
        "by our release rules? If not, from which day on, and would the quote still hold then?",
        [
            search_messages("felt"),
            git_branches("configurator"),
            git_show("configurator", "felt-panels"),
            search_pages("branch merged"),
            read_page("pg-c92c-releases"),
        ],
        [
            "The branch 'felt-panels' has a felt price of 66 EUR, which agrees with the quote.",
            "It may not be merged today, because its latest commit is of 18 February 2026 and must be at least 14 "
            "days old.",
            f"It may be merged from {long_date(ripe)} on.",
            "The quote would still hold then: it is valid for 30 days from 16 February.",
        ],
        conditional=True,
    )


def rush_surcharge() -> Draft:
    change = data.commit("configurator", "Charge more for rush orders")
    release = data.commit("configurator", "Release 1.1")
    require(release["when"] < change["when"], "the change is not released")
    require('"rush_surcharge_percent": 20' in change["files"]["pricing.json"], "it is 20 percent")
    data.page("pg-c92c-releases", "a price that was committed after the last tag is not in use at the counter yet")
    fee = 2400 * 0.15
    return draft(
        "Julia wondered about the rush surcharge in the configurator. Who changed it, on what date, and from what to "
        "what? If the new figure is already in use at the counter, by our rules for releases, take it; otherwise take "
        "the old one: what is the surcharge on a counter of 2,400 EUR today?",
        [
            search_messages("rush surcharge"),
            git_log("configurator"),
            git_show("configurator", DERIVED),
            git_show("configurator", DERIVED),
            read_page("pg-c92c-releases"),
            calculate("2400 * 15 / 100"),
        ],
        [
            f"{change['author']} changed the surcharge on {long_date(change['when'][:10])} from 15 to 20 percent.",
            "The change is later than the last release, v1.1, so 15 percent are still in use.",
            f"The surcharge on 2,400 EUR is {fee:g} EUR.",
        ],
        conditional=True,
    )


def larch_counter() -> Draft:
    size = data.message("counter in larch")["text"]
    length, depth = data.number(size, r"([\d.]+) m long"), data.number(size, r"([\d.]+) m deep")
    prices = data.commit("configurator", "Start the counter")["files"]["pricing.json"]
    larch, edge = data.number(prices, r'"larch": ([\d.]+)'), data.number(prices, r'"edge_per_metre": ([\d.]+)')
    waste = data.number(prices, r'"waste_percent": (\d+)')
    limit = data.number(data.file("mill-lane/brief.md"), r"further than ([\d.]+) m")
    require(depth <= limit, "the counter is not too deep")
    board, border = length * depth * larch * (1 + waste / 100), 2 * (length + depth) * edge
    return draft(
        "Work out the price of the counter that Elena has decided on for Mill Lane: the wood by its area with the "
        "allowance for waste, plus the edge all the way round, which has no waste. Use the figures that the "
        "configurator had when it was first committed; for larch, edges and waste these are also the ones of its last "
        "release. If the counter reaches further into the room than the brief permits, don't price it but tell me by "
        "how much it is too deep.",
        [
            search_messages("counter larch", channel="#mill-lane"),
            read_files("mill-lane/brief.md"),
            git_log("configurator"),
            git_show("configurator", DERIVED),
            calculate(f"{length:g} * {depth:g} * {larch:g} * {1 + waste / 100:g}"),
            calculate(f"2 * ({length:g} + {depth:g}) * {edge:g}"),
            calculate(f"{board} + {border}"),
        ],
        [
            f"The counter is {depth:g} m deep, which the brief permits: at most {limit:g} m.",
            f"The wood with {waste:g} percent waste costs {money(board)} EUR.",
            f"The edge costs {money(border)} EUR.",
            f"Together that is {money(board + border)} EUR.",
        ],
        conditional=True,
    )


def lamp_release() -> Draft:
    data.page("pg-c92c-releases", "Nothing is released with uncommitted changes in the working tree")
    quotation = data.message("I have lowered the current of the ring lamps on my laptop")
    require(quotation["user"] == "U07TOMA", "Tomás did it")
    return draft(
        "I would like to release the lamp controller today. Do our release rules let me, with its working tree as it "
        "is? If something is in the way, say in the channel for computer questions that there is no release, and tell "
        "me which setting of which lamps it is about, its old and its new value, and whose work it is according to "
        "the chat.",
        [
            Step("git_git_status", {"repo_path": "repos/lamp-controller"}),
            Step("git_git_diff_unstaged", {"repo_path": "repos/lamp-controller"}),
            search_pages("release software"),
            read_page("pg-c92c-releases"),
            search_messages("ring lamps laptop"),
            post_message(
                "#it-help", "The lamp controller is not released today: lamps.ini has changes that are not committed."
            ),
        ],
        [
            "The lamp controller may not be released, because there are uncommitted changes in 'lamps.ini'.",
            "The highest current of the ring lamps is changed from 700 to 640 mA.",
            "It is the work of Tomás Herrera.",
            "That there is no release has been said in #it-help.",
        ],
        conditional=True,
    )


def lamp_counts() -> Draft:
    change = data.commit("lamp-controller", "Plan two more wall lamps")
    plan = {lamp["lamp"]: lamp["count"] for lamp in data.table("harbour-hall/lamp-plan.csv") if lamp["zone"] == "foyer"}
    require((plan["ring lamp"], plan["wall lamp"]) == ("14", "9"), "the plan has 14 and 9")
    require("count = 11" in change["files"]["lamps.ini"], "the controller has 11 wall lamps")
    milestone = data.record("Milestones", Milestone="Lamp plan approved")
    return draft(
        "Do the numbers of ring and wall lamps in the foyer agree between the lamp plan of Harbour Hall in our files "
        "and the repository of the lamp controller? Where they don't, tell me both numbers, and who made the "
        "difference in the repository on what date. By when must the plan be approved, and in what state is that "
        "milestone?",
        [
            list_folder("harbour-hall"),
            read_files("harbour-hall/lamp-plan.csv"),
            git_log("lamp-controller"),
            git_show("lamp-controller", DERIVED),
            search_records("Milestones", "lamp plan"),
            git_show("lamp-controller", DERIVED),
        ],
        [
            "The ring lamps agree: 14 in both.",
            "The wall lamps do not: 9 in the plan and 11 in the repository.",
            f"{change['author']} changed the number in the repository on {long_date(change['when'][:10])}.",
            f"The plan must be approved by {long_date(milestone['Due'])}; the milestone is '{milestone['State']}'.",
        ],
    )


def strict_rules() -> Draft:
    last = data.commit("configurator", "Check thickness before span")
    ripe = date.fromisoformat(last["when"][:10]) + timedelta(days=14)
    review = data.event("Contract review with Bea")
    require(review["start_time"][:10] == ripe.isoformat(), "there is an event on that day")
    return draft(
        "What does the configurator's branch with the stricter rules change compared with main, and does that alter "
        "any result? When does our page on releases allow it to be merged at the earliest? If the calendar has "
        "something on that day, tell me what and from when to when, so that I do it before or after.",
        [
            git_branches("configurator"),
            Step("git_git_diff", {"repo_path": "repos/configurator", "target": "main..strict-rules"}),
            git_show("configurator", "strict-rules"),
            read_page("pg-c92c-releases"),
            list_events(ripe.isoformat(), ripe.isoformat()),
        ],
        [
            "The branch 'strict-rules' only swaps the order of the two conditions in 'rules.py', so no result is "
            "altered.",
            f"It may be merged from {long_date(ripe)} on, 14 days after its latest commit.",
            f"On that day there is '{review['title']}' from {review['start_time'][11:16]} to "
            f"{review['end_time'][11:16]}.",
        ],
        conditional=True,
    )


def bright_ring() -> Draft:
    change = data.commit("lamp-controller", "Dim the ring to 48 percent")
    data.observations("Daniel Harmon", "Found the ring of lamps too bright")
    return draft(
        "The knowledge graph says that Daniel Harmon complained about some lamps. If the repository of the lamp "
        "controller shows that somebody has done something about it since, remove the complaint from the graph and "
        "tell me who did what on which date, with the level before and after; otherwise leave the graph alone.",
        [
            open_nodes("Daniel Harmon"),
            git_log("lamp-controller"),
            git_show("lamp-controller", DERIVED),
            Step(
                "memory_delete_observations",
                {
                    "deletions": [
                        {"entityName": "Daniel Harmon", "observations": ["Found the ring of lamps too bright"]}
                    ]
                },
            ),
        ],
        [
            f"{change['author']} dimmed the ring lamps on {long_date(change['when'][:10])}.",
            "The evening level went from 55 to 48 percent.",
            "The complaint about the bright ring has been removed from the knowledge graph.",
        ],
        conditional=True,
    )


TASKS = (
    lamp_circuits,
    ash_batches,
    sander_belt,
    wave_wall_crane,
    lens_on_floor,
    loan_list_weight,
    couriers,
    calder_textiles,
    nursery_floor,
    felt_branch,
    rush_surcharge,
    larch_counter,
    lamp_release,
    lamp_counts,
    strict_rules,
    bright_ring,
)
