"""English words of what lasts: manners, tastes, habits, things that serve, moods, ties between people.

Word classes as regular expressions for ``english``, which says in which order they count. Only tables: no rules.
"""

from __future__ import annotations

import re
from typing import Final

OWN: Final = re.compile(
    r"\b(?:in an? [a-z]+ (?:tone|style|way|manner|voice)|my (?:e-?mails|messages|letters|docs|texts|code)|things|"
    r"stuff|concepts|your|pleasantries|to the point|when [a-z]+ing|like i'm|examples? first|"
    r"version first|always|never|by default|from now on|in future|whenever|every|everything|each|"
    r"when(?:ever)? (?:you|i|we)|for me|to me|with me|in all|in general|unless|rather than|instead of|over|"
    r"not [a-z]+|no [a-z]+|only|first|short|brief|concise|at most|under \d+|less than)\b"
)

STYLE: Final = re.compile(
    r"^(?:please |pls |just |and |for [^,]{2,30}, ?(?:please )?|in [^,]{2,30}, ?(?:please )?|"
    r"when(?:ever)? [^,]{2,40}, ?(?:please )?|if [^,]{2,40}, ?(?:please )?)*(?:always |never |don't |"
    r"do not |never ever |only )?"
    r"(?:use|keep|answer|reply|respond|address|call|write|format|avoid|stick|prefer|skip|leave|omit|speak|talk|"
    r"explain|start|end|begin|sign|quote|cite|give|show|send|spell|round|put|include|mention|assume|ask|tell|be|"
    r"sugar-?coat|apologi[sz]e|hedge|pad|repeat|bother|wrap|indent|name|structure|present|phrase|refer|remind|"
    r"say|mark|prefix|comment|go easy|get to|cut|lead with|spare|limit|suggest|recommend|summari[sz]e|translate|"
    r"list|convert|treat|make|no)\b"
)
STYLE_HINT: Final = re.compile(
    r"\b(?:answers?|reply|replies|respon[sd]e?s?|feedback|explanations?|explain|bullet|points|sentences?|"
    r"paragraphs?|tone|formal|informal|casual|brief(?:ly)?|concise(?:ly)?|short|verbose|emojis?|exclamation|"
    r"jargon|markdown|tables?|code|snippets?|examples?|comments?|docstrings?|type hints?|tabs|spaces|indent\w*|"
    r"spelling|metric|celsius|imperial|units?|dates?|iso|24-hour|format|names?|function|variables?|matplotlib|"
    r"python|rust|plots?|diffs?|summar\w+|english|german|french|spanish|chinese|british|american|language|things|"
    r"concepts|stuff|version|me as|call me|letters|e-?mails?|messages|sources?|cite|citations?|links?|numbers?|"
    r"first names?|dark|light|small talk|preamble|disclaimers?|caveats?|apolog\w+|filler|step by step|steps|"
    r"straight|to the point|point|pleasantries|measurements?|title|honest|blunt|gentle|polite|patient|reviews?)\b"
)
STYLE_SURE: Final = re.compile(
    r"\b(?:call|address) me\b|^[a-z-]+(?: [a-z-]+)?, not [a-z-]+|\bi go by\b|\b(?:tabs|spaces|dark|"
    r"light) (?:over|not)\b|\b(?:i'd|i would) (?:love|like|appreciate|prefer) it if you\b|\bplease (?:don't|"
    r"always|never|keep|use|be|answer|reply|write|avoid|stick)\b|\bwhen (?:you|answering|replying|writing|"
    r"explaining|reviewing)\b[^.]*\b(?:please|use|keep|don't|give|start|be|always|never|skip|show)\b|"
    r"\bno (?:emojis?|exclamation|jargon|preamble|small talk|filler|apologies|comments|need to)\b|\b(?:i want|"
    r"i need|i expect) (?:you to|answers|replies|short|your)\b|\b(?:don't|never|stop) (?:sugar-?coat|use|call|"
    r"give|send|write|start|end|add|tell|explain|assume|apologi|ask|wake|text|phone|ring|put|include|make me)|"
    r"\b(?:dark|light) (?:mode|theme)\b|, please$"
)

