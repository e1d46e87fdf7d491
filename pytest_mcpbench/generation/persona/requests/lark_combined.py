"""Requests that need Lark and one other app."""

from pytest_mcpbench.generation.persona.apps import (
    discord,
    email,
    gmail,
    instagram,
    lark,
    notion,
    obsidian,
    reddit,
    rednote,
    slack,
    telegram,
    web,
    wecom,
)
from pytest_mcpbench.generation.persona.request import Request, request
from pytest_mcpbench.generation.spelling import clock, day, number

REDNOTE, OBSIDIAN, NOTION, OTHER = "lark_mcp_xiaohongshu", "lark_mcp_obsidian", "lark_mcp_notion", "lark_mcp_other"
MEI = "Mei Zhao (赵梅), mei.zhao@northlight.example"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [
        *_rednote_requests(),
        *_more_rednote_requests(),
        *_obsidian_requests(),
        *_notion_requests(),
        *_work_requests(),
        *_life_requests(),
    ]


def _like_count(title: str) -> tuple[str, ...]:
    return number(rednote.note(title)["liked_count"])


def _rednote_requests() -> list[Request]:
    mine = max(rednote.notes_by("siyuan.chen"), key=lambda each: each["liked_count"])
    return [
        request(
            REDNOTE,
            "Zihan has put a video from behind the scenes of the launch on Rednote. How many likes does it have? "
            "Post the number into the project's Lark group.",
            rednote.search("杜松发布会幕后", "杜松发布会幕后"),
            lark.list_chats(),
            lark.send_message(
                "juniper",
                f"Zihan's video from behind the scenes has {_like_count('杜松发布会幕后')[0]} likes.",
                _like_count("杜松发布会幕后"),
            ),
            The_launch="杜松发布活动, Juniper launch",
            Zihan="郭子涵",
        ),
        request(
            REDNOTE,
            "Let my supervisor know, on Lark, how often my Rednote piece about the nine steps has been saved by "
            "people.",
            rednote.search("九步变三步", "九步变三步"),
            lark.look_up_ids("mei.zhao"),
            lark.send_message(
                "mei.zhao",
                f"My note about the nine steps has been saved {rednote.note('九步变三步')['collected_count']} times.",
                number(rednote.note("九步变三步")["collected_count"]),
            ),
            My_supervisor=MEI,
            The_piece="九步变三步",
        ),
        request(
            REDNOTE,
            "Yichen's collection of empty states on Rednote deserves a like. I also want to talk to him about it: "
            'half an hour on Thursday at 16:00 in my Lark calendar, "Coffee with Yichen", and invite him.',
            rednote.search("空状态", "空状态也要好好设计"),
            rednote.like("空状态也要好好设计"),
            lark.show_primary_calendar(),
            lark.look_up_ids("yichen.wang"),
            lark.create_event("me", "Coffee with Yichen", "2026-03-05 16:00", 30, "yichen.wang"),
            Yichen="王一晨, yichen.wang@northlight.example",
            Empty_state="空状态",
        ),
        request(
            REDNOTE,
            "On Rednote our client from the tea company announces an open day. In which month is it? Keep the note "
            "in my collection and tell Yue, directly on Lark, about the month.",
            rednote.search("青山茶园", "青山茶园开放日"),
            rednote.read_note("青山茶园开放日", "四月的周末，可以带孩子"),
            rednote.collect("青山茶园开放日"),
            lark.look_up_ids("yue.han"),
            lark.send_message(
                "yue.han", "The open day of the Qingshan tea garden is in April.", ("April", "四月", "4月")
            ),
            The_tea_company="Qingshan Tea, 青山; Yating Qian (钱雅婷) writes for it",
            Yue="Yue Han (韩悦), yue.han@northlight.example",
        ),
        request(
            REDNOTE,
            'Announce the launch on Rednote under the title "杜松发布活动定了". The text must say the venue and its '
            "street and number, as Laura has given them in the Lark group; use the picture I have chosen.",
            lark.list_chats(),
            lark.read_chat("juniper", "26 Yuyuan Road"),
            rednote.publish(
                "杜松发布活动定了",
                "我们在 Gallery Nord 见面：26 Yuyuan Road。",
                "Gallery Nord",
                ("26 Yuyuan Road", "Yuyuan Road 26", "愚园路26号"),
                image="https://northlight.example/juniper.jpg",
            ),
            Picture="https://northlight.example/juniper.jpg",
            The_group="杜松发布活动 Juniper launch",
        ),
        request(
            REDNOTE,
            'Haoran writes about the full disk on Rednote. Comment "这篇救了我。" there, and ask him on Lark for his '
            "slides.",
            rednote.search("硬盘", "那块满了十一分钟的硬盘"),
            rednote.comment("那块满了十一分钟的硬盘", "这篇救了我。", "这篇救了我"),
            lark.look_up_ids("haoran.li"),
            lark.send_message(
                "haoran.li", "Hi Haoran, could you send me your slides?", ("slides", "幻灯片", "PPT", "slide deck")
            ),
            Haoran="李浩然, haoran.li@northlight.example",
            Disk="硬盘",
        ),
        request(
            REDNOTE,
            "Jiayi and Kaiwen compete on Rednote: her checklist against his notes on reconciling. Whose has more "
            "likes by now? Congratulate that one, on Lark, and say how many.",
            rednote.search("测试工程师的清单", "测试工程师的清单"),
            rednote.search("对账系统", "对账系统踩坑记录"),
            lark.look_up_ids("kaiwen.xu"),
            lark.send_message(
                "kaiwen.xu",
                f"Congratulations: {_like_count('对账系统踩坑记录')[0]} likes!",
                _like_count("对账系统踩坑记录"),
            ),
            Her_checklist="测试工程师的清单 by 周佳怡 (jiayi.zhou@northlight.example)",
            His_notes="对账系统踩坑记录 by 徐凯文 (kaiwen.xu@northlight.example)",
        ),
        request(
            REDNOTE,
            "Which of my own Rednote notes is liked best? Send Yichen its title and the number of likes on Lark.",
            rednote.search("陈思远"),
            rednote.read_profile("siyuan.chen", {"id": mine["id"]}),
            lark.look_up_ids("yichen.wang"),
            lark.send_message(
                "yichen.wang",
                f"我最受欢迎的笔记是《{mine['title']}》，{mine['liked_count']}个赞。",
                mine["title"],
                number(mine["liked_count"]),
            ),
            My_name_on_Rednote="陈思远",
            Yichen="Yichen Wang (王一晨), yichen.wang@northlight.example",
        ),
    ]


