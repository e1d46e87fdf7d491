# ruff: noqa: E501  # Each answer stands on one line, as models write it.
"""Attempts at shipped tasks, right and wrong, as models word and write them."""

import json
from typing import NamedTuple

from tests.suites.edits import Edit, answer, argument, dropped, moved, no_argument, renamed


class InventedAttempt(NamedTuple):
    """The reference's calls with changes, and whether a careful reader accepts the result."""

    suite: str
    task: str
    is_right: bool
    edits: tuple[Edit, ...]
    has_free_text: bool = True


def _lark(text: str, tool: str = "im_v1_message_create") -> Edit:
    return argument(tool, "data.content", json.dumps({"text": text}, ensure_ascii=False))


def _persona(task: str, is_right: bool, *edits: Edit, free: bool = True) -> InventedAttempt:
    return InventedAttempt("persona", task, is_right, edits, free)


def _mail(task: str, is_right: bool, body: str, subject: str = "") -> InventedAttempt:
    tool = "draft_email" if task in ("email-006", "email-008") else "send_email"
    edits = [argument(tool, "body", body), *([argument(tool, "subject", subject)] if subject else [])]
    return InventedAttempt("radar", task, is_right, tuple(edits))


def _radar(task: str, is_right: bool, *edits: Edit) -> InventedAttempt:
    return InventedAttempt("radar", task, is_right, edits, has_free_text=False)


def _atlas(task: str, is_right: bool, text: str, *edits: Edit) -> InventedAttempt:
    return InventedAttempt("atlas", task, is_right, (answer(text), *edits))


def _calls(suite: str, task: str, is_right: bool, *edits: Edit) -> InventedAttempt:
    return InventedAttempt(suite, task, is_right, edits, has_free_text=False)


