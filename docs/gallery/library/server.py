"""The MCP server of a public library, in one file."""

from typing import Annotated

from mcp.server import MCPServer
from pydantic import Field

server = MCPServer("library")
Title = Annotated[str, Field(description="Title of the book.")]
Member = Annotated[str, Field(description="Name of the member.")]
Branch = Annotated[str, Field(description="Name of the branch.")]


@server.tool(description="Search the catalogue for books about a subject.")
def search_books(subject: Annotated[str, Field(description="Subject of the books.")]) -> list[str]:
    return [f"A Short History of {subject}", f"{subject} Explained"]


@server.tool(description="Tell whether a copy of a book is on the shelf.")
def check_availability(title: Title) -> str:
    return f"{title}: two copies, one on the shelf"


@server.tool(description="Reserve a book for a member, who gets a message when it can be collected.")
def reserve_book(title: Title, member: Member) -> str:
    return f"{title} is reserved for {member}"


@server.tool(description="Cancel the reservation of a book.")
def cancel_reservation(title: Title, member: Member) -> str:
    return f"{title} is no longer reserved for {member}"


@server.tool(description="List the loans of a member with their due dates.")
def list_loans(member: Member) -> list[str]:
    return [f"{member}: Walden, due on 3 March"]


@server.tool(description="Renew a loan for another three weeks.")
def renew_loan(title: Title, member: Member) -> str:
    return f"{title}: {member} may keep it until 24 March"


@server.tool(description="Opening hours of a branch on weekdays and at weekends.")
def opening_hours(branch: Branch) -> str:
    return f"{branch}: 9 to 19, Saturday 10 to 16"


@server.tool(description="Fees that a member owes for late returns.")
def outstanding_fees(member: Member) -> str:
    return f"{member} owes 2.40"


if __name__ == "__main__":
    server.run()
