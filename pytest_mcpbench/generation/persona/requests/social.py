"""Requests that need one of Reddit, Instagram, Telegram or Discord."""

from pytest_mcpbench.generation.persona.apps import discord, instagram, reddit, telegram
from pytest_mcpbench.generation.persona.request import Request, request
from pytest_mcpbench.generation.persona.spelling import name
from pytest_mcpbench.generation.spelling import day
from pytest_mcpbench.simulated.cast import CAST

REDDIT, INSTAGRAM, TELEGRAM, DISCORD = (f"{app}_single" for app in ("reddit", "instagram", "telegram", "discord"))
MY_POST = "How do you end an onboarding that nobody finishes?"
CONCERTS = "Concert calendar for spring"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [*_reddit_requests(), *_instagram_requests(), *_telegram_requests(), *_discord_requests()]


def _reddit_requests() -> list[Request]:
    best = max(reddit.comments(MY_POST), key=lambda each: each["score"])
    tied = [each for each in reddit.comments(MY_POST) if each["score"] == best["score"]]
    assert len(tied) == 1
    helen = reddit.comment("The tenors are two and the basses nine", "u/helen_fischer")
    return [
        request(
            REDDIT,
            'My father has posted about his teapot on r/teahouse. Comment on it: "I would keep using it."',
            reddit.list_hot_posts("teahouse"),
            reddit.write_comment(
                "My old Yixing pot has a hairline crack", "I would keep using it.", "I would keep using it"
            ),
            My_father="Guoqiang Chen, u/guoqiang_chen",
        ),
        request(
            REDDIT,
            'Which comment has got the most points under what I asked on r/productcraft? Reply to it with "That is '
            'the one we will try."',
            reddit.list_hot_posts("productcraft"),
            reddit.read_thread(MY_POST, {"name": best["name"]}),
            reddit.write_comment(
                MY_POST, "That is the one we will try.", "That is the one we will try", to=best["body"]
            ),
            My_Reddit_name="u/siyuan_chen",
        ),
        request(
            REDDIT,
            "The director of our company has commented on Yuchen's search for tenors on r/choirs. How many points "
            "does her comment have?",
            reddit.list_hot_posts("choirs"),
            reddit.read_thread("The tenors are two and the basses nine"),
            reddit.read_comment(
                "The tenors are two and the basses nine",
                "u/helen_fischer",
                {"name": helen["name"], "score": helen["score"]},
            ),
            Our_director="u/helen_fischer on Reddit",
            Yuchen="u/yuchen_song",
        ).with_claims("Her comment has 59 points."),
        request(
            REDDIT,
            "Enter our concert in the thread that Sam keeps on r/choirs for this spring: date, hall and composer.",
            reddit.list_hot_posts("choirs"),
            reddit.write_comment(
                CONCERTS,
                "28 March, St Anselm's hall in Shanghai: Tallis.",
                day("2026-03-28"),
                ("Anselm", "Anselm's"),
                "Tallis",
            ),
            Our_concert="28 March 2026, St Anselm's hall, Shanghai; we sing Tallis",
            Sam="u/sam_carter",
        ),
    ]


