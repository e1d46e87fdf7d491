"""Golden transcripts of the simulated apps: scenes of calls with the answers and the changes of the world.

``python -m tests.simulated.transcripts`` writes the answers again after an intended change; the calls stay as they are.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from tests.simulated.generic_servers import GENERIC_SERVERS
from tests.simulated.service import Service
from tests.simulated.test_messaging_apps import APPS

DIRECTORY = Path(__file__).parent / "golden"
SIMULATIONS = {**APPS, **GENERIC_SERVERS}
NAMES = tuple(sorted(path.stem for path in DIRECTORY.glob("*.json")))
Scene = dict[str, Any]


def stored_scenes(app: str) -> list[Scene]:
    scenes: list[Scene] = json.loads((DIRECTORY / f"{app}.json").read_text(encoding="utf-8"))
    return scenes


def played_scenes(app: str, scenes: Sequence[Mapping[str, Any]]) -> list[Scene]:
    """Make the calls of each scene in a fresh world and return the scenes with the new answers and changes."""
    return [_played(SIMULATIONS[app], scene) for scene in scenes]


def _played(simulation: Simulation, scene: Mapping[str, Any]) -> Scene:
    service = Service(simulation)
    calls = [_answered(service, call) for call in scene["calls"]]
    changes = [f"{change.kind} {change.path}" for change in service.changes()]
    return {"scene": scene["scene"], "calls": calls, "changes": changes}


def _answered(service: Service, call: Mapping[str, Any]) -> dict[str, Any]:
    request = {"tool": call["tool"], "arguments": call["arguments"]}
    try:
        answer = service.call(call["tool"], **call["arguments"])
    except ToolFailure as failure:
        return {**request, "failure": str(failure)}
    return {**request, "answer": json.loads(json.dumps(answer))}


def text_of(scenes: Sequence[Scene]) -> str:
    """Return the file's text: one line a call, so that a change of an answer is a change of one line."""
    return "[\n" + ",\n".join(_scene_text(scene) for scene in scenes) + "\n]\n"


def _scene_text(scene: Scene) -> str:
    calls = ",\n".join("    " + json.dumps(call, ensure_ascii=False) for call in scene["calls"])
    changes = json.dumps(scene["changes"], ensure_ascii=False)
    return f'  {{"scene": {json.dumps(scene["scene"])}, "calls": [\n{calls}\n  ], "changes": {changes}}}'


if __name__ == "__main__":
    for name in NAMES:
        (DIRECTORY / f"{name}.json").write_text(text_of(played_scenes(name, stored_scenes(name))), encoding="utf-8")
