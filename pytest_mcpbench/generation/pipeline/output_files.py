"""Files of the suite that a run writes; those that somebody has edited since the last run are set aside."""

import hashlib
import json
from collections.abc import Mapping

from pytest_mcpbench.files.atomic_file import replace_file
from pytest_mcpbench.generation.directories import write_files
from pytest_mcpbench.generation.pipeline.setup import Output

_WRITTEN = "written.json"
"""File of the work directory with the sha256 of each file that the last run wrote."""


def write_output(output: Output, texts: Mapping[str, str]) -> list[str]:
    """Write the files and return sentences about edited ones, which are renamed to ``….before``."""
    file = output.work / _WRITTEN
    before = dict(json.loads(file.read_bytes())) if file.exists() else {}
    edited = []
    for path, digest in before.items():
        written = output.directory / path
        if path not in texts or not written.exists():
            continue
        if _sha256(written.read_bytes()) not in (digest, _sha256(texts[path].encode())):
            written.replace(written.with_name(f"{written.name}.before"))
            edited.append(f"{path} was edited after the last run; the edited one is now {path}.before")
    write_files(output.directory, texts)
    digests = {path: _sha256(text.encode()) for path, text in texts.items()}
    replace_file(output.work / _WRITTEN, json.dumps({**before, **digests}, indent=2).encode())
    return edited


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