TASTE: Final = re.compile(
    r"\b(?:ideal|perfect|dream) [a-z]+(?: [a-z]+)? (?:is|would be|involves|means)\b|\bgives? (?:me|him|her|"
    r"us) (?:a|an|the|so much|great) |"
    r"\b(?:we're|they're|i'm|he's|she's|they are|we are) (?:a |an |more of a |such )?[a-z]+ (?:people|person|"
    r"folks?|types?)\b(?! in| at| with| of)|"
    r"\b(?:isn't|aren't|not|ain't)(?: just| really| quite| exactly)* (?:my|his|her|our) (?:thing|style|taste|"
    r"speed|scene|kind)\b|\b(?:just )?(?:aren't|isn't) for (?:me|him|her|us)\b|"
    r"\bcan(?:'t|not) (?:[a-z]+ ){1,3}(?:with|without|unless)\b|\bonly (?:wants?|likes?)\b|\bnot for (?:me|him|"
    r"her)|my (?:vice|jam|"
    r"happy place|weakness|kryptonite)\b|"
    r"\bfinds? [a-z]+ (?:[a-z]+ )?[a-z]+(?:ing|able|ful|less|ous|ive|ish)\b|\bneeds? [a-z ]+ to (?:concentrate|"
    r"sleep|think|relax|focus|function|unwind)\b|"
    r"(?<!'d )(?<!would )\b(?:likes?(?= (?:to\b|my|his|her|their|our|your|the|it|a\b|an\b|when|how|that|being|"
    r"having|[a-z]+ing\b|[a-z]+))|loves?(?! (?:letter|story|song|life))|hates?|enjoys?|prefers?|dislikes?|"
    r"adores?|despises?|detests?|loathes?|fancies|cherish(?:es)?|craves?|relish(?:es)?|"
    r"favou?rs? )\b(?<!\bfeel like)(?<!\blook like)"
    r"|\b(?:don't|doesn't|do not|does not|never|didn't) (?:really |much |particularly |even )?(?:like|love|enjoy|"
    r"care for|care about|mind|fancy|get on with|trust|believe in|do (?:spicy|small talk|mornings|cilantro))\b"
    r"|\bcan(?:'t|not| not) (?:do [a-z]+|say no to|get through|go without|have [a-z]+ without|sit through|"
    r"deal with|take [a-z]+ing|imagine|pass up|stand|bear|stomach|resist|live without|get enough|do without|"
    r"be bothered|start|function|sleep without|tolerate|abide|go (?:a|one) day)\b"
    r"|\b(?:fond of|fans? of|keen on|(?:am|is|are|'m|'s|'re|was|really|so|totally|still|super|heavily|big|"
    r"getting|deep) into (?!the|a\b|an\b|my\b|law\b|account|tears|pieces|production|trouble|english|two|three|"
    r"which|it\b)|crazy about|nuts about|mad about|obsessed|addicted to|hooked on|partial to|passionate about|"
    r"sucker for|soft spot|weakness for|sweet tooth|cup of tea|guilty pleasure|pet peeve|turn-?off|turns me off|"
    r"drives? (?:me|him|her|us) (?:mad|crazy|nuts|up the wall|insane|bonkers)|gets? on (?:my|his|her) nerves|"
    r"makes? (?:me|him|her|my) (?:gag|sick|happy|cringe|skin|eyes|day|want to)|puts? (?:me|him|her) off|"
    r"appeals? to|not a fan|no fan of|a (?:cat|dog|morning|night|tea|coffee|beach|mountain|people|city|book|wine|"
    r"beer|savou?ry|sweet|winter|summer) person|night owl|early bird|homebody|foodie|bookworm|more of an?|"
    r"beats? [a-z]+|the (?:hotter|spicier|darker|sweeter|louder|older i get|simpler|more|less|fewer|bigger|"
    r"smaller|shorter|longer|quieter|colder|stronger|crunchier)[^,.]*,? the [a-z]+er|the [a-z]+er (?:i|we|he|she|"
    r"they) [a-z]+, the (?:more|less|fewer)|nothing beats|insists? on|bor(?:es|ed) (?:me|him|her|us|them)|"
    r"best part of (?:my|his|her) day|(?:think|thinks|finds?|considers?) [a-z ]{2,20} (?:is|are|is so|are so|too|"
    r"very)? ?(?:boring|overrated|underrated|ugly|beautiful|silly|pointless|great|awful|terrible|amazing|"
    r"the best|the worst|gross|disgusting|delicious|stupid|a waste|better|worse|tedious|dull)|(?:makes?|puts?|"
    r"gets?|leaves?|drives?|turns?|keeps?) (?:me|him|her) (?!a\b|to\b|home|at\b|up\b|out of|sick leave)[a-z]+|"
    r"(?:'d|would) (?:pick|choose|go for|take) [a-z]+(?! off| up| to)|ideas? of (?:hell|heaven|fun|a (?:good|"
    r"perfect|great|bad) [a-z]+)|can(?:'t|not) [a-z]+ (?:with|without|unless|until|in) [a-z ]+|(?:loyal|faithful|"
    r"committed|convinced) [a-z]+ (?:user|customer|reader|fan)|(?:annoys?|bugs?|irritates?|bothers?|disgusts?|"
    r"fascinates?|soothes?|calms?|relaxes|delights?|cheers) (?:me|him|her|us)(?: up)?|grates on|gives? (?:me|him|"
    r"her) the (?:creeps|ick)|makes? (?:me|him|her) (?:sleepy|nervous|uncomfortable|smile|cry|angry|shudder|"
    r"cringe)|suits? (?:me|him|her)|works? best for (?:me|him|her)|(?:picky|particular|fussy|strict|crazy|"
    r"serious|snobbish|passionate) about|has a thing|my kind of|not my (?:style|kind|type|idea|favou?rite)|"
    r"(?:avid|die-hard|lifelong|devoted|keen) [a-z]+|(?:huge|massive|big) (?:fan|believer|reader|foodie|eater|"
    r"drinker|gamer)|[a-z]+ (?:buff|nerd|lover|enthusiast|junkie|snob|geek|addict|fanatic|purist|aficionado|"
    r"hater|person)\b|hold the [a-z]+|a must\b|deal-?breaker|no patience (?:for|with)|patience for|could (?:eat|"
    r"listen|watch|live on|read|drink|spend)|(?:would|'d|will|'ll) (?:pick|choose|take) [a-z ]+ (?:over|any day)|"
    r"rather [a-z ]+ than|lean(?:s|ing)? towards?|opts? for|goes for|go for (?!a\b)|sticks? (?:to|with)|"
    r"as long as it's|lets? (?:me|him|her) (?:down|cold)|leaves? (?:me|him|her) cold|comfort (?:zone)|"
    r"live-action|can take or leave|not (?:big on|keen|into|my thing|her thing|his thing|one for)|isn't (?:my|"
    r"his|her) thing|not to my liking|big on|fine by me|thing for|all about|swears? by|would(?:n't)? rather|"
    r"'d rather|would sooner|over (?:[a-z]+ )?(?:any day|every time|whenever|anytime)|any day of the week|"
    r"to my taste|taste in|ideal (?:weekend|evening|holiday|day|vacation|date)|perfect (?:weekend|evening|day|"
    r"holiday|date|breakfast)|go-to|of choice|preferences?|preferred|preferable|happiest when|at (?:my|his|"
    r"her) happiest|comfort (?:food|show|film|movie|read)|worst nightmare|repuls|disgust|delicious|tast(?:es|y)|"
    r"yummy|overrated|underrated|bores? me|love-hate|no [a-z ]+ (?:for me|please|ever)|"
    r"finds? (?:[a-z]+ ){1,4}(?:[a-z]+ing|dull|tedious|relaxing|pointless|ugly|beautiful)|live for|lives for|"
    r"lives on|has to be|picky|squeamish|scared of|afraid of|terrified of|phobia|allergic to small talk|"
    r"freaks? (?:me|him|her) out|won't (?:touch|eat|drink|wear|go near|watch|listen|read|fly|use|drive|even|have|"
    r"buy|take|leave the house)|refuses? to|never (?:touch|eat|drink|wear|watch|use|buy|drive|take|say no)|"
    r"can do without|wouldn't (?:be caught|touch|dream))\b"
    r"|\b(?:favou?rites?)\b(?= (?:[a-z]+ ){0,4}(?:is|are|was|has|of|:|would)\b)|\b(?:is|are|'s|was|among|"
    r"as) (?:my|his|her|our|their|[a-z]+'s) (?:all-time |absolute |current |least )?favou?rites?\b|^favou?rite\b"
    r"|^(?:love|like (?!most|many|all|any|every|other)|hate|prefer|adore|loathe|enjoy|dislike|not a|"
    r"can't stand)\b|\bover [a-z]+ (?:for|when|whenever|any)\b"
)
HABIT: Final = re.compile(
    r"\b(?:always|usually|normally|typically|generally|often|never|rarely|seldom|hardly ever|sometimes|"
    r"occasionally|frequently|regularly|habitually|religiously|invariably|mostly|tends? to|as a rule|"
    r"out of habit|routine|ritual|habit of|in the habit|every (?:other |single |second )?(?:day|morning|night|"
    r"evening|afternoon|week|weekend|month|year|spring|summer|autumn|fall|winter|time|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|hour|lunch|christmas|meal|few|two|three|\d+)|each (?:day|morning|night|"
    r"evening|week|month|year|time|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|daily|nightly|"
    r"weekly|monthly|on (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays|"
    r"school nights)|(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays)|"
    r"(?:once|twice|(?:two|three|four|five|\d) times) (?:a|per) (?:day|week|month|year)|(?:a|per) (?:day|"
    r"week) (?=to)|whenever|before bed|before breakfast|after (?:dinner|lunch|breakfast|every)|first thing|"
    r"in the (?:mornings|evenings|afternoons)|avoids?|steers? clear|only (?:drinks?|eats?|wears?|reads?|"
    r"watch(?:es)?|buys?|uses?|listens?|shops?|works?|flies|travels?|takes?|writes?|answers?|checks?|orders?)|"
    r"(?:drinks?|takes?|has|have|eats?) (?:my|his|her|their|our) (?:coffee|tea|steak|eggs|whisky|pizza|toast|"
    r"burgers?)|without (?:sugar|milk|fail)|(?:i|he|she|we|they) (?:don't|doesn't|do not|does not|won't) (?:eat|"
    r"drink|take|do|use|wear|watch|read|answer|buy|smoke|cook|check|go out|listen|play|touch|add|put|talk)|"
    r"makes? a point of|(?:goes|go) to bed|(?:gets?|wakes?) up (?:at|before|early|late)|(?:starts?|begins?|"
    r"ends?) (?:my|his|her|the|their|our) (?:day|morning|evening|week) with|skips? (?:breakfast|lunch|dinner)|"
    r"only ever|strictly|in one go|(?:sleeps?|sleep) (?:in|with|on)|(?:sundays?|saturdays?|mornings?|evenings?|"
    r"mondays?|fridays?|nights) are (?:for|sacred|reserved)|won't (?:answer|check|work|take calls)|if it's|"
    r"when it (?:rains|snows)|to unwind|to relax|to wind down)\b"
)
CONDITION: Final = re.compile(
    r"\b(?<!not )(?<!n't )allergic to\b|\b(?:has|have|'ve got|'s got|suffers? from|with) (?:[a-z0-9]+ ){0,4}"
    r"(?:allerg(?:y|ies)|asthma|diabetes|coeliac disease|celiac disease|epilepsy|haemophilia|hemophilia|"
    r"high blood pressure)\b|\b[a-z]+[ -]intolerant\b"
)
WHENEVER: Final = re.compile(
    r"\b(?:any|whatever|whenever|always)\b[^.;]{0,40}\b(?:must|has to|have to|needs? to|should)\b|"
    r"\b(?:must|has to|have to|needs? to|should) always\b"
)
REMINDING: Final = re.compile(r"\b(?:remember to|don't forget(?: to)?|do not forget(?: to)?|make sure(?: to)?)\b")
# What people do again and again, in the present tense, where nothing tells of one time.
_ACTIVITY: Final = (
    "take|drink|eat|wear|read|watch|listen|order|sleep|walk|cook|bake|brush|shower|meditate|pray|write|buy|shop|"
    "put|add|finish|spend|leave|check|answer|pack|sing|dance|sit|stay|nap|train|swim|cycle|bike|jog|knit|garden|"
    "collect|tip|split|travel|celebrate|dress|shave|iron|clean|wash|vote|commit|do|bring|smoke|dip|salt|peel|"
    "fold|sort|label|review|proofread|double-check|memorise|memorize|hum|doodle|snack|binge|reread|save|skip|bet|"
    "haggle|journal|plan|unplug|charge|prep|toast|grill|warm|stretch|lift|fall|get|go for|go out|go without"
)
SYSTEM: Final = re.compile(
    r"\b(?:the|our|this|that|each|every|all|its|a|an|on|in) (?:[a-z-]+ ){0,2}(?:server|database|db|api|endpoint|"
    r"app|service|job|script|pipeline|backup|backups|build|cron|repo|repos|repository|cache|queue|request|"
    r"requests|tests?|cluster|config|log|logs|token|tokens|branch|release|sprint|office|clinic|shop|store|bakery|"
    r"library|museum|bank|gym|pool|train|trains|bus|buses|ferry|flight|tram|metro|company|firm|school|team|"
    r"standup|stand-up|newsletter|invoice|invoices|contract|warranty|insurance|rent|salary|subscription|garbage|"
    r"bins|trash|recycling|market|restaurant|café|cafe|machine|printer|router|thermostat|heating|alarm|system|"
    r"policy|shuttle|parking|ticket|tickets|fee|fees|price|prices|doors|gate|lift|elevator)\b|\b[a-z]+_[a-z_]+\b|"
    r"\b(?:ci|cron|postgres|redis|nginx|docker|kubernetes|github|jenkins|http|tls|dns|ssh|vpn|wi-fi|writes|"
    r"reads)\b|\bit (?:costs|takes|opens|closes|runs|weighs|measures)\b|\b(?:opens?|closes?|closed) (?:at|on|"
    r"from)\b|\b(?:runs|expires|resets|syncs|restarts|refreshes|rotates|renews) (?:every|each|at|daily|nightly|"
    r"on)\b"
)
_MOOD: Final = (
    "worn out|exhausted|tired|sleepy|nervous|anxious|worried|sad|happy|thrilled|excited|angry|furious|annoyed|upset|"
    "stressed|overwhelmed|bored|lonely|depressed|devastated|heartbroken|relieved|proud|ashamed|embarrassed|"
    "frustrated|disappointed|jealous|scared|hungry|thirsty|starving|sick|ill|hungover|dizzy|burned out|burnt out|"
    "homesick|grateful|hopeful|confused|shocked|fed up|drained|miserable|restless|swamped|broke|stuck|late|"
    "feeling|feel (?:like|so|really|a bit|very|awful|great|terrible|better|worse|sad|tired|lost|empty|guilty)|"
    "feels (?:like|so|awful|great)|in a (?:good|bad|great|foul|terrible) mood|over the moon|down with|"
    "under the weather|on hold|in tears|on edge|at my wits|speechless|in pain|losing my|sore|aching|hurts|"
    "killing me|so (?:cold|hot|loud|done|tired|happy)"
)
FEELING: Final = re.compile(
    rf"\b(?:i'm|i am|we're|we are|he's|she's|they're|he is|she is|they are|[a-z]+ (?:is|are)|[a-z]+'s|feeling|"
    rf"still|so|really|bit|totally|completely)(?: (?:so|really|very|a bit|a little|completely|totally|still|too|"
    rf"pretty|absolutely|quite|just|all|super|kind of|rather|currently|at the moment))* (?:{_MOOD})\b|\bi feel\b|"
    rf"^feeling\b|\bmy (?:head|back|tooth|stomach|feet|knee|throat)[a-z ]* (?:hurts?|aches?|is killing)\b|"
    rf"\bmissing (?:my|home|her|him)\b"
)
_ADJECTIVES: Final = (
    "boring|missing|interesting|exciting|amazing|annoying|relaxing|tiring|confusing|pending|outstanding|willing|"
    "charming|lacking|demanding|challenging|depressing|overwhelming|disgusting|soothing|refreshing|existing|"
    "matching|ongoing|promising|housing|pricing|wedding|string|king|ring|thing|spring|nothing|something|anything|"
    "everything|evening|morning|during|building|meeting|ceiling|painting|clothing|sibling|darling|offering|"
    "dressing|pudding|stocking|parking|living|skiing|swimming|hiking|cooking|gaming|reading|writing|going|dating"
)
PROGRESS: Final = re.compile(
    r"^(?:waiting|sitting|feeling|reading|watching|working|struggling|dealing|recovering|suffering|missing|"
    r"listening|standing|lying|freezing|crying|writing|debugging|enjoying|stuck|still (?:no|waiting|in|not)|"
    r"on my way|halfway|down with|home sick|in tears|out of|no luck|just back|back from|can't (?:sleep|stop|"
    r"believe))\b(?! (?:[a-z]+ ){0,4}(?:is|are|makes|helps|calms|relaxes)\b)|\b(?:in the middle of|currently|"
    r"right now|"
    r"at the moment|these days|for now|at present|lately|nowadays|as we speak|so far|all (?:week|day|morning|"
    r"night|month))\b"
    r"|\b(?:i'm|i am|we're|we are|he's|she's|they're|it's|it is|he is|she is|they are|there's|who's) (?:still |"
    r"currently |just |slowly |also |finally |now |always |only )*(?!getting married|going to|planning|dating|"
    r"missing (?:a|an|one)|willing)(?!boring|annoying|charming|demanding)[a-z]{2,}ing\b(?! (?:person|partner|"
    r"teacher|coach|club|instructor|room|distance))"
    rf"|\b[a-z]+ (?:is|are) (?!(?:{_ADJECTIVES})\b)(?:still |currently |slowly |now )*(?:[a-z]{{2,}}(?:ying|king|"
    rf"ling|ting|ding|ring|ning|ming|ping|sing|ving|zing|wing|cing|ging|hing|bing|"
    rf"ling))\b(?= [a-z])(?! (?:person|partner|"
    rf"teacher|is|are|station|room|machine))|\b(?:have|has|'ve|'s) been [a-z]+ing\b"
)
FIRM: Final = re.compile(
    r"\b(?:i am|i'm|is|are|was|has|have|'s|'re|lives?|works?|owns?|costs?|takes|contains?|needs?|uses?|means?|"
    r"equals?|speaks?|weighs?|holds?|covers?|seats?|carries|defaults?|runs|goes|lands?|leaves|closes|opens|"
    r"starts|requires|supports|includes|belongs|comes|measures|consists|knows|studies|teaches)\b"
)

