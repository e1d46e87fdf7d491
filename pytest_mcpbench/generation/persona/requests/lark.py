"""Requests that need only Lark."""

from pytest_mcpbench.generation.persona.apps import lark
from pytest_mcpbench.generation.persona.request import Request, request
from pytest_mcpbench.generation.spelling import clock, day
from pytest_mcpbench.simulated.cast import CAST

SHORT, LONG = "lark_mcp_single_short", "lark_mcp_single_long"
BOSS = "Mei Zhao (赵梅)"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [*_short_requests(), *_long_requests()]


def _short_requests() -> list[Request]:
    xiaolan = CAST.person("xiaolan.liu")
    return [
        request(
            SHORT,
            "What is the first thing in my Lark calendar tomorrow, in which room is it, and who comes along?",
            lark.show_primary_calendar(),
            lark.list_events("me", "2026-03-03"),
            lark.show_event(
                "me",
                "product-20260303",
                {"event_id": lark.event("me", "product-20260303")["event_id"], "location": {"name": "Harbour"}},
                *(
                    each.local_name
                    for each in CAST.persons(("mei.zhao", "yichen.wang", "oliver.brandt", "xiaolan.liu"))
                ),
            ),
        ).with_claims(
            "The first event tomorrow is the product weekly (产品部周会) in the room Harbour.",
            "Mei Zhao, Yichen Wang, Oliver Brandt and Xiaolan Liu come along.",
        ),
        request(
            SHORT,
            "Let the Lark group of our onboarding project know that I have read the interview results and that there "
            "will be cake at the review.",
            lark.list_chats(),
            lark.send_message(
                "lantern",
                "I have read the interview results. There will be cake at the review!",
                ("interview", "访谈"),
                ("cake", "蛋糕"),
                ("review", "评审"),
            ),
            The_onboarding_project="Lantern onboarding, 灯笼新手引导 in Chinese",
        ),
        request(
            SHORT,
            "Ask my supervisor on Lark whether she has twenty minutes for me on Thursday.",
            lark.look_up_ids("mei.zhao"),
            lark.send_message(
                "mei.zhao",
                "Hi Mei, do you have 20 minutes for me on Thursday?",
                ("20", "twenty", "二十"),
                ("Thursday", "周四", "星期四", *day("2026-03-05")),
            ),
            My_supervisor=BOSS,
            Her_mail_address="mei.zhao@northlight.example",
        ),
        request(
            SHORT,
            'Please put "Dentist" into my own Lark calendar: Tuesday 10 March, half past five in the afternoon, one '
            "hour.",
            lark.show_primary_calendar(),
            lark.create_event("me", "Dentist", "2026-03-10 17:30", 60),
        ),
        request(
            SHORT,
            "Which of my Lark groups belongs to Laura, and how many of us are in it?",
            lark.list_chats(),
            lark.show_chat(
                "juniper", {"owner_id": CAST.person("laura.moreau").lark_open_id, "name": "杜松发布活动 Juniper launch"}
            ),
            Laura="Laura Moreau, open_id " + CAST.person("laura.moreau").lark_open_id,
        ).with_claims("The group is Juniper launch.", "It has 5 members."),
        request(
            SHORT,
            "I have lost Xiaolan's mobile number. It must be in the company's Lark directory, mustn't it?",
            lark.look_up_ids("xiaolan.liu"),
            lark.show_person("xiaolan.liu", {"open_id": xiaolan.lark_open_id, "mobile": xiaolan.mobile}),
            Xiaolan="Xiaolan Liu (刘晓岚), xiaolan.liu@northlight.example",
        ).with_claims("Xiaolan's mobile number is +8613800000005."),
        request(
            SHORT,
            "Studio 2 is too small for the demo of Lantern on the 18th. Make it the room Terrace, in my calendar "
            "entry.",
            lark.list_events("me", "2026-03-18", "", "lantern-demo"),
            lark.change_location("me", "lantern-demo", "Terrace"),
            Lantern="灯笼新手引导, the project that I lead",
        ),
    ]


