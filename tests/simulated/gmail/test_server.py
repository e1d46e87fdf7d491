from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.gmail.server import SIMULATION
from pytest_mcpbench.simulated.gmail.world import seed
from pytest_mcpbench.simulated.mail import server as mail
from tests.simulated.service import Service


def test_it_is_the_mail_server_over_another_mailbox() -> None:
    assert SIMULATION.tools == mail.SIMULATION.tools
    assert SIMULATION.name == mail.SIMULATION.name
    assert Service(SIMULATION).tree.get("profile.email") == CAST.me.private_email


def test_no_two_messages_were_sent_at_once() -> None:
    moments = [each["sent_datetime"] for each in seed()["messages"].values()]
    assert len(moments) == len(set(moments)) >= 200
    assert moments == sorted(moments)


def test_friends_and_clients_are_found_by_gmails_search() -> None:
    gmail = Service(SIMULATION)
    found = gmail.call("search_emails", query="from:nina.berg in:inbox")
    assert "From: Nina Berg <nina.berg@post.example>" in found
    assert "@halden" not in gmail.call("search_emails", query="label:clients")
    assert "Robert Hale" in gmail.call("search_emails", query="label:clients", maxResults=50)
    assert "Prize Office" not in gmail.call("search_emails", query="won", maxResults=50)
    assert "Prize Office" in gmail.call("search_emails", query="in:spam won", maxResults=50)


def test_a_message_that_is_sent_is_one_change() -> None:
    gmail = Service(SIMULATION)
    gmail.call("send_email", to=["nina.berg@post.example"], subject="Saturday", body="See you at nine.")
    (change,) = gmail.changes()
    assert (change.kind, change.collection, change.after["from"]) == (
        "created",
        "messages",
        "Siyuan Chen <siyuan.chen@post.example>",
    )


def test_the_empty_mailbox_is_the_same_owners() -> None:
    gmail = Service(SIMULATION, seed="empty")
    assert gmail.tree.get("profile.email") == CAST.me.private_email
    assert gmail.tree.get("messages") == {}
