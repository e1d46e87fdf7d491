"""Requests that need only Slack or only WeCom."""

from pytest_mcpbench.generation.persona.apps import slack, wecom
from pytest_mcpbench.generation.persona.request import Request, request
from pytest_mcpbench.generation.spelling import clock, day
from pytest_mcpbench.simulated.cast import CAST

SLACK, WECOM = "slack_single", "wecome_single"
GROUP = "北光中国区协作群, to which the robot writes"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [*_slack_requests(), *_more_slack_requests(), *_several_requests(), *_wecom_requests()]


def _slack_requests() -> list[Request]:
    return [
        request(
            SLACK,
            "Celebrate the result of the offsite vote: add a :tada: to Oliver's message about it in our team's "
            "channel.",
            slack.find_channels("team-product"),
            slack.read_messages("team-product", "Moganshan"),
            slack.react("team-product", "Moganshan", "tada"),
            Our_team="product; the channel is in Slack",
        ),
        request(
            SLACK,
            "Remind me on Slack tomorrow at half past nine in the morning to bring my passport.",
            slack.add_reminder("Bring the passport", "2026-03-03 09:30", "passport"),
        ),
        request(
            SLACK,
            "What is the feature flag of the three-step version called? It must be in the Lantern channel. Ask Ruoxi "
            "in a direct message to raise it to 25 %, and use its name.",
            slack.find_channels("lantern"),
            slack.read_messages("proj-lantern", "lantern_three_steps"),
            slack.open_direct_messages("ruoxi.sun"),
            slack.send_message(
                "ruoxi.sun", "Could you raise lantern_three_steps to 25 %?", "lantern_three_steps", "25"
            ),
            Ruoxi=f"Ruoxi Sun, Slack id {CAST.person('ruoxi.sun').slack_id}",
        ),
        request(
            SLACK,
            "From some moment this week on nobody may change anything in Harbour. Set me a Slack reminder two hours "
            "before that moment, about my open changes.",
            slack.find_channels("harbour"),
            slack.read_messages("proj-harbour", "Wednesday 4 March, noon"),
            slack.add_reminder("Open changes for Harbour", "2026-03-04 10:00", "changes"),
            Harbour="the project Harbour billing; its channel is proj-harbour",
        ),
        request(
            SLACK,
            "When is the fire drill? Tell #team-product the date and the hour, and have Slack remind me a quarter of "
            "an hour before it begins.",
            slack.read_messages("general", "fire drill"),
            slack.send_message("team-product", "Fire drill on 11 March at 15:00.", day("2026-03-11"), clock("15:00")),
            slack.add_reminder("Fire drill", "2026-03-11 14:45", "drill"),
        ),
    ]


def _more_slack_requests() -> list[Request]:
    compass = slack.status_file("compass")
    return [
        request(
            SLACK,
            "How many bytes has the picture with the status of the Compass handbook, and who put it into Slack?",
            slack.list_files("compass", compass["size"], types="images"),
            slack.find_member("fang.xie", CAST.person("fang.xie").slack_id),
            Compass_handbook="a project of the people team",
        ).with_claims("The picture has 284887 bytes.", "Fang Xie put it into Slack."),
        request(
            SLACK,
            'Emma has settled the colours of the launch. Answer in the thread of that message: "Approved for print."',
            slack.find_channels("juniper"),
            slack.read_messages("proj-juniper", "#E4572E"),
            slack.send_message("proj-juniper", "Approved for print.", "Approved for print", thread="Colours are final"),
            The_launch="Juniper launch, with a Slack channel of its own",
            Emma="Emma Lindqvist",
        ),
        request(
            SLACK,
            "My supervisor collects contract numbers. Look up that of the Qingshan pilot in its channel and send it "
            "to her as a direct message.",
            slack.find_channels("qingshan"),
            slack.read_messages("proj-qingshan", "QS-2026-0417"),
            slack.open_direct_messages("mei.zhao"),
            slack.send_message(
                "mei.zhao", "The contract number of the Qingshan pilot is QS-2026-0417.", "QS-2026-0417"
            ),
            My_supervisor=f"Mei Zhao, Slack id {CAST.person('mei.zhao').slack_id}",
        ),
        request(
            SLACK,
            "Slack shall remind Yichen, not me, on Friday at eleven to bring the test phones back.",
            slack.find_member("yichen.wang", CAST.person("yichen.wang").slack_id),
            slack.add_reminder("Bring back the test phones", "2026-03-06 11:00", "phones", who="yichen.wang"),
            Yichen="Yichen Wang",
        ),
        request(
            SLACK,
            "One of my Slack reminders is about a room. See what it says, and post into the channel of my project "
            "that I still have to do just that.",
            slack.list_reminders("Book the room for the demo"),
            slack.send_message("proj-lantern", "I still have to book the room for the demo.", "room", "demo"),
            My_project="Lantern onboarding, channel proj-lantern",
        ),
        request(
            SLACK,
            "Tell Priya in a direct message on Slack on which page of the runbook her rollback plan is; she has "
            "forgotten. You find it in the Harbour channel.",
            slack.read_messages("proj-harbour", "page 12"),
            slack.find_member("priya.nair", CAST.person("priya.nair").slack_id),
            slack.send_message("priya.nair", "Your rollback plan is on page 12 of the runbook.", "12"),
            Priya="Priya Nair, priya.nair@northlight.example",
        ),
    ]


