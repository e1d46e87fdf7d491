import re
from itertools import pairwise

import pytest

from pytest_mcpbench.simulated.cast import CAST, NOW, talk
from pytest_mcpbench.simulated.cast.talk import Language, Setting


@pytest.mark.parametrize(
    "identity",
    [
        *("key", "name", "email", "private_email", "handle", "mobile", "wecom_id", "telegram_id", "discord_id"),
        *("lark_user_id", "lark_open_id", "lark_union_id", "slack_id"),
    ],
)
def test_no_two_people_share_an_id(identity: str) -> None:
    assert len({getattr(each, identity) for each in CAST.people}) == len(CAST.people) == 40


def test_everybody_who_is_named_exists() -> None:
    keys = {each.key for each in CAST.people}
    named = [key for team in CAST.teams for key in (team.lead, *team.members)]
    named += [key for project in CAST.projects for key in (project.lead, *project.members)]
    named += [key for meeting in CAST.meetings for key in (meeting.organizer, *meeting.attendees)]
    named += [each.manager for each in CAST.people if each.manager]
    assert set(named) <= keys


def test_every_colleague_but_one_reports_to_somebody() -> None:
    assert [each.key for each in CAST.colleagues if CAST.manager(each) is None] == ["helen.fischer"]
    assert CAST.manager(CAST.me) == CAST.person("mei.zhao")


def test_meetings_lie_around_the_frozen_clock_in_order() -> None:
    starts = [each.start for each in CAST.meetings]
    assert starts == sorted(starts)
    assert starts[0] < NOW < starts[-1]
    assert all(CAST.me.key in each.attendees for each in CAST.meetings_of(CAST.me))


def test_ids_are_the_same_each_time() -> None:
    me = CAST.me
    assert (me.lark_user_id, me.slack_id, me.telegram_id) == ("qzaanmus", "U0USTTVCDPD", 4077531560)
    assert me.ids("notion").uuid() == me.ids("notion").uuid() != CAST.person("mei.zhao").ids("notion").uuid()


@pytest.mark.parametrize("setting", ["work", "private"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("people", [1, 2, 5])
def test_talk_is_in_order_and_nobody_answers_himself(setting: object, language: object, people: int) -> None:
    lines = talk(
        "Lantern",
        CAST.colleagues[:people],
        ids=CAST.ids("a test"),
        count=40,
        language=language,  # type: ignore[arg-type]  # a literal in the table
        setting=setting,  # type: ignore[arg-type]  # a literal in the table
    )
    moments = [line.moment for line in lines]
    assert len(lines) == 40
    assert moments == sorted(set(moments))
    assert moments[-1] < NOW
    if people > 1:
        assert all(one.person != other.person for one, other in pairwise(lines))


@pytest.mark.parametrize(
    ("setting", "language", "names"),
    [
        ("work", "en", ("Siyuan Chen", "Lei Zheng")),
        ("work", "zh", ("陈思远", "郑磊")),
        ("private", "en", ("Siyuan", "Lei")),
        ("private", "zh", ("陈思远", "郑磊")),
    ],
)
def test_of_two_people_each_names_the_other_only_to_address_them(
    setting: Setting, language: Language, names: tuple[str, str]
) -> None:
    two = (CAST.me, CAST.person("lei.zheng"))
    lines = talk("Lantern", two, ids=CAST.ids("a test"), count=60, language=language, setting=setting)
    naming = [line for line in lines if any(name in line.text for name in names)]
    assert naming
    for line in naming:
        partner = names[line.person is CAST.me]
        assert re.fullmatch(f"{partner}[,，].*|.*{partner}[?？]", line.text)