def _instagram_requests() -> list[Request]:
    posts = instagram.all_posts()
    most = max(each["like_count"] for each in posts)
    assert [each["caption"] for each in posts if each["like_count"] == most] == [
        "The plane trees on Wukang Road are back."
    ]
    return [
        request(
            INSTAGRAM,
            "How many people follow me on Instagram, and how many posts do I have there?",
            instagram.read_profile({"followers_count": 1284, "media_count": len(posts)}),
        ).with_claims("1284 people follow the user on Instagram.", "The user has 26 posts there."),
        request(
            INSTAGRAM,
            "Yuchen wants to know something about Yangshuo; it is in my Instagram messages. Answer from what you "
            "know about me.",
            instagram.list_conversations(),
            instagram.read_messages("yuchen.song", "hostel"),
            instagram.send_message("yuchen.song", "It is called Lotus Yard.", "Lotus Yard"),
            My_trip_to_Yangshuo="three days in February, in the hostel Lotus Yard, with Lei and Nina",
        ),
        request(
            INSTAGRAM,
            'Emma asks on Instagram for one of my pictures. Grant it with "Yes, please print it."',
            instagram.list_conversations(),
            instagram.find_conversation("emma.lindqvist"),
            instagram.send_message("emma.lindqvist", "Yes, please print it.", "Yes, please print it"),
            Emma="Emma Lindqvist, emma_lindqvist",
        ),
        request(
            INSTAGRAM,
            "Xiaolan has left a comment under my mother's syrup video on Instagram. Reply to that very comment: "
            '"Deal, in April!"',
            instagram.list_posts(),
            instagram.list_comments("osmanthus syrup", "Next time take me with you."),
            instagram.reply_to_comment("osmanthus syrup", "xiaolan.liu", "Deal, in April!", "Deal, in April"),
            Xiaolan="xiaolan_liu on Instagram",
        ),
        request(
            INSTAGRAM,
            "Go to the post of mine that has the most likes on Instagram. Ting has written something there; reply "
            '"Any Sunday!" to her.',
            instagram.list_posts({"like_count": most}),
            instagram.list_comments("plane trees"),
            instagram.reply_to_comment("plane trees", "ting.luo", "Any Sunday!", "Any Sunday"),
            Ting="ting_luo, my neighbour",
        ),
        request(
            INSTAGRAM,
            "Weimin asks me on Instagram who was with me in the tea hills. I do not remember, but the caption of the "
            "post names the person; tell him.",
            instagram.list_conversations(),
            instagram.read_messages("weimin.du"),
            instagram.list_posts("Tea hills near Hangzhou"),
            instagram.send_message(
                "weimin.du", "I was there with my sister Siqi.", (*name("siqi.chen"), "siqi_chen", "sister")
            ),
            Weimin="weimin_du",
        ),
    ]


def _telegram_requests() -> list[Request]:
    return [
        request(
            TELEGRAM,
            "What is my share of the water bill? Look into the Telegram group of the flat, and reply to Ting's "
            "message there that I have paid it, with the amount.",
            telegram.list_chats(chat_type="group"),
            telegram.read_chat("Flat 402", "46.60"),
            telegram.reply("Flat 402", "The water bill", "Paid: 46.60 yuan.", ("46.60", "46.6", "46,60")),
            The_group_of_the_flat="Flat 402",
        ),
        request(
            TELEGRAM,
            'I gave the choir a wrong date on Telegram. Correct my message so that it reads "I can sing on the 28th."',
            telegram.list_chats(),
            telegram.read_chat("Choir", "I can sing on the 29th."),
            telegram.edit_message("Choir", "I can sing on the 29th", "I can sing on the 28th."),
            The_choir="the Telegram group Choir",
        ),
        request(
            TELEGRAM,
            "I posted something about slides into the group of my flat on Telegram by mistake. Delete it.",
            telegram.list_chats(),
            telegram.read_chat("Flat 402", "the slides are on the server", search="slides"),
            telegram.delete_message("Flat 402", "the slides are on the server"),
            The_flat="402",
        ),
        request(
            TELEGRAM,
            'Open a Telegram group "Suzhou weekend" with my mother and my sister. Father must not know.',
            telegram.find_contact("xiulan.wu", "xiulan_wu"),
            telegram.find_contact("siqi.chen", "siqi_chen"),
            telegram.create_group("Suzhou weekend", "xiulan.wu", "siqi.chen"),
            My_mother="Xiulan Wu (吴秀兰)",
            My_sister="Siqi Chen (陈思琪)",
        ),
        request(
            TELEGRAM,
            "Who takes part in the Telegram group of Lantern's partners besides me? Tell them that the Chinese page "
            "will be there by the day that Yating named.",
            telegram.list_chats(),
            telegram.list_participants("Lantern partners", "Yating Qian", "Yue Han", "Ingrid Solberg"),
            telegram.read_chat("Lantern partners", "16 March"),
            telegram.send_message(
                "Lantern partners",
                "The Chinese page will be ready by 16 March.",
                day("2026-03-16"),
                ("Chinese", "中文"),
            ),
            The_group="Lantern partners",
        ),
        request(
            TELEGRAM,
            "Ingrid needs somebody to sign for her pallets; she asked on Telegram. Reply to that message that "
            "Wenjing does it.",
            telegram.find_contact("ingrid.solberg"),
            telegram.read_chat("ingrid.solberg", "Who signs for them?"),
            telegram.reply("ingrid.solberg", "14 pallets", "Wenjing Deng signs for them.", name("wenjing.deng")),
            Wenjing="Wenjing Deng (邓文静), sales operations",
        ),
        request(
            TELEGRAM,
            "What does Telegram know of Nina: which number, and which user name?",
            telegram.find_contact("nina.berg", CAST.person("nina.berg").mobile.removeprefix("+")),
            telegram.show_chat("nina.berg", "@nina_berg"),
            Nina="Nina Berg, my climbing partner",
        ).with_claims("Nina's number is 447700900029.", "Her user name is @nina_berg."),
    ]


