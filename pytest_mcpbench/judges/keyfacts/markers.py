"""Markers of a text that decide if it asserts a statement: negation, doubt, bounds, alternatives, conditions, scope."""

import re
from dataclasses import dataclass

_NOT_A_WORD_BEFORE, _NOT_A_WORD_AFTER = r"(?<![\w'-])", r"(?![\w-])"


def _words(*phrases: str) -> str:
    return f"{_NOT_A_WORD_BEFORE}(?:{'|'.join(phrases)}){_NOT_A_WORD_AFTER}"


_OF_A_PAPER = "".join(f"(?<!{paper} )" for paper in ("bill", "invoice", "receipt", "cheque", "check", "voucher"))
"""A bill over 300 EUR is one of 300 EUR."""
_PATTERNS = {
    "present": _words("is", "are", "ist", "sind", "est", "sont"),
    "past": _words("was", "were", "war", "waren", "était", "étaient"),
    "at least": _words(r"at least", r"no (?:less|fewer) than", r"not (?:less|fewer) than", "minimum of", "mindestens", "au moins")
    + "|至少|>=|≥",
    "at most": _words(r"at most", r"no more than", r"not more than", "up to", "maximum of", "höchstens", "au plus", "maximal")
    + "|至多|最多|<=|≤",
    "more than": _words(r"(?:more|greater|higher|larger) than(?= 0| one| two)", _OF_A_PAPER + r"over(?= (?:the limit|0))",
        "in excess of", "mehr als", "plus de", "exceed(?:s|ed|ing)?", r"above(?! (?:all|mentioned))", "upwards of") + "|超过|(?<![-=])>",
    "less than": _words(r"(?:less|fewer|lower|smaller) than(?= 0| one| two)", r"under(?= 0)", r"below(?! zero)", "weniger als", "moins de")
    + "|不到|<",
    "almost": _words("almost", "nearly", "close to", "just (?:under|over|below|above|short of)", "barely", "hardly", "scarcely",
        "beinahe", "presque") + "|将近|几乎",
    "negation": _words("not", "no", "never", "none", "neither", "nor", "nothing", "nobody", "nowhere", "cannot", r"\w+n't", "without",
        "isnt", "doesnt", "nicht", "kein(?:e|en|em|er|es)?", "nie", "niemals", "weder", "ohne", "ne", "n'(?=\\w)\\w+", "aucune?", "jamais", "sans")
    + r"|(?<=\w)n't\b|\bn'(?=[aeéèêhiouy])|不|没有|没|未|并非|无",
    "weak negation": _words("rarely", "seldom", "fail(?:s|ed|ing)?(?: to)?", "failure to", "refus(?:e|es|ed|ing)(?: to)?", "den(?:y|ies|ied|ying)",
        "declin(?:e|es|ed|ing) to", "unable to", "forg[eo]t(?:s|ten)? to", "avoid(?:s|ed|ing)?", "prevent(?:s|ed|ing)?", "stop(?:s|ped)? \\w+ing", "lack(?:s|ed|ing)?",
        "but (?:for|not)", "far from", "instead of", "rather than", "unlike", "other than", "anything but", "except(?: for)?", "apart from", "excluding", "aside from",
        "least of all", r"(?:every|any|no)\w+ but", "all but", "zero", "only if", "in theory", "no longer", "cancel(?:led|ed|s)?", "called off", "obsolete", "outdated", "impossible", "refusal", "außer", "sauf", "selten", "rarement") + r"|(?<![\w'-])but (?:one|0+)(?![\w-])",
    "doubt": _words("perhaps", "maybe", "possibly", "probably", "presumably", "supposedly", "allegedly", "apparently", "arguably", "likely", "unlikely",
        "might", r"(?:it|this|that|there|he|she|they) may", r"may be(?= (?:[09a]|the|no|around|about))", "may have", "there may be", r"could (?:be|have)", "seems?", "appears? to", "not sure", "unsure",
        "uncertain", "unclear", "not certain", "for certain", "i think", "i believe", "i guess", "i assume", "i suppose", "my guess", "guess", "guessing", "as far as i",
        "if i (?:remember|recall)", "i cannot (?:say|confirm|verify)", "or so", "hard to say", "in doubt", "doubt(?:s|ful|ed)?", "assum(?:e|es|ed|ing)", "speculat\\w+",
        "hypothetical(?:ly)?", "whether", "estimat(?:e|es|ed) (?:that|to)", "vielleicht", "wohl", "vermutlich", "wahrscheinlich", "möglicherweise", "angeblich", "eventuell",
        "peut-être", "probablement", "sans doute", "apparemment") + "|可能|也许|大概|或许|似乎|不确定|恐怕|应该是|说不定",
    "condition": _words("if", "unless", "provided that", "in case", "assuming", "suppos(?:e|ing)", "wenn", "falls", "sofern", "si", "s'il", "should(?! be (?:noted|mentioned))", "ought to", "supposed to") + "|如果|假如|除非",
    "wish": _words("wants? to", "wanted to", "plan(?:s|ned|ning)? to", "planned", "planning", "intend(?:s|ed)? to", "hop(?:es?|ed|ing) to", "tr(?:y|ies|ied|ying) to", "going to", "about to", "wish(?:es|ed)? to", "promis(?:e|es|ed) to", "to be", "be to", "propos(?:e|es|ed|al)", "soll(?:te|ten|en)?", "möchte", "würde"),
    "perfect": _words("(?:has|have|had) been", "was", "were") + "|已|了",
    "would": _words("would", "could"),
    "will": _words("will", "shall", "i'll", "we'll", "going to"),
    "alternative": _words("or", "either", "oder", "entweder", "ou", "alternatively", "options?", "somewhere between") + "|还是|或",
    "report": _words("claim(?:s|ed|ing)?(?= (?:that|to|the|it|he|she))", "says?", "said", "saying", "told", "tells", "alleg(?:es?|ed)", "rumou?rs?", "rumou?red", "myth", "joke", "joking", "pretend(?:s|ed)?", "believ(?:e|es|ed)", "thinks?", "thought", "so-called",
        "behauptet", "meint", "sagt", "prétend", "dit", "some people", "according to (?:a|an|some|one|him|her|them)", "example of", "hearsay", "quoted?") + "|据说|声称|听说|说",
    "objection": _words(r"but(?= [^.]*\b(?:it|them|that|this|him|her)\b)"),
    "per": _words(r"per(?! (?:year|month|week|day|hour|minute|second|night|annum|cent|0))", "apiece", "per head"),
    "total": _words("total", "altogether", "in all", "combined"),
    "usually": _words("usually", "typically", "generally", "mostly", "mainly", "often", "sometimes", "normally", "as a rule", "primarily", "largely"),
    "in progress": _words("being", "in progress", "under way", "underway", "yet to", "pending"),
    "off": _words("off"),
    "out": _words("out(?! of)"),
    "down": _words("down"),
    "other": _words("other", "others", "another", "else", "elsewhere"),
    "one of": _words("(?:one|two|three|some|many|most|0) of(?! the 0)", "among"),
    "again": _words("again"),
    "former": _words("former(?:ly)?", "previous(?:ly)?", "used to", "once(?= (?!again))", "ex-\\w+", "in the past", "earlier on", "back then", "old version", "früher", "ehemals", "autrefois") + "|曾经|以前",
    "permission": _words("(?-i:may)", "can", "allowed", "permitted", "able to", "allows?", "permits?", "possible", "darf", "dürfen", "kann", "peut") + "|可以|允许",
    "obligation": _words("must", "ha(?:s|ve|d) to(?= be| \\w+)", "needs? to", "obliged to", "muss", "müssen", "doit") + "|必须",
    "copula": _words("is", "are", "am", r"(?:has|have|had)(?! \\w+ed\\b| been)", "ist", "sind", "est", "sont") + "|[:=]|是|为",
    "only": _words("only", "sole", "solely", "exclusively", "just", "nur", "seulement", "lone") + "|只有|仅",
    "all": _words("all", "every", "each", "everybody", "everyone", "both", "alle", "tous", "toutes") + "|所有|全部|都",
    "some": _words("some", "several", "a few", "a part of", "parts? of", "partly", "partially", "many", "most of", "half of", "einige", "quelques", "certain(?= \\w+s\\b)") + "|一些|部分",
    "kin": _words(*(f"{kin}s?" for kin in ("brother", "sister", "mother", "father", "son", "daughter", "wife", "husband", "uncle", "aunt", "cousin", "friend", "neighbou?r",
        "colleague", "assistant", "successor", "predecessor", "rival", "nephew", "niece", "parent", "partner", "deputy", "boss"))),
}  # fmt: skip
_COMPILED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}

