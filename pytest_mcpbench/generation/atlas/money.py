# ruff: noqa: D103 (what a task is about, its prompt says)
"""Tasks about money: invoices, budgets, working hours, orders and spending limits."""

from datetime import date, timedelta

from pytest_mcpbench.generation.atlas import sources as data
from pytest_mcpbench.generation.atlas.draft import (
    Draft,
    Step,
    calculate,
    channel_history,
    draft,
    list_bases,
    list_folder,
    list_records,
    list_tables,
    open_nodes,
    post_message,
    read_files,
    read_page,
    read_thread,
    search_messages,
    search_nodes,
    search_pages,
    search_records,
    sql,
)
from pytest_mcpbench.generation.atlas.sources import TODAY, long_date, money, require


def lantern_reminder() -> Draft:
    open_ones = [i for i in data.rows("invoices") if i["project_code"] == "LAN" and i["paid_on"] is None]
    oldest = min(open_ones, key=lambda invoice: str(invoice["due"]))
    days = (TODAY - date.fromisoformat(oldest["due"])).days
    data.page("pg-1f0a-payment", "31 days and more: Marcus calls", "from the 31st day on")
    data.observations("Museum of Tides", "no late fee")
    data.message("No reminder to the Museum of Tides before I have spoken with Yuki on 5 March")
    require(days >= 31, "the invoice has come to a call")
    return draft(
        "It is 2 March 2026. The Museum of Tides still owes Fernhill money for the Lantern exhibition. Take the "
        "invoice that has been open longest: what would our own rules on reminders have us do about it now, and do we "
        "add a late fee? Before anybody acts, see whether somebody has asked in the finance channel to wait.",
        [
            sql(
                "SELECT number, amount_eur, due FROM invoices WHERE project_code = 'LAN' AND paid_on IS NULL ORDER BY "
                "due"
            ),
            search_pages("reminders"),
            read_page("pg-1f0a-payment"),
            open_nodes("Museum of Tides"),
            search_messages(channel="#finance", words="museum"),
        ],
        [
            f"The invoice of Lantern that has been open longest is {oldest['number']} over "
            f"{money(oldest['amount_eur'])} EUR.",
            f"It is {days} days past its due date, so by the rules Marcus calls.",
            "There is no late fee, because the Museum of Tides agreed to none.",
            "Nora asked for no reminder before she has spoken with Yuki on 5 March.",
        ],
    )


def wren_fee() -> Draft:
    invoice = min(
        (i for i in data.rows("invoices") if i["project_code"] == "WRN" and i["paid_on"] is None),
        key=lambda i: str(i["due"]),
    )
    due = date.fromisoformat(invoice["due"])
    rate = data.number("\n".join(data.observations("Wren Hotels")), r"late fee of ([\d.]+) percent")
    require(11 <= (TODAY - due).days <= 30, "a friendly reminder is due")
    return draft(
        "Wren Hotels has not paid the earlier of its two open invoices. Today is 2 March 2026. Is this already a case "
        "for a phone call under our payment rules, or only for a mail? If only for a mail: from which day on would it "
        "be a call, and what late fee in euros would come on top then?",
        [
            sql(
                "SELECT number, amount_eur, invoices.due, paid_on FROM invoices JOIN projects ON projects.code = "
                "invoices.project_code JOIN clients ON clients.id = client_id WHERE clients.name = 'Wren Hotels'"
            ),
            search_pages("due date reminder"),
            read_page("pg-1f0a-payment"),
            open_nodes("Wren Hotels"),
            calculate(f"{invoice['amount_eur']:g} * {rate:g} / 100"),
        ],
        [
            f"Invoice {invoice['number']} of Wren Hotels over {money(invoice['amount_eur'])} EUR is "
            f"{(TODAY - due).days} days "
            "overdue, so for now it gets a friendly reminder by mail.",
            f"A call would be due from {long_date(due + timedelta(days=31))} on.",
            f"The late fee would be {rate:g} percent, that is {money(invoice['amount_eur'] * rate / 100)} EUR.",
        ],
        conditional=True,
    )


