"""Requests about labels and filters."""

from typing import Any

from pytest_mcpbench.generation.radar.mail.sampler import MailSampler
from pytest_mcpbench.generation.radar.request import GenerationError, Request, ToolCall, request

LABEL_NAMES = ("Calder tender", "Taxes 2026", "Lisbon", "Workshop", "Waiting for reply", "Press", "Apprentices")
RENAMED = {
    "Clients": "Customers",
    "Invoices": "Bills",
    "Travel": "Journeys",
    "Newsletters": "Reading matter",
    "Harbour Hall": "Harbour Hall 2026",
    "Lantern": "Museum of Tides",
    "Personal": "Family and friends",
    "To read": "Someday",
}
FILTERS = {
    "newsletter@materialmatters.example": "Material Matters",
    "billing@cloudberry.example": "the hosting invoices",
    "tidemuseum.example": "mail from the museum",
    "tickets@swiftrail.example": "my train tickets",
    "alerts@northbank.example": "card statements",
    None: "the saw",
}
"""Sender address of a filter -> name by which a person would refer to it."""


def list_email_labels(sampler: MailSampler) -> list[Request]:
    """Return questions that the list of labels answers."""
    name, other = sampler.draw.sample(sorted(RENAMED), 2)
    call = ToolCall("list_email_labels", {})
    return [
        request("Which labels have I got in this mailbox?", call),
        request("How many labels of my own are there, leaving aside those that every mailbox has?", call),
        request(f'By what id does the mail system know my label "{name}"?', call),
        request(f'Was it "{other}" that I called that label, or something similar? Check what exists.', call),
        request(
            "I have lost track of how my mail is organised. Show me all of its labels, system ones included.", call
        ),
    ]


def list_filters(sampler: MailSampler) -> list[Request]:
    """Return questions that the list of filters answers."""
    known = sampler.draw.choice([words for words in FILTERS.values() if words != "the saw"])
    call = ToolCall("list_filters", {})
    return [
        request("What rules sort my mail as it comes in?", call),
        request(f"Is there a filter that deals with {known}? Look through the ones that I have.", call),
        request("How many automatic filters have I set up?", call),
        request(
            "Some of my mail never reaches the inbox. Give me an overview of the filters, so that I see why.", call
        ),
        request("Before I make a new rule: remind me of those that exist.", call),
    ]


def get_filter(sampler: MailSampler) -> list[Request]:
    """Return requests for one filter, described by its purpose; the agent has to look up its id."""
    wordings = (
        "Find the filter for {} and open it by its id: what does it do?",
        "There is a rule about {}. Once you know its id, get me its details.",
        "Call up, by its id, the filter that looks after {}.",
        "I want to check one rule, the one for {}. Fetch exactly that one with the tool for single filters.",
        "Look up the id of the filter that handles {} and display this one by itself.",
    )
    return _about_filters(sampler, wordings, "get_filter")


def delete_filter(sampler: MailSampler) -> list[Request]:
    """Return requests to delete one filter, described by its purpose."""
    wordings = (
        "Do away with the rule for {}.",
        "{}: no automatic treatment any more, please. Its filter must go.",
        "The filter that deals with {} has annoyed me long enough. Remove it.",
        "From today I sort {} by hand. Switch off the filter by deleting it.",
        "Which filter is responsible for {}? Throw it out.",
    )
    return _about_filters(sampler, wordings, "delete_filter")


def _about_filters(sampler: MailSampler, wordings: tuple[str, ...], tool: str) -> list[Request]:
    found = {rule["criteria"].get("from"): rule["id"] for rule in sampler.mailbox.filters()}
    if found.keys() != FILTERS.keys():
        raise GenerationError(
            f"the mailbox must have filters for {list(FILTERS)}, but it has {sorted(map(str, found))}"
        )
    chosen = sampler.draw.sample(list(FILTERS), len(wordings))
    return [
        request(wording.format(FILTERS[one]), ToolCall(tool, {"filterId": found[one]}))
        for wording, one in zip(wordings, chosen, strict=True)
    ]


