"""MCP server of a help desk: it lists, opens, changes and closes tickets."""

from typing import Annotated, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("helpdesk", log_level="WARNING")


class Ticket(BaseModel):
    """A request of a customer."""

    id: int
    title: str
    customer: str
    priority: Literal["low", "normal", "high"] = "normal"
    status: Literal["open", "closed"] = "open"


TICKETS = {
    101: Ticket(id=101, title="Printer is out of paper", customer="Ann", priority="low"),
    102: Ticket(id=102, title="Password reset fails", customer="Bo", priority="high"),
    103: Ticket(id=103, title="Invoice has the wrong address", customer="Cho"),
}
TicketId = Annotated[int, Field(description="Number of the ticket, e.g. 101")]
READ_ONLY = ToolAnnotations(read_only_hint=True)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)


def ticket(ticket_id: int) -> Ticket:
    """Return the ticket with a number."""
    if ticket_id not in TICKETS:
        # Agents read the text of a ToolError; that of any other exception is hidden from them.
        raise ToolError(f"there is no ticket {ticket_id}; list_tickets shows all")
    return TICKETS[ticket_id]


@server.tool(annotations=READ_ONLY)
def list_tickets(
    status: Annotated[
        Literal["open", "closed"], Field(description="Status of the tickets to list", examples=["open"])
    ] = "open",
) -> list[Ticket]:
    """List all tickets with a status. Use it to find the number of a ticket."""
    return [each for each in TICKETS.values() if each.status == status]


@server.tool(annotations=READ_ONLY)
def get_ticket(ticket_id: TicketId) -> Ticket:
    """Show one ticket: its title, customer, priority and status. Use it when the number is known."""
    return ticket(ticket_id)


@server.tool(annotations=CHANGES)
def set_priority(
    ticket_id: TicketId,
    priority: Annotated[Literal["low", "normal", "high"], Field(description="New priority of the ticket")],
) -> Ticket:
    """Change the priority of a ticket. Use it when a customer must wait less or can wait longer."""
    ticket(ticket_id).priority = priority
    return ticket(ticket_id)


@server.tool(annotations=CHANGES)
def close_ticket(ticket_id: TicketId) -> Ticket:
    """Close a ticket. Use it when its problem is solved."""
    ticket(ticket_id).status = "closed"
    return ticket(ticket_id)


if __name__ == "__main__":
    server.run()