def red_projects() -> Draft:
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
    return draft(
        "Which of our projects that are still active would show a red budget light, by the definition that we wrote "
        "down? Give me its share of the budget to one decimal. If it has milestones due in March 2026, say which and "
        "whose; if it has none, tell me when its first one is due.",
        [
            search_pages("budget lights"),
            read_page("pg-8c14-budget"),
            sql(
                "SELECT p.code, p.name, p.status, p.budget_eur, SUM(i.amount_eur) AS invoiced, ROUND(100 * "
                "SUM(i.amount_eur) / p.budget_eur, 1) AS share FROM projects p JOIN invoices i ON i.project_code = "
                "p.code GROUP BY p.code"
            ),
            list_records("Milestones", f'{{Project}}="{project["code"]}"'),
        ],
        [
            f"The only active project with a red light is {project['name']} ({project['code']}).",
            f"{share:.1f}% of its budget have been invoiced.",
            f"Its milestone in March is '{march[0]['Milestone']}', due on {long_date(march[0]['Due'])}, owned by "
            f"{march[0]['Owner']}.",
        ],
        conditional=True,
    )


def glass_contract() -> Draft:
    supplier = data.row("suppliers", name="Vetro Lume")
    delivered = [o for o in data.rows("orders") if o["supplier_id"] == supplier["id"] and o["delivered_on"]]
    late = [o for o in delivered if o["delivered_on"] > o["promised_on"]]
    share = len(late) / len(delivered) * 100
    data.observations("Vetro Lume", "Framework contract ends on 15 March 2026")
    data.observations("Brightwire", "Framework contract ends on 30 June 2026")
    data.page("pg-3e91-suppliers", "B: above 20 and at most 45 percent")
    require(20 < share <= 45, "the grade is B")
    return draft(
        "Two of our suppliers have a framework contract with an end date in the knowledge graph. For the one that "
        "runs out first: work out its present grade from the deliveries in our books. If the grade is C, I want to "
        "know who else could sell us the same kind of product; if it is better than C, just tell me the share of late "
        "orders and when the contract ends so that I can renew it.",
        [
            search_nodes("framework contract"),
            search_pages("grades of suppliers"),
            read_page("pg-3e91-suppliers"),
            sql(
                "SELECT COUNT(*) AS delivered, SUM(delivered_on > promised_on) AS late, ROUND(100.0 * "
                "SUM(delivered_on > promised_on) / COUNT(*), 1) AS late_percent FROM orders JOIN suppliers ON "
                "suppliers.id = supplier_id WHERE name = 'Vetro Lume' AND delivered_on IS NOT NULL"
            ),
        ],
        [
            "The framework contract that runs out first is that of Vetro Lume, on 15 March 2026.",
            f"Of its {len(delivered)} delivered orders {len(late)} came late, which is {share:.1f}% and makes grade B.",
        ],
        conditional=True,
    )


def oven_tiles() -> Draft:
    thread_start = data.message("tiles behind the oven cover")
    area = data.number(thread_start["text"], r"cover ([\d.]+)") + data.number(
        data.message("niche too")["text"], r"That is ([\d.]+)"
    )
    data.message("with the niche, and 10 percent for breakage")
    needed = area * 1.1
    stock = data.record("Materials", Material="Sea-green tile")["Stock"]
    price = data.row("orders", number=60434)["unit_price_eur"]
    buy = needed - stock
    data.observations("Keller Ceramics", "Minimum order of 8 square metres")
    require(buy >= 8, "the minimum order is reached")
    require(400 < buy * price <= 1800, "the lead of the project decides")
    data.page("pg-2c7d-purchase", "above 400 and up to 1,800 EUR: the lead of the project")
    return draft(
        "I want to order the sea-green tiles that go behind the oven in Mill Lane. Take the area that Julia and Priya "
        "agreed on in the channel of the project, with everything that they add, and subtract what our materials "
        "library has in stock. If the rest is below Keller's minimum order, tell me so and stop there; otherwise tell "
        "me what it costs at the price of our last order of that tile and who may place an order of that size.",
        [
            search_messages("tiles oven", channel="#mill-lane"),
            read_thread("#mill-lane", data.message_id(thread_start["when"])),
            search_records("Materials", "sea-green"),
            open_nodes("Keller Ceramics"),
            sql(
                "SELECT number, item, unit_price_eur, ordered_on FROM orders WHERE item LIKE 'sea-green%' ORDER BY "
                "ordered_on DESC"
            ),
            read_page("pg-2c7d-purchase"),
            calculate(f"{area:g} * 1.1"),
            calculate(f"{needed:g} - {stock:g}"),
            calculate(f"{buy:g} * {price:g}"),
            sql("SELECT lead FROM projects WHERE name LIKE 'Mill Lane%'"),
        ],
        [
            f"With the niche and 10 percent for breakage {needed:.2f} square metres are needed.",
            f"{stock:g} square metres are in stock, so {buy:.2f} have to be ordered, which is above the minimum of 8.",
            f"At {price:.2f} EUR a square metre that costs {money(buy * price)} EUR.",
            f"The lead of the project may place the order: {data.row('projects', code='MLN')['lead']}.",
        ],
        conditional=True,
    )


