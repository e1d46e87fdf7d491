"""A local name stands for weights or a server, and for what determines their replies."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_identity import model_identity
from pytest_mcpbench.models.local.engine_process import EngineProcess, EngineSetup, available_memory, require_memory
from pytest_mcpbench.models.local.resolution import LocalName, describe, parse_name, resolve
from pytest_mcpbench.models.local.running_servers import SERVER_KINDS
from tests.local_engine import needs_engine


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("local", LocalName()),
        ("local:qwen2.5-coder-1.5b", LocalName(weights=True)),
        ("local:models/a.gguf", LocalName(path=Path("models/a.gguf"))),
        ("local:ollama", LocalName(server="ollama")),
        ("local:ollama/qwen3:8b", LocalName(server="ollama", model="qwen3:8b")),
        ("local:vllm/org/model", LocalName(server="vllm", model="org/model")),
    ],
)
def test_names_are_parsed(name: str, parts: LocalName) -> None:
    assert parse_name(name) == parts


@pytest.mark.parametrize("name", ["local:", "local:lmstudio", "local:a.bin"])
def test_an_unknown_name_is_an_error_with_the_forms(name: str) -> None:
    with pytest.raises(UsageError, match=r"there are: local, .*local:PATH\.gguf, and local:llamacpp"):
        parse_name(name)


def test_missing_weights_are_an_error_that_says_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCPBENCH_CACHE", str(tmp_path))
    with pytest.raises(UsageError, match="get them with `mcpbench fetch local`"):
        resolve("local:qwen2.5-coder-1.5b")


def test_the_identity_has_the_digest_of_the_weights_and_not_the_port(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    identities = []
    for content in (b"GGUF1", b"GGUF2"):
        file.write_bytes(content)
        table = describe(f"local:{file}").table
        moved = {**table, "url": "http://127.0.0.1:4321/v1"}
        identities.append(model_identity("x", {"x": table}, {}))
        assert model_identity("x", {"x": moved}, {}) == identities[-1]
    assert identities[0] != identities[1]


def test_a_description_for_a_run_that_asks_no_model_looks_for_no_server() -> None:
    table = describe("local:ollama/a").table
    assert (table["model"], table["url"]) == ("a", f"{SERVER_KINDS['ollama'].address}/v1")


def test_too_little_memory_is_an_error_before_the_engine_starts(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(b"GGUF")
    require_memory(file, available=10**10)
    with pytest.raises(UsageError, match=r"needs about 1\.5 GB of memory for a\.gguf, and 0\.5 GB are available"):
        require_memory(file, available=5 * 10**8)


def test_the_memory_of_a_container_counts_if_it_is_less(tmp_path: Path) -> None:
    information = tmp_path / "meminfo"
    information.write_text("MemTotal: 3000 kB\nMemAvailable: 2000 kB\n")
    group = tmp_path / "group"
    assert available_memory(information, group) == 2_048_000
    group.mkdir()
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("900000\n")
    (group / "memory.stat").write_text("anon 5\ninactive_file 100000\n")
    assert available_memory(information, group) == 2_048_000
    (group / "memory.max").write_text("1000000\n")
    assert available_memory(information, group) == 200_000


@needs_engine
def test_an_engine_that_cannot_load_its_weights_is_an_error_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(b"GGUF and nothing that follows")
    engine = EngineProcess(EngineSetup(str(file), "a", "", port=0, threads=1))
    try:
        with pytest.raises(UsageError, match=r"the engine ended with code 1 .* while it loaded .*a\.gguf: "):
            engine.wait()
    finally:
        engine.close()
