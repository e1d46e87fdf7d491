"""Tables of MCP-Persona against averages that are computed here from the raw records."""

import csv
import io
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli.command_line import main
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.reporting.papers.people_labels import read_people_labels
from tests.papers import arithmetic as plain
from tests.papers.cells import assert_cells, cells_of, known, number
from tests.papers.runs import MODELS, raw_records, write_run, write_swept_run

SINGLE = {"collaboration-platform": "Collaboration Platform", "content-management": "Content Management"}
SINGLE |= {"social-media": "Social Media", "email": "Email"}
CROSS = {"lark-centric": "Lark-Centric", "rednote-centric": "Rednote-Centric", "hodgepodge": "Hodgepodge"}
KINDS = {
    "lark_mcp_single_short": ("collaboration-platform", "Lark_Short"),
    "slack_single": ("collaboration-platform", "Slack"),
    "xiaohongshu_single_long": ("social-media", "Rednote_Long"),
    "notion_single_long": ("content-management", "Notion_Long"),
    "lark_mcp_xiaohongshu": ("lark-centric", "Lark_Rednote"),
    "xiaohongshu_other": ("rednote-centric", "Rednote_Other"),
    "hodgepodge": ("hodgepodge", "Hodgepodge"),
    "wecome_single": ("collaboration-platform", "Wecom"),
}
TASKS = [
    (f"{kind}-{index}", {"query_type": kind, "category": category, "tools": str(2 + index)})
    for kind, (category, _) in KINDS.items()
    for index in range(3)
]


