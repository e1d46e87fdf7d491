"""Email domain: five requests for each of the 17 tools, and 34 chains of the three most important ones."""

from collections.abc import Callable
from random import Random

from pytest_mcpbench.generation.radar.mail import chains, labels_and_filters, messages, outgoing
from pytest_mcpbench.generation.radar.mail.sampler import MailSampler
from pytest_mcpbench.generation.radar.request import Request, check_reference_calls, fresh_world
from pytest_mcpbench.simulated.mail.server import SIMULATION

TEMPLATES: tuple[Callable[[MailSampler], list[Request]], ...] = (
    outgoing.send_email,
    outgoing.draft_email,
    messages.read_email,
    messages.search_emails,
    messages.modify_email,
    messages.delete_email,
    labels_and_filters.list_email_labels,
    messages.batch_modify_emails,
    messages.batch_delete_emails,
    labels_and_filters.create_label,
    labels_and_filters.update_label,
    labels_and_filters.delete_label,
    labels_and_filters.create_filter,
    labels_and_filters.list_filters,
    labels_and_filters.get_filter,
    labels_and_filters.delete_filter,
    messages.download_attachment,
)
"""One request template per tool, named after the tool and in the order of the server's tool list."""


def requests(seed: int) -> list[Request]:
    """Return all requests of the domain, after checking that a fresh mailbox accepts their reference calls."""
    sampler = MailSampler(Random(f"{seed}/mail"))
    result = [each for template in TEMPLATES for each in template(sampler)] + chains.chains(sampler)
    check_reference_calls(result, SIMULATION, lambda: fresh_world("mail"), writes_files=("download_attachment",))
    return result
