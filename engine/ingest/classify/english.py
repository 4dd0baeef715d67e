"""What the words of an English sentence tell about its type: cues, found by word classes and their places.

Input is evened out (lower case, half width). "will" may be a name or a last will, "May" a person, "like" a
comparison, "-ed" an adjective: each counts only in its place.
"""

from __future__ import annotations

import re
from typing import Final

from engine.ingest.classify import english_lasting as lasting
from engine.ingest.classify.cues import Cue, Cues


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PRONOUN: Final = r"(?:i|we|you|he|she|they|it|there)"
_WHO: Final = r"(?:i|we|you|he|she|they|it|who|[a-z]+)"

# -- nothing to keep -------------------------------------------------------------------------------------------
_QUESTION: Final = re.compile(
    r"\?[\s\"')\]!~]*$"
    r"|^(?:(?:so|and|but|hey|hi|ok|okay|sorry|please|well|um)[, ]+)*(?:who|what|when|where|why|how|which|"
    r"whose)(?:'s|'re|'d|'ll)? (?:is|are|was|were|am|do|does|did|can|could|should|would|will|to|about|come|many|"
    r"much|long|often|far|time|if)\b(?!.*[.;]$)"
    r"|^(?:who|what|when|where|why|how|which)(?:'s|'re|'d|'ll) (?:the|my|your|our|that|this|it|he|she|they|we|"
    r"you|i|up|wrong|new|there|at|with|on|[a-z]+ing)\b"
    rf"|^(?:(?:so|and|but|hey|hi|ok|okay|sorry|well)[, ]+)*(?:can|could|would|will|do|does|did|is|are|am|was|"
    rf"were|should|shall|may|might|isn't|aren't|don't|doesn't|didn't|won't|can't|couldn't) (?:{_PRONOUN}|this|"
    rf"that|these|those|the|my|your|our|anyone|anybody|someone)\b(?!.*\b(?:is|are) (?:my|our))"
    r"|^(?:have|has|had|haven't|hasn't) (?:you|he|she|they|we|i|anyone|anybody|it|there)\b"
    r"|^any (?:idea|chance|news|thoughts|tips)\b"
)
_WORDS: Final = (
    "hi|hey|hello|yo|howdy|hiya|greetings|there|all|everyone|folks|team|thanks|thank|thx|ty|you|u|so|much|a|lot|"
    "bunch|million|ok|okay|k|kk|yes|yeah|yep|yup|no|nope|nah|sure|fine|right|exactly|absolutely|definitely|"
    "totally|indeed|correct|true|agreed|same|got|it|gotcha|understood|noted|roger|cool|nice|great|good|awesome|"
    "perfect|excellent|wonderful|fantastic|brilliant|amazing|lovely|sweet|neat|wow|whoa|omg|oh|ah|aha|uh|um|hmm+|"
    "mm+|er|erm|huh|eh|ugh|oops|whoops|yikes|ouch|phew|lol|lmao|rofl|ha+(?:ha)*|hehe|haha+|my|god|goodness|gosh|"
    "morning|afternoon|evening|night|day|bye|goodbye|cya|see|ya|later|soon|tomorrow|cheers|welcome|you're|youre|"
    "no|problem|worries|worry|never|mind|nevermind|please|pls|sorry|my|bad|congrats|congratulations|happy|merry|"
    "new|year|birthday|christmas|easter|holidays|weekend|well|done|way|to|go|keep|up|the|work|continue|again|"
    "more|next|stop|wait|hold|on|a|sec|second|minute|moment|go|ahead|proceed|try|done|ready|test|testing|foo|bar|"
    "asdf|ok|that|that's|thats|is|it's|its|for|and|of|course|what|ever|whatever|i|see|know|guess|think|makes|"
    "sense|sounds|sound|very|really|too|quite|pretty|just|then|anyway|anyways|like|or|the|let's|lets|begin|start|"
    "how|dare|kidding|no|way|help|me|take|care|talk|good|luck|enjoy|bless|hooray|yay|woohoo|alright|dear|friend|"
    "mate|man|dude|bro|hang|one|maybe|perhaps|not|but"
)
# No greeting and no broken-off sentence is longer; the patterns for them may try many ways on long texts.
_SHORT: Final = 48
_CAPITAL: Final = re.compile(r"(?<=[a-z,'] )(?=[A-Z][a-z])")
_COMMON: Final = re.compile(
    r"(?:i|we|he|she|they|you|it|the|a|an|my|our|his|her|their|your|this|that|these|those|all)\b"
)
_FILLER: Final = re.compile(rf"(?:(?:{_WORDS})(?![a-z'])|[\W_])+")
_STRONG_FILLER: Final = re.compile(
    r"^(?:thanks|thank you|many thanks|congrat|happy (?:new|birthday|easter|holidays)|merry christmas|"
    r"good (?:job|work|one|point|idea|question|morning|luck|night|evening|afternoon)\b|oh my|no worries|"
    r"you're welcome|nice to meet|see you\b(?!.*\bat\b)|sounds (?:good|great|fine)|you(?:'re| are) (?:the best|"
    r"awesome|amazing|great|welcome|right|wrong|a (?:star|legend|lifesaver|genius))|(?:ok(?:ay)?|yeah|hmm+|um+|"
    r"uh|well|oh),? .{0,14}$|as i was saying|let me (?:know|think|see)|what a\b|how (?:nice|lovely|cool|funny|"
    r"sad|awful)\b|are you kidding|sorry\b.{0,20}$)"
)
_BROKEN: Final = re.compile(
    r"\b(?:and|but|or|because|the|a|an|of|with|if|so that|which|uh|um|er|like)[\s.…,-]*$|\.\.\.$|…$|^(?:and|but|"
    r"or|because|so|then|like|well)\b[^.]{0,24}$"
)
_IMPERATIVE: Final = (
    "open|close|run|rerun|show|list|write|rewrite|translate|summari[sz]e|explain|fix|generate|create|make|"
    "convert|find|search|look|delete|remove|read|print|describe|compare|calculate|compute|draw|plot|play|pause|"
    "stop|scroll|click|check|test|refactor|debug|shorten|expand|continue|repeat|undo|redo|tell|give|help|define|"
    "suggest|recommend|sort|count|extract|parse|format|draft|proofread|paraphrase|outline|brainstorm|turn|change|"
    "add|insert|replace|rename|move|copy|paste|save|load|export|import|download|upload|install|deploy|restart|"
    "refresh|zoom|highlight|google|guess|imagine|pick|choose|analy[sz]e|review|merge|commit|push|pull|clear|"
    "reset|elaborate|clarify|simplify|act|pretend|keep going|carry on|go on|go back|set"
)
_COMMAND: Final = re.compile(
    rf"^(?:please |pls |now |ok(?:ay)?,? |just |then |and |go ahead and |can you )*(?:{_IMPERATIVE})\b(?! (?:is|"
    rf"are|was|has|time)\b)"
)