PERSONA = (
    _persona(
        "cross-179", True, argument("send_message", "message", "If you're short, the left corner is the one for you!")
    ),
    _persona("cross-179", True, argument("send_message", "message", "For small people, I recommend the left corner.")),
    _persona("cross-179", False, argument("send_message", "message", "For small people the right corner is best.")),
    _persona("cross-179", False, argument("send_message", "message", "For tall people the left corner is best.")),
    _persona("cross-117", True, _lark("The behind-the-scenes video by Zihan currently has 496 likes on Rednote.")),
    _persona("cross-117", True, _lark("496 likes")),
    _persona("cross-117", False, _lark("Zihan's video from behind the scenes has 469 likes.")),
    _persona("cross-117", False, _lark("Zihan's video from behind the scenes has more than 496 likes.")),
    _persona(
        "people-199",
        True,
        argument("notion_create_comment", "rich_text.0.text.content", "RxCUI: Sandril = 9900550, Roperin = 9900203"),
    ),
    _persona(
        "people-199",
        True,
        argument(
            "notion_create_comment",
            "rich_text.0.text.content",
            "Hi Tunde, here are the codes: Roperin has RxCUI 9900203 and Sandril has RxCUI 9900550.",
        ),
    ),
    _persona(
        "people-199",
        False,
        argument("notion_create_comment", "rich_text.0.text.content", "Sandril: 9900203. Roperin: 9900550."),
    ),
    _persona(
        "single-54", True, argument("obsidian_patch_content", "content", "* Lunch without meat for Oliver"), free=False
    ),
    _persona(
        "single-54", False, argument("obsidian_patch_content", "content", "- Lunch without meat for Mei\n"), free=False
    ),
    _persona(
        "single-77",
        True,
        argument("send_message", "text", "Hi Ruoxi, please raise lantern_three_steps to 25 %. Thanks!"),
    ),
    _persona(
        "single-77",
        True,
        argument("send_message", "text", "Hey Ruoxi! Could you set the feature flag lantern_three_steps to 25%?"),
    ),
    _persona("single-77", False, argument("send_message", "text", "Could you raise lantern_three_steps by 25 %?")),
    _persona("single-77", False, argument("send_message", "text", "Could you lower lantern_three_steps to 25 %?")),
    _persona("people-240", True, argument("obsidian_patch_content", "content", "- room 360 yuan"), free=False),
    _persona("people-240", False, argument("obsidian_patch_content", "content", "- room 630 yuan\n"), free=False),
    _persona(
        "people-240",
        True,
        renamed(
            "obsidian_patch_content",
            "obsidian_obsidian_append_content",
            {"filepath": "Tours/Two days.md", "content": "- room 360 yuan\n"},
        ),
        free=False,
    ),
    _persona(
        "people-216",
        True,
        argument("obsidian_patch_content", "content", "\n- default timeout in seconds: 1,800\n"),
        free=False,
    ),
    _persona("people-210", False, no_argument("calendar_v4_calendarEvent_create", "data.location"), free=False),
    _persona(
        "people-282",
        True,
        argument("obsidian_append_content", "content", "\n- 12 March, 18:00: simul"),
        free=False,
    ),
    _persona(
        "people-291",
        True,
        argument("im_v1_message_create", "params.receive_id_type", "email"),
        argument("im_v1_message_create", "data.receive_id", "yuto.mori@post.example"),
        dropped("contact_v3_user_batchGetId"),
        free=False,
    ),
    _persona("people-279", False, argument("send_private_message", "userId", "367266709958249022"), free=False),
    _persona(
        "people-303",
        False,
        argument("edit_message", "message_id", 10),
        argument("delete_message", "message_id", 9),
        free=False,
    ),
    _persona("single-87", True, argument("send_text", "content", "The kitchen will be closed on Friday, 6 March.")),
    _persona(
        "single-87",
        True,
        argument("send_text", "content", "Hi everyone, please note that the kitchen is closed on Friday, March 6."),
    ),
    _persona("single-87", False, argument("send_text", "content", "The kitchen is open on Friday 6 March.")),
    _persona("single-87", False, argument("send_text", "content", "The kitchen is closed on Thursday 5 March.")),
    _persona("single-87", False, no_argument("send_text", "mentioned_list"), free=False),
    _persona(
        "cross-191",
        True,
        argument("send_private_message", "message", "I'll bring my rope, since Nina's gets soft after 20 metres."),
    ),
    _persona("cross-191", True, argument("obsidian_patch_content", "content", "climbing shorts\n"), free=False),
    _persona(
        "cross-191",
        True,
        no_argument("calendar_v4_calendarEvent_create", "data.start_time.timezone"),
        no_argument("calendar_v4_calendarEvent_create", "data.end_time.timezone"),
        free=False,
    ),
    _persona(
        "cross-191", False, argument("send_private_message", "message", "Please bring your rope: mine is soft at 20 m.")
    ),
    _persona("cross-159", True, argument("publish_content", "tags", []), free=False),
    _persona("cross-159", False, argument("publish_content", "tags", ["合唱"]), free=False),
    _persona("single-54", False, argument("obsidian_patch_content", "target", "Agenda"), free=False),
    _persona("single-52", True, argument("obsidian_patch_content", "operation", "prepend", nth=0), free=False),
    _persona(
        "single-60",
        True,
        argument(
            "send_email", "text", "Hi Mei,\n\nthere are 75,600 euros left of the Harbour budget.\n\nBest,\nSiyuan"
        ),
    ),
    _persona(
        "single-60",
        True,
        argument("send_email", "text", "We have €75,600 left in the Harbour billing budget."),
        argument("send_email", "subject", "Harbour budget"),
    ),
    _persona("single-60", False, argument("send_email", "text", "Of the budget 75,600 euros are gone.")),
    _persona(
        "people-232",
        True,
        argument(
            "send_email",
            "body",
            "Hi Gareth,\n\nthe draft is stored at drafts/long-night.png.\n\nBest regards,\nPriscilla",
        ),
    ),
    _persona(
        "people-232",
        False,
        argument("send_email", "body", "Dear Gareth,\n\nthe draft is in drafts/long-day.png.\n\nPriscilla\n"),
    ),
    _persona("people-232", False, argument("send_email", "subject", "The draft"), free=False),
    _persona(
        "cross-139",
        True,
        argument(
            "obsidian_patch_content", "content", "- Difference between Harbour's two systems for January: €312.40\n"
        ),
    ),
    _persona(
        "cross-139",
        False,
        argument("obsidian_patch_content", "content", "- Harbour: the systems differ by 312.40 euros for February.\n"),
    ),
    _persona("single-20", True, _lark("Our last Qingshan demo is on 16 March in Terrace.")),
    _persona(
        "single-20", True, _lark("Hi all, the Qingshan demo takes place on Monday, 16 March, in the room Terrace.")
    ),
    _persona("single-20", False, _lark("The last demo is on 17 March in the room Terrace.")),
    _persona("single-20", False, _lark("The last demo is not on 16 March in the room Terrace.")),
    _persona("single-84", True, argument("send_message", "text", "I still need to book the room for the demo.")),
    _persona("single-84", False, argument("send_message", "text", "I have booked the room for the demo.")),
    _persona("people-210", True, _lark("Hi Aiko, I'll take your early shift on Saturday, 7 March.")),
    _persona("people-210", False, _lark("I cannot take your early shift on Saturday, Aiko.")),
    _persona("people-210", False, _lark("I take your late shift on Saturday, Aiko.")),
    _persona(
        "people-205", True, argument("send_message", "message", "I promise to be home for the plumber on 10 March.")
    ),
    _persona(
        "people-205", False, argument("send_message", "message", "I shall be at home on 11 March and open the door.")
    ),
    _persona("people-205", False, argument("send_message", "message", "I shall not be at home on 10 March.")),
    _persona("single-107", True, argument("create_group", "user_ids", [488866127, 174769672]), free=False),
    _persona("single-76", True, argument("create_a_reminder", "text", "Bring your passport")),
    _persona("single-76", False, argument("create_a_reminder", "time", "1772505000"), free=False),
)

