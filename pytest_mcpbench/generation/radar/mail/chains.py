"""Email requests that need two or three calls in a fixed order: reading, sending, modifying."""

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mcpbench.generation.radar.mail.messages import add_label_call, read_call, remove_label_call
from pytest_mcpbench.generation.radar.mail.outgoing import HAPPY, THANKS, send_call, sender
from pytest_mcpbench.generation.radar.mail.sampler import DescribedMessage, MailSampler
from pytest_mcpbench.generation.radar.request import Fact, Request, ToolCall, request
from pytest_mcpbench.generation.spelling import clock, day

COUNTS = {"read, send": 10, "send, modify": 8, "read, modify": 6, "modify, send": 5, "read, send, modify": 5}
"""Number of requests for each chain of calls, 34 in total as in MCP-RADAR."""
WIDTH: Fact = ("110", "110cm", "1.10", "1.1", "1,10", "1.10m", "1.1m")


@dataclass(frozen=True)
class Scenario:
    """A message, the request about it, and the mail to send as a result."""

    subject: str
    ask: str
    body: str
    required_facts: tuple[Fact, ...]
    """Facts that the mail must state, in any wording."""
    to: str = ""
    """Name of the recipient; by default the sender of the message."""
    change: str = ""
    """Change of labels: ``+LABEL`` or ``-LABEL``."""


READ_AND_SEND = (
    Scenario(
        "Delay of the ring lamps",
        "Owen Pryce has bad news about some lamps. Read what it is, then mail the new delivery date to Lucy Adeyemi.",
        "The four ring lamps come on Wednesday 13 May.",
        (day("2026-05-13"),),
        "Lucy Adeyemi",
    ),
    Scenario(
        "Weight of the lighthouse lens",
        "How much does the floor of gallery 3 carry? Yuki Tanabe has written it. Read it there and then send the "
        "figure to Priya Raman.",
        "The floor carries 500 kg per square metre.",
        (("500", "five hundred"),),
        "Priya Raman",
    ),
    Scenario(
        "Visit of the board on 17 March",
        "Look into Daniel Harmon's mail about 17 March for the number of visitors and after that ask Bea Novak by "
        "mail to order lunch for as many.",
        "Please order lunch for seven people on 17 March.",
        (("lunch", "lunches"), ("seven", "7")),
        "Bea Novak",
    ),
    Scenario(
        "Tender papers for the Calder library",
        "The deadline for the Calder offers is in what Samuel Whitlock wrote this morning. Read that and let Julia "
        "Behrens know the date by mail.",
        "The offers are due on Thursday 9 April at noon.",
        (day("2026-04-09"),),
        "Julia Behrens",
    ),
    Scenario(
        "Booking confirmation RK7Q2D: Lisbon",
        "Check in the airline's confirmation when I fly home from Lisbon, then mail the time to Astrid Lindqvist.",
        "I fly home on Saturday 23 May at 18:50.",
        (clock("18:50"),),
        "Astrid Lindqvist",
    ),
    Scenario(
        "Invoice CB-11560 for December",
        "Marcus Oyelaran wonders why the hosting for December was so dear. Read the reason in that invoice mail and "
        "explain it to him by e-mail.",
        "We used 15 GB more than the plan includes.",
        (("15 GB", "15GB", "15 gigabytes", "fifteen gigabytes", "more than", "exceeded", "over the plan", "extra"),),
        "Marcus Oyelaran",
    ),
    Scenario(
        "Re: First plan for the shop in Mill Lane",
        "Open Elena Petrova's answer to our first plan, then tell Priya Raman by mail how wide the door should become.",
        "Elena would like the door to the yard to be 110 cm wide.",
        (WIDTH,),
        "Priya Raman",
    ),
    Scenario(
        "Saw works again",
        "Tomás Herrera has a new date for the wave wall in his mail about the saw. Read it and pass it on to Yuki "
        "Tanabe.",
        "The wave wall will be ready on 20 March.",
        (day("2026-03-20"),),
        "Yuki Tanabe",
    ),
    Scenario(
        "Colour of the harbour wall",
        "Which green does the harbour board want? It stands in the mail of 16 February from Daniel Harmon. Read it, "
        "then send the number to Tomás Herrera.",
        "The board wants number 6012.",
        (("6012",),),
        "Tomás Herrera",
    ),
    Scenario(
        "Your membership ends on 31 March",
        "Read in the climbing club's mail what a year costs if I extend early, and afterwards ask Ravi Menon in a "
        "mail whether he joins me at that price.",
        "It is 290 euros if we extend before 15 March. Are you in?",
        (("290",),),
        "Ravi Menon",
    ),
    Scenario(
        "Contract for Hanna Weiss",
        "Find out from Bea Novak's mail when Hanna Weiss begins. Then Ian Castellan should hear by mail that she "
        "needs a laptop by that day.",
        "Hanna Weiss starts on 1 April and needs a laptop by then.",
        (day("2026-04-01"), ("laptop", "notebook", "computer")),
        "Ian Castellan",
    ),
    Scenario(
        "Your ticket to Calder, 24 March",
        "From which platform does my train to Calder go? First read the ticket mail, then send the answer to Julia "
        "Behrens, who comes along.",
        "Our train leaves from platform 6.",
        (("6", "six"),),
        "Julia Behrens",
    ),
    Scenario(
        "Your stay in Lisbon, reservation 88213",
        "Until which day can the hotel in Lisbon be cancelled free of charge? Read it up in the hotel's mail, then "
        "mail the day to Bea Novak.",
        "It can be cancelled until 13 May.",
        (day("2026-05-13"),),
        "Bea Novak",
    ),
)

