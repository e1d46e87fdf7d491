"""Email: five requests for each of the 17 tools, and 34 chains of the three that are used most."""

from collections.abc import Callable
from random import Random

from pytest_mcpbench.generation.radar.mail import chains, handling, sorting, writing
from pytest_mcpbench.generation.radar.mail.desk import Desk
from pytest_mcpbench.generation.radar.request import Request, a_world, refuse_what_fails
from pytest_mcpbench.simulated.mail.server import SIMULATION

TEMPLATES: tuple[Callable[[Desk], list[Request]], ...] = (
    writing.send_email,
    writing.draft_email,
    handling.read_email,
    handling.search_emails,
    handling.modify_email,
    handling.delete_email,
    sorting.list_email_labels,
    handling.batch_modify_emails,
    handling.batch_delete_emails,
    sorting.create_label,
    sorting.update_label,
    sorting.delete_label,
    sorting.create_filter,
    sorting.list_filters,
    sorting.get_filter,
    sorting.delete_filter,
    handling.download_attachment,
)
"""One a tool, under the tool's name, in the order of the server's list."""


def requests(seed: int) -> list[Request]:
    """All requests of the domain, each checked to be accepted by a fresh mailbox."""
    desk = Desk(Random(f"{seed}/mail"))
    made = [each for template in TEMPLATES for each in template(desk)] + chains.chains(desk)
    refuse_what_fails(made, SIMULATION, lambda: a_world("mail"), writes_files=("download_attachment",))
    return made
