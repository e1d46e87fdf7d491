"""Email domain: five requests for each of the 17 tools, and 34 chains of the three most important ones."""

from collections.abc import Iterable
from random import Random
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.radar.mail.sampler import MailSampler
from pytest_mcpbench.generation.radar.request import RadarRequest, check_reference_calls, fresh_world, source
from pytest_mcpbench.generation.radar.templates import WrittenTemplate, drawing_functions, drawn_requests
from pytest_mcpbench.generation.source.files import read_entries, read_named_entries, read_values
from pytest_mcpbench.loaders.short_forms import split_arguments
from pytest_mcpbench.simulated.mail.server import SIMULATION
from pytest_mcpbench.simulated.mail.world import Mailbox

_OF_TOOLS = ("outgoing", "messages", "labels_and_filters")


def requests(seed: int) -> list[RadarRequest]:
    """Return all requests of the domain, after checking that a fresh mailbox accepts their reference calls."""
    draw = Random(f"{seed}/mail")
    sampler = MailSampler(draw)
    values = {**read_values(source("mail/words.yaml")), **drawing_functions(draw), **sampler.functions()}
    result = [each for template in templates() for each in drawn_requests(template, values, draw)]
    require_effects(result, sampler.mailbox)
    check_reference_calls(result, SIMULATION, lambda: fresh_world("mail"), writes_files=("download_attachment",))
    return result


def templates() -> list[WrittenTemplate]:
    """Return the template of each tool, in the order of the server's tool list, and those of the chains."""
    of_tools = {
        tool: template
        for name in _OF_TOOLS
        for tool, template in read_named_entries(source(f"mail/{name}.yaml"), WrittenTemplate).items()
    }
    chains = read_entries(source("mail/chains.yaml"), WrittenTemplate)
    return [*(of_tools[tool] for tool in SIMULATION.table), *chains]


def require_effects(requests: Iterable[RadarRequest], mailbox: Mailbox) -> None:
    """Raise ``TaskError`` for a search that finds nothing, and for a change of labels without an effect.

    Doing nothing would pass the task of such a change.
    """
    for request in requests:
        for call in request.calls:
            arguments = split_arguments(call.arguments, call.tool).arguments
            if call.tool == "search_emails" and not mailbox.search(str(arguments["query"])):
                raise TaskError(f"the search {arguments['query']!r} finds no message.", request.place)
            written: Any = call.arguments
            if not {"addLabelIds", "removeLabelIds"} & written.keys():
                continue
            for message_id in written["messageIds"] if "messageIds" in written else [written["messageId"]]:
                _require_change(written, mailbox.message(message_id)["labels"], request)


def _require_change(arguments: Any, labels: list[str], request: RadarRequest) -> None:
    for label in arguments.get("addLabelIds", ()):
        if label in labels:
            raise TaskError(f"{request.prompt!r}: a message already has the label {label}.", request.place)
    for label in arguments.get("removeLabelIds", ()):
        if label not in labels:
            raise TaskError(f"{request.prompt!r}: a message does not have the label {label}.", request.place)