# A verb in the third person, or one behind a person.
PRESENT: Final = re.compile(
    r"(?<=[a-z] )(?:[a-z]{3,}[^su]s)\b (?:[a-z]|$)|\b(?:i|we|they|you) (?!had\b|was\b|were\b|did\b)[a-z]+\b"
)

_KIN: Final = (
    "(?:step|foster |half-|grand|great-|god|ex-|co-|adoptive |biological |birth |twin |late |younger |older |"
    "elder |eldest |youngest |little |big |baby |only |oldest |second |first )*"
    "(?:mother|father|mum|mom|dad|parents?|brothers?|sisters?|siblings?|sons?|daughters?|child|children|kids|"
    "husband|wife|spouse|partner|fianc[eé]e?|boyfriend|girlfriend|cousins?|aunt(?:ie)?|uncle|niece|nephew|nieces|"
    "nephews|twins?|triplets|in-laws?|(?:mother|father|sister|brother|son|daughter)s?-in-law|relatives?|grandma|"
    "grandpa|granny|nan|families|family|couple|soulmates?|exes|ex|widow|widower|guardian|godparents?|godson|"
    "goddaughter|lovers?|significant other|better half)"
)
_TIE: Final = (
    "(?:best |close |closest |old |oldest |childhood |good |dear |mutual |former |ex-|long-time |longtime |"
    "fellow |co-|new |direct |line |current |previous |sworn |arch-|family )*"
    "(?:friends?|buddy|buddies|pals?|mates?|bff|acquaintances?|penpals?|pen pals?|roommates?|flatmates?|"
    "housemates?|classmates?|schoolmates?|teammates?|bandmates?|desk ?mates?|workmates?|colleagues?|coworkers?|"
    "co-workers?|neighbou?rs?|boss(?:es)?|managers?|supervisors?|mentors?|mentees?|protég[eé]e?|apprentice|"
    "students?|pupils?|teachers?|tutors?|coach(?:es)?|trainers?|professors?|advis[oe]rs?|instructors?|landlord|"
    "landlady|tenants?|lodgers?|clients?|customers?|suppliers?|vendors?|contractors?|employers?|employees?|"
    "assistants?|secretary|interns?|reports?|subordinates?|business partners?|co-?founders?|founders?|investors?|"
    "shareholders?|rivals?|competitors?|enem(?:y|ies)|nemesis|doctor|gp|dentist|vet|[a-z]+ologist|[a-z]+iatrist|"
    "[a-z]+iatrician|surgeon|physio(?:therapist)?|optician|midwife|pharmacist|pastor|priest|rabbi|tailor|"
    "gardener|driver|butcher|therapist|lawyer|solicitor|accountant|hairdresser|barber|nanny|babysitter|cleaner|"
    "plumber|mechanic|agent|broker|contact(?: person)?|emergency contact|subsidiary|parent company|"
    "sister company|affiliate|distributor|reseller|ally|allies|comrades?|successor|predecessor|heir|bridesmaid|"
    "best man|maid of honou?r|witness|confidante?|crush|date|idols?|editor|publisher|sponsor|patron|guests?|"
    "hosts?|godfather|godmother|stepfather|stepmother|counterpart|liaison|account manager|second (?:mother|"
    "father)|team lead(?:er)?|tech lead|captain|chief|head of [a-z]+|skipper|bandleader|hero|rock)"
)
_REL: Final = rf"(?:{_KIN}|{_TIE})"
_OWNER: Final = r"(?:my|our|his|her|their|your|its|[a-z]+'s|[a-z]+s')"
DOES: Final = re.compile(
    rf"^(?:i|we|they) (?:both |all |also |still |just |mostly |even )*(?:{_ACTIVITY})\b(?! (?:size|glasses|"
    rf"contacts|contact lenses|braces|a hearing|insulin|medication|place|part|care))"
    rf"|^(?:he|she|@[a-z]+|my (?:[a-z-]+ )?{_REL}) (?:both |all |also |still |just |mostly |"
    rf"even )*(?:(?:{_ACTIVITY})(?:e?s)|does|goes (?:for|out|to bed)|tries|carries|studies at)\b(?! (?:size|"
    rf"glasses|contacts|braces|a hearing|insulin|place|part|care))"
)
_AFTER: Final = (
    r"(?=\s*(?:$|[.,;:!()]|(?:of|to|at|in|from|for|on|with|since|who|and|by|here|now|too|as|again|through|via|"
    r"there|because|but|until|anymore|back|when|after|before|during|over|under|both|ever)\b))"
)
_BE_WORD: Final = (
    r"(?:is|are|was|were|am|'s|'re|'m|been|be|became|become|remains?|being|makes? (?:him|her|us|me|them)|"
    r"consider[s]? [a-z]+|call[s]? (?:him|her)|as|like|basically|also)"
)
RELATION: Final = re.compile(
    r"\b(?:don't|doesn't|no longer|barely|hardly|never) (?:speak|talk|get along|get on)(?: to each other|"
    r" with (?:me|him|her))?(?: any ?more)?$|"
    r"\b(?:works?|worked|serves?) under (?!pressure|the|a|load|linux|windows|stress)@?[a-z]+|"
    r"\band (?:i|me|my [a-z]+) (?:co-?founded|share|co-?own|started [a-z ]+ together)\b|"
    rf"\b{_BE_WORD} (?:still |also |not |now |only |both |all |actually |technically |basically |probably |just |"
    rf"kind of |sort of )*"
    rf"(?:(?:the |a |an )?(?:one of |some of |both )?(?:the )?{_OWNER} (?:[a-z'-]+ ){{0,4}}?{_REL}s?{_AFTER}|"
    rf"(?:a|an|the|another|distant|second|first|good|best|close|old|identical|fellow|"
    rf"former) (?:[a-z'-]+ ){{0,3}}?{_REL}{_AFTER}(?= (?:of|to|at|on|in|from)\b.*\b(?:mine|ours|his|hers|theirs|"
    rf"my|our|her|his|their|[a-z]+'s|[a-z]+)\b)|(?:[a-z-]+ ){{0,2}}?(?:siblings|cousins|twins|friends|"
    rf"best friends|brothers|sisters|colleagues|neighbou?rs|roommates|flatmates|housemates|classmates|teammates|"
    rf"bandmates|rivals|partners|enemies|exes|lovers|related|married|divorced|engaged|dating|seeing each other|"
    rf"separated|estranged|business partners|in-laws|competitors|relatives|coworkers|co-workers|soulmates|mates|"
    rf"penpals|godfather|godmother|godparents?|guardian|stepmother|step-?siblings|half-?(?:brothers|sisters|"
    rf"siblings)|co-?founders|pals|buddies){_AFTER})"
    rf"|\b(?:married|engaged|related|close|loyal|betrothed|apprenticed) to (?=[a-z])(?!midnight|home|work|"
    rf"the (?:end|station|sea|city|park|beach|office|idea))|\b(?:friends|best friends|buddies|pals|in love|"
    rf"partnered|acquainted|on (?:good|bad|first-name|speaking) terms|on speaking terms|going out|"
    rf"in a relationship) with\b|\b(?:reports?|answers?) (?:directly )?to (?:me|him|her|us|the|"
    rf"[a-z]+)\b(?! the (?:phone|door))|\b(?:works?|worked) (?:for|under|alongside) (?:me|us|him|her|my (?:dad|"
    rf"father|mother|mum|wife|husband))\b|\b(?:i|we) (?:report|answer) to\b|\b(?:is|are|was|'s|'m) (?:dating|"
    rf"seeing)\b|\bused to (?:date|be married|be (?:my|our))\b|\b(?:coaches|teaches|babysits|tutors|mentors|"
    rf"supervises|manages|employs|represents|trains|treats) (?:me|us|my|our|his|her)\b|\b(?:works?|is|are|sits?|"
    rf"was) (?:on|in|next to|beside|across from) (?:my|our|his|her) (?:team|class|desk|department|band|"
    rf"office)\b(?! is)|\bshares? (?:a|an) [a-z]+ with (?:me|us)\b|\b(?:grew|brought) up together\b|"
    rf"\bgrew up (?:together|next door)\b|\blike (?:a|an) (?:brother|sister|father|mother|uncle|aunt|son|"
    rf"daughter) to\b|\b(?:handles|does|keeps) (?:our|my) (?:books|taxes|accounts?|garden|hair)\b|\b(?:cleans|"
    rf"looks after|takes care of|walks|cuts) (?:our|my) (?:house|flat|kids|dog|hair|garden|children)\b|"
    rf"\bcompetes? with us\b|\bsupplies us\b|\b(?:owned|run|led|founded|acquired|employed|adopted) by (?:my|our|"
    rf"his|her|the same)\b|\b(?:mother|father|widow|parent|guardian|son|daughter|child) of (?:my|our|his|her)\b|"
    rf"\b(?:separated|divorced) from\b|\bin charge of (?:me|my team|us)\b"
    rf"|\b(?:i|we|he|she|they|[a-z]+) (?:have|has|'ve got|'s got|had|have got) (?:no |an? |one |two |three |"
    rf"four |five |six |seven |\d+ |several |many |some |only |just )+(?:[a-z]+ )?(?:brothers?|sisters?|siblings|"
    rf"sons?|daughters?|children|kids|cousins?|grandchildren|nieces?|nephews?|stepchildren|stepsons?|"
    rf"stepdaughters?|twins|half-brothers?|half-sisters?)\b|\bonly child\b|\b(?:speaking terms|godfather to|"
    rf"godmother to|mentor to|raised (?:me|him|her|us)|of ours\b|of mine\b|brought me up|"
    rf"went to (?:[a-z]+ )?(?:school|college|university|kindergarten) together|teach(?:es)? (?:me|us|my [a-z]+)|"
    rf"taught (?:me|us|my [a-z]+)(?= [a-z]+(?:$|\.))|neighbou?rs with|share (?:a|an) (?:flat|apartment|office|"
    rf"house|father|mother|desk)|each other since|known [a-z]+ (?:since|for (?:years|ages|ever|\d|a|over|almost|"
    rf"more))|(?:youngest|oldest|eldest|middle) (?:child )?of (?:two|three|four|five|six|seven|\d) ?(?:children|"
    rf"siblings|kids|brothers|sisters)?|and (?:i|me|my [a-z]+) (?:are|were|have been) (?:very |really |"
    rf"no longer |still |quite )*(?:close|inseparable|tight|estranged|on good terms)|known (?:each other|her|him|"
    rf"them) (?:since|for)|is who introduced|have been together|been together|ex-husband|ex-wife)\b"
)

