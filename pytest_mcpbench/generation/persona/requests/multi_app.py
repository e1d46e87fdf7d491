"""Requests that involve several apps."""

from pytest_mcpbench.generation.persona.apps import (
    discord,
    email,
    gmail,
    instagram,
    lark,
    notion,
    obsidian,
    rednote,
    slack,
    telegram,
    web,
    wecom,
)
from pytest_mcpbench.generation.persona.request import Request, request
from pytest_mcpbench.generation.spelling import clock, day

KIND = "hodgepodge"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [*_travel_requests(), *_work_requests(), *_evenings_requests()]


def _travel_requests() -> list[Request]:
    return [
        request(
            KIND,
            "We go to Suzhou for Father's birthday. Find our train in the group where the family plans the trip; "
            'enter it into my Lark calendar as "Train to Suzhou", from departure to arrival; tell Mother, who asks '
            "on Instagram, when we arrive; and write the code for picking up the cake into today's note, under Notes.",
            telegram.list_chats(),
            telegram.read_chat("Family 陈家", "G7125"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Train to Suzhou", "2026-03-14 09:12", 32),
            instagram.list_conversations(),
            instagram.read_messages("xiulan.wu"),
            instagram.send_message("xiulan.wu", "We arrive at 9:44.", clock("09:44")),
            obsidian.read_current_note("daily"),
            obsidian.insert_under_heading(
                "Daily/2026-03-02.md",
                "Notes",
                "- Code for the cake: 4471\n",
                "4471",
                kept=("Forgot the umbrella again",),
            ),
            The_family="on Telegram: 陈家",
            Mother="xiulan_wu on Instagram",
            My_notes="Obsidian",
        ),
        request(
            KIND,
            "For my flight to London: (1) tell Priya on Lark on which day and at what time I land, as she asked me "
            "to; (2) let Slack remind me of the vegetarian meal on the Friday before I leave, at 10:00; (3) answer "
            "Ting's private mail about the keys.",
            obsidian.search("Heathrow"),
            obsidian.read_note("Travel/London flight.md", "Heathrow 18:05"),
            lark.send_message("priya.nair", "I land on Sunday 22 March at 18:05.", day("2026-03-22"), clock("18:05")),
            slack.add_reminder("Order the vegetarian meal", "2026-03-20 10:00", ("meal", "vegetarian")),
            gmail.search("from:ting.luo@post.example keys", "Keys"),
            gmail.read("Keys", "spare key"),
            gmail.send(
                "ting.luo",
                "Re: Keys",
                "The spare key is in the drawer under the mirror; please water the basil.",
                "drawer",
                "basil",
                reply="Keys",
            ),
            My_notes="Obsidian, folder Travel",
            Spare_key="in the drawer under the mirror",
            Plants_that_need_water="the basil",
            Ting="ting.luo@post.example",
            Chat_with_Priya=lark.chat_id("priya.nair"),
        ),
        request(
            KIND,
            "Lei asks on Telegram about Yangshuo. Is my leave for those days approved (work mail), and is the hostel "
            'booked (Gmail)? If both, reply to his message with "Yes, I am in!", and put "Yangshuo" into my Lark '
            "calendar, from nine on the first day to six in the evening on the last. If anything is missing, reply "
            "that I cannot come.",
            telegram.read_chat("lei.zheng", "10 to 12 April"),
            email.list_recent_mail(5, "Leave in April"),
            email.read("Leave in April", "approved"),
            gmail.search("Lotus Yard", "Your booking LY-2093"),
            gmail.read("Your booking LY-2093", "10 to 12 April"),
            telegram.reply(
                "lei.zheng",
                "Yangshuo again?",
                "Yes, I am in!",
                ("Yes, I am in", "Yes, I'm in"),
            ),
            lark.show_primary_calendar(),
            lark.create_event("me", "Yangshuo", "2026-04-10 09:00", 57 * 60),
            Lei="Lei Zheng (郑磊)",
            The_hostel="Lotus Yard",
        ),
    ]


def _work_requests() -> list[Request]:
    return [
        request(
            KIND,
            "My supervisor wants three dates of Harbour in one work mail: until when changes are allowed (Slack), "
            "when the auditors want the numbers (Lark group) and when the project is due (Notion). The subject is "
            '"Dates of Harbour".',
            slack.find_channels("harbour"),
            slack.read_messages("proj-harbour", "Wednesday 4 March"),
            lark.list_chats(),
            lark.read_chat("harbour", "Thursday 5 March"),
            notion.search("Harbour billing"),
            notion.read_page("Harbour billing", "2026-03-13"),
            email.send(
                "mei.zhao",
                "Dates of Harbour",
                "Changes until 4 March, noon; auditors 5 March; due 13 March.",
                "Dates of Harbour",
                day("2026-03-04"),
                day("2026-03-05"),
                day("2026-03-13"),
            ),
            My_supervisor="Mei Zhao, mei.zhao@northlight.example",
            Harbour="Harbour billing, 港湾计费",
        ),
        request(
            KIND,
            "Launch day comes nearer. From Lark I need the venue, from Slack the main colour. Then: a comment with "
            "both on the Notion page of the launch; a message in the WeCom group that names the venue and mentions "
            'Zihan; and a note on Rednote, "倒计时", whose text names the venue as well.',
            lark.list_chats(),
            lark.read_chat("juniper", "Gallery Nord"),
            slack.find_channels("juniper"),
            slack.read_messages("proj-juniper", "#E4572E"),
            notion.search("Juniper launch"),
            notion.comment(
                "Juniper launch", "Venue: Gallery Nord. Main colour: #E4572E.", "Gallery Nord", ("#E4572E", "E4572E")
            ),
            wecom.send_text("发布活动地点：Gallery Nord", "Gallery Nord", mention=("zihan.guo",)),
            rednote.publish(
                "倒计时", "我们在 Gallery Nord 等你。", "Gallery Nord", image="https://northlight.example/countdown.jpg"
            ),
            The_launch="Juniper launch, 杜松发布活动",
            Zihan="郭子涵, WeCom user id GuoZihan",
            Picture_for_Rednote="https://northlight.example/countdown.jpg",
        ),
        request(
            KIND,
            "When does release 4.2.0 go out, and from when is everything frozen? Discord knows. Enter the release "
            'into my Lark calendar ("Release night", one hour), write the day of the freeze to #proj-lantern on '
            'Slack, and add a Notion task "Check the release notes" for Jiayi, due on the day of the release.',
            discord.find_channel("releases"),
            discord.read_channel("releases", "Friday 6 March"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Release night", "2026-03-10 21:00", 60),
            slack.find_channels("lantern"),
            slack.send_message("proj-lantern", "The freeze begins on Friday 6 March.", (*day("2026-03-06"), "Friday")),
            notion.list_users({"name": "Jiayi Zhou"}),
            notion.find_database("Tasks"),
            notion.add_task("Check the release notes", "jiayi.zhou", "2026-03-10"),
            Jiayi="Jiayi Zhou (周佳怡), test engineer",
            Announcements_of_releases="Discord, channel releases",
        ),
        request(
            KIND,
            "Oliver wrote into the Lark group of Lantern how many of how many people finished. Send both numbers to "
            'Helen in a work mail, to Mei in a direct message on Slack, and note them under "Keep" among my '
            "onboarding ideas.",
            lark.read_chat("lantern", "11 of 14"),
            email.send(
                "helen.fischer",
                "Interview results",
                "11 of 14 people finished.",
                ("11", "eleven"),
                ("14", "fourteen"),
            ),
            slack.find_member("mei.zhao"),
            slack.send_message("mei.zhao", "11 of 14 people finished.", ("11", "eleven"), ("14", "fourteen")),
            obsidian.search("arrows"),
            obsidian.insert_under_heading(
                "Work/Onboarding ideas.md",
                "Keep",
                "- 11 of 14 people finished the interviews\n",
                ("11", "eleven"),
                ("14", "fourteen"),
                kept=("let people skip the picture", "a tour with arrows"),
            ),
            Helen="helen.fischer@northlight.example",
            Mei="Mei Zhao, my manager",
            Onboarding_ideas="a note in the folder Work, Obsidian",
        ),
    ]


def _evenings_requests() -> list[Request]:
    return [
        request(
            KIND,
            "Climbing on Thursday: Nina says on Telegram when and where we meet, and in a mail to my Gmail what is "
            'wrong with her rope. Enter it into my Lark calendar ("Climbing", two hours, the hall as the place), add '
            '"60 m rope" to the clothes on my packing list, and let her know in a private message on Discord that I '
            "bring mine, because hers is soft after so many metres (say how many).",
            telegram.read_chat("Climbing Thursdays", "19:30 at Wall Nine"),
            gmail.search("from:nina.berg@post.example rope", "The rope"),
            gmail.read("The rope", "soft spot at 20 m"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Climbing", "2026-03-05 19:30", 120, place="Wall Nine"),
            obsidian.read_note("Travel/Packing list.md"),
            obsidian.insert_under_heading(
                "Travel/Packing list.md", "Clothes", "- 60 m rope\n", "60 m rope", kept=("passport", "rain jacket")
            ),
            discord.find_member("nina.berg"),
            discord.send_private_message(
                "nina.berg", "I bring my rope: yours is soft at 20 m.", ("rope", "mine", "绳"), "20"
            ),
            Nina="Nina Berg, nina_berg; nina.berg@post.example",
            The_group="Climbing Thursdays",
            My_packing_list="Obsidian, folder Travel, heading Clothes",
        ),
        request(
            KIND,
            "The choir: Sam wrote on Telegram when and where the dress rehearsal is. Put it into my Lark calendar as "
            '"Dress rehearsal", two hours long, with the hall as the place; ask Emma, who sings with us, on Slack '
            "whether she has a blue folder for me; and look on the web in which year the composer of the Third "
            "Symphony that Sam wants next, Rolf Edevane, was born: tell Sam that year on Telegram, privately.",
            telegram.read_chat("Choir", "Friday 27 March, 18:45"),
            lark.show_primary_calendar(),
            lark.create_event(
                "me",
                "Dress rehearsal",
                "2026-03-27 18:45",
                120,
                facts=(("Anselm", "Anselm's"),),
                place="St Anselm's hall",
            ),
            slack.find_member("emma.lindqvist"),
            slack.send_message("emma.lindqvist", "Do you have a blue folder for me?", ("folder",)),
            web.search("Rolf Edevane composer"),
            web.read_page("https://lives.hallowmere.example/rolf-edevane", "21 August 1902"),
            telegram.send_message("sam.carter", "Rolf Edevane was born in 1902.", "1902"),
            Emma="Emma Lindqvist",
            Sam="Sam Carter",
            The_choir="Telegram group Choir",
        ),
        request(
            KIND,
            "I bring something to the film night. Discord says when it is and at whose place. Enter it into my Lark "
            'calendar ("Film night", three hours), tell the host on Slack that I bring chestnuts, and write the '
            "title of the film under Notes in today's note.",
            discord.find_channel("off-topic"),
            discord.read_channel("off-topic", "The Third Ridge"),
            lark.show_primary_calendar(),
            lark.create_event("me", "Film night", "2026-03-07 20:00", 180),
            slack.find_member("priya.nair"),
            slack.send_message("priya.nair", "I bring chestnuts to the film night.", ("chestnut", "chestnuts", "栗子")),
            obsidian.read_current_note("daily"),
            obsidian.insert_under_heading(
                "Daily/2026-03-02.md",
                "Notes",
                "- Film night: The Third Ridge\n",
                "The Third Ridge",
                kept=("Forgot the umbrella again",),
            ),
            Film_nights="are announced in off-topic",
            My_notes="Obsidian",
        ),
    ]