def _long_requests() -> list[Request]:
    return [
        request(
            LONG,
            "The review of Harbour billing this Friday has to begin an hour later than planned, same length. Change "
            "it in my calendar and write the new time into the project's group.",
            lark.list_events("me", "2026-03-06", "", "harbour-review"),
            lark.move_event("me", "harbour-review", "2026-03-06 17:00"),
            lark.list_chats(),
            lark.send_message(
                "harbour", "The review on Friday begins at 17:00, an hour later than planned.", clock("17:00")
            ),
            Harbour_billing="港湾计费, led by Kaiwen Xu",
        ),
        request(
            LONG,
            "Somebody in the Qingshan group wrote when the bus leaves for the tea garden. Block four hours from then "
            'on in my calendar, with the title "Tea garden", and excuse me with my manager on Lark: I shall miss the '
            "product weekly of that day. Name the date.",
            lark.read_chat("qingshan", "08:15"),
            lark.create_event("me", "Tea garden", "2026-03-17 08:15", 240),
            lark.send_message(
                "mei.zhao",
                "Hi Mei, I shall miss the product weekly on 17 March: we visit the tea garden.",
                ("weekly", "周会"),
                day("2026-03-17"),
            ),
            My_manager=BOSS,
            Qingshan="the pilot with Qingshan Tea, 青山试点",
        ),
        request(
            LONG,
            'I need a small Lark group "Lantern user test" with Yichen and Oliver, nobody else. Its first message '
            "says on which day, at what time and where the test takes place; Yichen has written that in the big "
            "group.",
            lark.read_chat("lantern", "Studio 2"),
            lark.list_members("lantern"),
            lark.create_group(
                "Lantern user test",
                "yichen.wang",
                "oliver.brandt",
                say="The user test is on Thursday 5 March at 14:00 in Studio 2.",
                facts=((*day("2026-03-05"), "Thursday", "周四", "星期四"), clock("14:00"), "Studio 2"),
            ),
            The_big_group="灯笼新手引导 Lantern onboarding",
            Yichen_and_Oliver="Yichen Wang (王一晨) and Oliver Brandt, both in product",
        ),
        request(
            LONG,
            "Xiaolan wants to see both the review and the demo of Lantern in March. Add her to the two entries in my "
            "calendar.",
            lark.list_events("me", "2026-03-03", "2026-03-31", "lantern-review", "lantern-demo"),
            lark.look_up_ids("xiaolan.liu"),
            lark.invite("me", "lantern-review", "xiaolan.liu"),
            lark.invite("me", "lantern-demo", "xiaolan.liu"),
            Xiaolan="xiaolan.liu@northlight.example",
            Lantern="in Chinese 灯笼新手引导",
        ),
        request(
            LONG,
            "The auditors gave us a deadline for Harbour; Boyu wrote it into the group. Enter the half hour that "
            'ends with it into my calendar as "Audit deadline". And ask Kaiwen, directly, whether the difference for '
            "January still is what he wrote there; name the amount.",
            lark.read_chat("harbour", "18:00", "312.40"),
            lark.create_event("me", "Audit deadline", "2026-03-05 17:30", 30),
            lark.look_up_ids("kaiwen.xu"),
            lark.send_message(
                "kaiwen.xu",
                "Is the difference between the two systems for January still 312.40 euros?",
                ("312.40", "312.4", "312,40"),
            ),
            Kaiwen="Kaiwen Xu, kaiwen.xu@northlight.example",
            The_group="港湾计费 Harbour billing",
        ),
        request(
            LONG,
            "For the Juniper review in my calendar I want a description from which everybody sees the name of the "
            "venue, how many seats it has and how long the guest list is. All three stand in the project's group.",
            lark.read_chat("juniper", "Gallery Nord", "stands at 87"),
            lark.list_events("me", "2026-03-20", "", "juniper-review"),
            lark.change_description(
                "me", "juniper-review", "Venue: Gallery Nord, 120 seats. Guest list: 87.", "Gallery Nord", "120", "87"
            ),
            Juniper="杜松发布活动, the launch event",
        ),
        request(
            LONG,
            "Have a look at my boss's calendar: is anything in it this Thursday between 10:00 and 10:30? If not, "
            'make an entry "Headcount" for that half hour in mine and invite her. If there is, do nothing.',
            lark.list_calendars(),
            lark.list_events("boss", "2026-03-05"),
            lark.look_up_ids("mei.zhao"),
            lark.create_event("me", "Headcount", "2026-03-05 10:00", 30, "mei.zhao"),
            My_boss=f"{BOSS}, mei.zhao@northlight.example; she shares her calendar with me",
        ),
        request(
            LONG,
            'I would like to talk to Mei tomorrow from 10:15 to 10:30. If her calendar is free then, enter "Short '
            'talk" in mine and invite her; if not, enter nothing, but ask her on Lark whether 14:00 on the same day '
            "would do.",
            lark.list_calendars(),
            lark.list_events("boss", "2026-03-03", "", "product-20260303"),
            lark.send_message("mei.zhao", "Hi Mei, could we talk tomorrow at 14:00?", clock("14:00")),
            Mei=f"{BOSS}, mei.zhao@northlight.example",
        ),
        request(
            LONG,
            "Mei wrote into the group of the product team that she will be on leave. Whoever decides for her in that "
            "week should give me ten minutes on its first day: ask for that in a direct message, with the date.",
            lark.list_chats(),
            lark.read_chat("product", "Xiaolan decides"),
            lark.list_members("product"),
            lark.send_message(
                "xiaolan.liu",
                "Hi Xiaolan, could you give me ten minutes on Monday 9 March?",
                ("10", "ten", "十"),
                day("2026-03-09"),
            ),
            Mei=BOSS,
        ),
        request(
            LONG,
            "Priya told me on Lark when her plane lands. I will fetch her: an hour from the landing, in my calendar, "
            '"Pick up Priya", with "Pudong, terminal 2" as the place.',
            lark.read_chat("priya.nair", "07:05"),
            lark.create_event("me", "Pick up Priya", "2026-03-16 07:05", 60, place="Pudong, terminal 2"),
            Chat_with_Priya=str(lark.chat_id("priya.nair")),
        ),
        request(
            LONG,
            "Which meetings about Lantern are still ahead of us in March? Send Yichen their dates, privately.",
            lark.list_events("me", "2026-03-03", "2026-03-31", "lantern-review", "lantern-demo"),
            lark.look_up_ids("yichen.wang"),
            lark.send_message(
                "yichen.wang",
                "Two meetings about Lantern are left: the review on 13 March and the demo on 18 March.",
                day("2026-03-13"),
                day("2026-03-18"),
            ),
            Lantern="灯笼新手引导 in the calendar",
            Yichen="Yichen Wang (王一晨), yichen.wang@northlight.example",
        ),
        request(
            LONG,
            'The user test belongs into the calendar of the product team, as "User test", two hours long, in the '
            "room that Yichen named. Invite everybody from the Lantern group but me.",
            lark.read_chat("lantern", "14:00"),
            lark.list_members("lantern"),
            lark.list_calendars(),
            lark.create_event(
                "product",
                "User test",
                "2026-03-05 14:00",
                120,
                *("yichen.wang", "ruoxi.sun", "oliver.brandt", "jiayi.zhou"),
                place="Studio 2",
            ),
            The_Lantern_group="灯笼新手引导 Lantern onboarding; Yichen wrote there when and where",
        ),
        request(
            LONG,
            'In my calendar the demo of Qingshan should be called "Qingshan: last demo". Tell the project\'s group '
            "its date and its room while you are at it.",
            lark.list_events("me", "2026-03-16", "", "qingshan-demo"),
            lark.change_title("me", "qingshan-demo", "Qingshan: last demo"),
            lark.list_chats(),
            lark.send_message(
                "qingshan", "The last demo is on 16 March in the room Terrace.", day("2026-03-16"), "Terrace"
            ),
            Qingshan="青山试点; the demo is on Monday in two weeks",
        ),
    ]
