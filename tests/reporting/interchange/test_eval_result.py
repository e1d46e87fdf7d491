"""``mcpbench export --format eval-result``: a file of its own for each suite and model of each run."""

import json
import os
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from tests.cli.test_command_line import write
from tests.reporting.samples import one_of_each


def test_no_file_overwrites_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [("s", "m"), ("旅行", "m"), ("天气", "m"), ("s", "a/b"), ("s", "a_b"), ("s-t", "m"), ("s", "t-m")]
    passed, _, broken, *_ = one_of_each()
    records = [
        record.model_copy(update={"suite": suite, "model": model})
        for suite, model in names
        for record in (passed, broken)
    ]
    runs = [write(tmp_path / place / "out", records) for place in ("a", os.fsdecode(b"caf\xe9"))]
    out = tmp_path / "results"
    assert main(["export", *map(str, runs), "--format", "eval-result", "--out", str(out)]) == 0
    assert len(list(out.iterdir())) == 2 * len(names)
    assert main(["export", str(runs[0]), "--format", "eval-result", "--out", str(tmp_path / "one")]) == 0
    file = tmp_path / "one" / "out_s_m.jsonl"
    assert f"{file} (1 without a verdict left out)" in capsys.readouterr().out
    assert [json.loads(line)["unique_id"] for line in file.read_text().splitlines()] == ["pass"]