def _discord_requests() -> list[Request]:
    return [
        request(
            DISCORD,
            'I misspelt my city when I introduced myself on Discord. Make the message "Hi, I am Siyuan, product '
            'manager in Shanghai."',
            discord.find_channel("introductions"),
            discord.read_channel("introductions", "Shangai"),
            discord.edit_message("introductions", "Shangai", "Hi, I am Siyuan, product manager in Shanghai."),
            My_Discord_name="siyuan_chen",
        ),
        request(
            DISCORD,
            "I have a ticket for the match now. Delete my question about it from the Discord channel where I asked "
            "everybody.",
            discord.find_channel("general"),
            discord.read_channel("general", "spare ticket"),
            discord.delete_message("general", "spare ticket"),
            Channel_for_everybody="general",
        ),
        request(
            DISCORD,
            "On Discord, when does the next release go out and when does the freeze begin? Post both dates into the "
            "channel of Lantern.",
            discord.list_channels(),
            discord.read_channel("releases", "Tuesday 10 March", "Friday 6 March"),
            discord.send_message(
                "lantern", "Release on 10 March, freeze from 6 March.", day("2026-03-10"), day("2026-03-06")
            ),
            The_channels="releases and lantern",
        ),
        request(
            DISCORD,
            "I will come to the film night. Put a 🎬 under Nina's announcement on Discord.",
            discord.find_channel("off-topic"),
            discord.read_channel("off-topic", "The Third Ridge"),
            discord.react("off-topic", "Film night", "🎬"),
            The_announcement="in off-topic",
        ),
        request(
            DISCORD,
            "Tomas solved my problem with the login test by naming a variable in #help on Discord. Thank him in "
            "private and repeat the setting, so that he knows which one I mean.",
            discord.find_channel("help"),
            discord.read_channel("help", "LANTERN_REGION=cn"),
            discord.find_member("tomas.novak"),
            discord.send_private_message("tomas.novak", "Thank you! LANTERN_REGION=cn did it.", "LANTERN_REGION=cn"),
            Tomas="tomas_novak on Discord",
        ),
        request(
            DISCORD,
            "How many members has our Discord server, and whose is it? Then tell that person in private that I would "
            'like to have a channel called "juniper".',
            discord.show_server("Members: 9", "haoran_li"),
            discord.find_member("haoran.li"),
            discord.send_private_message("haoran.li", 'Could we have a channel called "juniper"?', "juniper"),
            My_Discord_name="siyuan_chen",
        ),
    ]