def _several_requests() -> list[Request]:
    return [
        request(
            SLACK,
            "Open one conversation on Slack for Mei, Oliver and me, so that I find it there tomorrow. Nothing needs "
            "to be written yet.",
            slack.find_member("mei.zhao", CAST.person("mei.zhao").slack_id),
            slack.find_member("oliver.brandt", CAST.person("oliver.brandt").slack_id),
            slack.open_group_conversation("mei.zhao", "oliver.brandt"),
            Mei="Mei Zhao",
            Oliver="Oliver Brandt",
        ),
    ]


def _wecom_requests() -> list[Request]:
    kaiwen = CAST.person("kaiwen.xu")
    return [
        request(
            WECOM,
            "Tell everybody in the WeCom group, so that all are notified, that the kitchen is closed on Friday 6 "
            "March.",
            wecom.send_text_to_everybody(
                "厨房3月6日（周五）关闭。", ("kitchen", "厨房"), (*day("2026-03-06"), "Friday", "周五", "星期五")
            ),
            The_group=GROUP,
        ),
        request(
            WECOM,
            "Ask the head of People in the WeCom group, with a mention, for the form for my leave in April.",
            wecom.send_text(
                "请发一下四月的请假表，谢谢！", ("form", "表", "单"), ("April", "四月", "4月"), mention=("fang.xie",)
            ),
            Head_of_People="谢芳, WeCom user id XieFang",
            The_group=GROUP,
        ),
        request(
            WECOM,
            'Post the agenda of the review into the WeCom group as Markdown: headline "评审会议程", below it the '
            "three points that I noted, as a list.",
            wecom.send_markdown(
                "# 评审会议程\n- 用户测试结果\n- 未解决的缺陷\n- 发布日期",
                "评审会议程",
                "用户测试结果",
                "未解决的缺陷",
                "发布日期",
            ),
            My_three_points="用户测试结果; 未解决的缺陷; 发布日期",
            The_group=GROUP,
        ),
        request(
            WECOM,
            'Share the page of the launch in the WeCom group as a card that can be clicked. Its title: "杜松发布活动".',
            wecom.send_card("杜松发布活动", "https://northlight.example/juniper"),
            Page_of_the_launch="https://northlight.example/juniper",
            The_group=GROUP,
        ),
        request(
            WECOM,
            "Put my report of week 9 into the WeCom group, as a file.",
            wecom.send_file("reports/lantern-week-9.md"),
            The_report="reports/lantern-week-9.md",
            The_group=GROUP,
        ),
        request(
            WECOM,
            "The build server is down. Say so in the WeCom group and make Kaiwen's phone ring; I only have his number.",
            wecom.send_text(
                "构建服务器挂了，请看一下。",
                ("build", "构建", "编译"),
                mobiles=("kaiwen.xu",),
            ),
            Kaiwen=f"徐凯文, {kaiwen.mobile.removeprefix('+86')}",
            The_group=GROUP,
        ),
        request(
            WECOM,
            "Two things for the WeCom group: a message to Yue Han, mentioned by her user id, that the samples for "
            'Qingshan have arrived; and a card "样品清单" that leads to the list.',
            wecom.send_text("青山的样品到了。", ("sample", "samples", "样品"), mention=("yue.han",)),
            wecom.send_card("样品清单", "https://northlight.example/samples"),
            Yue_Han="韩悦, WeCom user id HanYue",
            The_list="https://northlight.example/samples",
            The_group=GROUP,
        ),
    ]