# -- intent ----------------------------------------------------------------------------------------------------
_BASE_VERB: Final = (
    r"(?:not |also |probably |definitely |finally |never |then |soon |just |be |have |have to |"
    r"need to )*[a-z]{2,}"
)
_INTENT: Final = re.compile(
    r"\b(?:i|we|you|he|she|they)(?:'d| had) better\b|\b(?:i'm|we're|he's|she's|"
    r"they're) [a-z]+ing [a-z ]*in the (?:spring|summer|autumn|fall|winter|new year)\b|"
    r"^(?:swap|replace|refill|restock|sell|sign|plan|organi[sz]e|finali[sz]e|talk to|meet|file|mow|paint|repair|"
    r"sew|charge|set up|sort out|deal with|check in) |"
    r"\b(?:i|we|he|she|they|you|it|that|this|who|there)(?:'ll| will| shall)(?! of\b)\b|"
    r"(?<!\bher )(?<!\bhis )(?<!\bmy )(?<!\btheir )(?<!\bof )(?<=[a-z] )will (?=(?:not |also |probably |"
    r"definitely |finally |soon |then )*(?!is\b|was\b|and\b|has\b|at\b|in\b|on\b|to\b|from\b|of\b|who\b|the\b|"
    r"my\b|said\b|says\b|told\b|loves\b|likes\b|[a-z]+s\b|[a-z]+ed\b)[a-z]{2,})"
    r"|\b(?:am|is|are|'m|'s|'re|was) (?:all |both |also |probably |definitely |finally |still |just |"
    r"really )*(?:going to|gonna|about to|planning|hoping|looking to|aiming|due\b|set (?:to|on)|scheduled|slated|"
    r"booked (?:for|in|on|to|into)|supposed to|meant to|to be (?:paid|done|delivered|submitted|returned|finished|"
    r"sent|handed|signed)|committed to|determined to|thinking (?:of|about)|considering|counting down|"
    r"saving (?:up )?(?:for|to)|expecting|expected|invited|off to (?!a)|leaning towards|willing to|bound to|"
    r"up for renewal|starting on|flying)\b"
    r"|\b(?:gonna|about to|plans? (?:to|on|for|is)|planning (?:to|on|a|an|the|for)|intends? to|aims? to|"
    r"aiming (?:to|for)|hop(?:es?|ing) (?:to|for|we|i)|looking forward to|can't wait (?:to|for)|due (?:on|by|in|"
    r"at|to|next|this|tomorrow|today|\d|before|back)|deadlines?|scheduled (?:for|to|on|a|an|the)|signed (?:me |"
    r"us |him |her )?up for|enrolled (?:in|for)|registered for|booked (?:a|an|the|us|my|our|for|in|flights?|"
    r"tickets?)|reserved|appointment|reservation|let's|lets (?=go|book|meet|do|try)|todo|to-do|to do:|"
    r"remember to|don't forget|do not forget|remind(?:er)?\b|promised?|owes?|vowed|pledged|next step|on (?:my|"
    r"the|our) (?:list|agenda|calendar|to-do)|action item|follow up|rsvp|outstanding|still (?:to|have to|need|"
    r"needs|owe)|want(?:s)? to (?:be (?:able|a)|learn|go|try|visit|see|hike|buy|get|build|move|start|run|write|"
    r"take|travel|read|do|make|finish|change|switch|become|open|sell|quit|apply|study|spend|retire|climb|hire|"
    r"find|book|rent|adopt|paint|plant|replace|ask|talk|ship|migrate|surprise|propose|renovate|train|join|sign|"
    r"host|cook|bake|fix|clean|sort|rewrite|refactor|save|invest|publish|launch|upgrade|convert)"
    r"|(?:(?:[1-9]|one|two|three|four|five|few|some) more [a-z]+ to [a-z]+)|to go before|before the deadline|"
    r"eta\b|by (?:the )?(?:end of|eod|eow|cob)|coming up|upcoming|the plan(?: is|:)|on the (?:calendar|agenda)|"
    r"pencil(?:l)?ed in|slotted|next up|kicks? off|in the works|tickets? (?:for|to) [a-z]+ (?:on|in|next)|"
    r"invited (?:me|us) to|yet to|remains to be|my goal|our goal|the goal is|bucket list|resolution|someday|"
    r"some day|one day (?=i|we|she|he)|sooner or later|when i (?:retire|grow|get|turn|finish|graduate)|"
    r"as soon as|eventually)\b"
    r"|\b(?:once|if|when|after|until) [^,]{3,60}, (?:i|we|he|she|they)(?:'ll| will|'m| am|'re| are| want| plan|"
    r" intend| can finally)\b"
    r"|^(?!nothing|during|being|having|feeling|sitting|waiting|reading|watching|working|struggling|dealing|"
    r"recovering|suffering|missing|listening|standing|lying|freezing|crying|writing|debugging|enjoying|something|"
    r"anything|everything|morning|evening|spring|king|sing|bring|swing|"
    r"sibling)[a-z]{3,}ing\b(?! (?:[a-z]+ ){0,4}(?:is|are|was|were|makes|helps|bores|beats|calms|works|takes|"
    r"costs|drives|gives|puts|relaxes|annoys|can|isn't|doesn't)\b) |^(?:planning|hoping|starting|trying|"
    r"expecting|off to|going to|gonna|gotta|need to|have to|has to|must(?! have)|want to|should(?!'ve| have)|"
    r"getting|picking up|meeting|ordering|flying|leaving|starting|moving|seeing|dropping|visiting|hosting|taking|"
    r"heading|thinking (?:of|about)|considering|looking to|aiming) "
    r"|^(?:buy|pick up|pay|book|renew|return|collect|order|ring|phone|call (?!me\b)|e?mail|text|submit|finish|"
    r"cancel|drop off|take (?:the|out)|water|feed|wash|clean|prepare|pack|visit|get (?:the|a|an|some)|put (?:the|"
    r"a|out|up)|schedule|register|confirm|hand in|post|bring|apply for|invite|chase|ping|ask (?!me|before|first)|"
    r"send the|move the|back up)\b"
    r"|\bor else\b|\b(?:might|may) (?:drop|go|come|visit|try|take|join|buy|get|stop|swing|pop|move|switch|stay|"
    r"head|look|apply|see|call|meet|do|sell|start|end up|have to|need to)\b"
)
_WANT: Final = re.compile(
    r"\b(?:i|we|he|she|they|you|[a-z]+)(?:'ve| have| has|'s)? (?:still |really |also )?(?:got to|gotta|have to|"
    r"has to|need to|needs to|ought to|must(?! have)|should(?!n't have| have|'ve)|had better|'d better|wants? to|"
    r"would like to|'d like to|'d love to|would love to|wish to)\b"
    r"|\bneeds? [a-z]{3,}ing\b|\bneeds? (?:a new|to be|fixing|doing)\b"
)
# Things that need something all the time are no to-dos.
_OUGHT_TO_BE: Final = re.compile(
    r"^(?:(?:the|this|that|our|each|every|all|any|a|an|my [a-z]+'s) (?:[a-z-]+ ){1,4}|[a-z-]+s )(?:needs?|ha(?:s|"
    r"ve)|must|should) (?:to )?"
    r"(?:be (?:kept|stored|at|in|under|over|less|more|[a-z]+ed by|unique|signed)|stay|have|contain|match|use|"
    r"return|include|pass|start with|end with|fit)\b"
)
_MEETING: Final = re.compile(
    r"\b(?:meet(?:ing)?|call|interview|dinner|lunch|breakfast|brunch|flight|train|appointment|demo|party|class|"
    r"exam|dentist|doctor|date|game|match|concert|show|movie|kickoff|stand-?up|review|sync|wedding|pick ?up|"
    r"check-?in)\b"
)
_SOON: Final = re.compile(
    r"\b(?:tonight|later today|this (?:evening|afternoon|weekend)|after work|soon|shortly|in a (?:bit|while|few|"
    r"moment|minute)|next time|the other side of)\b"
)
_CANCELLED: Final = re.compile(
    r"\b(?:cancel+(?:ed|led)|called off|is off\b|are off\b|fell through|postponed (?!to|until|till)|"
    r"put off (?:the|our|my)|on ice|scrapped|shelved|(?:was|were) (?:supposed|going|meant|planning|hoping|about|"
    r"due|scheduled) to|(?:was|were) (?:planning|hoping|gonna)|had (?:planned|intended|hoped|wanted|meant) to|"
    r"(?:dropped|gave up|abandoned|ditched) (?:the|our|my|on|plans?|that)|changed (?:my|our|his|her|"
    r"their) minds?|backed out|bailed|won't (?:happen|be happening)|not happening|no longer (?:going|coming|"
    r"planning|happening)|isn't happening|stood me up|should'?ve|should have|could'?ve|could have|would'?ve|"
    r"would have|no-show|didn't happen|decided against|missed (?:the|my|our)|wanted to [a-z ]+ but)\b"
)

