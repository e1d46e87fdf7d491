"""Requests for mails that are sent or drafted."""

from collections.abc import Callable
from typing import Any

from pytest_mcpbench.generation.radar.mail.desk import Described, Desk
from pytest_mcpbench.generation.radar.request import Request, ToolCall, request

COLLEAGUES = ("Priya Raman", "Tomás Herrera", "Sofia Marchetti", "Marcus Oyelaran", "Bea Novak", "Ian Castellan")
CLIENTS = ("Daniel Harmon", "Lucy Adeyemi", "Yuki Tanabe", "Elena Petrova", "Samuel Whitlock")
SUPPLIERS = {
    "Oakline": "Greta Solberg",
    "Brightwire": "Owen Pryce",
    "the Museum of Tides": "Yuki Tanabe",
    "the magazine Shelf Life": "Colin Farraday",
}

Write = Callable[..., ToolCall]


def sending(desk: Desk, subject: str, body: str, *to: str, cc: tuple[str, ...] = ()) -> ToolCall:
    """A mail to people by name; subject and text are one way to put it."""
    return ToolCall("send_email", _email(desk, subject, body, to, cc))


def drafting(desk: Desk, subject: str, body: str, *to: str, cc: tuple[str, ...] = ()) -> ToolCall:
    """The same, left unsent."""
    return ToolCall("draft_email", _email(desk, subject, body, to, cc))


def _email(desk: Desk, subject: str, body: str, to: tuple[str, ...], cc: tuple[str, ...]) -> dict[str, Any]:
    email = {"to": [desk.address(name) for name in to], "subject": subject, "body": body}
    return {**email, "cc": [desk.address(name) for name in cc]} if cc else email


def sender(message: Described) -> str:
    """Name of the person or company that a message is from."""
    return str(message.message["from"]).partition(" <")[0]


def send_email(desk: Desk) -> list[Request]:
    """Addresses by name, by company, by the mail that is answered; one with a copy, one to two people."""
    late, first, second, thanked, copied = desk.draw.sample(COLLEAGUES, 5)
    client = desk.draw.choice(CLIENTS)
    answered = desk.about(
        desk.draw.choice(("Visit of the board on 17 March", "Monday: can you take the Petrova meeting?"))
    )
    company, contact = desk.draw.choice(list(SUPPLIERS.items()))
    minutes, room = desk.draw.choice(("ten", "fifteen", "twenty")), desk.draw.choice(("Dock Street", "the workshop"))
    return [
        request(
            f"I will be {minutes} minutes late today. Could you mail that to {late}?",
            sending(desk, "Late today", f"I will be {minutes} minutes late today.", late),
        ),
        request(
            f"{thanked} deserves a word of thanks for last week. Send one in my name, with {copied} in copy.",
            sending(desk, "Thank you", "Thank you for your work last week.", thanked, cc=(copied,)),
        ),
        request(
            f"Reply to {answered} with a friendly yes. It may go out straight away.",
            sending(desk, f"Re: {answered.message['subject']}", "Yes, with pleasure.", sender(answered)),
        ),
        request(
            f"One e-mail, two recipients: ask {first} and {second} to come to {room} at noon tomorrow.",
            sending(desk, "Tomorrow at noon", f"Please come to {room} at noon tomorrow.", first, second),
        ),
        request(
            f"Let our contact at {company} know by e-mail that {client} is happy with everything so far.",
            sending(desk, "News", f"{client} is happy with everything so far.", contact),
        ),
    ]


def draft_email(desk: Desk) -> list[Request]:
    """As for sending, and it must be clear that nothing goes out."""
    asked, informed, copied = desk.draw.sample(COLLEAGUES, 3)
    client = desk.draw.choice(CLIENTS)
    answered = desk.about(
        desk.draw.choice(("Your membership ends on 31 March", "Interiors Forum 2026: call for speakers"))
    )
    company = desk.draw.choice(("Oakline", "Brightwire"))
    day = desk.draw.choice(("Wednesday", "Thursday", "Friday"))
    return [
        request(
            f"Prepare a mail that asks {asked} for an hour on {day}, but do not send it: I want to look at it tonight.",
            drafting(desk, f"An hour on {day}?", f"Could you spare me an hour on {day}?", asked),
        ),
        request(
            f"For my drafts folder: something short to {client}, saying that the samples are ready to be fetched.",
            drafting(desk, "Samples", "The samples are ready to be fetched.", client),
        ),
        request(
            f"Not to leave the house yet: a note for {informed} (and {copied} in copy) that the price list has "
            "changed.",
            drafting(desk, "Price list", "The price list has changed.", informed, cc=(copied,)),
        ),
        request(
            f"Begin an answer to {answered} that says I need a few days to decide. Leave it lying unsent.",
            drafting(desk, "Re: " + answered.message["subject"], "I need a few days to decide.", sender(answered)),
        ),
        request(
            f"I may have to complain to {company}. Write our contact there two polite lines and store them as a draft.",
            drafting(desk, "A word about the last delivery", "There was a problem with it.", SUPPLIERS[company]),
        ),
    ]