GOVERNING = frozenset({"doubt", "condition", "report", "objection"})
"""Markers that concern a sentence also from a clause behind the statement."""

_WITH_CONTENT = frozenset(
    {
        "kin",
        "off",
        "out",
        "down",
        "other",
        "one of",
        "again",
        "per",
        "total",
        "usually",
        "in progress",
        "present",
        "past",
    }
)
"""Markers whose words stay content."""

_CORRECTION = re.compile(
    _words("sorry", "rather", "i mean", "i meant", "oops", "wait", "no", "better", "actually", "nein", "non", "pardon"),
    re.IGNORECASE,
)

_RETRACTION = re.compile(
    _words(
        r"(?:is|was|are|were|that's|it's|be) (?:all |just |simply |completely |in fact )?(?:wrong|false|incorrect|untrue|mistaken|nonsense|a (?:lie|mistake|myth|joke|error))",
        r"not (?:true|correct|right|the case|accurate)", r"(?:i|we) (?:do not|don't|did not|didn't) (?:know|mean)", r"no idea",
        r"(?:please )?(?:ignore|disregard|forget|scratch|strike)(?= (?:that|the|this|all|everything|my|what|it))", "correction", "i take (?:that|it) back", "(?:i|we) (?:was|were|am|are) (?:wrong|mistaken|in error)",
        "(?:my|by) mistake", "a mistake", "none of the above", "(?:i|we) (?:retract|withdraw)", "cannot help", "can't help", "unable to (?:answer|help|confirm)",
        "the opposite is (?:true|the case)", "(?:which|this|that|it) (?:is|was|has been) (?:cancelled|canceled|withdrawn|called off|denied|disputed)", "is no longer (?:true|valid|the case)", "on second thoughts?",
        "(?:just|only) (?:kidding|joking)", "the above is a placeholder", "es falso",
        "stimmt nicht", "ist falsch", "weiß (?:ich |es )?nicht", "est faux", "c'est faux", "ne sais pas", "made (?:that|this|it) up", "invented", "rather the opposite", "the reverse is true",
    )
    + r"|不对|错了|是错的|不知道|并非如此|有误|^\W*(?:false|untrue|wrong|incorrect)\s*[:!]",
    re.IGNORECASE,
)  # fmt: skip
_SECOND_THOUGHT = re.compile(
    _words(r"actually", "in fact", "wait", "sorry", "oops", "i mean", "instead", "however", "but", "although", "though", "contrary to", "in reality", "vielmehr", "doch", "aber", "mais", "en fait") + "|但|其实|实际上",
    re.IGNORECASE,
)  # fmt: skip

