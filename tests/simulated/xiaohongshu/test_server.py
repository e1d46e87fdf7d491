from pathlib import Path

import pytest

from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.xiaohongshu.seed import seed, user_id
from pytest_mcpbench.simulated.xiaohongshu.server import SIMULATION
from pytest_mcpbench.simulated.xiaohongshu.world import title_length
from tests.simulated.service import Service, parameters

TREE = seed()
NOTE = next(each for each in TREE["feeds"].values() if not each["collected"])
SHOWN = {"feed_id": NOTE["id"], "xsec_token": NOTE["xsec_token"]}


@pytest.fixture
def site() -> Service:
    return Service(SIMULATION)


def test_the_parameters_are_those_of_the_real_server() -> None:
    shown = {"feed_id*", "xsec_token*"}
    assert parameters(SIMULATION) == {
        "check_login_status": set(),
        "favorite_feed": {*shown, "unfavorite"},
        "get_feed_detail": shown,
        "get_login_qrcode": set(),
        "like_feed": {*shown, "unlike"},
        "list_feeds": set(),
        "post_comment_to_feed": {*shown, "content*"},
        "publish_content": {"title*", "content*", "images*", "tags"},
        "search_feeds": {"keyword*", "filters"},
        "user_profile": {"user_id*", "xsec_token*"},
    }


def test_somebody_is_signed_in(site: Service) -> None:
    assert site.call("check_login_status") == "✅ 已登录\n用户名: 陈思远\n\n你可以使用其他功能了。"
    assert site.call("get_login_qrcode") == "你当前已处于登录状态"


def test_without_a_login_there_is_a_code_and_no_search() -> None:
    site = Service(SIMULATION, seed="logged_out")
    assert site.call("check_login_status").startswith("❌ 未登录")
    text, picture = site.call("get_login_qrcode")
    assert text.text == "请用小红书 App 在 2026-03-02 09:04:00 前扫码登录 👇"
    assert (picture.mime_type, picture.data[:8]) == ("image/png", "iVBORw0K")
    assert site.refusal("search_feeds", keyword="茶") == "搜索Feeds失败: 未登录，请先扫码登录"
    assert site.refusal("like_feed", **SHOWN) == "点赞失败: 未登录，请先扫码登录"
    assert site.call("list_feeds")["count"] == 20


def test_the_home_page_shows_notes_of_others(site: Service) -> None:
    answer = site.call("list_feeds")
    assert answer["count"] == len(answer["feeds"]) == 20
    card = answer["feeds"][0]
    assert set(card) == {"xsecToken", "id", "modelType", "noteCard", "index"}
    assert user_id(CAST.me) not in {each["noteCard"]["user"]["userId"] for each in answer["feeds"]}


def test_a_search_can_be_sorted(site: Service) -> None:
    found = site.call("search_feeds", keyword="茶", filters={"sort_by": "最多点赞"})["feeds"]
    liked = [int(each["noteCard"]["interactInfo"]["likedCount"]) for each in found]
    assert liked == sorted(liked, reverse=True)
    assert len(liked) > 3


def test_a_note_is_shown_with_its_comments(site: Service) -> None:
    detail = site.call("get_feed_detail", **SHOWN)
    assert detail["feed_id"] == NOTE["id"]
    note, comments = detail["data"]["note"], detail["data"]["comments"]
    assert (note["noteId"], note["title"], note["time"]) == (NOTE["id"], NOTE["title"], NOTE["time"])
    assert [each["id"] for each in comments["list"]] == list(NOTE["comments"])
    assert note["interactInfo"]["commentCount"] == str(len(NOTE["comments"]))


def test_a_user_is_found_with_the_token_of_a_note(site: Service) -> None:
    page = site.call("user_profile", user_id=NOTE["user_id"], xsec_token=NOTE["xsec_token"])
    assert page["userBasicInfo"]["nickname"] == TREE["users"][NOTE["user_id"]]["nickname"]
    assert NOTE["id"] in {each["id"] for each in page["feeds"]}


def test_liking_twice_counts_once(site: Service) -> None:
    for _ in range(2):
        assert site.call("like_feed", **SHOWN) == f"点赞成功 - Feed ID: {NOTE['id']}"
    (change,) = site.changes()
    assert (change.path, change.after["liked"]) == (f"feeds[{NOTE['id']}]", True)
    assert change.after["liked_count"] == NOTE["liked_count"] + 1
    assert site.call("like_feed", **SHOWN, unlike=True) == f"取消点赞成功 - Feed ID: {NOTE['id']}"
    assert site.changes() == ()


def test_a_note_goes_into_the_collection_and_out(site: Service) -> None:
    assert site.call("favorite_feed", **SHOWN) == f"收藏成功 - Feed ID: {NOTE['id']}"
    assert [each.after["collected"] for each in site.changes()] == [True]
    assert site.call("favorite_feed", **SHOWN, unfavorite=True) == f"取消收藏成功 - Feed ID: {NOTE['id']}"
    assert site.changes() == ()


def test_a_comment_stands_last(site: Service) -> None:
    assert site.call("post_comment_to_feed", **SHOWN, content="好看！") == f"评论发表成功 - Feed ID: {NOTE['id']}"
    last = site.call("get_feed_detail", **SHOWN)["data"]["comments"]["list"][-1]
    assert (last["content"], last["userInfo"]["nickname"]) == ("好看！", "陈思远")


def test_a_published_note_is_on_the_users_page(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"x")
    site = Service(SIMULATION, path=tmp_path)
    answer = site.call("publish_content", title="新笔记", content="内容", images=["a.jpg"], tags=["茶"])
    assert answer.startswith("内容发布成功")
    (change,) = site.changes()
    assert (change.kind, change.collection, change.after["title"], change.after["tags"]) == (
        "created",
        "feeds",
        "新笔记",
        ["茶"],
    )


@pytest.mark.parametrize(("title", "length"), [("", 0), ("abc", 2), ("字a", 2), ("字字", 2)])
def test_two_letters_are_as_long_as_one_character(title: str, length: int) -> None:
    assert title_length(title) == length