def attempt(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    checkpoints = int(tags["tools"])
    points = [draw.choice((0.0, 0.5, 1.0, 1.0)) for _ in range(checkpoints)]
    accuracy: float | str = sum(points) / checkpoints if draw.random() < 0.9 else "the judge did not answer"
    success: float | str = float(accuracy > 0.8) if isinstance(accuracy, float) else accuracy
    return {
        "scores": {"checkpoints": accuracy, "sr": success, "exec": draw.choice((None, 0.0, 0.5, 1.0))},
        "expected": ["lookup(q='x')", *(f"checkpoint {number}: do it" for number in range(1, checkpoints + 1))],
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", "persona", TASKS, attempt)


def effort(records: list[dict[str, Any]]) -> dict[str, float | None]:
    return {
        "Tokens": plain.macro(records, lambda record: plain.usage(record, "input_tokens", "output_tokens")),
        "Cost": plain.macro(records, lambda record: plain.usage(record, "cost_usd")),
        "Steps": plain.macro(records, lambda record: float(len(record["run"]["trajectory"]["steps"]))),
    }


def test_table_3_has_acc_by_category_and_overall_values_with_tokens_cost_and_steps(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected: dict[tuple[str, ...], plain.Expected] = {}
    for model in MODELS:
        own = plain.made(plain.of_model(raw_records(run), model))
        for group, names in (("Single-Server", SINGLE), ("Cross-Server", CROSS)):
            for tag, name in names.items():
                expected[model, group, name] = plain.macro_of(plain.made(own, category=tag), "checkpoints")
        for name, metric in (("Acc", "checkpoints"), ("SR-0.8", "sr"), ("Exec-Acc", "exec")):
            expected[model, "Overall", name] = plain.macro_of(own, metric)
        expected |= {(model, "Mean of a task", name): mean for name, mean in effort(own).items()}
    cells = cells_of(capsys, "persona", run, "--table", "3")
    assert_cells(cells, expected)
    own = plain.made(plain.of_model(raw_records(run), "ada"))
    assert known(cells, "ada", "Overall", "Acc") != pytest.approx(plain.flat_mean(own, "checkpoints"))


def test_a_cost_that_is_unknown_is_left_out_and_never_0(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = cells_of(capsys, "persona", run, "--table", "3")["ada", "Mean of a task", "Cost"]
    own = plain.made(plain.of_model(raw_records(run), "ada"))
    known = [record for record in own if plain.usage(record, "cost_usd") is not None]
    assert 0 < len(known) < len(own)
    assert (int(cell["n"]), int(cell["unscored"])) == (len(known), len(own) - len(known))


@pytest.mark.extra
def test_table_7_has_the_checkpoints_of_each_subset(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells, records = cells_of(capsys, "persona", run, "--table", "7"), plain.made(raw_records(run))
    for kind, (_, subset) in KINDS.items():
        assert number(cells, subset, "", "Total Ckpt") == 2 + 3 + 4
        assert number(cells, subset, "", "Misaligned Ckpt") is None
        for model in MODELS:
            own = plain.made(plain.of_model(records, model), query_type=kind)
            wanted = {"Acc": plain.macro_of(own, "checkpoints"), **effort(own)}
            for name, each in wanted.items():
                assert known(cells, subset, model, name) == pytest.approx(each)
    assert number(cells, "Overall", "", "Total Ckpt") == 9 * len(KINDS)
    assert number(cells, "Instagram", "", "Total Ckpt") == 0


def judged(directory: Path) -> tuple[Path, Path]:
    """Write a run whose judge gave 1 for each of two steps of a task's checkpoint, and a file with labels of people."""

    def scored(_draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
        return {"scores": {"checkpoints": 1.0}, "expected": ["checkpoint 1: Step 1: find Step 2: send"]}

    run = write_run(directory / "judged", "persona", TASKS, scored, models=("ada",))
    verdict = {"label": "fulfilled", "score": 1.0, "judge": "j", "prompt_version": "1"}
    file = run / "records-main.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    for record in records:
        if record["run"] is not None:
            record["run"]["verdicts"] = {text: {**verdict, "statement": text} for text in ("find", "send")}
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    labels = directory / "labels.csv"
    rows = [("slack_single-0", "1", "find", "1"), ("slack_single-0", "1", "send", "0.5")]
    rows += [("lark_mcp_single_short-0", "", "find", "fulfilled"), ("lark_mcp_single_short-1", "1", "find", "")]
    labels.write_text("task,trial,statement,people\n" + "".join(",".join(row) + "\n" for row in rows))
    return run, labels


def test_labels_of_people_give_the_misaligned_checkpoints_of_each_subset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, labels = judged(tmp_path)
    cells = cells_of(capsys, "persona", run, "--table", "7", "--labels", str(labels))
    made = [record for record in raw_records(run) if record["run"] is not None]
    first = sum(record["task_id"] == "slack_single-0" and record["trial"] == 1 for record in made)
    every = sum(record["task_id"] == "lark_mcp_single_short-0" for record in made)
    assert (first, every > 1) == (1, True)
    for subset, misaligned, total in (("Slack", 1, 2), ("Lark_Short", 0, every), ("Overall", 1, 2 + every)):
        numbers = [number(cells, subset, "", name) for name in ("Misaligned Ckpt", "Total Ckpt", "Ratio (%)")]
        assert numbers == [misaligned, total, pytest.approx(misaligned / total)]
    assert number(cells, "Email", "", "Ratio (%)") is None


def test_a_checkpoint_that_a_judge_decided_as_a_whole_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = judged(tmp_path)
    assert number(cells_of(capsys, "persona", run, "--table", "7"), "Slack", "", "Total Ckpt") == 2 * 3
    file, text = run / "records-main.jsonl", "Step 1: find Step 2: send"
    file.write_text(file.read_text().replace('"statement": "find"', f'"statement": "{text}"'))
    assert number(cells_of(capsys, "persona", run, "--table", "7"), "Slack", "", "Total Ckpt") == 3


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"task,statement\na,b\n", "there is no column people"),
        (b"task,statement,people\na,b,\n", "no row has a label of people"),
        (b"task,statement,people\na,b,1\na,b,0\n", "labels.csv:3: people: a row above labels the same verdict"),
        ("task,statement,people\na,b,é\n".encode("latin-1"), "labels.csv: it is not UTF-8. Save it"),
        (b"task,statement,people\na,b,yes\n", "labels.csv:2: people: 'yes' is not a label"),
    ],
    ids=["no column", "no label", "two labels", "not UTF-8", "no such label"],
)
def test_a_file_without_labels_is_said(tmp_path: Path, text: bytes, error: str) -> None:
    file = tmp_path / "labels.csv"
    file.write_bytes(text)
    with pytest.raises(TaskError, match=error):
        read_people_labels(file)


@pytest.mark.parametrize("swapped", [False, True], ids=["model first", "trial first"])
def test_two_labels_that_say_equally_much_about_a_verdict_and_differ_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], swapped: bool
) -> None:
    run, labels = judged(tmp_path)
    rows = ["slack_single-0,find,ada,,1\n", "slack_single-0,find,,1,0\n"]
    head = "task,statement,model,trial,people\n"
    labels.write_text(head + "".join(reversed(rows) if swapped else rows))
    assert main(["paper", "persona", str(run), "--table", "7", "--labels", str(labels)]) == 2
    assert "labels.csv:3: people: line 2 labels the same verdict differently" in capsys.readouterr().err
    labels.write_text(head + "".join(rows) + "slack_single-0,find,ada,1,0\n")
    assert main(["paper", "persona", str(run), "--table", "7", "--labels", str(labels)]) == 0


def test_labels_that_no_table_uses_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, labels = judged(tmp_path)
    assert main(["paper", "persona", str(run), "--table", "3", "--labels", str(labels)]) != 0
    assert "--labels: no table of MCP-Persona that is written uses labels of people" in capsys.readouterr().err


@pytest.mark.parametrize("is_swept", [False, True], ids=["two runs", "swept"])
def test_a_label_in_an_exported_table_is_for_the_attempt_of_its_row_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], is_swept: bool
) -> None:
    runs = {name: judged(tmp_path / name)[0].rename(tmp_path / f"run-{name}") for name in ("3", "5")}
    if is_swept:
        write_swept_run(tmp_path / "swept", "top-k", runs)
        runs = {"all": tmp_path / "swept"}
    labels = tmp_path / "people.csv"
    assert main(["export", *map(str, runs.values()), "--table", "verdicts", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    # People agree with the judge about one run or value of the sweep, and in no case about the other.
    agree = [(is_swept and row["series"].endswith(":3")) or row["run"] == "run-3" for row in rows]
    assert 0 < sum(agree) < len(rows)
    with labels.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "people"])
        writer.writeheader()
        writer.writerows({**row, "people": "1" if agrees else "0"} for row, agrees in zip(rows, agree, strict=True))
        writer.writerow({**rows[0], "statement": "of another task", "people": "1"})
    options = ("--table", "7", "--labels", str(labels))
    cells = cells_of(capsys, "persona", *runs.values(), *options)
    assert number(cells, "Overall", "", "Total Ckpt") == len(rows)
    assert number(cells, "Overall", "", "Misaligned Ckpt") == len(rows) - sum(agree)
    assert main(["paper", "persona", *map(str, runs.values()), *options]) == 0
    assert "1 label of people: no verdict in these runs" in " ".join(capsys.readouterr().out.split())