def loan_insurance() -> Draft:
    objects = data.records("Objects")
    lenders = sorted({o["Lender"] for o in objects})
    sums = {lender: sum(o["Insured EUR"] for o in objects if o["Lender"] == lender) for lender in lenders}
    data.message("0.35 percent of the insured value, minimum 250 EUR a lender")
    premiums = {lender: max(250.0, value * 0.0035) for lender, value in sums.items()}
    least = [lender for lender, premium in premiums.items() if premium == 250]
    require(len(least) == 2, "two lenders fall under the minimum")
    total = sum(premiums.values())
    return draft(
        "How much will the insurance of everything that is lent to Lantern cost us, on the terms that Bea posted in "
        "February? Reckon lender by lender, as the terms want it. Tell me also which lenders only pay the minimum and "
        "who is the most expensive one.",
        [
            search_messages("insurance", sender="bea"),
            list_bases(),
            list_tables("loans"),
            list_records("Objects"),
            calculate(" + ".join(f"max(250, {value} * 0.0035)" for value in sums.values())),
            *(calculate(f"{value} * 0.0035") for value in sums.values()),
        ],
        [
            f"The insurance costs {money(total)} EUR in total.",
            f"The minimum of 250 EUR holds for {least[0]} and {least[1]}.",
            f"The most expensive lender is {max(premiums, key=lambda k: premiums[k])} with "
            f"{money(max(premiums.values()))} EUR.",
        ],
    )


def petty_cash() -> Draft:
    limit = data.number(data.message("Petty cash")["text"], r"above (\d+) EUR")
    over = [r for r in data.table("finance/petty-cash-2026-02.csv") if float(r["amount_eur"]) > limit]
    total = sum(float(r["amount_eur"]) for r in over)
    names = sorted({r["who"] for r in over})
    largest = max(over, key=lambda r: float(r["amount_eur"]))
    require(len(over) >= 2, "there is more than one receipt")
    return draft(
        "Marcus wrote in the finance channel what is not to be paid from petty cash any more. Go through the February "
        "list among our finance files: if there is more than one receipt above his limit, answer in that channel with "
        "their number and their sum, otherwise leave the channel alone. Then tell me the same, who handed them in, "
        "and which was the largest.",
        [
            search_messages("petty cash", channel="#finance"),
            list_folder("finance"),
            read_files("finance/petty-cash-2026-02.csv"),
            calculate(" + ".join(f"{float(r['amount_eur']):g}" for r in over)),
            post_message(
                "#finance",
                f"Petty cash in February: {len(over)} receipts above {limit:g} EUR, {money(total)} EUR together.",
            ),
        ],
        [
            f"{len(over)} receipts of February are above the limit of {limit:g} EUR.",
            f"Together they come to {money(total)} EUR.",
            f"They were handed in by {', '.join(names[:-1])} and {names[-1]}.",
            f"The largest is '{largest['what']}' over {money(float(largest['amount_eur']))} EUR.",
            "The number and the sum have been posted in #finance.",
        ],
        conditional=True,
    )


