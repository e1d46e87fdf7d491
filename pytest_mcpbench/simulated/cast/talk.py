"""Chat conversations between people of the cast, generated from a seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids
from pytest_mcpbench.simulated.cast.people import Person

Language = Literal["en", "zh"]
Setting = Literal["work", "private"]

_LONGEST_PAUSE_MINUTES = 26 * 60


@dataclass(frozen=True)
class Line:
    """One message of a conversation."""

    person: Person
    moment: datetime
    text: str


def talk(  # noqa: PLR0913 (each is a separate keyword)
    subject: str,
    people: Sequence[Person],
    *,
    ids: Ids,
    count: int,
    language: Language = "en",
    setting: Setting = "work",
) -> tuple[Line, ...]:
    """Generate lines about a subject, oldest first and with distinct times; nobody speaks twice in a row.

    ``people`` contains at least one person; lines that mention a person mention one of them. Of two people each
    may address the other, and neither speaks of the other as of a third.
    """
    lines: list[Line] = []
    texts = [
        each
        for each in _TEXTS[setting, language]
        if len(people) >= (3 if "{other}" in each else 2 if "{name}" in each else 1)
    ]
    moment, speaker = DEFAULT_NOW, ids.number(0, len(people) - 1)
    first = ids.number(0, len(texts) - 1)
    for number in range(count):
        moment -= timedelta(minutes=ids.number(1, _LONGEST_PAUSE_MINUTES), seconds=ids.number(0, 59))
        speaker = (speaker + ids.number(1, max(1, len(people) - 1))) % len(people)
        mentioned = people[(speaker + 1) % len(people)]
        if language == "zh":
            name = mentioned.local_name
        else:
            # Friends and family use the given name.
            name = mentioned.given_name if setting == "private" else mentioned.name
        text = texts[(first + number) % len(texts)].format(
            subject=subject, name=name, other=name, number=ids.number(2, 40)
        )
        lines.append(Line(people[speaker], moment, text))
    return tuple(lines)[::-1]


# In the lines, {name} is the person whom the line addresses, and {other} one of whom it speaks.
_ENGLISH = (
    "Morning! Where do we stand with {subject}?",
    "I have moved {number} open points about {subject} to next week.",
    "{name}, could you look at the draft before lunch?",
    "Done, I left {number} comments.",
    "The numbers for {subject} are in the shared folder.",
    "Can we talk about {subject} for ten minutes tomorrow?",
    "I am out of the office on Friday; {other} stands in for me.",
    "The client asked for the new date of {subject} again.",
    "Thanks, that helps a lot.",
    "We still need {number} answers before we can close this.",
    "The room is booked, see you there.",
    "I would rather wait for {other} before we decide.",
    "Tests are green again after the fix of last night.",
    "Reminder: the report on {subject} is due this week.",
    "That works for me.",
    "Who takes the notes next time? {name}?",
    "The invoice came back with a wrong amount: {number} instead of zero.",
    "I have uploaded the slides, version {number}.",
    "Let us not forget to thank {other} for the help.",
    "Lunch at the noodle place at half past twelve?",
    "My train is {number} minutes late, please begin without me.",
    "Good news about {subject}: approved!",
    "I wrote down the risks of {subject}; there are {number}.",
    "{other} knows the details, ask there.",
)
_CHINESE = (
    "早上好，{subject}进展如何？",
    "{name}，麻烦午饭前看一下草稿。",
    "看完了，留了{number}条意见。",
    "{subject}的数据已经放到共享文件夹了。",
    "明天能花十分钟聊聊{subject}吗？",
    "周五我不在办公室，有事找{other}。",
    "客户又在问{subject}的新日期。",
    "谢谢，帮大忙了。",
    "还差{number}个答复才能收尾。",
    "会议室订好了，到时候见。",
    "等{other}来了再定吧。",
    "昨晚修复后测试都通过了。",
    "提醒一下：{subject}的报告这周要交。",
    "我这边没问题。",
    "下次谁做会议记录？{name}？",
    "幻灯片已上传，第{number}版。",
    "中午十二点半一起吃面？",
    "地铁晚点{number}分钟，你们先开始。",
    "好消息：{subject}批下来了。",
    "细节问{other}最清楚。",
)
_PRIVATE_ENGLISH = (
    "Are we still on for {subject}?",
    "I am about {number} minutes late, sorry!",
    "Could you bring the blue bag that I left at your place?",
    "{name}, how did it go yesterday?",
    "Wonderful, I told everybody.",
    "I found a cheaper ticket.",
    "Let us talk about {subject} on the phone tonight.",
    "The weather looks fine for the weekend.",
    "Did you see the pictures of {other}? So good.",
    "I will cook, you take care of the music.",
    "Happy birthday!",
    "There are {number} people who want to come along to {subject}.",
    "Sleep well, talk tomorrow.",
    "My new number works from Monday on.",
    "Thank you for everything.",
)
_PRIVATE_CHINESE = (
    "{subject}还去吗？",
    "我晚{number}分钟到，抱歉！",
    "{name}，昨天怎么样？",
    "票我订好了。",
    "晚上打电话聊聊{subject}吧。",
    "周末天气不错。",
    "我做饭，你洗碗。",
    "生日快乐！",
    "早点休息，别太累。",
    "照片收到了，{other}笑得真开心。",
)
_TEXTS = {
    ("work", "en"): _ENGLISH,
    ("work", "zh"): _CHINESE,
    ("private", "en"): _PRIVATE_ENGLISH,
    ("private", "zh"): _PRIVATE_CHINESE,
}