_INVERSION = re.compile(r"(?:was|were|is|are|did|does|has|had|could|would)\s", re.IGNORECASE)
"""Begin of a sentence that is a question, also without its mark."""

_DISCREDIT = re.compile(
    _words(
        r"(?:(?P<subject>this|that|these|those)|it|they|which|the (?:figure|number|value|claim|statement|information|data|answer|result|source|page|file|list|date|time|price)s?)"
        r"(?: [\w']+){0,6} (?:outdated|out of date|revised|unreliable|superseded|disputed|corrected|unverified|unconfirmed|contested|changed|amended"
        r"|retracted|assumption|placeholder|examples?|fictitious|fictional|hypothetical|estimates?|old|previous|draft|contradicts?|inconsistent|doubtful|not(?: yet)?(?: been)? (?:verified|confirmed|checked))",
        r"(?:i|we) (?:\w+ ){0,2}?(?:not|never|\w+n't)(?: been able to| yet)? (?:verif(?:y|ied)|confirm(?:ed)?|check(?:ed)?|sure|certain)",
        r"(?:hypothetical|fictional|fictitious|sample|example|possible) (?:example|answer|case|text|reply)s?", "one could (?:write|say|answer)",
        "for the sake of argument", "option (?:b|2|two)", "still to be (?:verified|checked|confirmed)", "to be (?:verified|confirmed)",
        "cannot (?:tell|decide|say) (?:which|whether|the two)",
        "on the contrary", "in fact the opposite", "take (?:this|that|it) with", "made[- ]up",
    )
    + r"|未经证实|有争议|过时",
    re.IGNORECASE,
)  # fmt: skip

_VERB = re.compile(r"(?:is|are|was|were|has|have|had|remains?|stays?)\b")
"""Begin of a frame whose subject is a pronoun, so that it may be about the whole statement."""


@dataclass(frozen=True)
class Marked:
    """The markers of a text, and the text with them blanked out."""

    found: tuple[tuple[str, int], ...]
    """Names and places."""
    rest: str
    negated_at: tuple[int, ...]
    """Ends of the negations."""


def marked(text: str) -> Marked:
    """Find the markers of a plain text; the first pattern that matches takes the words."""
    found: list[tuple[str, int]] = []
    negated: list[int] = []
    for name, pattern in _COMPILED.items():
        matches = list(pattern.finditer(text))
        found += [(name, match.start()) for match in matches]
        negated += [match.end() for match in matches if name == "negation"]
        if name not in _WITH_CONTENT:
            text = pattern.sub(lambda match: " " * len(match.group()), text)
    return Marked(tuple(found), text, tuple(negated))


def retraction(text: str) -> str | None:
    """Return the first words with which a text withdraws or refuses a statement."""
    match = _RETRACTION.search(text)
    return match.group() if match else None


def discredit(text: str, claim: str) -> str | None:
    """Return the first words with which a text discredits what it states elsewhere, and which the claim does not say."""
    frames = _DISCREDIT.finditer(text)
    return next((frame.group() for frame in frames if frame.group() not in claim and not _says(claim, frame)), None)


def _says(claim: str, frame: re.Match[str]) -> bool:
    """Check for ``this account is not verified`` where the claim says the same of ``her account``."""
    subject = frame["subject"]
    if subject is None:
        return False
    statement = frame.group()[len(subject) :].strip()
    return _VERB.match(statement) is None and re.search(rf"\b{re.escape(statement)}\b", claim) is not None


def is_second_thought(text: str) -> bool:
    """Return whether a text opens a correction or an objection."""
    return _SECOND_THOUGHT.search(text) is not None


def is_correction(text: str) -> bool:
    """Return whether a sentence takes back a part of itself."""
    return _CORRECTION.search(text) is not None


def is_question(text: str) -> bool:
    """Return whether a sentence is a question."""
    has_mark = text.rstrip(" \"')*").endswith(("?", "？", "吗", "吗。"))
    return has_mark or _INVERSION.match(text) is not None