SEND_AND_MODIFY = (
    Scenario(
        "Speech for Saturday week",
        "Tell Astrid Lindqvist by mail that I will give the speech. Then put a star on the mail in which she asked.",
        "I will give the speech.",
        (("speech",),),
        change="+STARRED",
    ),
    Scenario(
        "Monday: can you take the Petrova meeting?",
        "Confirm to Julia Behrens by mail that I take the meeting at three. When that is out, her request should no "
        "longer be unread.",
        "I take the meeting at 15:00.",
        (("meeting", "Petrova", "Elena"),),
        change="-UNREAD",
    ),
    Scenario(
        "Contract for Hanna Weiss",
        "Write to Bea Novak that I sign the new contract this afternoon, and after that star her mail with the "
        "contract.",
        "I sign it this afternoon.",
        (("afternoon",),),
        change="+STARRED",
    ),
    Scenario(
        "Drawings for the wave wall",
        "Priya Raman may be told that the cutting can start: send her a mail. The star on her mail about the 212 "
        "parts can come off afterwards.",
        "The cutting can start.",
        (("cutting", "cut"),),
        change="-STARRED",
    ),
    Scenario(
        "Tender papers for the Calder library",
        "Announce our visit on 24 March at eleven to Samuel Whitlock by e-mail, then move his mail with the tender "
        "papers out of the inbox.",
        "We come on 24 March at 11:00.",
        (day("2026-03-24"), ("eleven", "11", *clock("11:00"))),
        change="-INBOX",
    ),
    Scenario(
        "Delay of the ring lamps",
        "Owen Pryce should get an e-mail that 13 May is still early enough. Next, his mail about the delay need not "
        "be important any more: take the mark off.",
        "13 May is still early enough.",
        (day("2026-05-13"),),
        change="-IMPORTANT",
    ),
    Scenario(
        "Re: First plan for the shop in Mill Lane",
        "Send Elena Petrova the good news that a door of 110 cm is possible; then star the mail in which she asked "
        "for it.",
        "A door of 110 cm is possible.",
        (WIDTH,),
        change="+STARRED",
    ),
    Scenario(
        "Work on the staircase",
        'Thank Karl Petersen by mail for his warning about the painters, and then take "Personal" off that warning.',
        "Thank you for the warning.",
        (THANKS,),
        change="-Personal",
    ),
    Scenario(
        "Interview for Shelf Life magazine",
        "Mail Colin Farraday that I look forward to his six questions. His first request then loses the label "
        '"To read".',
        "I look forward to your six questions.",
        (("questions",),),
        change="-To read",
    ),
    Scenario(
        "Thank you for the conversation",
        "Hanna Weiss should receive a mail that we are glad to have her. Then mark what she wrote after the "
        "interview as important.",
        "We are glad to have you.",
        ((*HAPPY, "excited", "looking forward", "look forward"),),
        change="+IMPORTANT",
    ),
)

