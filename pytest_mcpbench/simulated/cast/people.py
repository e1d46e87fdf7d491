"""The people of the personal worlds and their names and ids in each app."""

from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Literal

from pytest_mcpbench.core.sandbox import Ids

Circle = Literal["work", "friends", "family", "clients"]


@dataclass(frozen=True)
class Person:
    """One person; all ids are derived from the key, so they are the same in every process."""

    key: str
    """First and family name in Latin letters, joined by a dot and in lower case."""
    chinese_name: str | None
    title: str
    """Job title, or relation to the user."""
    circle: Circle
    team: str | None
    manager: str | None
    city: str
    mobile: str
    """Number with the country prefix and without spaces."""

    def ids(self, app: str) -> Ids:
        """Return the generator of the person's ids in an app, starting at the first id."""
        return Ids(f"cast/{self.key}/{app}")

    @property
    def given_name(self) -> str:
        return self.key.split(".")[0].capitalize()

    @property
    def family_name(self) -> str:
        return self.key.split(".")[1].capitalize()

    @property
    def name(self) -> str:
        """Name in Latin letters, with the family name last."""
        return f"{self.given_name} {self.family_name}"

    @property
    def local_name(self) -> str:
        """Name in the person's own language."""
        return self.chinese_name or self.name

    @property
    def email(self) -> str:
        """Work address of a colleague; private address of anyone else."""
        return f"{self.key}@northlight.example" if self.circle == "work" else self.private_email

    @property
    def private_email(self) -> str:
        return f"{self.key}@post.example"

    @property
    def handle(self) -> str:
        """User name in the apps where people choose one, such as Telegram, Discord, Reddit and Instagram."""
        return self.key.replace(".", "_")

    @property
    def lark_user_id(self) -> str:
        return self.ids("lark/user").text(8, ascii_lowercase + digits)

    @property
    def lark_open_id(self) -> str:
        return "ou_" + self.ids("lark/open").hex(32)

    @property
    def lark_union_id(self) -> str:
        return "on_" + self.ids("lark/union").hex(32)

    @property
    def slack_id(self) -> str:
        return "U0" + self.ids("slack").text(9, ascii_uppercase + digits)

    @property
    def wecom_id(self) -> str:
        """Family name followed by first name, as WeCom administrators assign ids."""
        return self.family_name + self.given_name

    @property
    def telegram_id(self) -> int:
        return self.ids("telegram").number(10**8, 7 * 10**9)

    @property
    def discord_id(self) -> str:
        return str(self.ids("discord").number(10**17, 10**18 - 1))


def people() -> tuple[Person, ...]:
    """Return all people, starting with the user."""
    rows = [line.split("|") for line in _PEOPLE.strip().splitlines()]
    persons: list[Person] = []
    for number, row in enumerate(rows):
        key, chinese_name, title, group, manager, city = [cell.strip() for cell in row]
        circle: Circle = group if group in ("friends", "family", "clients") else "work"  # type: ignore[assignment]  # one of three
        team = group if circle == "work" else None
        mobile = f"+8613800{number:06}" if chinese_name else f"+447700900{number:03}"
        persons.append(Person(key, chinese_name or None, title, circle, team, manager or None, city, mobile))
    return tuple(persons)


_PEOPLE = """
siyuan.chen   | 陈思远 | Product Manager         | product     | mei.zhao      | Shanghai
mei.zhao      | 赵梅   | Head of Product         | product     | helen.fischer | Shanghai
helen.fischer |        | Managing Director       | management  |               | London
yichen.wang   | 王一晨 | Product Designer        | product     | mei.zhao      | Shanghai
oliver.brandt |        | User Researcher         | product     | mei.zhao      | London
xiaolan.liu   | 刘晓岚 | Product Manager         | product     | mei.zhao      | Hangzhou
jun.huang     | 黄俊   | Head of Engineering     | engineering | helen.fischer | Shanghai
kaiwen.xu     | 徐凯文 | Backend Engineer        | engineering | jun.huang     | Shanghai
ruoxi.sun     | 孙若曦 | Frontend Engineer       | engineering | jun.huang     | Hangzhou
priya.nair    |        | Backend Engineer        | engineering | jun.huang     | London
haoran.li     | 李浩然 | Site Reliability Engineer | engineering | jun.huang   | Shanghai
tomas.novak   |        | Mobile Engineer         | engineering | jun.huang     | Prague
jiayi.zhou    | 周佳怡 | Test Engineer           | engineering | jun.huang     | Shanghai
daniel.okoye  |        | Data Engineer           | engineering | jun.huang     | London
laura.moreau  |        | Head of Marketing       | marketing   | helen.fischer | Paris
xinyi.ma      | 马欣怡 | Content Editor          | marketing   | laura.moreau  | Shanghai
zihan.guo     | 郭子涵 | Social Media Manager    | marketing   | laura.moreau  | Chengdu
emma.lindqvist |       | Brand Designer          | marketing   | laura.moreau  | Stockholm
peng.tang     | 唐鹏   | Head of Sales           | sales       | helen.fischer | Beijing
yue.han       | 韩悦   | Account Manager         | sales       | peng.tang     | Beijing
marco.rossi   |        | Account Manager         | sales       | peng.tang     | Milan
wenjing.deng  | 邓文静 | Sales Operations        | sales       | peng.tang     | Beijing
fang.xie      | 谢芳   | Head of People          | people      | helen.fischer | Shanghai
grace.adeyemi |        | Recruiter               | people      | fang.xie      | London
minghao.cao   | 曹明昊 | Office Manager          | people      | fang.xie      | Shanghai
shu.lin       | 林舒   | Finance Director        | finance     | helen.fischer | Shanghai
anita.kowalska |       | Accountant              | finance     | shu.lin       | Warsaw
boyu.jiang    | 蒋博宇 | Controller              | finance     | shu.lin       | Shanghai
lei.zheng     | 郑磊   | Old schoolfriend        | friends     |               | Shanghai
nina.berg     |        | Climbing partner        | friends     |               | Shanghai
yuchen.song   | 宋雨辰 | Former flatmate         | friends     |               | Nanjing
sam.carter    |        | Friend from the choir   | friends     |               | Shanghai
ting.luo      | 罗婷   | Neighbour               | friends     |               | Shanghai
guoqiang.chen | 陈国强 | Father                  | family      |               | Suzhou
xiulan.wu     | 吴秀兰 | Mother                  | family      |               | Suzhou
siqi.chen     | 陈思琪 | Sister                  | family      |               | Hangzhou
robert.hale   |        | Buyer at Halden Foods   | clients     |               | Leeds
yating.qian   | 钱雅婷 | Buyer at Qingshan Tea   | clients     |               | Hangzhou
ingrid.solberg |       | Logistics at Fjordline  | clients     |               | Bergen
weimin.du     | 杜伟民 | Director at Yunhe Retail | clients    |               | Chengdu
"""
