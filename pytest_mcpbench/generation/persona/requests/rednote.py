"""Requests that need only Rednote (Xiaohongshu)."""

from dataclasses import replace

from pytest_mcpbench.generation.persona.apps import rednote
from pytest_mcpbench.generation.persona.request import Request, request

SHORT, LONG = "xiaohongshu_single_short", "xiaohongshu_single_long"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [*_short_requests(), *_long_requests()]


def _short_requests() -> list[Request]:
    signed_out = request(
        SHORT,
        "Rednote behaves oddly. Am I still signed in there? If not, fetch me the QR code and say until when I can "
        "use it.",
        rednote.check_login("未登录"),
        rednote.get_login_code(),
        Rednote="the app 小红书",
    ).with_claims("The user is not signed in to Rednote.", "The QR code can be used until 09:04.")
    return [
        replace(signed_out, seeds={"xiaohongshu": "logged_out"}),
        request(
            SHORT,
            "My mother has written on Rednote what one buys at the market in March. Give her note a like from me.",
            rednote.search("苏州菜场", "苏州菜场三月时令"),
            rednote.like("苏州菜场三月时令"),
            My_mother="吴秀兰 on Rednote; she lives in Suzhou",
        ),
        request(
            SHORT,
            "Lei explains the figure-eight knot in a video on Rednote. Put it into my collection, please.",
            rednote.search("八字结", "三分钟学会八字结"),
            rednote.collect("三分钟学会八字结"),
            Lei="郑磊",
            Figure_eight_knot="八字结",
        ),
        request(
            SHORT,
            "How many likes has the Rednote post by now in which I say what Yangshuo cost me?",
            rednote.search(
                "阳朔三天两晚花了多少",
            ),
            rednote.read_note("阳朔三天两晚花了多少", str(rednote.note("阳朔三天两晚花了多少")["liked_count"])),
            Yangshuo="阳朔",
        ).with_claims("The post has 630 likes."),
        request(
            SHORT,
            "We have moved into the new office. I no longer need Minghao's advice about that in my Rednote "
            "collection; take it out.",
            rednote.search("搬家", "办公室搬家避坑"),
            rednote.remove_from_collection("办公室搬家避坑"),
            Minghao="曹明昊, our office manager",
        ),
        request(
            SHORT,
            'Yuchen is looking for tenors on Rednote. Write under his call: "我周四有空，可以来帮忙。"',
            rednote.search("男高音", "南京找男高音"),
            rednote.comment("南京找男高音", "我周四有空，可以来帮忙。", "我周四有空，可以来帮忙"),
            Yuchen="宋雨辰, my former flatmate",
            Tenor="男高音",
        ),
    ]


def _long_requests() -> list[Request]:
    siqi = max(rednote.notes_by("siqi.chen"), key=lambda each: each["liked_count"])["title"]
    zihan = min(rednote.notes_by("zihan.guo"), key=lambda each: each["collected_count"])["title"]
    top = rednote.top_of_home()
    return [
        request(
            LONG,
            "My sister has two notes on Rednote. Give a like to the one that has more of them already.",
            rednote.search("陈思琪"),
            rednote.read_profile("siqi.chen", *({"id": each["id"]} for each in rednote.notes_by("siqi.chen"))),
            rednote.like(siqi),
            My_sister="陈思琪",
        ),
        request(
            LONG,
            "Save everything that Lei Zheng has published on Rednote to my collection.",
            rednote.search("郑磊"),
            rednote.read_profile("lei.zheng"),
            rednote.collect("周末阳朔爬月亮山"),
            rednote.collect("三分钟学会八字结"),
            Lei_Zheng="郑磊 on Rednote",
        ),
        request(
            LONG,
            "Zihan is sad about the one of her three Rednote notes that the fewest people have saved. Comment there, "
            'exactly this: "加油，我很喜欢！"',
            rednote.search("郭子涵"),
            rednote.read_profile("zihan.guo"),
            rednote.comment(zihan, "加油，我很喜欢！", "加油，我很喜欢"),
            Zihan="郭子涵, social media manager",
        ),
        request(
            LONG,
            'Publish this on Rednote for me. Title: "雨后的茶园". Text: "比照片更绿，四月再去。" Picture: '
            "https://siyuan.example/tea-garden.jpg. Topics, in this order: 茶, 杭州. Make sure first that I am "
            "signed in.",
            rednote.check_login("已登录"),
            rednote.publish(
                "雨后的茶园",
                "比照片更绿，四月再去。",
                "比照片更绿，四月再去",
                image="https://siyuan.example/tea-garden.jpg",
                tags=("茶", "杭州"),
            ),
        ),
        request(
            LONG,
            "Who has more fans on Rednote, Xinyi or Zihan? If it is Xinyi, comment on her reading list for March, "
            'otherwise on Zihan\'s note about the weekend in Chengdu. In either case: "恭喜涨粉！"',
            rednote.search("马欣怡", "我的三月书单"),
            rednote.read_profile("xinyi.ma", {"type": "fans", "count": str(rednote.follower_count("xinyi.ma"))}),
            rednote.search("郭子涵", "成都周末两日路线"),
            rednote.read_profile("zihan.guo", {"type": "fans", "count": str(rednote.follower_count("zihan.guo"))}),
            rednote.comment("我的三月书单", "恭喜涨粉！", "恭喜涨粉"),
            Xinyi="马欣怡",
            Zihan="郭子涵",
            The_reading_list="我的三月书单",
        ),
        request(
            LONG,
            "Open my Rednote home page and keep, in my collection, the note at the very top of it.",
            rednote.list_home_page(top),
            rednote.collect(top),
        ),
        request(
            LONG,
            "Among the people whom I follow on Rednote somebody has made a video about pouring tea. Find it by the "
            "site's filters and like it.",
            rednote.search("茶", "倒茶不洒的办法", note_type="视频", search_scope="已关注"),
            rednote.like("倒茶不洒的办法"),
            Tea="茶",
        ),
        request(
            LONG,
            "Tidy my Rednote collection: the piece on what to wear to a first client visit can go, and Peng's "
            "suitcase for a hundred days of travel comes in.",
            rednote.search("拜访客户", "第一次拜访客户穿什么"),
            rednote.remove_from_collection("第一次拜访客户穿什么"),
            rednote.search("行李箱", "出差一百天的行李箱"),
            rednote.collect("出差一百天的行李箱"),
            First_client_visit="第一次拜访客户",
            Peng="唐鹏, head of sales; suitcase is 行李箱",
        ),
        request(
            LONG,
            'Weimin has been kind to me. Thank him under both of his Rednote notes with "谢谢分享，下次去成都找你。"',
            rednote.search("杜伟民", "成都白茶去哪买", "开店选址的笨办法"),
            rednote.comment("成都白茶去哪买", "谢谢分享，下次去成都找你。", "谢谢分享，下次去成都找你"),
            rednote.comment("开店选址的笨办法", "谢谢分享，下次去成都找你。", "谢谢分享，下次去成都找你"),
            Weimin="杜伟民, director at Yunhe Retail",
        ),
        request(
            LONG,
            "My supervisor tells the world on Rednote how she hires product managers. Like it, keep it in my "
            'collection and comment "问两遍，学到了。"',
            rednote.search("赵梅", "招产品经理我看什么"),
            rednote.like_and_collect("招产品经理我看什么"),
            rednote.comment("招产品经理我看什么", "问两遍，学到了。", "问两遍，学到了"),
            My_supervisor="赵梅",
        ),
    ]
