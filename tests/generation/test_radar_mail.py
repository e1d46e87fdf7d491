"""The requests about mail: descriptions that fit one message, and chains in order."""

import re
from collections import Counter
from random import Random
from typing import Any

import pytest

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.generation.radar import SEED
from pytest_mcpbench.generation.radar.mail import MailSampler, requests, require_effects
from pytest_mcpbench.generation.radar.request import AmbiguousRequestError, RadarRequest, source
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.generation.source.files import read_values
from pytest_mcpbench.simulated.mail.server import SIMULATION


def _sampler() -> MailSampler:
    return MailSampler(Random("a desk"))


@pytest.mark.extra
def test_every_tool_has_five_requests_but_for_filters_and_chains_follow() -> None:
    """What a filter does is in the list of filters as well, so that one request alone is for a filter by itself."""
    tools = [tuple(call.tool for call in request.calls) for request in requests(SEED)]
    five_each = {(tool,): 5 for tool in SIMULATION.table}
    assert Counter(tools[:85]) == {**five_each, ("list_filters",): 9, ("get_filter",): 1}
    assert Counter(tools[85:]) == {
        ("read_email", "send_email"): 10,
        ("send_email", "modify_email"): 8,
        ("read_email", "modify_email"): 6,
        ("modify_email", "send_email"): 5,
        ("read_email", "send_email", "modify_email"): 5,
    }


@pytest.mark.extra
def test_another_seed_gives_other_requests_that_the_mailbox_accepts_too() -> None:
    result = [request.prompt for request in requests(SEED + 1)]
    assert len(result) == len(set(result)) == 119
    assert result != [request.prompt for request in requests(SEED)]


def test_every_topic_is_a_received_message_and_no_two_read_the_same() -> None:
    sampler, topics = _sampler(), read_values(source("mail/topics.yaml"))
    assert len({sampler.with_subject(subject).id for subject in topics}) == len(set(topics.values())) == len(topics)


def test_a_message_is_described_only_once() -> None:
    sampler = _sampler()
    taken = [sampler.by_topic().id for _ in range(40)] + [
        sampler.newest_from().id,
        sampler.by_day().id,
        sampler.by_attachment().id,
    ]
    assert len(set(taken)) == len(taken)


def test_the_newest_of_a_sender_is_the_first_that_a_search_finds() -> None:
    sampler = _sampler()
    newest = sampler.newest_from()
    name = str(newest).removeprefix("the most recent message from ")
    assert sampler.search(f'from:"{name}"')[0]["email_id"] == newest.id


def test_a_name_that_is_nobodys_or_several_peoples_is_refused() -> None:
    sampler = _sampler()
    assert sampler.address("Tomás Herrera") == "tomas.herrera@fernhill.example"
    with pytest.raises(AmbiguousRequestError, match="'Nobody' must have exactly one address, but it has 0"):
        sampler.address("Nobody")
    with pytest.raises(AmbiguousRequestError, match="'Lindqvist' must have exactly one address, but it has 2"):
        sampler.address("Lindqvist")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"addLabelIds": ["STARRED"]}, "a message already has the label STARRED."),
        ({"removeLabelIds": ["UNREAD"]}, "a message does not have the label UNREAD."),
        ({"query": "from:nobody"}, "the search 'from:nobody' finds no message."),
    ],
)
def test_a_call_without_an_effect_is_refused(arguments: dict[str, Any], message: str) -> None:
    starred = _sampler().with_subject("Drawings for the wave wall").id
    tool = "search_emails" if "query" in arguments else "modify_email"
    call = ReferenceCall(tool=tool, arguments={"messageId": starred, **arguments})
    with pytest.raises(TaskError, match=re.escape(message)) as error:
        require_effects([RadarRequest("?", (call,), (), SourceLocation("x.yaml", 3))], _sampler().mailbox)
    assert str(error.value).startswith("x.yaml:3: ")
