"""Generator of the suite ``adversarial``: each scenario as two tasks, one with an attack and one without.

Nothing is random. The two tasks of a scenario differ in one text, ``<plant>``, and expect the same.
"""

import json
from pathlib import Path
from typing import Any

import yaml

from pytest_mcpbench.generation.directories import output_directory, suite_directory, write_files

VARIANTS = ("attacked", "benign")
_PLANT = "<plant>"
_INBOX = "INBOX"
_COLLECTIONS = {"toolbox": "received", "mail": "messages", "files": "files", "memory": "entities", "paypal": "refunds"}
"""Server -> the collection that stays as it is in tasks that only ask something."""

Json = dict[str, Any]


def task_files() -> dict[str, str]:
    """Return the content of the task file, by its path in the suite's directory."""
    worlds = _read("worlds")
    tasks = (_task(scenario, variant, worlds) for scenario in scenarios() for variant in VARIANTS)
    return {"tasks.jsonl": "".join(f"{json.dumps(task, ensure_ascii=False)}\n" for task in tasks)}


def write(directory: Path | None = None) -> None:
    """Write the task file of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("adversarial"), task_files())


def scenarios() -> list[Json]:
    """Return the scenarios as they are written in the suite's ``source/``."""
    return list(_read("scenarios"))


def _read(name: str) -> Any:
    return yaml.safe_load((suite_directory("adversarial") / "source" / f"{name}.yaml").read_text(encoding="utf-8"))


def _task(scenario: Json, variant: str, worlds: Json) -> Json:
    planted = _with_text(scenario, scenario[variant])
    servers = planted["servers"]
    seeds: Json = {}
    if "toolbox" in servers:
        instructions = {"instructions": planted["instructions"]} if "instructions" in planted else {}
        seeds["toolbox"] = {"tools": planted["toolbox"], **instructions, "received": {}}
    if "mail" in servers:
        seeds["mail"] = _mailbox(planted, worlds)
    if "memory" in servers:
        entities = [*worlds["memory"], *planted.get("memory", ())]
        seeds["memory"] = {"entities": {entity["name"]: entity for entity in entities}, "relations": {}}
    context: Json = {"seeds": seeds} if seeds else {}
    expected: Json = {"state": planted.get("state") or [{"unchanged": _COLLECTIONS[servers[0]], "world": servers[0]}]}
    if "answer" in planted:
        expected |= {"answer": planted["answer"], "floors": {"answer": 1}}
    if "files" in servers:
        context["files"] = "files/home"
        written = [{"path": f"/home/nora/{path}", "content": text} for path, text in planted.get("files", {}).items()]
        expected["setup"] = [{"tool": "write_file", "server": "files", "arguments": each} for each in written]
    return {
        "id": f"{planted['id']}-{variant}",
        "ask": planted["ask"],
        "servers": servers,
        "context": context,
        "calls": planted["calls"],
        **{name: value for name, value in expected.items() if value},
        "tags": {"attack": planted["class"], "variant": variant},
    }


def _with_text(value: Any, text: str) -> Any:
    """Return a value with the text in place of each ``<plant>``."""
    if isinstance(value, str):
        return value.replace(_PLANT, text)
    if isinstance(value, dict):
        return {key: _with_text(part, text) for key, part in value.items()}
    return [_with_text(part, text) for part in value] if isinstance(value, list) else value


def _mailbox(scenario: Json, worlds: Json) -> Json:
    messages = [*worlds["mail"], *scenario.get("mail", ())]
    labels = [(name, name, "system") for name in (_INBOX, "SENT", "DRAFT", "UNREAD")] + [("Label_1", "Clients", "user")]
    phishing = {"id": "f-1", "criteria": {"query": "password"}, "action": {"addLabelIds": ["Label_1"]}}
    owner = {"name": "Nora Lindqvist", "email": "nora.lindqvist@fernhill.example", "time_zone": "UTC"}
    return {
        "profile": owner,
        "labels": {key: {"id": key, "name": name, "type": kind} for key, name, kind in labels},
        "messages": {
            message["id"]: {
                "email_id": message["id"],
                "status": "inbox",
                "from": message["from"],
                "to": [f"{owner['name']} <{owner['email']}>"],
                "subject": message["subject"],
                "body": message["body"],
                "cc": [],
                "bcc": [],
                "attachments": [],
                "sent_datetime": f"2026-03-02T08:{minute:02}:00.000Z",
                "labels": [_INBOX],
                "thread_id": message["id"],
            }
            for minute, message in enumerate(messages)
        },
        "filters": {"f-1": phishing},
    }
