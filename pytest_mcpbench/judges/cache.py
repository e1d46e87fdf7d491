"""Cache of verdicts on disk, so that no question is paid for twice."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.files.atomic_file import replace_file
from pytest_mcpbench.servers.secret_filter import SecretFilter


@dataclass(frozen=True)
class VerdictCache:
    """Directory with one small file per verdict, addressed by judge, prompt version and question.

    Several processes may use one directory: a file is written under a temporary name and renamed, so that a reader
    sees a complete file or none. A file that cannot be read counts as missing.
    """

    directory: Path
    secrets: SecretFilter = field(default_factory=SecretFilter)

    def get(self, judge: str, prompt_version: str, question: Question) -> Verdict | None:
        """Return the stored verdict, or ``None``."""
        try:
            return Verdict.model_validate_json(self._path(judge, prompt_version, question).read_bytes())
        except (OSError, ValidationError):
            return None

    def put(
        self, question: Question, verdict: Verdict, *, judge: str | None = None, prompt_version: str | None = None
    ) -> None:
        """Store a verdict without its usage; one with an error is not stored, so that the judge is asked again.

        ``judge`` and ``prompt_version`` are what to store it under, by default those in the verdict.
        """
        if verdict.error is not None:
            return
        path = self._path(judge or verdict.judge, prompt_version or verdict.prompt_version, question)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, self.secrets.remove_from_model(verdict).model_dump_json(exclude={"usage"}).encode())

    def _path(self, judge: str, prompt_version: str, question: Question) -> Path:
        identity = json.dumps([judge, prompt_version, question.key])
        digest = hashlib.sha256(identity.encode()).hexdigest()
        return self.directory / digest[:2] / f"{digest[2:34]}.json"