RADAR = (
    _mail(
        "email-092",
        True,
        "Hi Bea, could you please order lunch for 7 people on 17 March? Thanks, Nora",
        "Lunch on 17 March",
    ),
    _mail("email-092", True, "Please order lunch for seven on 17 March."),
    _mail("email-092", False, "Please order lunch for seventeen people on 17 March."),
    _mail("email-092", False, "Please cancel lunch for seven people on 17 March."),
    _mail("email-006", True, "Hi Bea,\n\ndo you have an hour for me on Friday?\n\nBest,\nNora", "An hour on Friday"),
    _mail("email-006", False, "Could you spare me an hour on Monday?"),
    _mail("email-110", True, "Hi Sofia, the lens may stand where we drew it. Best, Nora", "The lens"),
    _mail("email-110", False, "The lens may not stand where we drew it."),
    _mail(
        "email-004",
        True,
        "Hello Marcus and Bea,\n\nplease come to the workshop tomorrow at noon.\n\nNora",
        "Workshop tomorrow at noon",
    ),
    _mail("email-004", True, "Could you both come to the workshop tomorrow at 12:00?", "Workshop"),
    _mail("email-004", False, "Please come to the workshop at noon today."),
    _mail(
        "email-008",
        True,
        "Hi Sofia,\n\njust a quick note that the price list has changed.\n\nBest regards,\nNora",
        "Price list",
    ),
    _mail("email-008", False, "The price list has not changed."),
    _mail(
        "email-091",
        True,
        "Hi Marcus, the hosting was more expensive in December because we used 15 GB more than our plan includes.",
    ),
    _mail("email-091", False, "We used 15 GB less than the plan includes."),
    _mail("email-097", True, "Hi Bea, I'll sign the new contract this afternoon.", "New contract"),
    _mail("email-097", False, "I sign it tomorrow afternoon."),
    _mail(
        "email-112",
        True,
        "Hi Samuel,\n\njust to let you know that I'll come to Calder by train.\n\nLove,\nNora",
        "Train to Calder",
    ),
    _mail("email-112", False, "I come to Calder by car."),
    _radar("email-092", False, dropped("read_email")),
    _radar("math-001", True, answer("76 bottles stay at the depot.\n<answer>76 bottles</answer>")),
    _radar("math-003", True, answer("<answer>62.98 km/h</answer>")),
    _radar("math-003", False, answer("<answer>62.98 mph</answer>")),
    _radar("math-006", True, answer("<answer>865 copies</answer>")),
    _radar("math-009", True, answer("<answer>x = 5/4 or x = 5/2</answer>")),
    _radar("math-009", False, answer("<answer>x = -5/4 or x = -5/2</answer>")),
    _radar("math-069", True, answer("<answer>f(g(x)) = 27x^2 + 123x + 140</answer>")),
    _radar("math-041", True, answer("<answer>8192 cm³</answer>")),
    _radar("math-041", False, answer("<answer>8192 cm²</answer>")),
    _radar("math-045", True, answer("<answer>F(x) = x^4 + 5x^3 - 7x + 1</answer>")),
    _radar("math-045", False, answer("<answer>F'(x) = x^4 + 5x^3 - 7x + 1</answer>")),
    _radar("math-055", True, answer("<answer>€3,452.60</answer>")),
    _radar("math-055", False, answer("<answer>$3,452.60</answer>")),
    _radar("math-085", True, answer("<answer>13,277 hooks</answer>")),
    _radar("math-117", True, answer("<answer>£25,605.23</answer>")),
    _radar("math-120", True, answer("<answer>48 770.91 crowns</answer>")),
    _radar("math-120", False, answer("<answer>48 770.91 dollars</answer>")),
    _radar("math-111", True, answer("<answer>311.5 cm²</answer>")),
    _radar("math-111", False, answer("<answer>311.5 m²</answer>")),
    _radar("websearch-076", True, answer("<answer>In 1827</answer>")),
    _radar("websearch-011", True, answer("<answer>Widow’s Law</answer>")),
    _radar("websearch-015", True, answer("<answer>18.9 million crowns</answer>")),
    _radar("websearch-015", False, answer("<answer>18.9 crowns</answer>")),
    _radar("websearch-079", True, answer("<answer>66.2 %</answer>")),
    _radar("websearch-082", True, answer("<answer>651 GWh</answer>")),
    _radar("websearch-082", False, answer("<answer>651 MWh</answer>")),
    _radar("calendar-007", True, argument("list_events", "end_date", "2026-03-20T23:59:59.999")),
    _radar("calendar-007", False, argument("list_events", "end_date", "2026-03-21T23:59:59")),
    _radar("calendar-003", True, answer("<answer>no</answer>")),
    _radar("calendar-003", False, answer("<answer>Yes</answer>")),
    _radar("email-020", True, argument("search_emails", "query", "in:anywhere regatta")),
    _radar("email-017", False, answer("<answer>Bea Novak</answer>")),
    _radar("terminal-046", True, argument("interact_with_process", "input", "print(17*23-4)")),
    _radar("terminal-032", True, answer("<answer>7260, 5402, 2520, 1260, 845, 96, 31</answer>")),
    _radar("terminal-032", False, answer("<answer>7206, 5402, 2520, 1260, 845, 96, 31</answer>")),
)