MODIFY_AND_SEND = (
    Scenario(
        "Visit of the board on 17 March",
        "First star the mail about the board's visit, then write to Daniel Harmon that his seven guests are welcome.",
        "Your seven guests are welcome.",
        (("guests", "visitors", "seven", "7"), ("welcome", "welcoming")),
        change="+STARRED",
    ),
    Scenario(
        "Your ticket to Calder, 24 March",
        "The mail with my train ticket should be flagged as important. Once it is, tell Samuel Whitlock by mail that "
        "I come to Calder by train.",
        "I come to Calder by train.",
        (("train", "rail"),),
        "Samuel Whitlock",
        change="+IMPORTANT",
    ),
    Scenario(
        "Minutes of the Lantern workshop",
        "Archive Sofia Marchetti's mail with the minutes. After that, ask her by mail which of the points are still "
        "open.",
        "Which of the points are still open?",
        (("open", "outstanding", "unresolved", "pending", "unsettled"),),
        change="-INBOX",
    ),
    Scenario(
        "Weight of the lighthouse lens",
        "Mark as read what Yuki Tanabe wrote about the lens; then mail Sofia Marchetti that the lens may stand where "
        "we drew it.",
        "The lens may stand where we drew it.",
        (("lens",),),
        "Sofia Marchetti",
        change="-UNREAD",
    ),
    Scenario(
        "Harmon Logistics has paid",
        'Take the label "Harbour Hall" off the mail that says Harmon has paid, then thank Marcus Oyelaran for it by '
        "mail.",
        "Thank you for telling me.",
        (THANKS,),
        change="-Harbour Hall",
    ),
    Scenario(
        "After your visit",
        'File the mail with Elena Petrova\'s budget under "To read" and, when that is done, ask her by e-mail whether '
        "the budget includes the oven.",
        "Does the budget include the oven?",
        (("oven",),),
        change="+To read",
    ),
)

READ_SEND_AND_MODIFY = (
    Scenario(
        "Your appointment on 18 March",
        "Read when my dentist expects me, send that time to Bea Novak so that she keeps it free, and then archive "
        "the reminder.",
        "Please keep 18 March, 08:30, free for me.",
        (clock("08:30"),),
        "Bea Novak",
        change="-INBOX",
    ),
    Scenario(
        "Re: Interview for Shelf Life magazine",
        "Read what Colin Farraday says about the time of our call, send him a mail with my thanks, and finally take "
        "the unread mark off his message.",
        "Thank you, I look forward to it.",
        (THANKS,),
        change="-UNREAD",
    ),
    Scenario(
        "Loan list for Lantern",
        "Read how many objects are on loan for Lantern, mail the number to Tomás Herrera, and then star Yuki "
        "Tanabe's mail with the list.",
        "There are 58 objects on loan.",
        (("58", "fifty-eight"),),
        "Tomás Herrera",
        change="+STARRED",
    ),
    Scenario(
        "Your talk at the Interiors Forum",
        "In which room is my talk in May? Read the acceptance, write the room to Julia Behrens, and after that the "
        "acceptance is no longer important.",
        "My talk is in the Blue Room.",
        (("Blue Room",),),
        "Julia Behrens",
        change="-IMPORTANT",
    ),
    Scenario(
        "Re: Mum's 70th",
        "Read for what time Astrid has booked the restaurant, answer her that I will be there, and then take "
        '"Personal" off her mail.',
        "I will be there.",
        (
            (
                "be there",
                "see you",
                "I'll come",
                "I will come",
                "attend",
                "attending",
                "join",
                "coming",
                "make it",
                "count me in",
            ),
        ),
        change="-Personal",
    ),
    Scenario(
        "Re: Order for the Harbour Hall lamps",
        "Read which order number Brightwire gave our lamps, send it to Marcus Oyelaran, and then mark Owen Pryce's "
        "confirmation as important.",
        "The order number is BW-7730.",
        (("BW-7730", "BW7730", "BW 7730"),),
        "Marcus Oyelaran",
        change="+IMPORTANT",
    ),
)

