"""Small runs of the five suites on disk: three models, three trials, errors, unscored attempts and random scores."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.record import RunRecord

Json = dict[str, Any]
MODELS = ("ada", "bert", "claude")
TRIALS = 3


def write_run(
    directory: Path,
    suite: str,
    tasks: Sequence[tuple[str, Mapping[str, str]]],
    attempt: Callable[[random.Random, Mapping[str, str]], Json],
    *,
    models: Sequence[str] = MODELS,
    conditions: Mapping[str, Any] | None = None,
    rounds: int = 10,
    categories: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
) -> Path:
    """Write a run in which every task has three trials of each model.

    ``attempt`` returns what an attempt scored: ``scores``, ``counts``, and other fields of the record. Some attempts
    end with an error, so that tasks differ in the number of trials with a value.
    """
    directory.mkdir(parents=True)
    draw = random.Random(f"{seed}/{suite}")
    lines = [
        _record(suite, task, dict(tags), model, trial, draw, attempt)
        for model in models
        for task, tags in tasks
        for trial in range(1, TRIALS + 1)
    ]
    (directory / "records-main.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    about: Json = {"conditions": {**Conditions().model_dump(mode="json"), **(conditions or {})}}
    about |= {"limits": {"rounds": rounds}, **({"categories": categories} if categories else {})}
    (directory / "run.json").write_text(json.dumps({"suites": {suite: about}}), encoding="utf-8")
    return directory


def write_swept_run(directory: Path, name: str, runs: Mapping[str, Path]) -> Path:
    """Write one run that sweeps a condition, with the attempts of a run for each value."""
    directory.mkdir(parents=True)
    records = [
        {**record, "model": f"{record['model']}@{name}:{value}", "swept": {name: value}}
        for value, run in runs.items()
        for record in map(json.loads, (run / "records-main.jsonl").read_text(encoding="utf-8").splitlines())
    ]
    (directory / "records-main.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records), "utf-8")
    facts = json.loads((next(iter(runs.values())) / "run.json").read_text(encoding="utf-8"))
    facts["settings"] = {"sweep": [f"{name}={','.join(runs)}"]}
    (directory / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    return directory


def raw_records(*directories: Path) -> list[Json]:
    """Return the lines of the records, each with the conditions of its run: what the tests compute from."""
    return [record for directory in directories for record in _raw_records(directory)]


def _raw_records(directory: Path) -> Iterator[Json]:
    about = next(iter(json.loads((directory / "run.json").read_text())["suites"].values()))
    for line in (directory / "records-main.jsonl").read_text(encoding="utf-8").splitlines():
        yield {**json.loads(line), "conditions": {**about["conditions"], **about["limits"]}}


def _record(
    suite: str,
    task: str,
    tags: Mapping[str, str],
    model: str,
    trial: int,
    draw: random.Random,
    attempt: Callable[[random.Random, Mapping[str, str]], Json],
) -> str:
    skill = {"ada": 0.3, "bert": 0.6, "claude": 0.9}.get(model, 0.5)
    fields: Json = {
        "suite": suite,
        "task_id": task,
        "task_hash": "0",
        "model": model,
        "trial": trial,
        "node_id": f"suites/{suite}/suite.toml::{task}[{model}-{trial}]",
        "outcome": "failed",
        "tags": dict(tags),
        "started_at": "2026-03-02T09:00:00+00:00",
    }
    if draw.random() < 0.1:
        broken = {"outcome": "error", "error": {"kind": "provider", "message": "500"}}
        return RunRecord.model_validate({**fields, **broken}).model_dump_json()
    made = attempt(draw, {**tags, "skill": str(skill)})
    scores = {name: score_json(value, made.get("counts", {}).get(name)) for name, value in made["scores"].items()}
    evidence = {
        "task_id": task,
        "model": model,
        "trajectory": {"steps": [_step(draw) for _ in range(draw.randint(1, 4))]},
        **made.get("run", {}),
    }
    others = {name: made[name] for name in ("failures", "expected", "turns", "comparison", "outcome") if name in made}
    card = {"scores": scores, "floors": made.get("floors", {})}
    return RunRecord.model_validate({**fields, **others, "scorecard": card, "run": evidence}).model_dump_json()


def score_json(value: float | str | None, counts: Mapping[str, float] | None = None) -> Json:
    """Return a score; a text is the reason why it has no value, and ``None`` that it does not apply."""
    if value is None:
        return {"value": None, "unscored": "nothing to measure", "applies": False}
    if isinstance(value, str):
        return {"value": None, "unscored": value}
    return {"value": value, "counts": dict(counts or {})}


def _step(draw: random.Random) -> Json:
    tokens = {"input_tokens": draw.randint(100, 900), "output_tokens": draw.randint(1, 90)}
    return {"usage": {**tokens, "cached_tokens": 0, "cost_usd": draw.choice((0.01, 0.02, None))}}


def chance(draw: random.Random, tags: Mapping[str, str]) -> float:
    """Return 1 or 0; better models have a higher chance of 1."""
    return float(draw.random() < float(tags["skill"]))