def lantern_hours() -> Draft:
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
    return draft(
        "At this year's hourly rates, what is the time worth that we have booked on Lantern until now? Compare it "
        "with what has been invoiced for the project, paid or not: if the hours are worth more, tell me what we still "
        "have to invoice, if they are worth less, by how much the invoices are ahead. And who has booked most?",
        [
            Step("database_list_tables", {}),
            Step("database_describe_table", {"table_name": "time_entries"}),
            sql(
                "SELECT person, SUM(hours) AS hours FROM time_entries WHERE project_code = 'LAN' GROUP BY person "
                "ORDER BY 2 DESC"
            ),
            search_pages("hourly rates"),
            read_page("pg-4b22-rates"),
            sql("SELECT SUM(amount_eur) AS invoiced FROM invoices WHERE project_code = 'LAN'"),
            calculate(" + ".join(f"{h:g}*{rates[p]:g}" for p, h in sorted(hours.items()))),
            calculate(f"{invoiced} - {cost:g}"),
        ],
        [
            f"The hours booked on Lantern are worth {money(cost)} EUR.",
            f"{money(invoiced)} EUR have been invoiced, so the invoices are ahead by {money(difference)} EUR.",
            f"{most} has booked most, {hours[most]:g} hours.",
        ],
        conditional=True,
    )


def three_largest() -> Draft:
    data.file("notes/round-2026-02-23.md", "three largest open invoices on one page")
    rate = data.number("\n".join(data.observations("Fernhill")), r"is (\d+) percent")
    top = sorted((i for i in data.rows("invoices") if i["paid_on"] is None), key=lambda i: -i["amount_eur"])[:3]
    net = sum(i["amount_eur"] for i in top)
    return draft(
        "In the notes of the weekly round of 23 February there is something that Nora wants to have on one page about "
        "invoices. Put it together for me from the books: the numbers, and the sum of them with VAT. The amounts in "
        "the books are without VAT; its rate should be known to the knowledge graph.",
        [
            list_folder("notes"),
            read_files("notes/round-2026-02-23.md"),
            sql(
                "SELECT number, project_code, amount_eur FROM invoices WHERE paid_on IS NULL ORDER BY amount_eur DESC "
                "LIMIT 3"
            ),
            search_nodes("VAT"),
            calculate(f"({' + '.join(str(i['amount_eur']) for i in top)}) * {1 + rate / 100:g}"),
        ],
        [
            f"The three largest open invoices are {top[0]['number']}, {top[1]['number']} and {top[2]['number']}.",
            f"With {rate:g} percent VAT they come to {money(net * (1 + rate / 100))} EUR.",
        ],
    )


def port_withheld() -> Draft:
    rate = data.number("\n".join(data.observations("Aldern Port Authority")), r"Withholds (\d+) percent")
    paid = sum(i["amount_eur"] for i in data.rows("invoices") if i["project_code"] == "FRY" and i["paid_on"])
    acceptance = data.record("Milestones", Milestone="Acceptance by the port")
    return draft(
        "The port authority keeps back a part of what it owes us for the ferry terminal benches. How much money is "
        "that by now, counting the invoices that are marked as paid, and on what date does our tracker expect the "
        "event that makes them release it? I also need to know whom to talk to over there.",
        [
            open_nodes("Aldern Port Authority"),
            open_nodes("Petter Aas"),
            sql("SELECT SUM(amount_eur) AS paid FROM invoices WHERE project_code = 'FRY' AND paid_on IS NOT NULL"),
            search_records("Milestones", "acceptance"),
            calculate(f"{paid} * {rate / 100:g}"),
        ],
        [
            f"The port authority has withheld {money(paid * rate / 100)} EUR, {rate:g} percent of {money(paid)} EUR.",
            f"The acceptance is expected on {long_date(acceptance['Due'])}.",
            f"The person to talk to is {data.relation(None, 'is_contact_for', 'Ferry terminal benches')}, the harbour "
            "master.",
        ],
    )


