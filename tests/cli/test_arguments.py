"""Refusals of numeric arguments of the command line."""

import pytest

from pytest_mcpbench.cli import main

REFUSED = {
    "no number of tasks": ("compare a b --max-worse few", "--max-worse: 'few' is not a whole number from 0"),
    "a negative number of tasks": ("compare a b --max-worse=-1", "--max-worse: '-1' is not a whole number from 0"),
    "no reviewer": ("review s --reviewers 0", "--reviewers: '0' is not a whole number from 1"),
    "trial 0": ("show run task --trial 0", "--trial: '0' is not a whole number from 1"),
    "an audit of no task": ("audit s --tasks 0", "--tasks: '0' is not a whole number from 1"),
    "an audit without mutants": ("audit s --mutants 0", "--mutants: '0' is not a whole number from 1"),
    "a share in per cent": ("audit s --least 75", "--least: '75' is not a number from 0 to 1"),
    "no share": ("mutate s --least most", "--least: 'most' is not a number from 0 to 1"),
    "no loss": ("mutate s --margin nan", "--margin: 'nan' is not a number from 0 to 1"),
    "no port": ("view --port http", "--port: 'http' is not a port, which is a number from 0 to 65535"),
    "a port that is too large": ("serve mail --port 65536", "--port: '65536' is not a port, which is a number from 0"),
}


@pytest.mark.parametrize(("command", "message"), REFUSED.values(), ids=REFUSED)
def test_a_number_out_of_range_is_refused_with_the_range(
    command: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(command.split())
    assert f"error: argument {message}" in capsys.readouterr().err
