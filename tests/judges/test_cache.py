import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.judges.cache import VerdictCache

QUESTION = Question(kind="claim", statement="It is red.", evidence="A red thing.")
VERDICT = Verdict(label="fulfilled", score=1, judge="a-judge", prompt_version="claim-1")


@pytest.fixture
def cache(tmp_path: Path) -> VerdictCache:
    cache = VerdictCache(tmp_path / "verdicts")
    cache.put(QUESTION, VERDICT)
    return cache


def test_a_verdict_is_found_again(cache: VerdictCache) -> None:
    assert cache.get("a-judge", "claim-1", QUESTION) == VERDICT


@pytest.mark.parametrize(
    ("judge", "version", "question"),
    [
        ("b-judge", "claim-1", QUESTION),
        ("a-judge", "claim-2", QUESTION),
        ("a-judge", "claim-1", QUESTION.model_copy(update={"evidence": "A blue thing."})),
    ],
    ids=["another judge", "another prompt", "another question"],
)
def test_a_verdict_is_not_found_for_something_else(
    cache: VerdictCache, judge: str, version: str, question: Question
) -> None:
    assert cache.get(judge, version, question) is None


def test_a_torn_file_counts_as_none(cache: VerdictCache) -> None:
    (file,) = cache.directory.rglob("*.json")
    file.write_text(file.read_text()[:20])
    assert cache.get("a-judge", "claim-1", QUESTION) is None


def test_a_verdict_with_an_error_is_not_kept(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    cache.put(QUESTION, Verdict(label=None, error="silent", judge="a-judge", prompt_version="claim-1"))
    assert list(tmp_path.iterdir()) == []


_WRITER = """
import sys
from pathlib import Path
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.judges.cache import VerdictCache
cache = VerdictCache(Path(sys.argv[1]))
for number in range(60):
    question = Question(kind="claim", statement=str(number % 20), evidence="e")
    cache.put(question, Verdict(label="fulfilled", reason="x" * 5000, judge="j", prompt_version="1"))
    assert cache.get("j", "1", question) is not None
"""


def test_several_processes_may_write_the_same_verdicts_at_once(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)]) for _ in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 20
    assert all(json.loads(path.read_text())["label"] == "fulfilled" for path in files)
