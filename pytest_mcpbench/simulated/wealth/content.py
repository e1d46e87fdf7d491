# ruff: noqa: N802, N803 (names are the real server's)
"""The server of news, views, lessons and trading days: eight tools, named as those of Qieman (盈米)."""

from collections.abc import Iterable
from datetime import date
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure
from pytest_mcpbench.simulated.wealth import days, rows, world
from pytest_mcpbench.simulated.wealth.rows import TextRow
from pytest_mcpbench.simulated.wealth.types import FirstDay, LastDay

Keyword = Annotated[str, Field(description="主题词，多个词用空格隔开")]


def SearchFinancialNews(_world: World, keyword: Keyword) -> Any:
    """搜索财经新闻，返回标题与编号；细节在正文里。"""
    articles = _matching_texts((each for each in rows.news() if each.kind == "新闻"), keyword)
    return {"items": [_headline(each) for each in articles], "total": len(articles)}


def GetNewsContent(_world: World, newsId: Annotated[str, Field(description="新闻编号，以 N 开头")]) -> Any:
    """按编号读新闻正文。"""
    for each in rows.news():
        if each.id == newsId and each.kind == "新闻":
            return {**_headline(each), "content": each.body}
    raise ToolFailure(f"未找到该新闻: {newsId}")


def SearchHotTopic(_world: World) -> Any:
    """今日热搜话题榜，附相关新闻编号。"""
    topics = rows.table("topics")
    return [
        {"rank": int(rank), "topic": topic, "heat": int(heat), "newsId": news} for rank, topic, heat, news in topics
    ]


def SearchManagerViewpoint(_world: World, keyword: Annotated[str, Field(description="基金经理姓名或主题词")]) -> Any:
    """基金经理对市场的观点全文。"""
    articles = _matching_texts((each for each in rows.news() if each.kind == "观点"), keyword)
    return {
        "items": [
            {"manager": each.author, "date": each.day, "title": each.title, "content": each.body} for each in articles
        ]
    }


def searchInvestAdvisorContent(_world: World, keyword: Keyword) -> Any:
    """投教知识、平台操作、活动与合规说明，返回全文。"""
    lessons = _matching_texts(rows.lessons(), keyword)
    return {
        "items": [{"id": each.id, "kind": each.kind, "title": each.title, "content": each.body} for each in lessons]
    }


def GetCurrentTime(context: World) -> Any:
    """现在的日期、时刻与星期（北京时间）。"""
    now = context.now
    return {"currentTime": f"{now:%Y-%m-%d %H:%M:%S}", "weekday": f"星期{'一二三四五六日'[now.weekday()]}"}


def GetTxnDayRange(_world: World, startDate: FirstDay, endDate: LastDay) -> Any:
    """区间内的交易日，已扣除周末与节假日。"""
    trading_days = days.trading_days(*world.span(startDate, endDate))
    return {"txnDays": [f"{day}" for day in trading_days], "total": len(trading_days)}


def GetEconomicCalendar(
    _world: World,
    startDate: FirstDay,
    endDate: LastDay,
    region: Annotated[Literal["境内", "境外"] | None, Field(description="只看这一地区")] = None,
) -> Any:
    """财经日历：区间内将公布的数据与会议，附前值与预期。"""
    begin, end = world.span(startDate, endDate)
    events = [
        {"date": day, "time": time, "region": place, "event": name, "previous": previous, "forecast": forecast}
        for day, time, place, name, previous, forecast in rows.table("events")
        if begin <= date.fromisoformat(day) <= end and region in (None, place)
    ]
    return {"events": events}


def _matching_texts(texts: Iterable[TextRow], keyword: str) -> list[TextRow]:
    """Return the texts that contain each word of the keyword in any part; if none does, those with most of its parts.

    Parts are pairs of neighbouring characters, as in engines for Chinese; a text with less than a third of them is
    no hit.
    """
    whole = [(each, f"{each.words} {each.title} {each.body} {each.author}") for each in texts]
    if hits := [each for each, text in whole if world.has_words(keyword, text)]:
        return hits
    parts = {f"{one}{other}" for word in keyword.casefold().split() for one, other in pairwise(word)}
    counts = [sum(part in text.casefold() for part in parts) for _, text in whole]
    most = max(counts, default=0)
    return [
        each for (each, _), count in zip(whole, counts, strict=True) if count == most and 3 * count >= len(parts) > 0
    ]


def _headline(text: TextRow) -> dict[str, str]:
    return {"newsId": text.id, "date": text.day, "source": text.author, "title": text.title}


SIMULATION = Simulation(
    name="wealth-content",
    state=lambda world: world,
    tools=(
        SearchFinancialNews,
        GetNewsContent,
        SearchHotTopic,
        SearchManagerViewpoint,
        searchInvestAdvisorContent,
        GetCurrentTime,
        GetTxnDayRange,
        GetEconomicCalendar,
    ),
    dialect=PYTHON_SDK,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