ATLAS = (
    _atlas(
        "new-pieces",
        True,
        "I added Felt bowl to the shop's catalogue. At today's rate it will cost $26.04. The coat hook Pier isn't ready, so it has to wait.",
    ),
    _atlas("loan-insurance", False, "Sorry, I do not have access to the information needed to answer this."),
    _atlas(
        "february-electricity",
        True,
        "Only **Dock Street 2** is above the limit: its consumption rose by 29.5 %. I added it to the agenda of the weekly round. Its electricity costs 373.64 EUR for February, and the spray booth is the machine that stands there.",
    ),
    _atlas(
        "february-electricity",
        False,
        "Only Dock Street 2 used so much more, by 29.5%. Its electricity of February costs 364.73 EUR. The spray booth is in that building. Dock Street 2 is on the agenda of the weekly round now.",
    ),
    _atlas(
        "broken-shade",
        True,
        "Inés Carvajal gets back 64.00 USD, which is 58.98 EUR at the current rate. She does not have to send the lamp back.",
    ),
    _atlas(
        "broken-shade",
        False,
        "Inés Carvajal gets 64.00 USD back. That is 58.98 EUR. The lamp must be sent back, because it cost more than 80 USD.",
    ),
    _atlas(
        "broken-shade",
        False,
        "Inés Carvajal gets 64.00 USD back. That is 58.98 EUR. The lamp is not sent back, because it did not cost more than 80 USD.",
        argument("create_refund", "amount.value", "46.00"),
    ),
    _atlas(
        "ash-batches",
        True,
        "Tomás may cut batches A (mean 9.32 %) and C (mean 9.20 %). Batch B has a mean of 10.42 % and may not be cut: boards B-03 and B-05 must be set aside and measured again on 11 March 2026. According to the workshop channel, batch B lay under the leaking gutter.",
    ),
    _atlas(
        "ash-batches",
        False,
        "Batch A may be cut: its mean is 9.20 percent. Batch C may be cut: its mean is 9.32 percent. Batch B may not be cut: its mean is 10.42 percent. The boards B-03 and B-05 are set aside. They are measured again on 11 March 2026. Batch B lay under the leaking gutter.",
    ),
    _atlas(
        "children-and-paint",
        True,
        "The last coat of paint has to be on by 18 March 2026 at the latest. The city asks for 9 days of airing, while our risk list only has six ('Air for six days'). The measurement costs 180 EUR. Tomás Herrera is the owner of both.",
    ),
    _atlas(
        "children-and-paint",
        False,
        "The last coat of paint must be on by 21 March 2026. The city wants 9 days of airing, which is more than in our list of risks: 'Air for six days'. The measurement costs 180 EUR. Tomás Herrera owns both the milestone and the risk.",
    ),
    _atlas(
        "next-configurator",
        True,
        "Two changes would go out, both by Priya Raman: 'Count 14 percent waste for ash' and 'Charge more for rush orders'. The working tree is clean. 3 m² of ash would cost 506.16 EUR; before it was 497.28 EUR.",
    ),
    _atlas(
        "next-configurator",
        False,
        "The changes are 'Count 14 percent waste for ash' and 'Charge more for rush orders', both by Priya Raman. The working tree is not clean. The ash would cost 506.16 EUR instead of 497.28 EUR.",
    ),
    _atlas(
        "harbour-penalty",
        True,
        "The delay from 5 June to 24 July 2026 is 7 full weeks, so the penalty is 2.1 % of 184,000 EUR = 3,864 EUR. The cap of 4 % does not come into play.",
    ),
    _atlas(
        "harbour-penalty",
        False,
        "From 5 June to 24 July 2026 it is 7 full weeks of delay. The penalty would be 2.1% of 184,000.00 EUR, that is 3,864.00 EUR. The upper limit of 4 percent is reached.",
    ),
    _atlas(
        "lantern-materials",
        True,
        "Lantern has ordered materials for 12,907.60 EUR, i.e. 13.4 % of its budget. This exceeds the 12 % we allow for exhibitions, so I created the level 3 risk in the tracker with Priya Raman as owner.",
    ),
    _atlas(
        "lantern-materials",
        False,
        "Materials for 12,907.60 EUR have been ordered, 13.4% of the budget. That is below the 12 percent for exhibitions. The risk of level 3 is in the tracker and owned by Priya Raman.",
    ),
    _atlas(
        "lantern-materials",
        False,
        "Materials for 12,907.60 EUR have been ordered, 13.4% of the budget. That is above the 12 percent for exhibitions. The risk of level 3 is in the tracker and owned by Priya Raman.",
        argument("create_record", "fields.Level", 2),
    ),
    _atlas(
        "bench-frames",
        True,
        "We need 210 frames but only 187 have been ordered, so 23 are missing. If you order them before 1 April, when the price goes up from 218 to 231 EUR, you save 299 EUR.",
    ),
    _atlas(
        "bench-frames",
        False,
        "The positions need 187 frames and 210 have been ordered. 23 frames are missing. The price rises from 218 to 231 EUR on 1 April, so ordering before saves 299.00 EUR.",
    ),
    _atlas(
        "paper-in-the-light",
        True,
        "The paper would hang for 136 days. That is longer than the 90 days that the guide allows, so it has to come down on 15 July 2026. It may be lit with at most 50 lux.",
    ),
    _atlas(
        "paper-in-the-light",
        False,
        "It would hang for 90 days. The guide allows 136 days, so it would have to come down on 15 July 2026. It may be lit with 50 lux.",
    ),
    _atlas(
        "long-thursdays",
        True,
        "The museum will have to stay open until 20:00 in weeks 17, 19 and 20, which have more than 1,700 visitors each. Together the tickets earn 41,055 EUR. The opening on 16 April is in week 16, so it is not one of those weeks.",
    ),
    _atlas(
        "long-thursdays",
        False,
        "More than 1,700 people are expected in weeks 17, 18 and 20. In these weeks the tickets bring 41,055.00 EUR. The opening on 16 April 2026 is in week 16, which is not one of them.",
    ),
    _atlas(
        "call-in-german",
        True,
        "Your contact is Mina Osei, and she likes German best. Julia Behrens speaks German but is on approved leave on 9 April 2026, so Priya Raman makes the call. Half an hour of Priya's time costs 48 EUR.",
    ),
    _atlas(
        "call-in-german",
        False,
        "Our contact is Mina Osei, who prefers German. Priya Raman speaks it, but is on leave on 9 April 2026, so Julia Behrens calls. Half an hour of her time costs 48.00 EUR.",
    ),
    _atlas(
        "wren-instalments",
        True,
        "Each of the three instalments of F-2525 would be 4,866.33 EUR. The last one arrives on 29 May 2026, i.e. before the lobby starts again on 1 June 2026. The late fee is 291.98 EUR.",
    ),
    _atlas(
        "wren-instalments",
        False,
        "Each of the 3 parts of F-2525 comes to 4,866.33 EUR. The last part arrives on 29 May 2026, after the lobby starts again on 1 June 2026. The late fee on that invoice is 291.98 EUR.",
    ),
    _atlas(
        "bakery-floor",
        True,
        "No floor fits. Cork: fire class E, but shops need at least D-s2. Linoleum: Elena Petrova doesn't like it. White tiles would cost 38.90 EUR per m², which is within the 70 EUR of the brief; you would be 27 m² short.",
    ),
    _atlas(
        "bakery-floor",
        False,
        "Cork is fine. Linoleum is out, because Elena Petrova dislikes it. White tiles cost 38.90 EUR a square metre, within the 70 EUR of the brief. 27 square metres would be missing.",
    ),
    _atlas(
        "stand-at-the-regatta",
        True,
        "The regatta starts on 19 June 2026, 14 days after Harbour Hall is complete. A stand costs 310 EUR; as this is not above 400 EUR, anybody in the project may order it. Applications are open until 30 April.",
    ),
    _atlas(
        "stand-at-the-regatta",
        False,
        "The regatta begins on 19 June 2026, 14 days before Harbour Hall is complete. A stand costs 310 EUR. Anybody in the project may order it, because it is not above 400 EUR. Applications end on 30 April.",
    ),
)