def create_filter(sampler: MailSampler) -> list[Request]:
    """Return requests to create filters for a sender, whose exact address the agent has to look up."""
    company = sampler.draw.choice(("Hotel Miramar", "Aeronord Airlines"))
    attaching = sampler.draw.choice(("Priya Raman", "Samuel Whitlock"))
    client, colleague = (
        sampler.draw.choice(("Yuki Tanabe", "Elena Petrova")),
        sampler.draw.choice(("Bea Novak", "Julia Behrens")),
    )
    sender = sampler.draw.choice(("Riverside Climbing", "Paper Lantern Books"))
    return [
        request(
            f'Mail from {company} should get the label "Travel" as it arrives. Use the exact address they write from.',
            _create_filter_call({"from": sampler.address(company)}, addLabelIds=[sampler.label("Travel")]),
        ),
        request(
            f"In future {sender} may skip my inbox. Set that up as a rule on their full sender address.",
            _create_filter_call({"from": sampler.address(sender)}, removeLabelIds=["INBOX"]),
        ),
        request(
            f"Whatever {attaching} sends me with an attachment should be starred automatically (full address, please).",
            _create_filter_call({"from": sampler.address(attaching), "hasAttachment": True}, addLabelIds=["STARRED"]),
        ),
        request(
            f"Make a rule that flags new mail from {client} as important (use the address, not the name).",
            _create_filter_call({"from": sampler.address(client)}, addLabelIds=["IMPORTANT"]),
        ),
        request(
            f"Everything that Cloudberry Hosting mails me from its address is to be passed on to {colleague} in "
            "future.",
            _create_filter_call({"from": sampler.address("Cloudberry Hosting")}, forward=sampler.address(colleague)),
        ),
    ]


def _create_filter_call(criteria: dict[str, Any], **action: Any) -> ToolCall:
    return ToolCall("create_filter", {"criteria": criteria, "action": action})


def create_label(sampler: MailSampler) -> list[Request]:
    """Return requests to create labels that do not exist yet, three of them with a visibility."""
    a, b, c, d, e = sampler.draw.sample(LABEL_NAMES, 5)
    return [
        request(f'I need a label named "{a}".', _create_label_call(name=a)),
        request(
            f'Set up "{b}" as a label for my mail, but one that never appears in the list of labels.',
            _create_label_call(name=b, labelListVisibility="labelHide"),
        ),
        request(f'Could you add "{c}" to my labels?', _create_label_call(name=c)),
        request(
            f'Add a label "{d}" that turns up in the label list only as long as it holds something unread.',
            _create_label_call(name=d, labelListVisibility="labelShowIfUnread"),
        ),
        request(
            f'"{e}" should exist as a label too. I do not want to see it beside the messages in message lists, though.',
            _create_label_call(name=e, messageListVisibility="hide"),
        ),
    ]


def _create_label_call(**label: str) -> ToolCall:
    return ToolCall("create_label", label)


def update_label(sampler: MailSampler) -> list[Request]:
    """Return requests to change names and visibility of labels."""
    a, b, c, d, e = sampler.draw.sample(sorted(RENAMED), 5)

    def update_call(label: str, **changes: str) -> ToolCall:
        return ToolCall("update_label", {"id": sampler.label(label), **changes})

    return [
        request(f'Rename my label "{a}" to "{RENAMED[a]}".', update_call(a, name=RENAMED[a])),
        request(f'Hide the label "{b}" from the list of labels.', update_call(b, labelListVisibility="labelHide")),
        request(
            f'What is called "{c}" among my labels ought to be called "{RENAMED[c]}" instead.',
            update_call(c, name=RENAMED[c]),
        ),
        request(
            f'The label list should show "{d}" only while there is unread mail in it.',
            update_call(d, labelListVisibility="labelShowIfUnread"),
        ),
        request(
            f'In lists of messages I no longer want to see the tag "{e}"; it may stay otherwise.',
            update_call(e, messageListVisibility="hide"),
        ),
    ]


def delete_label(sampler: MailSampler) -> list[Request]:
    """Return requests to delete labels by name."""
    wordings = (
        'I have stopped using the label "{}". Remove it.',
        'Get rid of my "{}" label; the mails themselves stay.',
        'No more "{}" among my labels, please.',
        'The label "{}" was a bad idea from the start. Undo it by deleting it.',
        'Drop the tag "{}" from my mailbox altogether.',
    )
    names = sampler.draw.sample(sorted(RENAMED), len(wordings))
    return [
        request(wording.format(name), ToolCall("delete_label", {"id": sampler.label(name)}))
        for wording, name in zip(wordings, names, strict=True)
    ]
