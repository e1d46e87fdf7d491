"""Requests that need only the work account or only the private mailbox."""

from dataclasses import replace

from pytest_mcpbench.generation.persona.apps import email, gmail
from pytest_mcpbench.generation.persona.request import Request, request
from pytest_mcpbench.generation.spelling import clock, day, number
from pytest_mcpbench.simulated.cast import CAST

WORK, PRIVATE = "email_single", "gmail_single"
PROVIDER = "Tencent (腾讯企业邮箱)"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [*_at_work_requests(), *_accounts_requests(), *_private_requests(), *_cleanup_requests()]


def _at_work_requests() -> list[Request]:
    harbour = next(each for each in CAST.projects if each.key == "harbour")
    left = harbour.budget * (100 - 37) // 100
    return [
        request(
            WORK,
            "I am standing at the cabinet with the test phones and my code does not work. Ruoxi has mailed a new one "
            "yesterday; what is it?",
            email.list_recent_mail(3, "Access to the test phones"),
            email.read("Access to the test phones", "5508"),
            Ruoxi="Ruoxi Sun, frontend engineer",
        ).with_claims("The new code is 5508."),
        request(
            WORK,
            "Helen needs a number from me for the board. Read what she asks for and mail her just that.",
            email.list_recent_mail(3, "Numbers for the board"),
            email.read("Numbers for the board", "completion rate"),
            email.send("helen.fischer", "Re: Numbers for the board", "The completion rate is 79 %.\n\nSiyuan", "79"),
            Helen="Helen Fischer, managing director, helen.fischer@northlight.example",
            Figures_of_the_new_onboarding="completion rate 79 per cent, drop-out at the address form 14 per cent",
        ),
        request(
            WORK,
            "Finance cannot pay me back for a taxi. Find out the date and the amount, then answer Shu that I bring "
            "the receipt on Wednesday; repeat the amount, and let Anita have a copy.",
            email.list_recent_mail(3, "Receipt is missing"),
            email.read("Receipt is missing", "11 February", "86 yuan"),
            email.send(
                "shu.lin",
                "Re: Receipt is missing",
                "I bring the receipt for the taxi (86 yuan) on Wednesday.",
                "86",
                ("Wednesday", "周三", *day("2026-03-04")),
                cc="anita.kowalska",
            ),
            Shu_and_Anita="shu.lin@northlight.example and anita.kowalska@northlight.example",
        ),
        request(
            WORK,
            "Marco has fixed a call with our client in Leeds. Mail him that I take it, and repeat day and hour so "
            "that nothing goes wrong.",
            email.list_recent_mail(3, "Call with Halden"),
            email.read("Call with Halden", "16:30"),
            email.send(
                "marco.rossi",
                "Re: Call with Halden",
                "I take the call on Thursday 5 March at 16:30.",
                ("Thursday", *day("2026-03-05")),
                clock("16:30"),
            ),
            Marco="Marco Rossi, marco.rossi@northlight.example",
        ),
        request(
            WORK,
            "Last Monday Boyu mailed me how much of the Harbour money is gone. Work out how many euros are left and "
            "mail my supervisor that figure.",
            email.list_recent_mail(8, "Harbour billing budget"),
            email.read("Harbour billing budget", "120,000", "37"),
            email.send("mei.zhao", "Harbour billing budget", f"Of the budget {left:,} euros are left.", number(left)),
            My_supervisor="Mei Zhao, mei.zhao@northlight.example",
            Harbour="the project Harbour billing",
        ),
        request(
            WORK,
            'Mail the report of week 9 to its readers, in one mail with the subject "Lantern, week 9", the file '
            "attached.",
            email.send(
                "mei.zhao oliver.brandt",
                "Lantern, week 9",
                "The report is attached.",
                "Lantern, week 9",
                file="reports/lantern-week-9.md",
            ),
            The_report="the file reports/lantern-week-9.md",
            Its_readers="mei.zhao@northlight.example, oliver.brandt@northlight.example",
        ),
    ]


def _accounts_requests() -> list[Request]:
    by_hand = request(
        WORK,
        "My mail client has forgotten everything. Enter account and servers by hand, as I noted them, and try "
        "whether it gets through.",
        email.configure_by_hand(
            CAST.me.email,
            email.password(),
            smtpHost="smtp.exmail.qq.com",
            smtpPort=465,
            smtpSecure=True,
            imapHost="imap.exmail.qq.com",
            imapPort=993,
            imapSecure=True,
        ),
        email.test_connection(),
        Account=f"{CAST.me.email}, authorisation code {email.password()}",
        Outgoing_server="smtp.exmail.qq.com, port 465, encrypted from the beginning",
        Incoming_server="imap.exmail.qq.com, port 993, encrypted from the beginning",
    )
    by_provider = request(
        WORK,
        "Nobody has set up my work mail on this machine yet. Our provider should be on the client's list, so take "
        "its settings from there, and test the connection in the end.",
        email.list_providers(),
        email.configure_by_provider(
            CAST.me.email, email.password(), "exmail", smtpHost="smtp.exmail.qq.com", imapHost="imap.exmail.qq.com"
        ),
        email.test_connection(),
        Account=f"{CAST.me.email}, authorisation code {email.password()}",
        Our_provider=PROVIDER,
    )
    return [replace(each, seeds={"universal_email": "unconfigured"}) for each in (by_hand, by_provider)]


