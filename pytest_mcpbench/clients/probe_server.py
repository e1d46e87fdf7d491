"""MCP server over stdio that a check starts in a client: long texts with numbered words, and one tool.

It is a program of its own, for ``python -I -S``: it imports the standard library only. Its argument is the file to
which it appends the messages of the client.
"""

import json
import sys
from pathlib import Path
from typing import Any


def words(letter: str, characters: int) -> str:
    """Return numbered words, so that each beginning of the text says where it ends."""
    return " ".join(f"{letter}{number:05d}" for number in range(characters // 7 + 1))[:characters]


INSTRUCTIONS = words("i", 20_000)
DESCRIPTION = words("d", 6_000)
TOOL = "probe_echo"
IN_CONTENT, IN_STRUCTURED = "IN-CONTENT", "IN-STRUCTURED"
_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


def result_of(method: str, parameters: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request; ``None`` for a method that the server does not have."""
    match method:
        case "initialize":
            return {
                "protocolVersion": parameters.get("protocolVersion"),
                "capabilities": {"tools": {}, "resources": {}},
                "serverInfo": {"name": "probe", "version": "1"},
                "instructions": INSTRUCTIONS,
            }
        case "tools/list":
            tool = {"name": TOOL, "description": DESCRIPTION, "inputSchema": _TEXT, "outputSchema": _TEXT}
            return {"tools": [tool]}
        case "tools/call":
            content = [{"type": "text", "text": IN_CONTENT}]
            return {"content": content, "structuredContent": {"text": IN_STRUCTURED}}
        case "resources/list":
            return {"resources": [{"uri": "probe://one", "name": "one"}]}
        case "resources/templates/list":
            return {"resourceTemplates": []}
        case "ping":
            return {}
    return None


def main(log: Path) -> None:
    """Answer requests until the client closes the connection."""
    for line in sys.stdin:
        message = json.loads(line)
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(message) + "\n")
        if "id" not in message or "method" not in message:
            continue
        result = result_of(message["method"], message.get("params") or {})
        error = {"code": -32601, "message": f"there is no method {message['method']}"}
        outcome = {"error": error} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