def is_of(app: str, record: dict[str, Any]) -> bool:
    return app in record["tags"]["query_type"]


@pytest.mark.extra
def test_table_5_has_the_lark_and_rednote_tasks_with_each_skill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skills = {"Vanilla": [], "+ lark": ["skills/lark/SKILL.md"], "+ claw": ["my/claw.md"]}
    runs = {
        name: write_run(tmp_path / str(seed), "persona", TASKS, attempt, conditions={"skills": paths}, seed=seed)
        for seed, (name, paths) in enumerate(skills.items())
    }
    expected: dict[tuple[str, ...], plain.Expected] = {}
    for name, run in runs.items():
        for subset, app in (("Lark", "lark_mcp"), ("Rednote", "xiaohongshu")):
            for model in MODELS:
                own = [each for each in plain.made(plain.of_model(raw_records(run), model)) if is_of(app, each)]
                group = f"{subset} Subset {name}"
                expected[model, group, "Acc"] = plain.macro_of(own, "checkpoints")
                expected[model, group, "Exec-Acc"] = plain.macro_of(own, "exec")
    cells = cells_of(capsys, "persona", *runs.values(), "--table", "5")
    assert_cells(cells, expected)
    assert next(iter(cells))[1] == "Lark Subset Vanilla"


@pytest.mark.extra
@pytest.mark.parametrize(
    ("table", "first", "second"),
    [
        ("6", ("All Tools", {"exposure": "all"}), ("Selected Tools", {"exposure": "selected"})),
        (
            "9",
            ("Only Necessary Context", {"context": "necessary"}),
            ("With Context Distractors", {"context_distractors": 5}),
        ),
    ],
    ids=["tools", "context"],
)
def test_tables_6_and_9_have_a_run_in_each_pair_of_columns(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    table: str,
    first: tuple[str, dict[str, Any]],
    second: tuple[str, dict[str, Any]],
) -> None:
    expected: dict[tuple[str, ...], plain.Expected] = {}
    runs = []
    for seed, (group, conditions) in enumerate((first, second)):
        runs.append(write_run(tmp_path / str(seed), "persona", TASKS, attempt, conditions=conditions, seed=seed))
        for model in MODELS:
            own = plain.made(plain.of_model(raw_records(runs[-1]), model))
            expected[model, group, "Acc"] = plain.macro_of(own, "checkpoints")
            expected[model, group, "Exec-Acc"] = plain.macro_of(own, "exec")
    assert_cells(cells_of(capsys, "persona", *runs, "--table", table), expected)


@pytest.mark.extra
def test_figures_2_and_3_have_the_tasks_and_the_effort(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = cells_of(capsys, "persona", run, "--figure", "2")
    counts = {place[1]: number(cells, *place) for place in cells if place[1]}
    assert counts["Collaboration Platform"] == 9
    assert counts["Email"] == 0
    figure = cells_of(capsys, "persona", run, "--figure", "3")
    own = plain.made(plain.of_model(raw_records(run), "bert"))
    wanted = {**effort(own), "Acc": plain.macro_of(own, "checkpoints")}
    for name, each in wanted.items():
        assert known(figure, "bert", "", name) == pytest.approx(each)


def test_table_10_has_the_versions_that_the_providers_name_and_every_table_a_note_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def answered(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
        made, skill = attempt(draw, tags), tags["skill"]
        notes = {} if skill == "0.6" else {"answered_by": f"m-{skill}" if skill == "0.9" else draw.choice("ab")}
        return {**made, "run": {"trajectory": {"steps": [], "notes": notes}}}

    run = write_run(tmp_path / "run", "persona", TASKS, answered)
    table = cells_of(capsys, "persona", run, "--table", "10")
    assert table["claude", "", "Version"]["value"] == "m-0.9"
    assert table["ada", "", "Version"]["value"] == "a, b"
    assert (table["bert", "", "Version"]["value"], table["bert", "", "Version"]["reason"]) == (
        "",
        "its replies name no version",
    )
    assert main(["paper", "persona", str(run), "--table", "3"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "versions by their providers: ada: a, b; claude: m-0.9" in text