ENDINGS = (
    ("give it a star", "+STARRED"),
    ("take it out of my inbox", "-INBOX"),
    ("flag it as important", "+IMPORTANT"),
    ('put it under "To read"', "+To read"),
    ("make sure that it no longer shows as unread", "-UNREAD"),
)
BEGINNINGS = (
    "What does {it} say? When you have read it, {ending}.",
    "Read {it} to me and then {ending}.",
    "First I want to hear all of {it}. After that, {ending}.",
    "Open and read {it}; {ending} afterwards.",
    "Have a look at the text of {it}, and once you know it, {ending}.",
    "Before anything else, read {it}. Then {ending}.",
)


def chains(sampler: MailSampler) -> list[Request]:
    """Return all requests with chains of calls."""
    draw = sampler.draw
    return [
        *(_read_and_send(sampler, scenario) for scenario in draw.sample(READ_AND_SEND, COUNTS["read, send"])),
        *(_send_and_modify(sampler, scenario) for scenario in draw.sample(SEND_AND_MODIFY, COUNTS["send, modify"])),
        *_read_and_modify(sampler),
        *(_modify_and_send(sampler, scenario) for scenario in draw.sample(MODIFY_AND_SEND, COUNTS["modify, send"])),
        *(
            _all_three(sampler, scenario)
            for scenario in draw.sample(READ_SEND_AND_MODIFY, COUNTS["read, send, modify"])
        ),
    ]


def _read_and_send(sampler: MailSampler, scenario: Scenario) -> Request:
    return request(scenario.ask, read_call(sampler.with_subject(scenario.subject)), _send_call(sampler, scenario))


def _send_and_modify(sampler: MailSampler, scenario: Scenario) -> Request:
    return request(
        scenario.ask,
        _send_call(sampler, scenario),
        _modify_call(sampler, sampler.with_subject(scenario.subject), scenario.change),
    )


def _modify_and_send(sampler: MailSampler, scenario: Scenario) -> Request:
    return request(
        scenario.ask,
        _modify_call(sampler, sampler.with_subject(scenario.subject), scenario.change),
        _send_call(sampler, scenario),
    )


def _all_three(sampler: MailSampler, scenario: Scenario) -> Request:
    message = sampler.with_subject(scenario.subject)
    return request(
        scenario.ask, read_call(message), _send_call(sampler, scenario), _modify_call(sampler, message, scenario.change)
    )


def _read_and_modify(sampler: MailSampler) -> Iterator[Request]:
    """Yield requests about messages described by content, sender or day; the change must have an effect."""
    for index, beginning in enumerate(BEGINNINGS):
        message = (sampler.by_topic, sampler.newest_from, sampler.by_day)[index % 3]()
        endings = [each for each in ENDINGS if _is_new(sampler, message, each[1])]
        ending, change = sampler.draw.choice(endings)
        yield request(
            beginning.format(it=message, ending=ending), read_call(message), _modify_call(sampler, message, change)
        )


def _send_call(sampler: MailSampler, scenario: Scenario) -> ToolCall:
    to = scenario.to or sender(sampler.with_subject(scenario.subject))
    return send_call(sampler, scenario.body, to, required_facts=scenario.required_facts)


def _modify_call(sampler: MailSampler, message: DescribedMessage, change: str) -> ToolCall:
    label = _label_id(sampler, change)
    return add_label_call(message, label) if change[0] == "+" else remove_label_call(message, label)


def _is_new(sampler: MailSampler, message: DescribedMessage, change: str) -> bool:
    return (_label_id(sampler, change) in message.message["labels"]) is (change[0] == "-")


def _label_id(sampler: MailSampler, change: str) -> str:
    return sampler.label(change[1:])
