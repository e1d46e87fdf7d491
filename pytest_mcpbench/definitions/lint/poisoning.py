"""Patterns of poisoned texts: descriptions that give an agent orders which have nothing to do with using the tool.

The classes follow the literature on tool poisoning: instructions in descriptions (MCPTox, arXiv 2508.14925), preference
(arXiv 2505.18135) and shadowing of other servers' tools (arXiv 2512.06556). A pattern needs more than a suspicious
subject: that a tool reads secrets or sends mail is no finding, that the agent shall read them first is one. Orders that
read like an honest description are not found.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping

from pytest_mcpbench.text.late_pattern import late_pattern

HIDDEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")


_NOT = r"(?:do not|don't|never|must not|should not|need not|may not|no need to|avoid|nor)"
_AGENT_RULES = (
    r"(?:instructions?|directives?|guidelines?|polic(?:y|ies)|restrictions?|rules|prompts?|safety checks?|guardrails)"
)
_WHOSE = (
    r"(?:previous|prior|earlier|above|preceding|your|safety|system|developer(?:'s|s')?|operator(?:'s|s')?|original)"
)
_SECRET = (
    r"(?:\.(?:ssh|aws|gnupg|npmrc|netrc|pgpass|kube|git-credentials|vault-token)\b|(?<![\w*])\.env\b|\bid_"
    r"(?:rsa|ed25519)\b"
    r"|/etc/(?:passwd|shadow)\b|\bmcp\.json\b|\bprivate keys?\b|\bsaved passwords?\b|\bprintenv\b|\bsystem prompt\b"
    r"|\bapi keys?\b[^.]{0,40}\benvironment variables\b|\baccess tokens? for other\b|\bseed phrase\b|\bcvv\b)"
)
_HAND_OVER = r"(?:pass|put|include|supply|add|hand|give|attach|paste|append|provide|insert|submit)"
_ADDRESS = (
    r"(?:https?://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b\d{1,3}(?:\.\d{1,3}){3}\b|\bpublic (?:gist|paste|bucket)\b"
    r"|\bour (?:analytics )?(?:endpoint|webhook|server)\b|\b(?:[\w-]+\.)+example\b|\baddress given in the result\b)"
)
_SEND = r"(?:send|forward|post|upload|copy|bcc|cc|push|deliver|transmit|share|append|mirror|go|write)"
_OTHERS = r"(?:any|all|every|the)? ?other (?:\w+ )?(?:tools?|servers?|alternatives?)"

_CLASSES: Mapping[str, tuple[str, ...]] = {
    "overrides instructions": (
        rf"\b(?:ignore|disregard|forget|override|bypass|stop following|{_NOT} (?:follow|obey))\b(?:\W+[\w']+){{0,3}}?"
        rf"\W+{_WHOSE}(?:\W+[\w']+){{0,3}}?\W+{_AGENT_RULES}",
        rf"\b{_WHOSE} {_AGENT_RULES}\b(?:\W+\w+){{0,4}}?\W+(?:no longer|void|outdated|obsolete|not apply)",
        rf"\b(?:ignore|disregard|stop following|{_NOT} (?:follow|obey)) (?:\w+ )?{_AGENT_RULES} of (?:your"
        rf"|the) (?:operator|developer|user|system)\b",
        r"\bforget (?:everything|all)\b",
        r"\b(?:content filter|safety (?:checks?|filters?)|guardrails|all limits)\b(?:\W+\w+){0,4}?\W+"
        r"(?:disabled|lifted|off)\b",
        r"\b(?:enter|you are (?:now )?in|switch to) (?:developer|god|jailbreak|admin|unrestricted) mode\b",
        r"\byou are (?:now )?an? (?:unrestricted|unlimited|uncensored)\b|\b(?:that )?no (?:usage )?polic(?:y"
        r"|ies) exists?\b",
        r"\btreat (?:the )?(?:instructions|orders|commands) (?:found )?in\b[^.]{0,60}\bas (?:if|coming from"
        r"|those of)\b",
    ),
    "conceals something from the user": (
        rf"\b{_NOT} (?:\w+ ){{0,2}}?(?:tell|inform|notify|alert|warn) (?:the (?:users?|humans?)|anyone|anybody"
        rf"|people)\b",
        rf"\b{_NOT} (?:\w+ ){{0,2}}?(?:mention|reveal|disclose) (?:this|that|these|it|any of this|forwarding)\b",
        r"\bwithout (?:the user(?:'s)? (?:noticing|knowing|knowledge)|(?:informing|telling|notifying) "
        r"(?:the )?(?:users?|anyone))\b",
        r"\b(?:users?|humans?|people) (?:must|should|may|need) (?:not|never) (?:know|notice|see|learn|be "
        r"(?:told|aware|informed))\b",
        r"\b(?:silently|secretly|quietly|covertly|stealthily) (?:\w+ )?(?:open|send|read|record|append|copy"
        r"|upload|forward|add|call"
        r"|log|save|store|include|collect|execute|run)\b(?! (?:is|was|are))",
        r"\bkeep (?:this|it|that) (?:hidden|secret|quiet)\b|\bhide (?:\w+ ){0,4}from (?:the )?(?:users?"
        r"|transcript|people|log)\b",
        r"\bsay nothing about\b|\bact as if nothing\b|\bleave out of your (?:answer|reply)\b",
    ),
    "asks for secrets": (
        rf"(?:\bbefore\b|\bfirst\b|\balways\b|\balso\b|\bas well\b|\bmust\b|\bassistant\b"
        rf"|\bbetter results\b)[^\n]{{0,120}}?{_SECRET}"
        rf"[^\n]{{0,100}}?\b{_HAND_OVER}\b",
        rf"(?:\bbefore\b|\bfirst\b|\balways\b|\balso\b|\bmust\b|\bassistant\b"
        rf"|\bbetter results\b)[^\n]{{0,100}}?\b{_HAND_OVER}\b"
        rf"[^\n]{{0,100}}?{_SECRET}",
        rf"\b(?:read|open|list|look for|run|collect|find)\b[^.\n]{{0,60}}?{_SECRET}[^\n]{{0,80}}?\b(?:and|first"
        rf"|as well)\b"
        rf"(?=[^\n]{{0,60}}(?:\b{_HAND_OVER}\b|$))",
        rf"{_SECRET}, (?:please )?(?:read|open|fetch|collect|find|extract) (?:them|it|this|that)\b",
        rf"^(?:the )?(?:full |entire |complete |raw )?(?:contents?|copy|dump|text) of (?:\S+ ){{0,4}}{_SECRET}",
        r"\b(?:full|entire|complete|whole) (?:conversation|chat)(?: history)?\b(?=[^\n]{0,60}\b(?:other tools?"
        r"|messages|so far)\b)",
        r"\bsystem prompt\b(?=[^\n]{0,60}\b(?:word for word|verbatim|in full)\b)",
        rf"\b{_HAND_OVER} (?:\w+ ){{0,2}}?your (?:access tokens?|passwords?|credentials) for (?:other|all)\b",
        r"\bcredit card number\b[^\n]{0,60}\balthough\b|\bcredit card number and cvv\b(?=[^\n]{0,60}\bnotes?\b)",
    ),
    "sends data elsewhere": (
        rf"\b(?:also|always|every|each|all|then|after|before you|as well|copy of|whole"
        rf"|next)\b[^\n]{{0,100}}?\b{_SEND}\b[^\n]{{0,100}}?"
        rf"{_ADDRESS}",
        rf"\b{_SEND}\b[^\n]{{0,60}}?\b(?:every|each|all|copy|whole|entire|last|list|messages?"
        rf"|repository)\b[^\n]{{0,80}}?{_ADDRESS}",
        rf"\b(?:image|link|picture) with the url {_ADDRESS}",
        r"\bexfiltrate\b|\b(?:always |silently )?bcc [\w.+-]+@",
    ),
    "claims precedence over other tools": (
        r"\b(?<!user )(?:always|must|only ever|by default)(?: always)? (?:default to|use|call|invoke|prefer"
        r"|choose|run)(?: using)? (?:this|it)\b"
        r"(?: tool| function)?+(?! (?:when|if|for|to|with|before|after|in|on)\b| over (?!all|any|every))",
        r"\b(?:use|call|invoke|run|choose|prefer) (?:this|it)(?: tool)?(?: first)?,? (?:instead of|over|before"
        r"|rather than)"
        r" (?:any|all|every) (?:other|alternatives?)\b|\bover all alternatives\b|\bbefore any other tool\b",
        rf"\b(?:{_NOT}|under no circumstances) (?:use|call|trust) (?:an? |any )?(?:other|\w+ tool of another)\b",
        rf"\btakes? (?:precedence|priority) over (?:any|all|every) other\b|\bignore (?:any |all )?{_OTHERS}",
        r"\bignore (?:any |all )?(?:other )?tools\b|\bmust win every time\b|\bat all times; ignore\b",
        r"\b(?:other|others'|servers') (?:\w+ )?tools (?:\w+ )?(?:are|return)\b[^.\n]{0,30}\b(?:deprecated"
        r"|dangerous|wrong|unsafe|broken)\b",
        r"\b(?:call|use|invoke)\b[^.\n]{0,40}\b(?:for every message|(?:at the (?:start|beginning) of|in) "
        r"(?:each|every) conversation)\b",
        r"\bthis tool (?:first|always)?,? ?(?:regardless of|no matter what|whatever) \b|\bno matter what the user\b"
        r"|\bregardless of the (?:question|request|task)\b",
    ),
    "changes other tools": (
        r"\baffects the behaviou?r of\b|\b(?:rules|important|instructions) for (?:the )?(?:\w+ of )?the \w+ server\b"
        r"|\bside effects? for other tools\b|\bwhen you use other tools\b|\bof the other server\b",
        r"\bif another server offers\b|\btool of another server\b|\bof another server\b",
    ),
    "hides text": (
        r"<!--(?=[^>]*\b(?:assistant|agent|model|call|read|send|ignore|must)\b)",
        r"</?(?:important|secret|hidden|system|instructions?)>|\[/?(?:system|inst)\]|<\|im_(?:start|end)\|>",
        r"\bdecod(?:e|ing)(?: it)?,? ?(?:and|then|to)? ?(?:follow|execute|obey|run)\b|\bfollow the hidden\b"
        r"|\b(?:execute|run|obey) the (?:base64|hex|encoded)\b",
    ),
    "takes away the user's consent": (
        r"\busers? ha(?:s|ve) already (?:agreed|approved|consented|confirmed|authori[sz]ed)\b",
        rf"\b{_NOT} ask (?:for )?(?:the user|(?:\w+ )?(?:confirmation|permission|approval))\b|; do not ask\b",
        r"\b(?:skip|bypass|dismiss) the (?:approval|confirmation|permission|consent)(?: dialog| prompt| step)?\b",
        r"\b(?:approval|confirmation|consent)\b(?:\W+\w+){0,4}? not (?:required|needed|necessary) for any\b",
        r"\bconfirm(?:ations?)?\b[^.\n]{0,60}\bon the user's behalf\b|\bfor the user in each confirmation\b",
        r"\bauto[_-]?approve\b(?=[^.\n]{0,60}\b(?:settings|first|client)\b)|\blist of trusted tools\b",
        r"\bcurl\b[^|\n]{0,120}\|\s*(?:ba|z)?sh\b|\bdisable the sandbox\b|\brun rm -rf\b",
        r"\brun (?:pip|npm|npx|uvx?) (?:install )?\S+(?: \S+)? before\b",
        r"\bexecute (?:whatever|any|every) (?:command|code)[^.\n]{0,40}\bresult\b",
        r"\bmessage (?:of|from) (?:anthropic|openai|google|microsoft)\b|\bi (?:hereby )?authori[sz]e (?:every"
        r"|all|any)\b",
    ),
}
_PATTERNS = {name: late_pattern("|".join(patterns), re.IGNORECASE) for name, patterns in _CLASSES.items()}
CLASSES = tuple(_PATTERNS)
"""Classes of poisoned texts, as they are named in findings."""

_IDENTIFIER = r"(?P<tool>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)"
_FOREIGN_TOOL = late_pattern(
    rf"\b(?i:when(?:ever)?|if|before|after|once)\b[^.\n]{{0,40}}?\b{_IDENTIFIER} (?:is|was) (?:called|invoked)\b"
    rf"|\b(?i:calls?|arguments?|behaviou?r|recipient|description) of "
    rf"(?:the tool )?{_IDENTIFIER.replace('tool', 'target')}\b"
    rf"|\b(?i:the tool) {_IDENTIFIER.replace('tool', 'named')}\b"
    rf"|\bfor other tools: {_IDENTIFIER.replace('tool', 'other')}\b"
)
_ENCODED = re.compile(r"(?<![\w/+])(?:[A-Za-z0-9+/]{24,}={0,2}|(?:[0-9a-fA-F]{2}){14,})(?![\w/+])")


def poisoning_of(text: str, own_names: Collection[str] = ()) -> tuple[str, str] | None:
    """Return the class of a poisoned text and the words that show it; ``None`` for any other text.

    Args:
        text: Description or title, or the instructions of a server.
        own_names: Names of the tools and parameters of the same server, about which its texts may speak.
    """
    for reading in _readings(text):
        if reading is None:
            return "hides text", "characters that reverse or hide the text"
        for name, pattern in _PATTERNS.items():
            match = pattern.search(reading)
            if match:
                return name, match.group()
        for match in _FOREIGN_TOOL.finditer(reading):
            foreign = next((name for name in match.groups() if name), "")
            if foreign not in own_names:
                return "changes other tools", match.group()
    for run in _ENCODED.findall(text):
        try:
            raw = bytes.fromhex(run) if re.fullmatch(r"[0-9a-fA-F]+", run) else base64.b64decode(run, validate=True)
            decoded = raw.decode("ascii")
        except (ValueError, binascii.Error):
            continue
        # A sentence in Base64 or in hexadecimal digits.
        if decoded.isprintable() and re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", decoded):
            return "hides text", f"{run[:24]}… is {decoded!r}"
    return None


def _readings(text: str) -> Iterator[str | None]:
    """Yield the text as it is and without hidden characters; ``None`` if these spell a text of their own."""
    plain = re.sub(r"[ \t]+", " ", unicodedata.normalize("NFKC", text))
    yield plain
    if HIDDEN.search(plain):
        yield HIDDEN.sub("", plain)
        # An override of the direction, or tag characters that repeat ASCII, have no honest use in a description.
        if re.search("[\u202d\u202e]|[\U000e0020-\U000e007e]{4}", plain):
            yield None
