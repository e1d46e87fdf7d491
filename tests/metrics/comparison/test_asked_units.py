import pytest

from pytest_mcpbench.metrics.comparison.asked_units import same_asked_number, without_asked_name

ANGLE = "What is the angle, in degrees, between the hands of a clock at 4:37? Write it as a decimal."
HEIGHT = "How high, in metres, is the highest point of the island?"
MONEY = "2850 euros earn 2.4 % a year. How many euros are in the account after 8 years? Two decimals."
DAYS = "On a planet where people count to base 7, a year has 412 days. How many days is that in decimal notation?"
SPEED = "A coach drives 106 km at 45 km/h. What is its mean speed, in km/h, to two decimals?"
VOLUME = "A sheet has sides of 48 cm. What is the largest volume of the box, in cubic centimetres?"
CRATES = "A depot takes in 391 crates of 36 bottles each. How many bottles stay at the depot?"
CHILDREN = "Adults paid 23 euros, children 8. How many children's tickets were there?"
SALES = "What were the sales in 2024, in million crowns?"
WATER = "How many million cubic metres of water were in the lake?"
SHARE = "A test finds 97 % of the carriers. With which probability (0 to 1) does this person carry it?"
TURNOUT = "What was the turnout, in per cent?"
DOLLARS = "She puts 12150 dollars into a bond. What interest has she earned? Round to cents."
POUNDS = "Ines saves 102 pounds every month. What is her balance, to the penny?"
PLAIN = "What does it cost?"
WEIGHT = "How heavy is the parcel, in pounds?"
MILES = "By how many nautical miles does one range exceed the other?"
MINUTES = "Ferries leave every 42 and 54 minutes. In how many minutes will both leave at once?"

RIGHT = [
    (ANGLE, "83.5", "83.5°"),
    (ANGLE, "83.5", "83.5 degrees"),
    (ANGLE, "83.5", r"$83.5^\circ$"),
    (HEIGHT, "618", "618 m"),
    (HEIGHT, "618", "618 metres"),
    (HEIGHT, "618", "0.618 km"),
    (HEIGHT, "618 m", "618"),
    (MONEY, "3452.60", "€3,452.60"),
    (MONEY, "3452.60", "3,452.60 euros"),
    (MONEY, "3452.60", "EUR 3452.60"),
    (MONEY, "3452.60", "≈ 3452.60 €"),
    (MONEY, "-3452.60", "-€3,452.60"),
    (DAYS, "492605", "492,605 days"),
    (DAYS, "492605", "492605 (decimal)"),
    (SPEED, "62.98", "62.98 km/h"),
    (SPEED, "62.98", "62.98 kilometres per hour"),
    (VOLUME, "8192", "8,192 cm³"),
    (VOLUME, "8192", "8192 cm^3"),
    (VOLUME, "8192", "V = 8192 cubic centimeters"),
    (CRATES, "76", "76 bottles"),
    (CHILDREN, "356", "356 tickets"),
    (CHILDREN, "356", "356 children's tickets"),
    (SALES, "18.9", "18.9 million crowns"),
    (SALES, "18.9", "18.9 million"),
    (SALES, "18.9", "18,900,000 crowns"),
    (WATER, "6.97", "6.97 million m³"),
    (TURNOUT, "66.2", "66.2 %"),
    (DOLLARS, "3291.98", "$3,291.98"),
    (POUNDS, "25605.23", "£25,605.23"),
    (POUNDS, "25605.23", "25,605.23 pounds"),
    (WEIGHT, "3", "3 lbs"),
    (PLAIN, "5", "$5"),
    (MILES, "3", "3 nautical miles"),
    (MINUTES, "3780", "63 hours"),
]
WRONG = [
    (ANGLE, "83.5", "83.4°"),
    (ANGLE, "83.5", "83.5 °C"),
    (ANGLE, "83.5", "83.5 radians"),
    (HEIGHT, "618", "618 km"),
    (HEIGHT, "618", "618 ft"),
    (HEIGHT, "618", "618 m²"),
    (HEIGHT, "618", "617 m"),
    (HEIGHT, "618", "not 618 m"),
    (MONEY, "3452.60", "$3,452.60"),
    (MONEY, "3452.60", "3,452.60 cents"),
    (MONEY, "3452.60", "3,452.60 years"),
    (DAYS, "492605", "492,605 years"),
    (DAYS, "492605", "492,605 planets"),
    (SPEED, "62.98", "62.98 km"),
    (SPEED, "62.98", "62.98 mph"),
    (VOLUME, "8192", "8192 cm"),
    (CRATES, "76", "76 crates"),
    (CHILDREN, "356", "356 adults"),
    (SALES, "18.9", "18.9 crowns"),
    (SALES, "18.9", "18.9 million dollars"),
    (WATER, "6.97", "6.97 m³"),
    (SHARE, "0.282", "0.282 %"),
    (POUNDS, "25605.23", "€25,605.23"),
    (WEIGHT, "3", "3 kg"),
    (PLAIN, "5", "5 tomatoes"),
    (MILES, "3", "3 miles"),
    (MINUTES, "3780", "3780 hours"),
    (HEIGHT, "618", "618 m or 619 m"),
    (HEIGHT, "618", ""),
]


@pytest.mark.parametrize(("request_text", "reference", "answer"), RIGHT)
def test_a_number_may_have_the_unit_that_is_asked_for(request_text: str, reference: str, answer: str) -> None:
    assert same_asked_number(reference, answer, request_text)


@pytest.mark.parametrize(("request_text", "reference", "answer"), WRONG)
def test_another_unit_or_thing_is_another_answer(request_text: str, reference: str, answer: str) -> None:
    assert not same_asked_number(reference, answer, request_text)


@pytest.mark.parametrize(("answer", "is_same"), [("4812 inhabitants", True), ("4812 ships", False)])
def test_a_number_may_have_the_words_that_a_result_has_behind_it(answer: str, is_same: bool) -> None:
    results = ("Corrath: 4,812 inhabitants (2021), 12 ships",)
    assert same_asked_number("4812", answer, "How many people live in Corrath?", results) is is_same


@pytest.mark.parametrize(
    ("request_text", "answer", "value"),
    [
        ("What is f'(3)?", "f'(3) = 2731", "2731"),
        ("Write f(g(x)) as a polynomial.", "f(g(x)) = 36x^2", "36x^2"),
        ("Find F with F'(x) = 16x^3.", "F'(x) = 4x^4", "F'(x) = 4x^4"),
        ("What is f'(3)?", "f(3) = 2731", "f(3) = 2731"),
        ("What is 7?", "= 7", "= 7"),
    ],
)
def test_the_name_that_is_asked_for_may_stand_in_front(request_text: str, answer: str, value: str) -> None:
    assert without_asked_name(answer, request_text) == value