# -- the past --------------------------------------------------------------------------------------------------
_IRREGULAR: Final = _words(
    "went was were had did got made said told came took saw met bought brought thought taught caught fought sought "
    "felt found kept slept wept swept lost sold held stood understood heard built spent sent lent bent paid laid won "
    "ran began drank sang swam rang sank sat gave forgave ate fell drove rode rose wrote broke spoke stole chose "
    "froze woke tore wore swore bore flew grew knew drew threw blew shook forgot became fed bled bit hid slid lit "
    "shot struck stuck dug hung swung spun flung sprang dealt meant dreamt learnt burnt spelt spilt crept leapt "
    "leaned lied quit withdrew overslept misread undid redid rebuilt mistook overheard oversaw underwent"
)
# Being a parent says what somebody is, not whose.
_PARENT: Final = re.compile(
    r"\b(?:single|young|stay-at-home|working|proud|busy|expectant) (?:mother|father|parent|mum|mom|dad)\b|"
    r"\b(?:mother|father) of (?:two|three|four|five|\d)\b"
)
_SAME_FORM: Final = "quit|put|cut|set|hit|let|shut|hurt|read|cost|beat|bet|split|spread|cast|burst|led|left"
_NOT_PAST: Final = _words(
    "need feed speed seed bed red shed wed bleed breed exceed proceed succeed indeed hundred embed weed deed reed "
    "greed creed ted ned fred alfred jared kindred sacred naked wicked rugged ragged aged beloved unlimited limited "
    "advanced united shred sled medicated colored coloured talented gifted interested interesting mixed fixed used "
    "named supposed allergic unused untitled"
)
_BE: Final = _words(
    "is are am be been being isn't aren't gets get getting looks seems stays remains feels so very too quite really "
    "rather more most less half well un the a an my your our his her its their this that these those some any no all "
    "both each every of to for in"
)
_TOKEN: Final = re.compile(r"[a-z][a-z0-9]*(?:[-'_/.][a-z0-9]+)*|[.,;:!?()]")
_HAVE: Final = _words("have has haven't hasn't i've we've you've they've having")
_BETWEEN: Final = _words("not never always ever just also already both all only still now since been")
_CLIPPED: Final = ("'s", "'re", "'m", "isn't", "aren't")
_STARTS_DONE: Final = re.compile(
    r"(?:just |finally |already )?(?:fixed|mixed|used up|limited|led|left|hurt|quit) (?:up |off |out )?(?:the|"
    r"an?|my|our|his|her|their|all|some|in|at|with|for)\b"
)
_JUST: Final = re.compile(
    r"\b(?:just|already|finally|recently|yesterday|earlier|ago|once|last (?:night|week|month|year)|the other day|"
    r"this morning|back in|as a (?:kid|child)|for the first time|when (?:i|we|she|he) (?:was|were)|turned out|"
    r"ended up)\b"
)
_PARTICIPLE: Final = (
    "[a-z]+(?:[^e]ed|eed)|been|gone|done|seen|made|taken|given|got|gotten|had|bought|brought|thought|taught|"
    "caught|found|left|felt|"
    "kept|slept|lost|sold|told|said|held|heard|built|sent|spent|lent|paid|met|won|run|begun|drunk|sung|swum|written|"
    "driven|ridden|risen|broken|spoken|stolen|chosen|frozen|woken|torn|worn|sworn|flown|grown|known|drawn|thrown|"
    "shaken|forgotten|eaten|fallen|hidden|bitten|become|come|cut|put|set|let|hit|hurt|quit|shut|read|led|stuck"
)
_PERFECT: Final = re.compile(
    r"\b(?:have|has|'ve|(?<=he)'s|(?<=she)'s|(?<=it)'s|haven't|hasn't|had)(?: (?:just|already|finally|also|"
    r"recently|never|always|ever|both|all|not|since|still|only|now|even|once|yet|officially))* "
    rf"(?P<v>{_PARTICIPLE})\b"
)
_STILL_TRUE: Final = re.compile(
    r"\b(?:have|has|'ve|'s|haven't|hasn't)(?: (?:just|always|also|never|both|all|long))* (?:been (?:a|an|the|my|"
    r"our|his|her|in|at|on|with|vegan|vegetarian|sober|married|friends|living|working|using|allergic|together)|"
    r"lived|worked|owned|known|had (?:a|an|the|my|his|her|no|two|three|\d)|belonged|got (?:a|an|two|three|no|\d|"
    r"to|the|his|her|blue|brown|green)|taught|run|served|played|used|supported|kept|held|loved|liked|hated|"
    r"wanted|preferred|enjoyed|never liked)\b"
)
_ONCE: Final = re.compile(
    r"\bused to\b|\bno longer\b|\bnot .* any ?more\b|\bwas (?:really |so |totally |very )?(?:into|a (?:huge |"
    r"big )?fan of|obsessed|crazy about|fond of|addicted|hooked)\b|\bback in (?:school|college|the day|"
    r"university)\b|\bas a (?:kid|child|teenager|teen|student|boy|girl)\b|\bgrew out of\b|\bonce (?:loved|liked|"
    r"hated)\b"
)
_ORIGIN: Final = re.compile(
    r"\b(?:born|founded|established|built in|opened in (?:1|2)|(?:was|were) (?:acquired|incorporated|merged|"
    r"renamed|bought) by|invented|discovered|named after|was (?:written|released|launched|designed|made|built|"
    r"published|named|created|started|set up) (?:in|by|at)|dates (?:back|from)|grew up|majored in|"
    r"studied [a-z]+ (?:at|in)|was raised|originally from|comes from|came from|inherited|descends?|since (?:19|"
    r"20)\d\d)\b"
)
_DATED: Final = re.compile(
    r"\b(?:birthday|anniversary|fiscal year|tax year|season|semester|term (?:starts|ends)|born|expires?|"
    r"valid (?:until|till|through)|warranty|founded|established|name day|good until|best before|runs out|"
    r"holiday)\b"
)
# "He said he'd come" is still ahead.
_WOULD: Final = re.compile(
    r"(?:i|we|he|she|they)(?:'d| would) (?!like\b|love\b|rather\b|prefer\b|been\b|never\b|always\b|had\b|"
    r"[a-z]+ed\b)"
)
_DECISION: Final = re.compile(
    r"\b(?:decided|decision|chose|settled on|agreed (?:on|to|that)|went with|going with|standardi[sz]ed on|"
    r"opted for|resolved to|picked [a-z]+ (?:for|over|as)|we're using|adopted|switched to .* for all|"
    r"made it policy|ruled)\b"
)
_SAID: Final = re.compile(
    r"^[a-z' .]{1,30}?\b(?:said|says|told (?:me|us|him|her|everyone|[a-z]+)|mentioned|tells me|reckons|claims?|"
    r"claimed|announced|admitted|confirmed|wrote|texted(?: me)?|replied|explained|heard|learned)(?: to me| me|"
    r" us)?,? (?:that )?(?=(?:i|we|he|she|they|it|the|his|her|their|my|our|there|this|that)(?:'s|'d|'ll|'re|'ve|"
    r"'m)? |[a-z]+(?:'s|'d|'ll| (?:is|are|was|has|had|will|would|can)) )"
)