def _invoice(quantity: int, name: str, price: str, mail: str, *, nth: int) -> tuple[Edit, ...]:
    """Return edits by which an invoice in euros has one line and is for another person."""
    line = {"name": name, "quantity": str(quantity), "unit_amount": {"currency_code": "EUR", "value": price}}
    return (
        argument("create_invoice", "items", [line], nth=nth),
        argument("create_invoice", "primary_recipients", [{"billing_info": {"email_address": mail}}], nth=nth),
    )


CALLS = (
    _calls("finmcp", "single_tool-123", True, argument("getFundBenchmarkInfo", "fundCode", " 980411 ")),
    _calls("finmcp", "single_tool-123", False, argument("getFundBenchmarkInfo", "fundCode", "980141")),
    _calls("finmcp", "multi_tool-173", False, dropped("GetUserRegularPlans")),
    _calls("finmcp", "multi_tool-107", True, argument("SearchFunds", "size", 50)),
    _calls("finmcp", "multi_tool-107", False, argument("SearchFunds", "size", 1)),
    _calls("finmcp", "single_tool-019", False, argument("PlanSavingGoal", "months", 5)),
    _calls("finmcp", "single_tool-019", True, argument("PlanSavingGoal", "months", 60.0)),
    _calls("toolbench", "finance-042", True, argument("get_stock_info", "ticker", "ko")),
    _calls("toolbench", "finance-042", False, argument("get_historical_stock_prices", "period", "6mo")),
    _calls("toolbench", "finance-050", True, moved("get_exchange_rate", before="get_stock_price_global_market")),
    _calls("toolbench", "finance-050", False, argument("get_exchange_rate", "to_currency", "USD")),
    _calls("toolbench", "map-014", True, argument("maps_directions", "destination", "the British Museum, London")),
    _calls("toolbench", "map-014", False, argument("maps_directions", "destination", "Buckingham Palace")),
    _calls("toolbench", "map-007", True, argument("maps_search_places", "query", "museums in London")),
    _calls("toolbench", "map-007", False, argument("maps_search_places", "query", "museums in Paris")),
    _calls("toolbench", "map-136", False, argument("map_directions", "model", "driving")),
    _calls("toolbench", "map-111", True, argument("map_geocode", "address", "Эйфелевой башни")),
    _calls("toolbench", "map-130", True, argument("maps_geocode", "address", "Atocha Station")),
    _calls(
        "toolbench", "map-127", True, argument("map_search_places", "query", "кафе Снегирь, Санкт-Петербург", nth=1)
    ),
    _calls("toolbench", "map-127", False, argument("map_search_places", "query", "кафе, Санкт-Петербург", nth=1)),
    _calls("toolbench", "browser-009", True, argument("playwright_screenshot", "selector", "table")),
    _calls("toolbench", "browser-009", False, argument("playwright_screenshot", "selector", "nav")),
    _calls(
        "toolbench",
        "pay-080",
        True,
        *_invoice(10, "Farol mini", "12.00", "lucia.ferrer@mail.example", nth=0),
        *_invoice(1, "Farol grande", "58.00", "camille.aubert@atelier.example", nth=1),
    ),
    _calls(
        "toolbench", "pay-080", False, *_invoice(10, "Farol mini", "12.00", "camille.aubert@atelier.example", nth=1)
    ),
    _calls("toolbench", "filesystem-032", True, argument("list_directory_with_sizes", "path", "studio/logs/")),
    _calls("toolbench", "filesystem-032", True, argument("list_directory_with_sizes", "path", "./studio/logs")),
    _calls("toolbench", "filesystem-032", False, argument("list_directory_with_sizes", "sortBy", "name")),
    _calls("toolbench", "filesystem-038", True, argument("search_files", "path", "studio/")),
    _calls("toolbench", "filesystem-038", False, argument("search_files", "path", "studio/drafts")),
    _calls("toolbench", "filesystem-038", False, argument("search_files", "excludePatterns", [])),
    _calls("toolbench", "search-007", True, argument("tavily_search", "query", "Idris Fell author, travel books")),
    _calls("toolbench", "search-007", False, argument("tavily_search", "query", "Idris travel books")),
    _calls("toolbench", "search-018", True, renamed("tavily_search", "google_search")),
)

INVENTED = (*PERSONA, *RADAR, *ATLAS, *CALLS)