def _more_rednote_requests() -> list[Request]:
    return [
        request(
            REDNOTE,
            "Keep Fang's note about the first week in a new job in my Rednote collection, and give me a quarter of "
            'an hour to read it: Wednesday at nine, in my Lark calendar, as "Read Fang\'s note".',
            rednote.search("入职第一周", "入职第一周应该发生什么"),
            rednote.collect("入职第一周应该发生什么"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Read Fang's note", "2026-03-04 09:00", 15),
            Fang="谢芳; her note is about 入职第一周",
        ),
        request(
            REDNOTE,
            "Recommend Xiaolan's Rednote note on taking interview notes to the Lark group of the product team, with "
            'its title, and comment "马上用起来。" on it.',
            rednote.search("用户访谈", "用户访谈怎么记笔记"),
            rednote.comment("用户访谈怎么记笔记", "马上用起来。", "马上用起来"),
            lark.list_chats(),
            lark.send_message("product", "推荐大家读晓岚的笔记《用户访谈怎么记笔记》。", "用户访谈怎么记笔记"),
            Xiaolan="刘晓岚; interviews are 用户访谈",
        ),
        request(
            REDNOTE,
            'Start a Lark group "Rednote desk" with Zihan and Xinyi. Its first message tells how many fans each of '
            "the two has on Rednote.",
            rednote.search("郭子涵"),
            rednote.read_profile("zihan.guo", {"type": "fans", "count": str(rednote.follower_count("zihan.guo"))}),
            rednote.search("马欣怡"),
            rednote.read_profile("xinyi.ma", {"type": "fans", "count": str(rednote.follower_count("xinyi.ma"))}),
            lark.look_up_ids("zihan.guo", "xinyi.ma"),
            lark.create_group(
                "Rednote desk",
                "zihan.guo",
                "xinyi.ma",
                say=f"Fans: Zihan {rednote.follower_count('zihan.guo')}, Xinyi {rednote.follower_count('xinyi.ma')}.",
                facts=(number(rednote.follower_count("zihan.guo")), number(rednote.follower_count("xinyi.ma"))),
            ),
            Zihan="郭子涵, zihan.guo@northlight.example",
            Xinyi="马欣怡, xinyi.ma@northlight.example",
        ),
        request(
            REDNOTE,
            "I would like to ride Ruoxi's route through Hangzhou. Save her Rednote note and book five hours next "
            'Sunday from nine in my Lark calendar, called "Ride in Hangzhou", with her invited.',
            rednote.search("骑行", "杭州一日骑行路线"),
            rednote.collect("杭州一日骑行路线"),
            lark.show_primary_calendar(),
            lark.look_up_ids("ruoxi.sun"),
            lark.create_event("me", "Ride in Hangzhou", "2026-03-08 09:00", 300, "ruoxi.sun"),
            Ruoxi="孙若曦, ruoxi.sun@northlight.example",
            Next_Sunday="8 March",
        ),
        request(
            REDNOTE,
            "Like Boyu's Rednote advice on closing a quarter without overtime. Then tell the Lark group of Harbour "
            "how many likes it has with mine.",
            rednote.search("季度结账", "季度结账不加班"),
            rednote.like("季度结账不加班"),
            lark.list_chats(),
            lark.send_message(
                "harbour",
                f"Boyu's note on closing the quarter has {rednote.note('季度结账不加班')['liked_count'] + 1} likes.",
                number(rednote.note("季度结账不加班")["liked_count"] + 1),
            ),
            Boyu="蒋博宇; the note is 季度结账不加班",
            Harbour="港湾计费",
        ),
        request(
            REDNOTE,
            'Jun dreams of the compiler, in a note on Rednote. Which age does its title name? Comment "我举手。" and '
            "tell Priya on Lark about the age; she would not believe me.",
            rednote.search("重新写代码", "四十五岁重新写代码"),
            rednote.comment("四十五岁重新写代码", "我举手。", "我举手"),
            lark.send_message("priya.nair", "Jun is 45 in the title of his note.", ("45", "forty-five", "四十五")),
            Jun="黄俊, head of engineering",
            Chat_with_Priya=lark.chat_id("priya.nair"),
        ),
    ]


def _obsidian_requests() -> list[Request]:
    return [
        request(
            OBSIDIAN,
            "Before my flight to London I need three hours for the way to the airport. See in my note when the plane "
            'leaves and enter "Way to the airport" into my Lark calendar so that it ends at that time.',
            obsidian.search("Heathrow"),
            obsidian.read_note("Travel/London flight.md", "Pudong 12:30"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Way to the airport", "2026-03-22 09:30", 180),
            My_notes="an Obsidian vault with a folder Travel",
        ),
        request(
            OBSIDIAN,
            "What have I promised my manager, and by when? It is in my note on our one-to-ones. Assure her on Lark "
            "that she will have it by that day.",
            obsidian.search("one-to-one"),
            obsidian.read_note("Work/One-to-one with my manager.md", "a list of the interviews by Friday 6 March"),
            lark.look_up_ids("mei.zhao"),
            lark.send_message(
                "mei.zhao",
                "You will have the list of the interviews by Friday 6 March.",
                ("list", "清单", "名单", "列表"),
                (*day("2026-03-06"), "Friday", "周五", "星期五"),
            ),
            My_manager=MEI,
            My_notes="Obsidian",
        ),
        request(
            OBSIDIAN,
            "Jiayi has found a bug and described it in the Lark group of Lantern. Enter it among the risks in my "
            "Obsidian note about the project, in a line of your own words that says which button and which step.",
            lark.read_chat("lantern", "the back button in step 2"),
            obsidian.insert_under_heading(
                "Projects/Lantern onboarding.md",
                "Risks",
                "- The back button in step 2 loses the name.\n",
                ("back button", "返回"),
                ("step 2", "step two", "second step", "第二步"),
                kept=("## Log",),
            ),
            Lantern="Lantern onboarding, 灯笼新手引导",
        ),
        request(
            OBSIDIAN,
            'Bring the client dinner from my notes into my Lark calendar: "Client dinner", two hours, the '
            "restaurant's name as the place. Of the guests invite only the one who works with us.",
            obsidian.search("client dinner"),
            obsidian.read_note("Work/Client dinner.md", "Old Jesse"),
            lark.look_up_ids("yue.han"),
            lark.create_event("me", "Client dinner", "2026-03-16 19:00", 120, "yue.han", place="Old Jesse"),
            Our_people="have addresses that end in @northlight.example, like yue.han@northlight.example",
            My_notes="Obsidian",
        ),
        request(
            OBSIDIAN,
            'When is Mei on leave? She told the product team\'s Lark group. Write it under "Remember" in my '
            "Obsidian note about her, first and last day.",
            lark.read_chat("product", "9 to 13 March"),
            obsidian.insert_under_heading(
                "People/Mei Zhao.md",
                "Remember",
                "- On leave from 9 March to 13 March 2026\n",
                (
                    *day("2026-03-09"),
                    "9 to 13 March",
                    "9–13 March",
                    "9-13 March",
                    "March 9-13",
                    "March 9–13",
                    "March 9 to 13",
                ),
                (*day("2026-03-13"), "March 9-13", "March 9–13", "March 9 to 13"),
                kept=("Drinks no coffee after noon",),
            ),
            Mei=MEI,
        ),
        request(
            OBSIDIAN,
            "My boss asks me on Lark for a project that we could stop. Exactly one of my project notes has the "
            "status blocked: that is the one. Answer her with its name.",
            lark.read_chat("mei.zhao"),
            obsidian.search("status: blocked", "Projects/Tidewater migration.md"),
            lark.send_message("mei.zhao", "We could stop the Tidewater migration.", ("Tidewater", "潮汐迁移")),
            My_boss=MEI,
            My_notes="Obsidian; project notes begin with properties",
        ),
        request(
            OBSIDIAN,
            'I always forget Yue\'s birthday. My note about her has it. Put "Birthday of Yue" into my Lark calendar '
            "on that day of this year, nine to a quarter past.",
            obsidian.read_note("People/Yue Han.md", "27 March"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Birthday of Yue", "2026-03-27 09:00", 15),
            Yue="Yue Han; notes about people are in the folder People of my Obsidian vault",
        ),
        request(
            OBSIDIAN,
            'Make a note "Priya\'s visit" in the folder Work of my vault. It says on which day and when she lands '
            "and at which terminal; she sent me that on Lark.",
            lark.read_chat("priya.nair", "Monday 16 March at 07:05"),
            obsidian.append_text(
                "Work/Priya's visit.md",
                "# Priya's visit\n\nLands on 16 March 2026 at 07:05, Pudong, terminal 2.\n",
                day("2026-03-16"),
                clock("07:05"),
                ("terminal 2", "T2", "2号航站楼"),
            ),
            My_vault="Obsidian",
            Chat_with_Priya=lark.chat_id("priya.nair"),
        ),
        request(
            OBSIDIAN,
            "How much do the two systems of Harbour differ for January? Kaiwen wrote it into the Lark group. Note "
            "the amount in today's page of my Obsidian diary, under Notes.",
            lark.list_chats(),
            lark.read_chat("harbour", "312.40"),
            obsidian.read_current_note("daily"),
            obsidian.insert_under_heading(
                "Daily/2026-03-02.md",
                "Notes",
                "- Harbour: the systems differ by 312.40 euros for January.\n",
                ("312.40", "312.4", "312,40"),
                kept=("Forgot the umbrella again",),
            ),
            Harbour="港湾计费 Harbour billing",
        ),
    ]


def _notion_requests() -> list[Request]:
    return [
        request(
            NOTION,
            "How does Notion see the health of the Halden renewal, and when is it due? Ask Marco on Lark whether "
            "both is still right, repeating them.",
            notion.search("Halden renewal"),
            notion.read_page("Halden renewal", "At risk", "2026-03-31"),
            lark.look_up_ids("marco.rossi"),
            lark.send_message(
                "marco.rossi",
                "Notion says that the Halden renewal is at risk and due on 31 March. Is that right?",
                ("at risk", "有风险", "风险"),
                day("2026-03-31"),
            ),
            Marco="Marco Rossi, marco.rossi@northlight.example",
        ),
        request(
            NOTION,
            'The bug that Jiayi reported in the Lark group of Lantern needs a task in Notion: "Fix the back button", '
            "for Ruoxi, due this Friday, linked to the project. Tell the group that the task is there.",
            lark.read_chat("lantern", "back button"),
            notion.list_users({"name": "Ruoxi Sun"}),
            notion.find_database("Tasks"),
            notion.search("Lantern onboarding"),
            notion.add_task("Fix the back button", "ruoxi.sun", "2026-03-06", "Lantern onboarding"),
            lark.send_message("lantern", "There is a task in Notion now: Fix the back button.", "Notion"),
            Lantern="Lantern onboarding, 灯笼新手引导",
        ),
        request(
            NOTION,
            "Comment on the Notion page of Harbour billing when the auditors want their numbers; the day and the "
            "hour are in the Lark group.",
            lark.list_chats(),
            lark.read_chat("harbour", "Thursday 5 March, 18:00"),
            notion.search("Harbour billing"),
            notion.comment(
                "Harbour billing",
                "The auditors want the January numbers by 5 March, 18:00.",
                (*day("2026-03-05"), "Thursday"),
                clock("18:00"),
            ),
            Harbour_billing="港湾计费",
        ),
        request(
            NOTION,
            "When is the review of Lantern, according to my Lark calendar? On the day before that I have to deliver: "
            'add a task "Slides for the review" to Notion, assigned to me, due then.',
            lark.list_events("me", "2026-03-03", "2026-03-31", "lantern-review"),
            notion.list_users({"name": "Siyuan Chen"}),
            notion.find_database("Tasks"),
            notion.add_task("Slides for the review", "siyuan.chen", "2026-03-12"),
            Lantern="灯笼新手引导; its review is 评审会",
        ),
        request(
            NOTION,
            "Find out in Notion who leads the Compass handbook and when it has to be ready. Ask that person on Lark "
            "whether the date still holds.",
            notion.search("Compass handbook"),
            notion.read_page("Compass handbook", "2026-04-24"),
            notion.read_user("fang.xie", {"name": "Fang Xie"}),
            lark.look_up_ids("fang.xie"),
            lark.send_message("fang.xie", "Does 24 April still hold for the Compass handbook?", day("2026-04-24")),
            Mail_addresses="given.family@northlight.example for everybody in the company",
        ),
        request(
            NOTION,
            "Oliver has one open task for Lantern in Notion. Remind him of it on Lark, with its due date.",
            notion.search(
                "(Lantern onboarding)", {"id": notion.page_id("Check the numbers again (Lantern onboarding)")}
            ),
            notion.read_user("oliver.brandt", {"name": "Oliver Brandt"}),
            lark.look_up_ids("oliver.brandt"),
            lark.send_message(
                "oliver.brandt",
                "Your task 'Check the numbers again' is due on 6 March.",
                ("numbers", "数字", "核对"),
                day("2026-03-06"),
            ),
            Oliver="Oliver Brandt, oliver.brandt@northlight.example",
            Titles_of_tasks="end with the project in brackets: (Lantern onboarding)",
        ),
        request(
            NOTION,
            "Xiaolan has written into the Lark group of Qingshan how many pilot users have logged in. Put that into "
            "a comment on the project's Notion page.",
            lark.list_chats(),
            lark.read_chat("qingshan", "23 of them"),
            notion.search("Qingshan pilot"),
            notion.comment("Qingshan pilot", "23 of the forty pilot users have logged in.", "23"),
            Qingshan="Qingshan pilot, 青山试点",
        ),
    ]


def _work_requests() -> list[Request]:
    return [
        request(
            OTHER,
            "Ruoxi says on Slack what the flag of the new version is called and how many new users see it. Pass both "
            "on to the Lark group of Lantern.",
            slack.find_channels("lantern"),
            slack.read_messages("proj-lantern", "lantern_three_steps"),
            lark.list_chats(),
            lark.send_message(
                "lantern",
                "The flag is lantern_three_steps; 10 % of new users see it.",
                "lantern_three_steps",
                ("10", "ten", "十"),
            ),
            Lantern="灯笼新手引导 on Lark, proj-lantern on Slack",
        ),
        request(
            OTHER,
            "Has my leave in April been approved? Look into my work mail; if so, tell my manager on Lark from when "
            "to when I am away.",
            email.list_recent_mail(5, "Leave in April"),
            email.read("Leave in April", "10 to 12 April"),
            lark.look_up_ids("mei.zhao"),
            lark.send_message(
                "mei.zhao",
                "My leave is approved: I am away from 10 April to 12 April.",
                (
                    *day("2026-04-10"),
                    "10 to 12 April",
                    "10-12 April",
                    "10–12 April",
                    "April 10-12",
                    "April 10–12",
                    "April 10 to 12",
                ),
                (*day("2026-04-12"), "April 10-12", "April 10–12", "April 10 to 12"),
            ),
            My_manager=MEI,
        ),
        request(
            OTHER,
            "On Discord Haoran announces the next release. Reserve the hour from then on in my Lark calendar, with "
            '"Release" and the number of the version as the title, like "Release 1.0.0".',
            discord.find_channel("releases"),
            discord.read_channel("releases", "Release 4.2.0"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Release 4.2.0", "2026-03-10 21:00", 60),
            Announcements_of_releases="in the Discord channel releases",
        ),
        request(
            OTHER,
            "Candidate interview on Friday: the mail from Grace says who comes, when and for how long. Enter it into "
            'my Lark calendar, with a title like "Interview Ann Smith", and invite Grace.',
            email.list_recent_mail(5, "Interview on Friday"),
            email.read("Interview on Friday", "Jonas Weller"),
            lark.look_up_ids("grace.adeyemi"),
            lark.create_event("me", "Interview Jonas Weller", "2026-03-06 15:00", 45, "grace.adeyemi"),
            Grace="Grace Adeyemi, recruiter, grace.adeyemi@northlight.example",
        ),
        request(
            OTHER,
            "By when do the auditors want the January numbers? It is in the Lark group of Harbour. Remind the WeCom "
            "group of that day and hour, and mention Boyu by his user id.",
            lark.list_chats(),
            lark.read_chat("harbour", "Thursday 5 March, 18:00"),
            wecom.send_text(
                "提醒：审计要的一月数据，3月5日18:00前提交。",
                (*day("2026-03-05"), "Thursday", "周四", "星期四"),
                (*clock("18:00"), "下午6点", "晚上6点", "6点"),
                mention=("boyu.jiang",),
            ),
            Boyu="蒋博宇, WeCom user id JiangBoyu",
            Harbour="港湾计费",
        ),
        request(
            OTHER,
            "Does the fire drill that Minghao announces on Slack fall into one of my meetings? If it does, warn, on "
            "Lark, the person who called that meeting: the hour of the drill is enough.",
            slack.read_messages("general", "fire drill"),
            lark.list_events("me", "2026-03-11", "", "harbour-demo"),
            lark.show_event("me", "harbour-demo", {"event_id": lark.event("me", "harbour-demo")["event_id"]}),
            lark.send_message("kaiwen.xu", "The fire drill at 15:00 falls into our demo.", clock("15:00")),
            Announcements_for_everybody="in the Slack channel general",
        ),
    ]


def _life_requests() -> list[Request]:
    return [
        request(
            OTHER,
            "My sister has posted our train to Suzhou into the family's Telegram group. Enter it into my Lark "
            'calendar from departure to arrival, with a title like "Train D123".',
            telegram.list_chats(),
            telegram.read_chat("Family 陈家", "G7125"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Train G7125", "2026-03-14 09:12", 32),
            The_family="陈家",
        ),
        request(
            OTHER,
            'The dentist mailed me a new time. Put it into my Lark calendar as "Dr Pan", three quarters of an hour.',
            gmail.search("from:citydental.example", "Appointment moved"),
            gmail.read("Appointment moved", "Tuesday 10 March, 17:30"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Dr Pan", "2026-03-10 17:30", 45),
            The_dentist="City Dental writes to my Gmail",
        ),
        request(
            OTHER,
            "Ruoxi asks me something on Instagram that belongs to work, so answer her on Lark instead, not there.",
            instagram.list_conversations(),
            instagram.read_messages("ruoxi.sun", "How many steps"),
            lark.look_up_ids("ruoxi.sun"),
            lark.send_message("ruoxi.sun", "The onboarding has three steps now.", ("three", "3", "三")),
            Our_onboarding="had nine steps, then five, and has three now",
            Ruoxi="ruoxi_sun on Instagram, ruoxi.sun@northlight.example",
        ),
        request(
            OTHER,
            "We think of an outing to the Maritime Museum in Port Maren. Look on the web on which day of the week it "
            "is closed and what adults pay, and tell the Lark group of my team.",
            web.search("Maritime Museum Port Maren visit"),
            web.read_page("https://museum.hallowmere.example/visit", "closed on Mondays", "12 crowns"),
            lark.list_chats(),
            lark.send_message(
                "product",
                "The museum is closed on Mondays; adults pay 12 crowns.",
                ("Monday", "Mondays", "周一", "星期一"),
                "12",
            ),
            My_team="产品部 Product",
        ),
        request(
            OTHER,
            'Oliver has published something about five users on r/productcraft. Comment there "Six, if one of them '
            'is tired." and tell him on Lark that I did.',
            reddit.list_hot_posts("productcraft"),
            reddit.write_comment(
                "Five users are enough, except when they are not",
                "Six, if one of them is tired.",
                "Six, if one of them is tired",
            ),
            lark.look_up_ids("oliver.brandt"),
            lark.send_message(
                "oliver.brandt",
                "I have commented on your Reddit post.",
                ("comment", "commented", "Reddit", "r/productcraft", "评论"),
            ),
            Oliver="u/oliver_brandt, oliver.brandt@northlight.example",
        ),
        request(
            OTHER,
            "Where does the vote on the offsite send us, and when? It is in our Slack channel. Block the time in my "
            'Lark calendar, from nine on the first day to six in the evening on the last, as "Offsite" with that '
            "place.",
            slack.find_channels("team-product"),
            slack.read_messages("team-product", "Moganshan"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Offsite", "2026-04-15 09:00", 57 * 60, place="Moganshan"),
            Our_Slack_channel="team-product",
        ),
    ]
