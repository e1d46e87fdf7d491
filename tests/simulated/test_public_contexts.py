"""Contexts in the layout of MCP-Persona's release, as worlds of the simulated apps."""

import copy
from typing import Any, ClassVar

import pytest

from pytest_mcpbench.simulated.instagram.seed import seed as instagram_seed
from pytest_mcpbench.simulated.instagram.server import SIMULATION as INSTAGRAM
from pytest_mcpbench.simulated.instagram.server import convert_contexts as convert_instagram
from pytest_mcpbench.simulated.lark.server import SIMULATION as LARK
from pytest_mcpbench.simulated.reddit.seed import seed as reddit_seed
from pytest_mcpbench.simulated.reddit.server import SIMULATION as REDDIT
from pytest_mcpbench.simulated.reddit.server import convert_contexts as convert_reddit
from pytest_mcpbench.simulated.slack.contexts import convert_contexts as convert_slack
from pytest_mcpbench.simulated.slack.seed import seed as slack_seed
from pytest_mcpbench.simulated.slack.server import SIMULATION as SLACK
from pytest_mcpbench.simulated.wecom.seed import seed as wecom_seed
from pytest_mcpbench.simulated.wecom.server import SIMULATION as WECOM
from pytest_mcpbench.simulated.wecom.server import convert_contexts as convert_wecom
from pytest_mcpbench.simulated.xiaohongshu.seed import seed as xiaohongshu_seed
from pytest_mcpbench.simulated.xiaohongshu.server import SIMULATION as XIAOHONGSHU
from pytest_mcpbench.simulated.xiaohongshu.world import convert_contexts as convert_xiaohongshu
from tests.simulated.service import Service


def collections(service: Service) -> list[tuple[str, str]]:
    return [(change.kind, change.collection) for change in service.changes()]


OWN_SEEDS = {
    "slack": (convert_slack, slack_seed),
    "wecom": (convert_wecom, wecom_seed),
    "instagram": (convert_instagram, instagram_seed),
    "reddit": (convert_reddit, reddit_seed),
    "xiaohongshu": (convert_xiaohongshu, xiaohongshu_seed),
}


@pytest.mark.parametrize(("convert", "seed"), OWN_SEEDS.values(), ids=OWN_SEEDS.keys())
def test_a_tree_in_the_servers_own_form_is_not_converted(convert: Any, seed: Any) -> None:
    assert convert(seed()) is seed()


def slack_account(user: str, name: str, partner: str) -> dict[str, Any]:
    greeting = {"ts": "1767064715.133710", "type": "message", "subtype": "", "text": "Hello", "user": user}
    joined = {"ts": "1749042745.492886", "subtype": "channel_join", "text": "<@U3> joined", "user": ""}
    file = {"id": "F1", "name": "a.pdf", "filetype": "pdf", "created": 1763731406, "user": user, "channels": ["C1"]}
    group = {"id": "C1", "channel_name": "team", "is_im": False, "description": "Work"}
    direct = {"id": "D1", "channel_name": "", "is_im": True, "user": partner}
    reminder = {"id": f"Rm{user}", "text": "Report", "time": 1768395464, "user": user, "creator": user}
    return {
        "my_user_id": user,
        "my_user_name": name.lower(),
        "my_user_email": f"{name.lower()}@example.org",
        "my_user_real_name": name,
        "team_id": "T1",
        "warning": "missing_charset",
        "reminders_create": {reminder["id"]: reminder},
        "reminders_receive": {},
        "group_channels": {"C1": {**group, "messages": {joined["ts"]: joined}, "files": {"F1": file}}},
        "dm_channels": {"D1": {**direct, "messages": {greeting["ts"]: {**greeting, "reactions": {"eyes": 2}}}}},
    }


ANN, BO = slack_account("U1", "Ann", "U2"), slack_account("U2", "Bo", "U1")


class TestSlack:
    @pytest.fixture(params=[ANN, {"U1": ANN}, {"U1": ANN, "U2": BO}], ids=["one", "one by id", "two"])
    def workspace(self, request: pytest.FixtureRequest) -> Service:
        return Service(SLACK, seed=copy.deepcopy(request.param))

    def test_the_first_account_reads_its_channels_files_and_reminders(self, workspace: Service) -> None:
        state = workspace.state
        assert state.me == "U1"
        assert [each["name"] for each in state.find_channels("team", {})] == ["team"]
        assert [each["text"] for each in state.history("D1", {})["messages"]] == ["Hello"]
        assert [each["id"] for each in state.files({"channel": "C1", "types": "pdfs"})["files"]] == ["F1"]
        assert [each["id"] for each in state.reminders()] == ["RmU1"]

    def test_a_message_to_the_partner_is_in_their_conversation(self, workspace: Service) -> None:
        channel, existed = workspace.state.open_direct(["U2"])
        assert (channel["id"], existed) == ("D1", True)
        workspace.state.post("D1", {"text": "Hi"})
        assert collections(workspace) == [("created", "channels[D1].messages")]

    def test_a_reaction_is_added_to_those_of_others(self, workspace: Service) -> None:
        workspace.state.react("D1", "1767064715.133710", "tada")
        assert workspace.tree.get("channels[D1].messages[1767064715.133710].reactions") == [
            {"name": "eyes", "users": [], "count": 2},
            {"name": "tada", "users": ["U1"], "count": 1},
        ]

    def test_people_of_further_contexts_and_of_channels_are_known(self) -> None:
        state = Service(SLACK, seed={"U1": ANN, "U2": BO}).state
        assert [each["id"] for each in state.find_users("bo@example.org", {})] == ["U2"]
        assert [each["id"] for each in state.find_users("U3", {})] == ["U3"]