def cues(text: str, original: str) -> Cues:
    """The cues of ``text`` (evened out), with ``original`` for its capitals."""
    if _QUESTION.search(text):
        return {Cue.QUESTION}
    text = text.strip()
    if _says_nothing(text):
        return {Cue.FILLER}
    found: Cues = set()
    if lasting.STYLE_SURE.search(text) or (
        lasting.STYLE.match(text) and (lasting.STYLE_HINT.search(text) and lasting.OWN.search(text))
    ):
        found.add(Cue.STYLE)
    if _COMMAND.match(text):
        found.add(Cue.COMMAND)
    said = _SAID.match(text)
    body = text[said.end() :] if said else text
    if said and _WOULD.match(body):
        found.add(Cue.INTENT)
    named = _names_marked(body, original.strip()[-len(body) :])
    if lasting.DOES.match(named):
        found.add(Cue.HABIT)
    for pattern, cue in (
        (_CANCELLED, Cue.CANCELLED), (_INTENT, Cue.INTENT), (_WANT, Cue.WANT),
        (_SOON, Cue.SOON), (_MEETING, Cue.MEETING), (_ONCE, Cue.ONCE),
        (_ORIGIN, Cue.ORIGIN), (_DATED, Cue.DATED), (_DECISION, Cue.DECISION), (lasting.TASTE, Cue.TASTE),
        (lasting.HABIT, Cue.HABIT), (lasting.SYSTEM, Cue.SYSTEM), (lasting.FEELING, Cue.FEELING),
        (lasting.PROGRESS, Cue.PROGRESS), (lasting.FIRM, Cue.STATIVE), (lasting.FIRM, Cue.VERB),
        (lasting.PRESENT, Cue.VERB),
    ):  # fmt: skip
        if pattern.search(body):
            found.add(cue)
    if Cue.HABIT in found and re.search(r"\b(?:i|he|she)\b", body):
        found.discard(Cue.SYSTEM)
    elif re.search(r"\bwhen it\b", body):
        found.discard(Cue.HABIT)
    if _OUGHT_TO_BE.search(body):
        found -= {Cue.WANT, Cue.INTENT}
    if Cue.SOON not in found and (lasting.CONDITION.search(body) or lasting.WHENEVER.search(body)):
        # What an allergy asks for at all times is no errand.
        found -= {Cue.WANT, Cue.HABIT}
        if not _INTENT.search(lasting.REMINDING.sub("", body)):
            found.discard(Cue.INTENT)
    if _is_past(body):
        found.add(Cue.PAST)
    if (lasting.RELATION.search(body) or lasting.NAMED.search(named)) and not _PARENT.search(body):
        found.add(Cue.RELATION)
    return found


