"""Vocabulary of the comparison: synonyms, opposites and words without content.

A line of :data:`_GROUPS` is a group of synonyms, or two groups that are opposites of each other. ``<>`` separates
opposites of which both may be wrong (not warmer is not colder), ``<!>`` opposites of which one must hold (not open is
closed). Forms that :func:`stem` reduces to the same stem are listed once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

_GROUPS = """
loss lose lost deficit <> profit earn earned gain surplus
rise rose risen increase grow grew grown climb raise raised <> fall fell fallen decrease decline drop reduce cut shrink shrank
warm warmer <> cold colder cool
hot hotter <> chilly chillier
large largest big biggest larger bigger greatest <> small smallest smaller little
high highest higher <> low lowest lower
most <> least
old older oldest <> young younger youngest
early earlier earliest <> late later latest
fast faster fastest quick <> slow slower slowest
long longest longer <> short shortest shorter
near nearest close closest nearby <> far farthest distant
cheap cheaper cheapest <> expensive costly dear
heavy heavier heaviest <> light lighter lightest
wide wider <> narrow narrower
before prior <> after following
first <> last
begin began begun start started commence <> end ended finish finished expire expired
leave leaves left depart departed departure <> arrive arrived arrival
come came coming
open opened opens <!> close closed closes shut
free available vacant <!> occupied taken unavailable booked-out
valid <!> invalid
active <!> inactive
present <!> missing absent lacking
full <> empty
complete completed <!> incomplete unfinished
correct right true <!> wrong incorrect false
agree agrees match matches equal equals <!> differ differs disagree disagrees mismatch
same identical <!> different
approve approved accept accepted <> reject rejected decline declined
buy bought purchase purchased acquire acquired <> sell sold
add added insert inserted create created <> remove removed delete deleted erase erased
send sent <> receive received
enable enabled <!> disable disabled
win won winner <> lose
success succeed succeeded <!> failure fail failed
born birthplace <> die died dead
male man men boy boys <> female woman women girl girls
north <> south
east <> west
above exceed exceeds exceeded exceeding <> below beneath
maximum max <> minimum min
more <> less fewer
pass passed <> flunk
wet <> dry
import <> export
inside within <> outside
good better best <> bad worse worst
strong stronger <> weak weaker
cost price costs priced
pay paid
customer client
mean average
metre meter
picture image
age aged
long length
wide width
deep depth
height high tall
weigh weight wiegt gewicht
lead led leader leading
author write wrote written
publish published publication
own owns owned owner belong belongs
hold holds held holder
take took taken duration last lasts
need needs needed require requires required
tell told inform informed
work works worked
teach teaches teacher taught
speak speaks spoke spoken
order orders ordered
deliver delivered delivery
invoice invoiced bill billed
book booked booking
meeting appointment
move moved shift shifted reschedule rescheduled
mail email e-mail
call called phone
away distance
title titled headline
population inhabitant inhabitants
employee employees staff
answer solution reply
due payable
fee charge surcharge
part parts component components
worth value
away distant
responsible charge
merge merged
change changed alter altered
replace replaced
belt belts
penalty fine
expect expected
total together sum altogether
people persons person
movie movies film films
locate located location
licence license
organisation organization
center centre
color colour
use used
fährt fahren abfahrt ab
beträgt betrag beläuft
"""

_WITHOUT_CONTENT = """
a about above after again all also am an and any are as at be because been being both but by can could did do does doing
during each either for from further had has have having he her here hers him his how i if in into is it its itself just
me my no nor not of off on once or other our out over per she so such than that the their them then there these they
this those through to too under until up upon very was we were what when where which while who whom whose why will with
within would you make made makes making may must can have allowed permitted allow allows permit permits times time so then your according named called located exactly currently now today already indeed respectively overall
namely i.e e.g yes please note result results found find see shown show listed list stated recorded information data
following here's there's it's that's being get gets got one ones amount amounts total comes come came coming happen
took place held counts equals stand stands standing really simply well ok okay hi hello dear thanks thank regards best
total's checked looked check look confirm confirmed confirms answer's according as-of typically usually generally
also additionally moreover furthermore therefore thus hence mentioned below noted date dates someone somebody approximately around roughly circa remain remains remained stay stays
der die das den dem des ein eine einen einem einer und ist sind war wird werden im in am um auf von zu zum zur mit für
es sich uhr hat haben
le la les l un une des du de d et est sont à au aux en il elle s se sur pour par ses son sa ce cette
"""

_SUFFIXES = (
    "ments",
    "ment",
    "ations",
    "ation",
    "ings",
    "ing",
    "ies",
    "ied",
    "ers",
    "ed",
    "es",
    "er",
    "en",
    "ly",
    "s",
    "e",
    "y",
)

_DERIVING = {"ments": "ment", "ment": "ment", "ations": "ation", "ation": "ation", "ers": "er", "er": "er"}
"""Endings that make another word, and not a form of the same: a trainer is no train."""


def stem(word: str) -> str:
    """Return a casefolded word without its possessive ending and its common endings."""
    word = word.removesuffix("'s").removesuffix("'")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and word.isalpha():
            kept = _DERIVING.get(suffix, "")
            return _without_double_end(word[: -len(suffix)].rstrip("ye") or word) + kept
    return word


def _without_double_end(stem: str) -> str:
    is_doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls"
    return stem[:-1] if is_doubled else stem


@dataclass
class _Lexicon:
    groups: dict[str, set[int]] = field(default_factory=dict)
    opposites: dict[int, int] = field(default_factory=dict)
    complements: set[int] = field(default_factory=set)


@cache
def _lexicon() -> _Lexicon:
    lexicon = _Lexicon()
    number = 0
    for line in _GROUPS.strip().splitlines():
        is_complement = "<!>" in line
        sides = line.replace("<!>", "<>").split("<>")
        for offset, side in enumerate(sides):
            for word in side.split():
                lexicon.groups.setdefault(stem(word), set()).add(number + offset)
        if len(sides) == 2:
            lexicon.opposites |= {number: number + 1, number + 1: number}
            lexicon.complements |= {number, number + 1} if is_complement else set()
        number += len(sides)
    return lexicon


def groups(stemmed: str) -> frozenset[int]:
    """Return the numbers of the groups to which a stem belongs."""
    return frozenset(_lexicon().groups.get(stemmed, ()))


def mean_the_same(one: str, other: str) -> bool:
    """Return whether two stems are equal or synonyms."""
    return one == other or bool(groups(one) & groups(other))


def opposites(stemmed: str) -> frozenset[int]:
    """Return the groups of the opposites of a stem."""
    table: Mapping[int, int] = _lexicon().opposites
    return frozenset(table[group] for group in groups(stemmed) if group in table)


def excludes(one: str, other: str) -> bool:
    """Return whether two stems are opposites."""
    return not mean_the_same(one, other) and bool(opposites(one) & groups(other))


def is_complement(one: str, other: str) -> bool:
    """Return whether two stems are opposites and one of them must be true."""
    return bool(opposites(one) & groups(other) & _lexicon().complements)


@cache
def words_without_content() -> frozenset[str]:
    """Return the casefolded words that a comparison ignores."""
    return frozenset(_WITHOUT_CONTENT.split())