class TestWeCom:
    GROUP: ClassVar[dict[str, Any]] = {
        "id": "5",
        "markdown": "**Hi**",
        "text": "Hello",
        "news.title": "Now",
        "news.url": "https://example.org",
        "file.filepath": "/data/ann/photos/week.png",
        "file.media_id": "m-1",
    }

    @pytest.mark.parametrize("seed", [GROUP, {"5": GROUP}], ids=["one", "by id"])
    def test_messages_are_added_to_those_of_the_context(self, seed: dict[str, Any]) -> None:
        group = Service(WECOM, seed=seed)
        group.call("send_text", content="Good morning")
        assert collections(group) == [("created", "messages")]
        assert group.tree.get("messages[5-text].text.content") == "Hello"

    def test_the_file_of_the_context_can_be_uploaded_by_its_path_and_no_other(self) -> None:
        group = Service(WECOM, seed={"5": self.GROUP})
        group.call("upload_file", file_path="/data/Ann/photos/week.png")
        assert collections(group) == [("created", "messages"), ("created", "media")]
        assert "media data missing" in str(group.refusal("upload_file", file_path="/data/ann/photos/other.png"))


class TestInstagram:
    REPLY: ClassVar[dict[str, Any]] = {
        "id": "r1",
        "text": "welcome!",
        "from_user.id": "10",
        "from_user.username": "ann",
        "replies": None,
    }
    COMMENT: ClassVar[dict[str, Any]] = {
        "id": "c1",
        "text": "Hello",
        "timestamp": "2025-12-10T08:42:23+0000",
        "from_user.id": "20",
        "from_user.username": "bo",
        "like_count": 1,
        "replies": {"r1": REPLY},
    }
    MESSAGE: ClassVar[dict[str, Any]] = {
        "id": "m1",
        "text": "What are you working on?",
        "attachments": None,
        "created_time": "2026-01-21T15:06:14+0000",
        "from.id": "20",
        "from.username": "bo",
        "to.id": "10",
        "to.username": "ann",
    }
    ACCOUNT: ClassVar[dict[str, Any]] = {
        "id": "10",
        "username": "ann",
        "biography": None,
        "media_count": 1,
        "media": {"p1": {"id": "p1", "caption": "Hi", "comments_count": 1, "comments": {"c1": COMMENT}}},
        "conversations": {"v1": {"id": "v1", "participants": ["10", "20"], "messages": {"m1": MESSAGE}}},
    }

    @pytest.fixture(params=[ACCOUNT, {"10": ACCOUNT}], ids=["one", "by id"])
    def account(self, request: pytest.FixtureRequest) -> Service:
        return Service(INSTAGRAM, seed=copy.deepcopy(request.param))

    def test_profile_posts_and_messages_are_read(self, account: Service) -> None:
        assert account.state.user(None)["username"] == "ann"
        (comment,) = account.state.comments("p1", 10, None)["data"]
        assert (comment["username"], comment["replies"]["data"][0]["text"]) == ("bo", "welcome!")
        (message,) = account.state.messages("v1", 10, None)["data"]
        assert (message["message"], message["from"]["username"]) == ("What are you working on?", "bo")

    def test_an_answer_is_sent_although_the_messages_are_old(self, account: Service) -> None:
        account.state.send("20", "A kite.", None, None)
        account.state.reply("c1", "Thanks")
        assert collections(account) == [
            ("created", "media[p1].comments[c1].replies"),
            ("created", "conversations[v1].messages"),
        ]


