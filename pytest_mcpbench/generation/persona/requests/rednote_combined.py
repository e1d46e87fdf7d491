"""Requests that need Rednote and another app, but not Lark."""

from pytest_mcpbench.generation.persona.apps import (
    discord,
    email,
    gmail,
    instagram,
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
from pytest_mcpbench.generation.spelling import day, number

OBSIDIAN, NOTION, OTHER = "xiaohongshu_obsidian", "xiaohongshu_notion", "xiaohongshu_other"
DRAFT = "雨后的青山茶园，茶比照片绿。四月的周末开放，记得穿防滑鞋。"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [*_obsidian_requests(), *_notion_requests(), *_people_requests(), *_places_requests()]


def _like_count(title: str) -> tuple[str, ...]:
    return number(rednote.note(title)["liked_count"])


def _obsidian_requests() -> list[Request]:
    return [
        request(
            OBSIDIAN,
            "The draft about the tea garden in my inbox folder is good. Publish its sentences on Rednote, unchanged, "
            'as "青山雨后", with the picture from my site; then delete the draft.',
            obsidian.list_directory("Inbox"),
            obsidian.read_note("Inbox/Draft about the tea garden.md", "四月的周末开放"),
            rednote.publish("青山雨后", DRAFT, DRAFT, image="https://siyuan.example/after-the-rain.jpg"),
            obsidian.delete_note("Inbox/Draft about the tea garden.md"),
            Picture="https://siyuan.example/after-the-rain.jpg",
            My_notes="Obsidian, folder Inbox",
        ),
        request(
            OBSIDIAN,
            "According to my note on the tea shelf two teas are nearly gone. For one of them somebody explains on "
            "Rednote where to buy it: keep that note in my collection.",
            obsidian.search("nearly empty"),
            obsidian.read_note("Home/Tea shelf.md", "white tea from Chengdu"),
            rednote.search("白茶", "成都白茶去哪买"),
            rednote.collect("成都白茶去哪买"),
            My_notes="Obsidian",
            White_tea="白茶; osmanthus oolong is 桂花乌龙",
        ),
        request(
            OBSIDIAN,
            'How many likes does my Rednote note on the nine steps have? Write the number under "Keep" in my note '
            "with onboarding ideas.",
            rednote.search("九步变三步", "九步变三步"),
            obsidian.search("arrows"),
            obsidian.insert_under_heading(
                "Work/Onboarding ideas.md",
                "Keep",
                f"- the note about three steps: {_like_count('九步变三步')[0]} likes\n",
                _like_count("九步变三步"),
                kept=("let people skip the picture", "a tour with arrows"),
            ),
            The_note_on_Rednote="九步变三步",
            Onboarding_ideas="in the folder Work of my Obsidian vault",
        ),
        request(
            OBSIDIAN,
            "Does the sum of the costs in my Obsidian note on Yangshuo agree with the total that I published on "
            'Rednote? If yes, comment "数字核对过了。" on my Rednote note; if no, write nothing.',
            obsidian.search("Yangshuo costs"),
            obsidian.read_note("Travel/Yangshuo costs.md", "566", "420", "600", "354"),
            rednote.search("阳朔三天两晚花了多少"),
            rednote.open_note("阳朔三天两晚花了多少"),
            rednote.comment("阳朔三天两晚花了多少", "数字核对过了。", "数字核对过了"),
            Yangshuo="阳朔; my note on Rednote is 阳朔三天两晚花了多少",
        ),
        request(
            OBSIDIAN,
            'Invite people to our concert on Rednote: title "来听塔利斯", and in the text the day and the hall from '
            "my note on the Tallis. The picture is on my site.",
            obsidian.read_note("Choir/Tallis.md", "28 March 2026"),
            rednote.publish(
                "来听塔利斯",
                "3月28日，St Anselm's hall，欢迎！",
                day("2026-03-28"),
                ("Anselm", "Anselm's", "安瑟伦", "安塞姆"),
                image="https://siyuan.example/choir.jpg",
            ),
            Picture="https://siyuan.example/choir.jpg",
            My_notes="Obsidian, folder Choir",
        ),
        request(
            OBSIDIAN,
            "My mother's Rednote note on the market in March names three things one should buy. Add all three, in "
            "Chinese, to the shopping note in my vault.",
            rednote.search("苏州菜场", "苏州菜场三月时令"),
            rednote.read_note("苏州菜场三月时令", "马兰头、香椿、河虾"),
            obsidian.append_text(
                "Inbox/Shopping.md", "- 马兰头\n- 香椿\n- 河虾\n", "马兰头", "香椿", "河虾", "lamp for the desk"
            ),
            My_mother="吴秀兰; her note is 苏州菜场三月时令",
            My_vault="Obsidian; the note is in Inbox",
        ),
        request(
            OBSIDIAN,
            "Ting recommends a quiet tea room on Rednote. Like her note, and add a line with its title to the end of "
            "my note on the tea shelf.",
            rednote.search("茶室", "中山公园附近的安静茶室"),
            rednote.like("中山公园附近的安静茶室"),
            obsidian.search("Yunnan red"),
            obsidian.append_text(
                "Home/Tea shelf.md", "\n中山公园附近的安静茶室\n", "中山公园附近的安静茶室", "osmanthus oolong"
            ),
            Ting="罗婷, my neighbour; tea room is 茶室",
            My_note="Tea shelf, in Obsidian",
        ),
    ]


def _notion_requests() -> list[Request]:
    boyu = rednote.note("季度结账不加班")
    return [
        request(
            NOTION,
            "Our client announces an open day of the tea garden on Rednote. Mention it in a comment on the Notion "
            "page of the pilot, with the note's title and the month.",
            rednote.search("青山茶园", "青山茶园开放日"),
            rednote.read_note("青山茶园开放日", "四月的周末"),
            notion.search("Qingshan pilot"),
            notion.comment(
                "Qingshan pilot", "Open day in April: 青山茶园开放日", "青山茶园开放日", ("April", "四月", "4月")
            ),
            The_pilot="Qingshan pilot",
            Our_client="钱雅婷 of Qingshan Tea (青山)",
        ),
        request(
            NOTION,
            "Like Zihan's Rednote video about the launch. Then give her a task in Notion, \"Answer the comments on "
            'the video", due next Monday, linked to the launch.',
            rednote.search("杜松发布会幕后", "杜松发布会幕后"),
            rednote.like("杜松发布会幕后"),
            notion.list_users({"name": "Zihan Guo"}),
            notion.find_database("Tasks"),
            notion.search("Juniper launch"),
            notion.add_task("Answer the comments on the video", "zihan.guo", "2026-03-09", "Juniper launch"),
            Zihan="郭子涵, Zihan Guo",
            Next_Monday="9 March",
            The_launch="杜松发布会, Juniper launch",
        ),
        request(
            NOTION,
            "How many fans does Zihan have on Rednote today? Comment that number on the Notion page of the Juniper "
            "launch.",
            rednote.search("郭子涵"),
            rednote.read_profile("zihan.guo", {"type": "fans", "count": str(rednote.follower_count("zihan.guo"))}),
            notion.search("Juniper launch"),
            notion.comment(
                "Juniper launch",
                f"Zihan has {rednote.follower_count('zihan.guo')} fans.",
                number(rednote.follower_count("zihan.guo")),
            ),
            Zihan="郭子涵",
        ),
        request(
            NOTION,
            'See in Notion when the project that I lead is due, and publish a note on Rednote, "灯笼要来了", of '
            "which the text says that day. Use the lantern picture.",
            notion.search("Lantern onboarding"),
            notion.read_page("Lantern onboarding", "2026-03-20"),
            rednote.publish(
                "灯笼要来了", "3月20日见。", day("2026-03-20"), image="https://northlight.example/lantern.jpg"
            ),
            My_project="Lantern onboarding",
            The_lantern_picture="https://northlight.example/lantern.jpg",
        ),
        request(
            NOTION,
            "Boyu's Rednote note on closing the quarter: how many likes, how often saved? Write both numbers as a "
            "comment under the Notion page of the Ledger close.",
            rednote.search("季度结账", "季度结账不加班"),
            notion.search("Ledger close"),
            notion.comment(
                "Ledger close",
                f"{boyu['liked_count']} likes, saved {boyu['collected_count']} times.",
                number(boyu["liked_count"]),
                number(boyu["collected_count"]),
            ),
            Boyu="蒋博宇; 季度结账不加班",
        ),
        request(
            NOTION,
            "The first chapter of the Compass handbook is public now, as Fang's note on Rednote. Save it, and tick "
            "off in Notion that we agree on the scope of the handbook.",
            rednote.search("指南针手册", "入职第一周应该发生什么"),
            rednote.collect("入职第一周应该发生什么"),
            notion.search("Compass handbook"),
            notion.list_blocks("Compass handbook"),
            notion.check_off("Compass handbook", "Agree on the scope"),
            Fang="谢芳",
            Compass_handbook="指南针手册",
        ),
    ]


def _people_requests() -> list[Request]:
    teapot, nine = rednote.note("用了四十年的紫砂壶"), rednote.note("九步变三步")
    return [
        request(
            OTHER,
            "Jiayi wants the recipe, she says under my Instagram post about the tea hills. I published my mother's "
            "syrup on Rednote: look up the parts there and answer Jiayi's comment with them.",
            instagram.list_posts(),
            instagram.list_comments("Tea hills near Hangzhou", "Please send me the recipe."),
            rednote.search("桂花糖浆", "桂花糖浆，妈妈的方子"),
            rednote.read_note("桂花糖浆，妈妈的方子", "一份干桂花，三份蜂蜜"),
            instagram.reply_to_comment(
                "Tea hills near Hangzhou",
                "jiayi.zhou",
                "One part dried osmanthus, three parts honey, then wait for two weeks.",
                ("three", "3", "三"),
                ("honey", "蜂蜜"),
                ("osmanthus", "桂花"),
            ),
            Syrup="桂花糖浆",
            Jiayi="jiayi_zhou on Instagram",
        ),
        request(
            OTHER,
            "Save Yuchen's map of noodle shops on Rednote and tell him on Telegram that I did, and that I come to "
            "Nanjing on 25 April.",
            rednote.search("小面馆", "南京小面馆地图"),
            rednote.collect("南京小面馆地图"),
            telegram.find_contact("yuchen.song"),
            telegram.send_message(
                "yuchen.song",
                "I have saved your noodle map; I come to Nanjing on 25 April.",
                day("2026-04-25"),
                ("map", "noodle", "noodles", "地图", "面馆"),
            ),
            Yuchen="宋雨辰 on Rednote, Yuchen Song on Telegram",
        ),
        request(
            OTHER,
            "Post into the Slack channel of my team how many people like and how many have saved my Rednote note on "
            "the nine steps.",
            rednote.search("九步变三步", "九步变三步"),
            slack.find_channels("team-product"),
            slack.send_message(
                "team-product",
                f"My note: {nine['liked_count']} likes, saved {nine['collected_count']} times.",
                number(nine["liked_count"]),
                number(nine["collected_count"]),
            ),
            My_team="product, channel team-product",
        ),
        request(
            OTHER,
            "My father's teapot is famous on Rednote. Tell him how many likes it has, in a comment on what he posted "
            "about its crack on r/teahouse.",
            rednote.search("紫砂壶", "用了四十年的紫砂壶"),
            reddit.list_hot_posts("teahouse"),
            reddit.write_comment(
                "My old Yixing pot has a hairline crack",
                f"On Rednote your pot has {teapot['liked_count']} likes!",
                number(teapot["liked_count"]),
            ),
            My_father="陈国强 on Rednote, u/guoqiang_chen on Reddit",
            Teapot="紫砂壶",
        ),
        request(
            OTHER,
            "Collect Peng's Rednote advice about the suitcase, and thank him for it by mail; he must see which note "
            "I mean, so give its title.",
            rednote.search("行李箱", "出差一百天的行李箱"),
            rednote.collect("出差一百天的行李箱"),
            email.send("peng.tang", "谢谢", "《出差一百天的行李箱》写得真好，谢谢！", "出差一百天的行李箱"),
            Peng="唐鹏, peng.tang@northlight.example",
        ),
        request(
            OTHER,
            "Yating offers me tea by mail. Before I answer, like her Rednote note on choosing Longjing. Then order "
            "one tin from her in an answer to that mail, and name the price.",
            rednote.search("明前龙井", "明前龙井怎么选"),
            rednote.like("明前龙井怎么选"),
            gmail.search("from:yating.qian@post.example", "Tea for your shelf"),
            gmail.read("Tea for your shelf", "320"),
            gmail.send(
                "yating.qian",
                "Re: Tea for your shelf",
                "Please set one tin aside for me, for 320 yuan.",
                ("one", "1", "一", "a tin"),
                "320",
                reply="Tea for your shelf",
            ),
            Yating="钱雅婷 on Rednote; yating.qian@post.example, to my Gmail",
        ),
        request(
            OTHER,
            "Wenjing's note with the shortcuts for tables has helped me. Like it on Rednote, and recommend it by its "
            "title in the WeCom group, with a mention of her.",
            rednote.search("快捷键", "表格里的小快捷键"),
            rednote.like("表格里的小快捷键"),
            wecom.send_text("推荐文静的《表格里的小快捷键》！", "表格里的小快捷键", mention=("wenjing.deng",)),
            Wenjing="邓文静, WeCom user id DengWenjing; shortcut is 快捷键",
        ),
    ]


def _places_requests() -> list[Request]:
    return [
        request(
            OTHER,
            "In my Rednote guide to bouldering I say which corner suits small people. Tell #off-topic on Discord, "
            "without a link, which one it is.",
            rednote.search("抱石", "上海抱石新手指南"),
            rednote.open_note("上海抱石新手指南"),
            discord.find_channel("off-topic"),
            discord.send_message("off-topic", "For small people the left corner is best.", ("left", "左")),
            My_guide="上海抱石新手指南",
        ),
        request(
            OTHER,
            "I want to climb in the Hallowmere Isles. Look on the web how high the Aldery Hut lies and how many beds "
            'it has, and publish both on Rednote as "阿尔德里小屋", with the picture of the hut.',
            web.search("Aldery Hut beds metres above the sea"),
            web.read_page("https://walkers.hallowmere.example/huts", "655", "32"),
            rednote.publish(
                "阿尔德里小屋",
                "海拔655米，32张床。",
                "655",
                "32",
                image="https://siyuan.example/hut.jpg",
            ),
            Picture_of_the_hut="https://siyuan.example/hut.jpg",
        ),
        request(
            OTHER,
            "Our choir may sing the First Harbour Suite next. In which year did its composer finish it? Find out on "
            "the web and write the year into a comment on my Rednote video of the rehearsal.",
            web.search("First Harbour Suite composer"),
            web.read_page("https://lives.hallowmere.example/rolf-edevane", "1931"),
            rednote.search("唱诗班", "唱诗班排练日常"),
            rednote.comment("唱诗班排练日常", "下一首：First Harbour Suite，写于1931年。", "1931"),
            My_video="唱诗班排练日常",
        ),
        request(
            OTHER,
            "My sister's Rednote note says three ways to store green tea. Like it, and ask her on Telegram which of "
            "them she has chosen in the end; name the tin and the bag.",
            rednote.search("绿茶", "小房子怎么存绿茶"),
            rednote.like("小房子怎么存绿茶"),
            telegram.find_contact("siqi.chen"),
            telegram.send_message("siqi.chen", "铁罐还是袋子，你最后选了哪个？", ("tin", "铁罐", "罐"), ("bag", "袋")),
            My_sister="陈思琪 on Rednote, Siqi Chen on Telegram",
        ),
        request(
            OTHER,
            "What does a crossing from Port Maren to Halse cost an adult, and how long does it take? Find it on the "
            'web; then put a note on Rednote, "去哈尔斯的船", with both, and the picture of the ferry.',
            web.search("ferry Port Maren Halse timetable fares"),
            web.read_page("https://ferries.hallowmere.example/timetable-2025/line-1", "14 crowns", "55 minutes"),
            rednote.publish(
                "去哈尔斯的船", "成人14克朗，55分钟。", "14", "55", image="https://siyuan.example/ferry.jpg"
            ),
            Picture_of_the_ferry="https://siyuan.example/ferry.jpg",
        ),
    ]
