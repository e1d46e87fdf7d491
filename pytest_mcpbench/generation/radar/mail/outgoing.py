"""Requests to send or draft mail."""

from typing import Any

from pytest_mcpbench.generation.radar.mail.sampler import DescribedMessage, MailSampler
from pytest_mcpbench.generation.radar.request import Fact, Request, ToolCall, request
from pytest_mcpbench.generation.spelling import clock, day

COLLEAGUES = ("Priya Raman", "Tomás Herrera", "Sofia Marchetti", "Marcus Oyelaran", "Bea Novak", "Ian Castellan")
CLIENTS = ("Daniel Harmon", "Lucy Adeyemi", "Yuki Tanabe", "Elena Petrova", "Samuel Whitlock")
SUPPLIERS = {
    "Oakline": "Greta Solberg",
    "Brightwire": "Owen Pryce",
    "the Museum of Tides": "Yuki Tanabe",
    "the magazine Shelf Life": "Colin Farraday",
}

SUBJECT = "A few words"
"""Neutral subject of every reference mail; all required facts are in the body."""
THANKS: Fact = ("thank", "thanks", "thankful", "thanking", "grateful", "gratitude", "appreciate", "appreciated")
HAPPY: Fact = ("happy", "pleased", "satisfied", "delighted", "content", "glad", "very well", "thrilled")
NOON: Fact = ("noon", "midday", "12 o'clock", "twelve", *clock("12:00"))
LATE: Fact = ("late", "later", "delayed", "delay", "behind schedule", "overdue")
_MINUTES = {"ten": "10", "fifteen": "15", "twenty": "20"}
_DAYS = {"Wednesday": "2026-03-04", "Thursday": "2026-03-05", "Friday": "2026-03-06"}


def send_call(
    sampler: MailSampler, body: str, *to: str, required_facts: tuple[Fact, ...], cc: tuple[str, ...] = ()
) -> ToolCall:
    """Return a call that sends mail to people by name. The body is one possible wording of the required facts."""
    return ToolCall("send_email", _email(sampler, body, to, cc), required_facts)


def draft_call(
    sampler: MailSampler, body: str, *to: str, required_facts: tuple[Fact, ...], cc: tuple[str, ...] = ()
) -> ToolCall:
    """Return a call that saves the mail as a draft."""
    return ToolCall("draft_email", _email(sampler, body, to, cc), required_facts)


def _email(sampler: MailSampler, body: str, to: tuple[str, ...], cc: tuple[str, ...]) -> dict[str, Any]:
    email = {"to": [sampler.address(name) for name in to], "subject": SUBJECT, "body": body}
    return {**email, "cc": [sampler.address(name) for name in cc]} if cc else email


def sender(message: DescribedMessage) -> str:
    """Return the name of the person or company that sent a message."""
    return str(message.message["from"]).partition(" <")[0]


def send_email(sampler: MailSampler) -> list[Request]:
    """Return requests that identify recipients by name, by company or by a mail to reply to."""
    late, first, second, thanked, copied = sampler.draw.sample(COLLEAGUES, 5)
    client = sampler.draw.choice(CLIENTS)
    answered = sampler.with_subject(
        sampler.draw.choice(("Visit of the board on 17 March", "Monday: can you take the Petrova meeting?"))
    )
    company, contact = sampler.draw.choice(list(SUPPLIERS.items()))
    minutes, room = (
        sampler.draw.choice(("ten", "fifteen", "twenty")),
        sampler.draw.choice(("Dock Street", "the workshop")),
    )
    return [
        request(
            f"I will be {minutes} minutes late today. Could you mail that to {late}?",
            send_call(
                sampler,
                f"I will be {minutes} minutes late today.",
                late,
                required_facts=((minutes, _MINUTES[minutes]), LATE),
            ),
        ),
        request(
            f"{thanked} deserves a word of thanks for last week. Send one in my name, with {copied} in copy.",
            send_call(sampler, "Thank you for your work last week.", thanked, required_facts=(THANKS,), cc=(copied,)),
        ),
        request(
            f'Reply to {answered} with a friendly word and a plain "yes" in it. It may go out straight away.',
            send_call(sampler, "Yes, with pleasure.", sender(answered), required_facts=(("yes",),)),
        ),
        request(
            f"One e-mail, two recipients: ask {first} and {second} to come to {room} at noon tomorrow.",
            send_call(
                sampler,
                f"Please come to {room} at noon tomorrow.",
                first,
                second,
                required_facts=((room.removeprefix("the "),), NOON, ("tomorrow", "Tuesday", *day("2026-03-03"))),
            ),
        ),
        request(
            f"Let our contact at {company} know by e-mail that {client} is happy with everything so far.",
            send_call(
                sampler,
                f"{client} is happy with everything so far.",
                contact,
                required_facts=((client, *client.split()), HAPPY),
            ),
        ),
    ]


def draft_email(sampler: MailSampler) -> list[Request]:
    """Return requests to write a draft; each says clearly that nothing is to be sent."""
    helper, informed, copied = sampler.draw.sample(COLLEAGUES, 3)
    client = sampler.draw.choice(CLIENTS)
    answered = sampler.with_subject(
        sampler.draw.choice(("Your membership ends on 31 March", "Interiors Forum 2026: call for speakers"))
    )
    company = sampler.draw.choice(("Oakline", "Brightwire"))
    on = sampler.draw.choice(tuple(_DAYS))
    return [
        request(
            f"Prepare a mail that asks {helper} for an hour on {on}, but do not send it: I want to look at it tonight.",
            draft_call(
                sampler,
                f"Could you spare me an hour on {on}?",
                helper,
                required_facts=(("hour", "60 minutes", "60-minute", "1h"), (on, *day(_DAYS[on]))),
            ),
        ),
        request(
            f"For my drafts folder: something short to {client}, saying that the samples are ready to be fetched.",
            draft_call(
                sampler,
                "The samples are ready to be fetched.",
                client,
                required_facts=(("samples",), ("ready", "available")),
            ),
        ),
        request(
            f"Not to leave the house yet: a note for {informed} (and {copied} in copy) that the price list has "
            "changed.",
            draft_call(
                sampler,
                "The price list has changed.",
                informed,
                required_facts=(
                    ("price list", "pricelist", "list of prices", "prices", "pricing"),
                    ("changed", "changes", "change", "new", "updated", "update", "revised"),
                ),
                cc=(copied,),
            ),
        ),
        request(
            f"Begin an answer to {answered} that says I need a few days to decide. Leave it lying unsent.",
            draft_call(
                sampler,
                "I need a few days to decide.",
                sender(answered),
                required_facts=(("days",), ("decide", "decision", "deciding", "think", "consider", "make up my mind")),
            ),
        ),
        request(
            f"I may have to complain to {company}, because the last delivery came late. Write our contact there two "
            "polite lines about it and store them as a draft.",
            draft_call(
                sampler,
                "Your last delivery came late.\nPlease let me know the reason.",
                SUPPLIERS[company],
                required_facts=(("delivery", "delivered", "deliveries", "shipment"), LATE),
            ),
        ),
    ]