class TestReddit:
    COMMENTS: ClassVar[list[dict[str, Any]]] = [
        {
            "id": "t1_abc",
            "author": "bo",
            "body": "Doubtful.",
            "parent_id": "t3_p1",
            "replies": [{"id": "t1_abc", "author": "cy", "body": "Agreed.", "parent_id": "t1_abc", "replies": []}],
        }
    ]
    POST: ClassVar[dict[str, Any]] = {
        "id": "p1",
        "name": "t3_p1",
        "author": "ann",
        "title": "AMA",
        "created_utc": 1762379587,
        "score": 40,
    }
    TECHNOLOGY: ClassVar[dict[str, Any]] = {
        "subreddit": "technology",
        "subreddit_id": "t5_2qh16",
        "posts": {"p1": {**POST, "subreddit": "technology", "subreddit_subscribers": 9, "comments": COMMENTS}},
    }

    @pytest.fixture(
        params=[TECHNOLOGY, {"technology": TECHNOLOGY}, {"subreddit": {"technology": TECHNOLOGY}}],
        ids=["one", "by id", "the released file"],
    )
    def site(self, request: pytest.FixtureRequest) -> Service:
        return Service(REDDIT, seed=copy.deepcopy(request.param))

    def test_posts_and_nested_comments_are_read(self, site: Service) -> None:
        (post,) = site.state.hot("technology", 5)["data"]["children"]
        assert (post["data"]["title"], post["data"]["num_comments"]) == ("AMA", 2)
        (comment,) = site.state.thread("p1")[1]["data"]["children"]
        (reply,) = comment["data"]["replies"]["data"]["children"]
        assert (comment["data"]["body"], reply["data"]["body"]) == ("Doubtful.", "Agreed.")
        assert site.state.info("t1_abc")[0]["data"]["author"] == "bo"

    def test_a_comment_is_written(self, site: Service) -> None:
        site.state.comment("t3_p1", "Interesting!")
        assert collections(site) == [("created", "comments")]


class TestXiaohongshu:
    def author(self, user: str) -> dict[str, Any]:
        reply = {"id": "s1", "content": "Yes", "likeCount": "0", "userInfo": {"userId": "u8", "nickname": "Dee"}}
        comment = {
            "id": "c1",
            "content": "Nice",
            "likeCount": "1.2万",
            "userInfo": {"userId": "u9", "nickname": "Cy"},
            "subComments": {"s1": reply},
        }
        feed = {
            "id": f"{user}-note",
            "xsecToken": f"token-{user}",
            "time": 1766281574471,
            "noteCard.type": "normal",
            "noteCard.displayTitle": "Coffee",
            "noteCard.desc": "Five cafés",
            "noteCard.interactInfo.liked": False,
            "noteCard.interactInfo.likedCount": "109",
            "noteCard.interactInfo.collectedCount": "",
            "noteCard.imageList": {"i": {"urlDefault": "https://example.org/1.jpg"}},
            "comments": {"c1": comment, "cursor": "x", "hasMore": True},
        }
        return {"user_id": user, "nickname": user.upper(), "redId": "7", "feeds": {feed["id"]: feed}}

    @pytest.fixture(params=["one", "two"])
    def site(self, request: pytest.FixtureRequest) -> Service:
        users = {each: self.author(each) for each in ("ann", "bo")}
        return Service(XIAOHONGSHU, seed=users["ann"] if request.param == "one" else users)

    def test_notes_are_found_and_read_with_their_comments(self, site: Service) -> None:
        assert "ANN" in site.call("check_login_status")
        assert site.state.home()
        note = site.state.note("ann-note", "token-ann")
        assert (note["liked_count"], note["collected_count"]) == (109, 0)
        comments = [(each["content"], each["like_count"]) for each in note["comments"].values()]
        assert comments == [("Nice", 12_000), ("Yes", 0)]
        assert site.state.user("u9")["nickname"] == "Cy"
        assert site.state.profile("ann", "token-ann")[0]["nickname"] == "ANN"
        assert "ann-note" in [each["id"] for each in site.state.search("coffee", {})]

    def test_likes_and_comments_change_the_note(self, site: Service) -> None:
        site.call("like_feed", feed_id="ann-note", xsec_token="token-ann")
        site.call("post_comment_to_feed", feed_id="ann-note", xsec_token="token-ann", content="Thanks")
        assert collections(site) == [("updated", "feeds"), ("created", "feeds[ann-note].comments")]


class TestLark:
    CHAT: ClassVar[dict[str, Any]] = {
        "chat_id": "oc_1",
        "members": {"u1": {"member_id": "u1", "name": "Ann"}, "u2": {"member_id": "u2", "name": "Bo"}},
        "messages": {"om_1": {"message_id": "om_1", "sender.id": "ou_9", "create_time": "1772859036"}},
    }
    ACCOUNT: ClassVar[dict[str, Any]] = {
        "user_id": "u1",
        "open_id": "ou_1",
        "name": "Ann",
        "calendars": {},
        "chats": {"oc_1": CHAT},
    }

    @pytest.mark.parametrize("seed", [ACCOUNT, {"u1": ACCOUNT}], ids=["one", "by id"])
    @pytest.mark.parametrize(("kind", "receiver"), [("user_id", "u2"), ("open_id", "ou_9")])
    def test_public_accounts_write_to_the_people_of_their_chats(
        self, seed: dict[str, Any], kind: str, receiver: str
    ) -> None:
        service = Service(LARK, seed=copy.deepcopy(seed), is_public=True)
        data = {"receive_id": receiver, "msg_type": "text", "content": '{"text": "Hi"}'}
        service.call("im_v1_message_create", params={"receive_id_type": kind}, data=data)
        assert [kind for kind, _ in collections(service)] == ["created"]

    def test_other_accounts_know_only_their_directory(self) -> None:
        service = Service(LARK, seed=copy.deepcopy(self.ACCOUNT))
        assert service.refusal("contact_v3_user_get", path={"user_id": "u2"}, params={"user_id_type": "user_id"})
