"""Teams and projects of the company, and the meetings about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids
from pytest_mcpbench.simulated.cast.people import Person

_ROOMS = ("Lighthouse", "Harbour", "Orchard", "Studio 2", "Terrace")
_WEEKS = range(-3, 4)
"""Weeks, relative to the frozen clock, in which the weekly team meetings take place."""


@dataclass(frozen=True)
class Team:
    """A group of colleagues with a lead."""

    key: str
    name: str
    chinese_name: str
    lead: str
    members: tuple[str, ...]
    """Keys of the team's people, including the lead."""


@dataclass(frozen=True)
class Project:
    """A project with a due date."""

    key: str
    name: str
    chinese_name: str
    lead: str
    members: tuple[str, ...]
    """Keys of the project's people, starting with the lead."""
    due: date
    status: str
    """One of ``on track``, ``at risk``, ``blocked`` and ``done``."""
    budget: int
    """Budget in euros."""


@dataclass(frozen=True)
class Meeting:
    """One meeting at a fixed time."""

    key: str
    title: str
    chinese_title: str
    start: datetime
    minutes: int
    organizer: str
    attendees: tuple[str, ...]
    """Keys of the attendees, starting with the organizer."""
    place: str
    project: str | None
    """Key of the project that the meeting is about."""

    @property
    def end(self) -> datetime:
        return self.start + timedelta(minutes=self.minutes)


def teams(people: Sequence[Person]) -> tuple[Team, ...]:
    """Return the teams with their members."""
    all_teams: list[Team] = []
    for line in _TEAMS.strip().splitlines():
        key, name, chinese_name, lead = _cells(line)
        members = tuple(each.key for each in people if each.team == key)
        all_teams.append(Team(key, name, chinese_name, lead, members))
    return tuple(all_teams)


def projects() -> tuple[Project, ...]:
    """Return the current, recently finished and upcoming projects."""
    members = {key: tuple(keys.split()) for key, keys in (line.split(":") for line in _MEMBERS.strip().splitlines())}
    all_projects: list[Project] = []
    for line in _PROJECTS.strip().splitlines():
        key, name, chinese_name, due, status, budget = _cells(line)
        lead, due_date = members[key][0], date.fromisoformat(due)
        all_projects.append(Project(key, name, chinese_name, lead, members[key], due_date, status, int(budget)))
    return tuple(all_projects)


def meetings(teams: Sequence[Team], projects: Sequence[Project]) -> tuple[Meeting, ...]:
    """Return each team's weekly meetings and three reviews of each project, sorted by time."""
    all_meetings: list[Meeting] = []
    monday = DEFAULT_NOW.date() - timedelta(days=DEFAULT_NOW.weekday())
    for number, team in enumerate(teams):
        attendees = (team.lead, *(key for key in team.members if key != team.lead))
        title, chinese_title = f"{team.name} weekly", f"{team.chinese_name}周会"
        room = _ROOMS[number % len(_ROOMS)]
        for week in _WEEKS:
            start = datetime.combine(monday + timedelta(weeks=week, days=number % 5), time(1 + number % 4), UTC)
            key = f"{team.key}-{start:%Y%m%d}"
            all_meetings.append(Meeting(key, title, chinese_title, start, 45, team.lead, attendees, room, None))
    for project in projects:
        ids = Ids(f"cast/reviews/{project.key}")
        for kind, chinese_kind, days in (("kick-off", "启动会", -42), ("review", "评审会", -7), ("demo", "演示会", -2)):
            day = project.due + timedelta(days=days)
            # No review is held on a weekend.
            day -= timedelta(days=max(0, day.weekday() - 4))
            start = datetime.combine(day, time(ids.number(5, 9), 30 * ids.number(0, 1)), UTC)
            title, chinese_title = f"{project.name} {kind}", f"{project.chinese_name}{chinese_kind}"
            room = _ROOMS[ids.number(0, len(_ROOMS) - 1)]
            key, lead = f"{project.key}-{kind}", project.lead
            all_meetings.append(Meeting(key, title, chinese_title, start, 60, lead, project.members, room, project.key))
    return tuple(sorted(all_meetings, key=lambda each: (each.start, each.key)))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


_TEAMS = """
management  | Management  | 管理层   | helen.fischer
product     | Product     | 产品部   | mei.zhao
engineering | Engineering | 工程部   | jun.huang
marketing   | Marketing   | 市场部   | laura.moreau
sales       | Sales       | 销售部   | peng.tang
people      | People      | 人力资源部 | fang.xie
finance     | Finance     | 财务部   | shu.lin
"""

_PROJECTS = """
lantern | Lantern onboarding | 灯笼新手引导 | 2026-03-20 | on track | 48000
harbour | Harbour billing | 港湾计费 | 2026-03-13 | at risk | 120000
bamboo | Bamboo mobile app | 竹子移动端 | 2026-04-10 | on track | 95000
osprey | Osprey data platform | 鱼鹰数据平台 | 2026-05-08 | on track | 150000
juniper | Juniper launch | 杜松发布活动 | 2026-03-27 | on track | 60000
tidewater | Tidewater migration | 潮汐迁移 | 2026-03-06 | blocked | 40000
qingshan | Qingshan pilot | 青山试点 | 2026-03-18 | on track | 35000
halden | Halden renewal | 哈尔登续约 | 2026-03-31 | at risk | 20000
compass | Compass handbook | 指南针手册 | 2026-04-24 | on track | 8000
autumn | Autumn hiring | 秋季招聘 | 2026-04-03 | on track | 30000
ledger | Ledger close | 季度结账 | 2026-04-07 | on track | 5000
meadow | Meadow office move | 草地办公室搬迁 | 2026-02-20 | done | 70000
"""

_MEMBERS = """
lantern: siyuan.chen yichen.wang ruoxi.sun oliver.brandt jiayi.zhou
harbour: kaiwen.xu priya.nair boyu.jiang siyuan.chen
bamboo: tomas.novak xiaolan.liu yichen.wang jiayi.zhou
osprey: daniel.okoye haoran.li jun.huang
juniper: laura.moreau zihan.guo xinyi.ma emma.lindqvist siyuan.chen
tidewater: haoran.li kaiwen.xu daniel.okoye
qingshan: yue.han siyuan.chen wenjing.deng xiaolan.liu
halden: marco.rossi peng.tang anita.kowalska
compass: fang.xie minghao.cao grace.adeyemi
autumn: grace.adeyemi fang.xie jun.huang mei.zhao
ledger: shu.lin boyu.jiang anita.kowalska
meadow: minghao.cao fang.xie shu.lin haoran.li
"""
