"""Calls of the tools without an agent."""


def test_a_closed_ticket_is_not_listed(mcp_call, tool_response_snapshot):
    mcp_call("close_ticket", ticket_id=101)
    assert mcp_call("list_tickets") == tool_response_snapshot


def test_an_unknown_ticket_is_an_error_that_says_what_to_do(mcp_call):
    result = mcp_call("get_ticket", ticket_id=7)
    assert result.is_error
    assert "list_tickets shows all" in result.text


def test_the_server_keeps_the_rules_of_the_protocol(mcp_protocol_faults):
    assert not mcp_protocol_faults
