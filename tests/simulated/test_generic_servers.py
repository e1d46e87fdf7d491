"""The generic servers: what follows from their worlds, and what they refuse."""

import re
from pathlib import Path

import pytest

from pytest_mcpbench.simulated.medical import server as medical
from pytest_mcpbench.simulated.tushare import server as tushare
from pytest_mcpbench.simulated.websearch.answers import UNKNOWN, answer
from tests.simulated.generic_servers import GENERIC_SERVERS
from tests.simulated.service import Service


def _service(name: str, path: Path = Path("/nowhere"), seed: object = None) -> Service:
    return Service(GENERIC_SERVERS[name], seed, path)


def test_the_nine_generic_servers_of_the_paper_are_there() -> None:
    assert len(GENERIC_SERVERS) == 9


@pytest.mark.parametrize("name", sorted(set(GENERIC_SERVERS) - {"tushare"}))
def test_only_the_stock_server_keeps_anything_in_its_world(name: str) -> None:
    assert _service(name).changes() == ()


def test_a_token_is_needed_and_kept() -> None:
    service = _service("tushare", seed="without_token")
    assert service.refusal("search_stocks", keyword="海") == "请先配置Tushare token"
    service.call("setup_tushare_token", token="b" * 56)
    assert service.call("search_stocks", keyword="云帆") == "300862.SZ - 云帆光学"
    assert [change.path for change in service.changes()] == ["account"]


@pytest.mark.parametrize("company", tushare.companies(), ids=lambda company: company.code)
def test_a_statement_adds_up_and_grows_within_the_year(company: tushare.ListedCompany) -> None:
    account = _service("tushare").state
    statements = account.statements(company.code, "20250101", "20251231")
    revenues = [each.figures["营业总收入"] for each in statements]
    assert revenues == sorted(revenues)
    for each in statements:
        costs = sum(each.figures[name] for name in ("营业成本", "销售费用", "管理费用", "财务费用"))
        assert each.figures["营业总收入"] - costs == pytest.approx(each.figures["营业利润"], abs=0.05)


def test_every_drug_is_found_by_each_of_its_names_and_by_its_code() -> None:
    for drug in medical.find_drugs("in"):
        assert drug in medical.find_drugs(drug["brand"].lower())
        assert drug in medical.find_drugs(drug["generic"])
        assert medical.drug(drug["ndc"]) == drug


def test_free_and_used_space_are_the_whole() -> None:
    usage = _service("mcp-monitor").call("get_disk_info", path="/srv")["usage"]
    assert usage["free"] + usage["used"] == usage["total"]


@pytest.mark.parametrize(("order", "first"), [("cpu", "queuebird-worker"), ("memory", "java"), ("name", "cron")])
def test_processes_are_sorted(order: str, first: str) -> None:
    listed = _service("mcp-monitor").call("get_process_info", sort_by=order, limit=1)
    assert [each["name"] for each in listed["processes"]] == [first]


def test_a_picture_is_stored_as_a_file_of_the_attempt(tmp_path: Path) -> None:
    made = _service("mcpollinations", tmp_path).call("generateImage", prompt="x", fileName="poster", outputPath="art")
    assert made["filePath"] == "art/poster.png"
    assert (tmp_path / "art" / "poster.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_is_not_stored_outside_the_attempt(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    _service("mcpollinations", tmp_path / "inside").refusal("generateImage", prompt="x", outputPath="..")
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def test_a_language_model_answers_from_the_small_web_alone() -> None:
    assert "1,148 metres" in answer("How long is the Maren Bridge?")
    assert answer("zzz qqq") == UNKNOWN


def test_research_shows_a_page_for_each_keyword_and_counts_the_rounds() -> None:
    report = _service("deep-research").call(
        "deep-research", question="?", keywords=["Maren Bridge", "observatory"], rounds=2
    )
    assert re.findall(r"^## (.+)$", report, re.MULTILINE) == ["Maren Bridge", "observatory"]
    assert "Round: 2 of 5" in report