def owens_discount() -> Draft:
    percent = data.number(data.message("Owen apologised")["text"], r"offers (\d+) percent")
    order = data.row("orders", number=60442)
    value = order["quantity"] * order["unit_price_eur"]
    reduced = value * (1 - percent / 100)
    require(value > 1800 >= reduced, "the discount moves the order below Nora's limit")
    lead = data.row("projects", code=order["project_code"])["lead"]
    offer = f"Offers {percent:g} percent off the next lighting order placed before 31 March 2026"
    return draft(
        "Owen from Brightwire has offered us something to make up for the delay; it is in the suppliers channel. Find "
        "the first order that we have sent to Brightwire after the day of that message and tell me what it comes to "
        "with his offer. Would that change who has to approve it? Also add his offer to what the knowledge graph has "
        "on him.",
        [
            search_messages("Owen", channel="#suppliers"),
            sql(
                "SELECT o.number, o.project_code, item, quantity, unit_price_eur, ordered_on FROM orders o JOIN "
                "suppliers s ON s.id = supplier_id WHERE s.name = 'Brightwire' AND ordered_on > '2026-02-25' ORDER BY "
                "ordered_on"
            ),
            calculate(f"{order['quantity']} * {order['unit_price_eur']} * {1 - percent / 100:g}"),
            search_pages("purchase approvals"),
            read_page("pg-2c7d-purchase"),
            calculate(f"{order['quantity']} * {order['unit_price_eur']}"),
            sql(f"SELECT lead FROM projects WHERE code = '{order['project_code']}'"),
            Step("memory_add_observations", {"observations": [{"entityName": "Owen Pryce", "contents": [offer]}]}),
        ],
        [
            f"The first order after his message is {order['number']}: {order['quantity']} x {order['item']}, "
            f"{money(value)} EUR.",
            f"With {percent:g} percent off it comes to {money(reduced)} EUR.",
            f"At the full price Nora has to approve it in writing, with the offer the lead of the project may: {lead}.",
            "Owen's offer has been noted in the knowledge graph.",
        ],
    )


def bench_frames() -> Draft:
    positions = data.table("ferry/bench-positions.csv")
    needed = sum(int(p["benches"]) * int(p["frames_per_bench"]) for p in positions)
    ordered = sum(
        o["quantity"] for o in data.rows("orders") if o["item"] == "bench frame" and o["project_code"] == "FRY"
    )
    old = data.row("orders", number=60439)["unit_price_eur"]
    new = data.number(data.message("price of bench frames")["text"], r"to (\d+) EUR")
    more = needed - ordered
    require(more > 0, "frames are missing")
    return draft(
        "Check whether we have ordered enough bench frames for the ferry terminal: the list of positions is among our "
        "files, the orders are in the books. If some are missing, tell me how many and what we save by ordering them "
        "before the price goes up, which somebody announced in a channel; if we have too many, tell me how many are "
        "left over.",
        [
            list_folder("ferry"),
            read_files("ferry/bench-positions.csv"),
            sql(
                "SELECT SUM(quantity) AS ordered, MAX(unit_price_eur) AS price FROM orders WHERE item = 'bench frame' "
                "AND project_code = 'FRY'"
            ),
            search_messages("bench frames"),
            calculate(" + ".join(f"{p['benches']}*{p['frames_per_bench']}" for p in positions)),
            calculate(f"{needed} - {ordered}"),
            calculate(f"{more} * ({new:g} - {old:g})"),
        ],
        [
            f"The positions need {needed} frames and {ordered} have been ordered.",
            f"{more} frames are missing.",
            f"The price rises from {old:g} to {new:g} EUR on 1 April, so ordering before saves "
            f"{money(more * (new - old))} EUR.",
        ],
        conditional=True,
    )


def calder_hours() -> Draft:
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
    return draft(
        "Add up the hours that we have each estimated for the Calder tender; where somebody has corrected himself, "
        "the correction counts. If the sum is above what the library asks for, apply the way out that our notes on "
        "the tender describe, otherwise leave it. Then put the reserve on top that Nora wants for Calder. Does it "
        "fit? Write the final number of hours at the end of those notes.",
        [
            channel_history("#calder-tender", "4w"),
            search_pages("Calder"),
            read_page("pg-d0b6-calder"),
            search_messages("Calder reserve"),
            calculate(" + ".join(f"{hours:g}" for hours in estimates)),
            calculate(f"{total:g} - {off:g}"),
            calculate(f"({total:g} - {off:g}) * {1 + reserve / 100:g}"),
            Step(
                "documents_append_to_page",
                {"pageId": "pg-d0b6-calder", "text": f"Hours for the offer, with reserve: {with_reserve:.1f}"},
            ),
        ],
        [
            f"The estimates add up to {total:g} hours, above the {most:g} that the library asks for.",
            f"With a subcontractor for the shelves {left:g} hours are left.",
            f"With {reserve:g} percent reserve that makes {with_reserve:.1f} hours, which fits.",
            "The final number stands at the end of the notes on the tender.",
        ],
        conditional=True,
    )


