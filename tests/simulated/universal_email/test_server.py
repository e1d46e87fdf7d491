import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.universal_email.providers import PROVIDERS
from pytest_mcpbench.simulated.universal_email.seed import seed
from pytest_mcpbench.simulated.universal_email.server import SIMULATION
from tests.shared_data import shared_file
from tests.simulated.service import Service, parameters

ACCOUNT = seed()["accounts"][CAST.me.email]
MAIL = {"to": ["mei.zhao@northlight.example"], "subject": "Numbers", "text": "As discussed."}
PLACE = f"accounts[{CAST.me.email}]"


@pytest.fixture
def client() -> Service:
    return Service(SIMULATION)


def test_the_parameters_are_those_of_the_real_server() -> None:
    hosts = {f"{protocol}{field}" for protocol in ("smtp", "imap") for field in ("Host", "Port", "Secure")}
    assert parameters(SIMULATION) == {
        "configure_email_server": {"user*", "password*", *hosts},
        "get_email_content": {"uid*"},
        "get_recent_emails": {"limit", "days"},
        "list_supported_providers": set(),
        "send_email": {"to*", "cc", "bcc", "subject*", "text*", "html", "attachments"},
        "setup_email_account": {"email*", "password*", "provider"},
        "test_email_connection": set(),
    }


def test_recent_mail_is_listed_with_the_newest_first(client: Service) -> None:
    listed = client.call("get_recent_emails", days=7, limit=3)
    uids = [line.split("UID: ")[1] for line in listed.splitlines() if "UID: " in line]
    assert uids == sorted(ACCOUNT["inbox"], key=int, reverse=True)[:3]
    assert client.call("get_recent_emails", days=0) == "📭 最近0天没有邮件"


def test_a_mail_is_shown_whole(client: Service) -> None:
    uid, mail = next(iter(ACCOUNT["inbox"].items()))
    shown = client.call("get_email_content", uid=uid)
    assert shown.startswith(f"📧 邮件详情 (UID: {uid})\n")
    assert f"👤 发件人: {mail['from']}\n" in shown
    assert shown.endswith(f"📄 文本内容:\n{mail['text']}")


def test_a_mail_that_is_sent_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("four")
    client = Service(SIMULATION, path=tmp_path)
    attached = [{"path": "a.txt"}, {"filename": "b.txt", "content": "Zm91cg=="}]
    answer = client.call("send_email", **MAIL, cc=["helen.fischer@northlight.example"], attachments=attached)
    (change,) = client.changes()
    assert answer.endswith(f"消息ID: <{change.id}>")
    assert (change.kind, change.collection, change.after["to"], change.after["date"]) == (
        "created",
        f"{PLACE}.sent",
        MAIL["to"],
        "2026-03-02T09:00:00Z",
    )
    assert change.after["attachments"] == [{"filename": "a.txt", "size": 4}, {"filename": "b.txt", "size": 4}]


def test_a_mail_to_oneself_arrives(client: Service) -> None:
    client.call("send_email", **{**MAIL, "to": [f'"Me" <{CAST.me.email}>']})
    assert {each.collection for each in client.changes()} == {f"{PLACE}.sent", f"{PLACE}.inbox"}
    assert "📝 主题: Numbers" in client.call("get_recent_emails", limit=1)


def test_an_account_is_set_up_by_its_provider(client: Service) -> None:
    answer = client.call("setup_email_account", email="someone@163.com", password="x")
    assert "🏢 邮箱提供商: 网易邮箱\n📤 SMTP服务器: smtp.163.com:465 (SSL: true)" in answer
    assert client.refusal("test_email_connection").endswith("Invalid login: 535 Error: authentication failed")
    assert [each.path for each in client.changes()] == ["configuration"]


def test_the_own_account_can_be_set_up_again() -> None:
    client = Service(SIMULATION, seed="unconfigured")
    assert client.refusal("get_recent_emails") == "错误: 获取邮件失败: 请先设置邮箱账号和密码"
    access = {"email": CAST.me.email, "password": ACCOUNT["password"]}
    assert client.refusal("setup_email_account", **access).startswith(f"错误: 无法识别邮箱类型: {CAST.me.email}")
    client.call("setup_email_account", **access, provider="exmail")
    assert client.call("test_email_connection").startswith("✅ 邮箱连接测试成功!")


def test_every_provider_is_listed(client: Service) -> None:
    listed = client.call("list_supported_providers")
    assert all(f"({key})" in listed for key in PROVIDERS)


def test_a_wrong_argument_is_named(client: Service) -> None:
    refused = client.refusal("send_email", **{**MAIL, "to": "mei.zhao@northlight.example"})
    assert refused.startswith("MCP error -32602: Input validation error: Invalid arguments for tool send_email: [")
    assert "Expected array, received string" in refused


@pytest.mark.parametrize("by_address", [True, False], ids=["several contexts", "one context"])
def test_contexts_of_mcp_persona_are_taken_over(by_address: bool) -> None:
    contexts = json.loads(shared_file("persona/universal_email_context_shape.json").read_text())
    (address, context), *_ = contexts.items()
    client = Service(SIMULATION, seed=contexts if by_address else context)
    assert client.call("test_email_connection").startswith("✅ 邮箱连接测试成功!")
    assert client.tree.get(f"accounts[{address}].sent[{context['message']['message_id']}].subject") == "需求确认"
    client.call("send_email", **MAIL)
    assert [each.collection for each in client.changes()] == [f"accounts[{address}].sent"]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"password": "wrong"}, "Invalid login: 535 Error: authentication failed"),
        ({"smtpHost": "smtp.nowhere.example"}, "getaddrinfo ENOTFOUND smtp.nowhere.example"),
        ({"smtpPort": 25}, "connect ECONNREFUSED smtp.exmail.qq.com:25"),
    ],
)
def test_a_connection_shows_wrong_settings(client: Service, settings: dict[str, Any], problem: str) -> None:
    access = {"user": CAST.me.email, "password": ACCOUNT["password"], **settings}
    assert client.call("configure_email_server", **access).startswith("邮箱配置已更新:")
    assert client.refusal("test_email_connection") == f"错误: ❌ 邮箱连接测试失败: {problem}"
    assert client.refusal("send_email", **MAIL) == f"错误: 邮件发送失败: {problem}"
