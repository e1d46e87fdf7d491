"""What people say to each other in chats, made from a seed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids
from pytest_mcpbench.simulated.cast.people import Person

_LONGEST_PAUSE_MINUTES = 26 * 60


@dataclass(frozen=True)
class Line:
    """Something that somebody said."""

    person: Person
    moment: datetime
    text: str


def talk(
    subject: str,
    people: Sequence[Person],
    *,
    ids: Ids,
    count: int,
    language: Literal["en", "zh"] = "en",
) -> tuple[Line, ...]:
    """Lines about a subject, in which nobody speaks twice in a row; the oldest first, no two at the same second.

    ``people`` are at least one; lines that name somebody name one of them.
    """
    return tuple(_lines(subject, people, ids, count, _ENGLISH if language == "en" else _CHINESE))[::-1]


def _lines(subject: str, people: Sequence[Person], ids: Ids, count: int, texts: Sequence[str]) -> Iterator[Line]:
    """The newest first."""
    moment, speaker = DEFAULT_NOW, ids.number(0, len(people) - 1)
    first = ids.number(0, len(texts) - 1)
    for number in range(count):
        moment -= timedelta(minutes=ids.number(1, _LONGEST_PAUSE_MINUTES), seconds=ids.number(0, 59))
        speaker = (speaker + ids.number(1, max(1, len(people) - 1))) % len(people)
        other = people[(speaker + 1) % len(people)]
        name = other.name if texts is _ENGLISH else other.local_name
        text = texts[(first + number) % len(texts)].format(subject=subject, name=name, number=ids.number(2, 40))
        yield Line(people[speaker], moment, text)


_ENGLISH = (
    "Morning! Where do we stand with {subject}?",
    "I have moved {number} open points about {subject} to next week.",
    "{name}, could you look at the draft before lunch?",
    "Done, I left {number} comments.",
    "The numbers for {subject} are in the shared folder.",
    "Can we talk about {subject} for ten minutes tomorrow?",
    "I am out of the office on Friday; {name} stands in for me.",
    "The client asked for the new date of {subject} again.",
    "Thanks, that helps a lot.",
    "We still need {number} answers before we can close this.",
    "The room is booked, see you there.",
    "I would rather wait for {name} before we decide.",
    "Tests are green again after the fix of last night.",
    "Reminder: the report on {subject} is due this week.",
    "That works for me.",
    "Who takes the notes next time? {name}?",
    "The invoice came back with a wrong amount: {number} instead of zero.",
    "I have uploaded the slides, version {number}.",
    "Let us not forget to thank {name} for the help.",
    "Lunch at the noodle place at half past twelve?",
    "My train is {number} minutes late, please begin without me.",
    "Good news: {subject} got its approval.",
    "I wrote down the risks of {subject}; there are {number}.",
    "{name} knows the details, ask there.",
)
_CHINESE = (
    "早上好，{subject}进展如何？",
    "{name}，麻烦午饭前看一下草稿。",
    "看完了，留了{number}条意见。",
    "{subject}的数据已经放到共享文件夹了。",
    "明天能花十分钟聊聊{subject}吗？",
    "周五我不在办公室，有事找{name}。",
    "客户又在问{subject}的新日期。",
    "谢谢，帮大忙了。",
    "还差{number}个答复才能收尾。",
    "会议室订好了，到时候见。",
    "等{name}来了再定吧。",
    "昨晚修复后测试都通过了。",
    "提醒一下：{subject}的报告这周要交。",
    "我这边没问题。",
    "下次谁做会议记录？{name}？",
    "幻灯片已上传，第{number}版。",
    "中午十二点半一起吃面？",
    "地铁晚点{number}分钟，你们先开始。",
    "好消息：{subject}批下来了。",
    "细节问{name}最清楚。",
)