def harbour_penalty() -> Draft:
    text = data.file("harbour-hall/contract-summary.md", "for each full week of delay", "at most 4 percent")
    rate = data.number(text, r"Penalty: ([\d.]+) percent")
    budget = data.row("projects", code="HBH")["budget_eur"]
    weeks = (date(2026, 7, 24) - date(2026, 6, 5)).days // 7
    share = min(4.0, rate * weeks)
    fee = budget * share / 100
    require(share < 4, "the cap is not reached")
    return draft(
        "Suppose that Harbour Hall is finished only on the day of the opening party in Mill Lane, as the brief of "
        "that shop has it. What penalty would our contract with Harmon make us pay, in euros, and does its upper "
        "limit come into play? The agreed sum is the budget in the books.",
        [
            Step("filesystem_search_files", {"path": "/data", "pattern": "**/*.md"}),
            read_files("harbour-hall/contract-summary.md", "mill-lane/brief.md"),
            sql("SELECT name, budget_eur, due FROM projects WHERE code = 'HBH'"),
            calculate(f"{rate:g} * {weeks}"),
            calculate(f"{budget:g} * {share:g} / 100"),
        ],
        [
            f"From 5 June to 24 July 2026 it is {weeks} full weeks of delay.",
            f"The penalty would be {share:.1f}% of {money(budget)} EUR, that is {money(fee)} EUR.",
            "The upper limit of 4 percent is not reached.",
        ],
    )


def silt_delivery() -> Draft:
    order = data.row("orders", number=60440)
    data.message("order 60440 is here")
    supplier = data.row("suppliers", name="Silt & Sons")
    require(order["supplier_id"] == supplier["id"] and order["delivered_on"] is None, "the order is open")
    done = [o for o in data.rows("orders") if o["supplier_id"] == supplier["id"] and o["delivered_on"]]
    late = [o for o in done if o["delivered_on"] > o["promised_on"]]
    early = (date.fromisoformat(order["promised_on"]) - TODAY).days
    share = len(late) / (len(done) + 1) * 100
    require(early > 0 and share > 45, "the order is early and the grade stays C")
    return draft(
        "Tomás has written this morning, 2 March 2026, that a delivery has come. If the order is still open in the "
        "books, enter today as the day on which it was delivered; if it is closed already, change nothing. How many "
        "days before or after the promise is that, and what grade does the supplier have, by our own scale, with this "
        "order counted?",
        [
            search_messages("order", sender="tomas", channel="#suppliers"),
            sql(
                "SELECT *, julianday(promised_on) - julianday('2026-03-02') AS days_early FROM orders WHERE number = "
                "60440"
            ),
            Step(
                "database_write_query",
                {
                    "query": "UPDATE orders SET delivered_on = '2026-03-02' WHERE number = 60440 AND delivered_on IS "
                    "NULL"
                },
            ),
            sql(
                "SELECT COUNT(*) AS delivered, SUM(delivered_on > promised_on) AS late, ROUND(100.0 * "
                "SUM(delivered_on > promised_on) / COUNT(*), 1) AS late_percent "
                f"FROM orders WHERE supplier_id = {supplier['id']} AND delivered_on IS NOT NULL"
            ),
            search_pages("grades of suppliers"),
            read_page("pg-3e91-suppliers"),
        ],
        [
            "Order 60440 of Silt & Sons was open and is now marked as delivered on 2 March 2026.",
            f"It came {early} days before the promised day.",
            f"With it {len(late)} of {len(done) + 1} delivered orders were late, {share:.1f}%, which is grade C.",
        ],
        conditional=True,
    )


TASKS = (
    lantern_reminder,
    wren_fee,
    red_projects,
    glass_contract,
    oven_tiles,
    loan_insurance,
    petty_cash,
    lantern_hours,
    three_largest,
    port_withheld,
    owens_discount,
    bench_frames,
    calder_hours,
    harbour_penalty,
    silt_delivery,
)