# "My boss is Linda": "@" stands before a name.
NAMED: Final = re.compile(
    r"^@[a-z]+(?: and @[a-z]+| @[a-z]+)?(?: is| was| are| were|'s)(?: still| also| now)? (?:my|our|"
    r"@[a-z]+'s) (?:[a-z-]+ ){0,3}"
    r"(?!(?:dog|cat|pet|horse|parrot|hamster|hometown|home|school|company|bank|language|names?|password|"
    r"favou?rite|idea|project|car|bike|boat|"
    r"editor|app|address|choice|code|handle|username|street|brand|birthplace|team|thing|day|city|town|country|"
    r"birthday|goal|plan|hobby|job|"
    r"website|server|database|laptop|phone|weakness|style|type)s?\b)[a-z]+[.!]?$|"
    rf"^(?:my|our|his|her|their|the|@?[a-z]+'s) (?:[a-z'-]+ ){{0,2}}?{_REL}(?:'s name|s' names)?(?: (?:at|in|on|"
    rf"from|across|over|down|opposite|and|upstairs|downstairs|next door|for|with)[a-z' ]{{0,24}})?(?: is|'s| are|"
    rf" was| were)"
    r"(?: (?:called|named|a (?:[a-z]+ ){1,3}(?:named|called)|the|still|also|now))* @"
)