def _private_requests() -> list[Request]:
    return [
        request(
            PRIVATE,
            "The dentist has moved my appointment. When do I have to be there now? A plan came with that mail; save "
            "it under its own name, not in a folder.",
            gmail.search("from:citydental.example", "Appointment moved"),
            gmail.read("Appointment moved", "Tuesday 10 March, 17:30"),
            gmail.save_attachment("Appointment moved"),
            The_dentist="City Dental; their mail comes to my Gmail",
        ),
        request(
            PRIVATE,
            "Ting asks two things before I leave for London. Answer her mail with what you know about me.",
            gmail.search("from:ting.luo@post.example keys", "Keys"),
            gmail.read("Keys", "spare key"),
            gmail.send(
                "ting.luo",
                "Re: Keys",
                "The spare key is in the blue teapot. Only the fern on the balcony wants water.",
                "teapot",
                "fern",
                reply="Keys",
            ),
            Spare_key="in the blue teapot on the shelf",
            Plants_that_need_water="only the fern on the balcony",
            Ting="ting.luo@post.example",
        ),
        request(
            PRIVATE,
            "Write, but do not send, an answer to my sister about Father's present: I am in, and my half is how "
            "much? Put the sum into the draft.",
            gmail.search("from:siqi.chen@post.example present", "Father's present"),
            gmail.read("Father's present", "460"),
            gmail.draft("siqi.chen", "Re: Father's present", "I am in! My half is 230 yuan.", "230"),
            My_sister="Siqi, siqi.chen@post.example",
        ),
        request(
            PRIVATE,
            "How much is a tin of the tea that Yating offers me by mail? Order two from her, and say what that makes.",
            gmail.search("from:yating.qian@post.example", "Tea for your shelf"),
            gmail.read("Tea for your shelf", "320"),
            gmail.send(
                "yating.qian",
                "Re: Tea for your shelf",
                "Please set two tins aside for me, 640 yuan in all.",
                ("two", "2", "两"),
                "640",
                reply="Tea for your shelf",
            ),
            Yating="yating.qian@post.example",
        ),
        request(
            PRIVATE,
            "Star the mail from the landlord's office about my new lease, and save what is attached, under its own "
            "name and not in a folder.",
            gmail.search("from:hengshan-letting.example", "Lease for flat 402"),
            gmail.change_labels("Lease for flat 402", add=("STARRED",)),
            gmail.save_attachment("Lease for flat 402"),
            The_office="Hengshan Letting",
        ),
    ]


def _cleanup_requests() -> list[Request]:
    mails = gmail.messages().values()
    prizes = [each["email_id"] for each in mails if "winner@prize-office.example" in each["from"]]
    offers = [
        each["email_id"] for each in mails if "hello@wallnine.example" in each["from"] and "UNREAD" in each["labels"]
    ]
    return [
        request(
            PRIVATE,
            "Get rid of all that the so-called Prize Office has ever sent to my Gmail. For good.",
            gmail.search("in:anywhere from:winner@prize-office.example"),
            gmail.delete_mails(prizes),
            Prize_Office="winner@prize-office.example",
        ),
        request(
            PRIVATE,
            "Whatever is still unread from the climbing hall can count as read.",
            gmail.search("from:hello@wallnine.example is:unread"),
            gmail.change_labels_of_all(offers, remove=("UNREAD",)),
            The_climbing_hall="Wall Nine, hello@wallnine.example, in my Gmail",
        ),
        request(
            PRIVATE,
            'In my Gmail the label for clients should be called "Customers", and I want a new one, "London".',
            gmail.list_labels("Clients"),
            gmail.rename_label("Label_3", "Customers"),
            gmail.create_label("London"),
        ),
        request(
            PRIVATE,
            "One of my Gmail filters keeps the mail of the climbing hall out of the inbox. Show me what exactly it "
            "does, then remove it.",
            gmail.list_filters(),
            gmail.read_filter("hello@wallnine.example", "hello@wallnine.example"),
            gmail.delete_filter("hello@wallnine.example"),
            The_climbing_hall="Wall Nine",
        ),
        request(
            PRIVATE,
            "From now on everything that the hostel in Yangshuo mails me shall get a star by itself. And the label "
            "of the flat where I no longer live can go.",
            gmail.search("Lotus Yard", "Your booking LY-2093"),
            gmail.create_filter(
                {"from": "stay@lotusyard.example"}, {"addLabelIds": ["STARRED"]}, "stay@lotusyard.example", "STARRED"
            ),
            gmail.list_labels("Old flat"),
            gmail.delete_label("Label_4"),
            The_hostel="Lotus Yard; it writes to my Gmail",
        ),
        request(
            PRIVATE,
            "The newest statement of my metro card is wrong, they will send another. Delete it, but only that one.",
            gmail.search("from:service@metro-card.example", "Your travel statement"),
            gmail.delete_mail("Your travel statement"),
            Metro_card="service@metro-card.example, in my Gmail",
        ),
    ]