def _says_nothing(text: str) -> bool:
    if len(text) <= _SHORT and (_FILLER.fullmatch(text) or _BROKEN.search(text)):
        return True
    return bool(_STRONG_FILLER.match(text))


def _is_past(text: str) -> bool:
    """Whether a verb of the main part is in the past tense."""
    if _PERFECT.search(text) and not _STILL_TRUE.search(text):
        return True
    if re.search(rf"\b(?:he|she|it|who) (?:{_SAME_FORM})\b", text):
        return True
    if _STARTS_DONE.match(text):
        return True
    before, earlier = "", ""
    for match in _TOKEN.finditer(text):
        word = match[0]
        verb = word in _IRREGULAR or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)
        helper = earlier if before.endswith("ly") or before in _BETWEEN else before
        if verb and "-" not in word and helper not in _BE and helper not in _HAVE and not helper.endswith(_CLIPPED):
            return True
        before, earlier = word, before if before not in _BETWEEN else earlier
    return bool(re.search(r"\b[a-z]+'d (?:been|already|never)\b|\b(?:didn't|wasn't|weren't|hadn't|couldn't)\b", text))


def _names_marked(text: str, original: str) -> str:
    """``text`` with "@" before each word that a capital makes a name; the first one unless it is a common word."""
    if len(text) != len(original) or original == text:
        return text
    marked = _CAPITAL.sub("@", original).lower()
    return "@" + marked if original[:1].isupper() and not _COMMON.match(marked) else marked
