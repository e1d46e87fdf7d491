"""Check that a call is of a tool that the task permits (MCP-RADAR 3.1: each task has a set of valid tools)."""

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord


def is_valid_tool(task: Task, call: CallRecord, evidence: AttemptEvidence) -> bool:
    """Return whether the tool exists, was exposed and belongs to the task.

    The task's tools are those that it lists; without a list, those of its servers; without servers, those of the
    server that is called like its tag ``domain``; otherwise all. Tools of other servers are not valid even if the agent
    sees them (``exposure = "all"``, distractors).
    """
    if call.problem in ("unknown_tool", "not_exposed"):
        return False
    if task.tools != "all":
        return not call.names.isdisjoint(task.tools)
    servers = valid_servers(task, evidence)
    return not servers or call.server is None or call.server in servers


def valid_servers(task: Task, evidence: AttemptEvidence) -> frozenset[str]:
    """Return the servers whose tools are valid for a task that lists no tools; empty: all servers."""
    if task.servers:
        return frozenset(task.servers)
    domain = task.tags.get("domain", "").casefold()
    of_domain = {tool.server for tool in evidence.tools if tool.server.casefold() == domain}
    of_reference = {call.server for call in task.expected.flat_calls if call.server is not None}
    return frozenset(of_domain | of_reference) if of_domain else frozenset()
