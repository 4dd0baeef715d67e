"""Memories as a model sees them: quoted data with id and source, within a token budget; and as JSON values.

Every line of a memory's text is prefixed, so that no memory can pretend to be the words around it. Must not
choose or rank memories: it shows what it is given, shortened where the whole answer would exceed the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from app.mcp.labels import LABELS
from app.mcp.words import Language
from engine import tokens
from engine.types import FINDABLE, DigestDue, Explanation, Hit, Memory, Recollection

# What the lines around a memory's text cost, about; the rest of the budget is for the texts.
HEADER_TOKENS = 24
# Less than this of a memory says nothing; its id is kept all the same.
LEAST_TOKENS = 6
SNIPPET_TOKENS = 40
# What a memory says after a merge: enough to check it.
MERGED_TOKENS = 160
# In place of a sensitive text.
HIDDEN = "…"
# Nobody limits what is written into titles and tags, so what is shown of them is limited here.
TITLE_TOKENS = 40
TAG_TOKENS = 16
MOST_TAGS = 16


@dataclass(frozen=True, slots=True)
class Answer:
    """The same memories twice: ``text`` quoted for reading, ``items`` as JSON; ``left_out``: found no room here."""

    text: str
    items: list[dict[str, Any]]
    left_out: int = 0


def utc(moment: datetime) -> str:
    """UTC with offset, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def digests_due(due: Sequence[DigestDue], language: Language) -> str:
    """What waits to be digested, in one line."""
    parts = [LABELS[f"digests_due_{one.level}"][language].format(count=one.count, latest=one.latest.period)
             for one in due]  # fmt: skip
    what = ("；" if language == "zh" else "; ").join(parts)
    return LABELS["digests_due"][language].format(what=what)


def waiting(one: DigestDue) -> dict[str, Any]:
    """What waits to be digested at one level, as JSON values."""
    periods = [{"period": due.period, "sources": due.sources} for due in one.periods]
    return {"level": one.level, "count": one.count, "latest": one.latest.period, "periods": periods}


def text_budget(budget: int, k: int) -> int:
    """What the engine may spend on texts, so that ``budget`` holds over the whole answer with its headers."""
    return max(budget - HEADER_TOKENS * k, budget // 2, 1)


def recollection(found: Recollection, budget: int, language: Language, instruction: str = "") -> Answer:
    """The answer to a recall; ``tokens.estimate`` of its text never exceeds ``budget`` plus the fixed first line.

    ``instruction`` follows where sensitive memories are shown or hidden.
    """
    # Room for the line that counts what found no room is kept from the start.
    doubt = _doubt(found, language)
    longest = _notes(replace(found, omitted=found.omitted + len(found.hits)), language, instruction)
    left = budget - tokens.estimate("\n".join([*doubt, *longest]))
    blocks: list[str] = []
    items: list[dict[str, Any]] = []
    for hit in found.hits:
        above, below = _above(hit), _why_line(hit.explanation)
        shown = _fit(hit, left - tokens.estimate("\n".join([*above, *below, "", ""])))
        if shown is None:
            break
        block = "\n".join([*above, quote(shown.text), *below])
        blocks.append(block)
        items.append(_hit(shown))
        left -= tokens.estimate(block + "\n")
    left_out = len(found.hits) - len(blocks)
    notes = _notes(replace(found, omitted=found.omitted + left_out), language, instruction)
    first = LABELS["found"][language].format(count=len(blocks)) if found.hits else LABELS["nothing"][language]
    return Answer("\n".join([first, *doubt, *blocks, *notes]), items, left_out)


def page_lines(memories: Sequence[Memory], total: int, cursor: str | None, language: Language) -> Answer:
    """A page of memories, one line each, with a snippet."""
    lines = [LABELS["page"][language].format(count=len(memories), total=total)]
    items: list[dict[str, Any]] = []
    for memory in memories:
        snippet = snippet_of(memory)
        lines += [head(memory), quote(snippet)]
        items.append({**_card(memory), "snippet": snippet})
    if cursor:
        lines.append(LABELS["more"][language].format(cursor=cursor))
    return Answer("\n".join(lines), items)


def merged_text(memory: Memory, hidden: bool) -> str:
    """What ``memory`` says now, shortened; a ``hidden`` one may say more than this client was shown."""
    return HIDDEN if hidden else tokens.cut(memory.content, MERGED_TOKENS)


def old_texts(told: Mapping[int, str]) -> str:
    """Memories that were replaced: id and quoted text each."""
    return "\n".join(f"[{memory_id}]\n{quote(text)}" for memory_id, text in told.items())


def old_text(memory: Memory, hidden: bool) -> str:
    """What a memory that was replaced said; a ``hidden`` one keeps it to itself."""
    return HIDDEN if hidden else snippet_of(memory)


def snippet_of(memory: Memory) -> str:
    """One short line that stands for ``memory`` in a list."""
    return tokens.cut(" ".join((memory.summary or memory.content).split()), SNIPPET_TOKENS)


def quote(text: str) -> str:
    """Every line of ``text`` behind "> ", whatever kind of line break it holds."""
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def fitted(text: str, room: int) -> str | None:
    """``text``, shortened so that it costs at most ``room`` tokens once it is quoted; None: not even a few words."""
    cost = tokens.estimate(quote(text))
    if cost <= room:
        return text
    wanted = room
    while wanted >= LEAST_TOKENS:
        shown = tokens.cut(text, wanted)
        cost = tokens.estimate(quote(shown))
        if cost <= room:
            return shown
        wanted -= max(cost - room, 1)
    return None


def share(costs: Sequence[int], room: int) -> int:
    """So much each may cost at most that all together cost ``room``: the longest give way, the short stay whole."""
    for at, cost in enumerate(sorted(costs)):
        fair = room // (len(costs) - at)
        if cost > fair:
            return fair
        room -= cost
    return max(costs, default=0)


def _fit(hit: Hit, room: int) -> Hit | None:
    """``hit`` with its text cut so that the quoted text costs at most ``room`` tokens; None: not even a few words."""
    text = fitted(hit.text, room)
    if text is None or text == hit.text:
        return None if text is None else hit
    return replace(hit, text=text, form="cut")


def _doubt(found: Recollection, language: Language) -> list[str]:
    """A warning where what was found may not be the answer."""
    if not found.hits or found.certainty in (None, "sure"):
        return []
    return [LABELS["unsure" if found.certainty == "unsure" else "nothing_certain"][language]]


def _notes(found: Recollection, language: Language, instruction: str) -> list[str]:
    notes: list[str] = []
    for slug, count in (("omitted", found.omitted), ("hidden", found.hidden)):
        if count:
            notes.append(LABELS[slug][language].format(count=count))
    if found.degraded:
        what = ", ".join(slug.replace("_", " ") for slug in found.degraded)
        notes.append(LABELS["degraded"][language].format(what=what))
    if instruction and (found.hidden or any(hit.memory.sensitivity == "high" for hit in found.hits)):
        notes.append(instruction)
    return notes


def source_of(memory: Memory) -> str:
    """Where a memory came from: the agent and the client, as far as known."""
    parts = (memory.source_agent, memory.source_client)
    return " / ".join(dict.fromkeys(" ".join(part.split()) for part in parts if part.strip()))


def _held(memory: Memory) -> dict[str, Any]:
    """When it held and what replaced it, as far as known. What was brought back holds again."""
    found: dict[str, Any] = {}
    if memory.valid_from:
        found["valid_from"] = utc(memory.valid_from)
    again = memory.superseded_by is not None and memory.status in FINDABLE
    if memory.valid_to and not again:
        found["valid_to"] = utc(memory.valid_to)
    if memory.superseded_by is not None and not again:
        found["superseded_by"] = memory.superseded_by
    return found


def head(memory: Memory, when: str = "") -> str:
    """The line above a quoted memory; ``when`` in place of its moment in UTC. What people typed is kept to one line."""
    moment = utc(memory.occurred_at)
    parts = [f"[{memory.id}]", when or moment, memory.layer]
    if memory.status != "active":
        parts.append(memory.status)
    held = _held(memory)
    if "superseded_by" in held:
        parts.append(f"by [{held['superseded_by']}]")
    # Mostly it holds since the moment that stands there already.
    if held.get("valid_from", moment) != moment:
        parts.append(f"since {held['valid_from']}")
    if "valid_to" in held:
        parts.append(f"until {held['valid_to']}")
    if source := source_of(memory):
        parts.append(f"from {tokens.cut(source, 12)}")
    if memory.tags:
        parts.append(tokens.cut("#" + " #".join(" ".join(tag.split()) for tag in memory.tags), 24))
    return " ".join(parts)


def _above(hit: Hit) -> list[str]:
    """The lines above a hit's text: its head, and its title where the text does not say it already."""
    title = tokens.cut(" ".join(hit.memory.title.split()), TITLE_TOKENS)
    return [head(hit.memory), *([quote(title)] if title and title not in hit.text else [])]


def _card(memory: Memory) -> dict[str, Any]:
    """What every listing says of a memory; empty values are left out."""
    card: dict[str, Any] = {"id": memory.id, "when": utc(memory.occurred_at), "layer": memory.layer}
    card["status"] = memory.status
    optional = {
        "title": tokens.cut(memory.title, TITLE_TOKENS),
        "tags": [tokens.cut(tag, TAG_TOKENS) for tag in memory.tags[:MOST_TAGS]],
        "source": source_of(memory),
        "scope": memory.conversation_id,
        "pinned": memory.pinned,
        **_held(memory),
    }
    return card | {key: value for key, value in optional.items() if value}


def _hit(hit: Hit) -> dict[str, Any]:
    item = {**_card(hit.memory), "text": hit.text, "form": hit.form, "score": round(hit.score, 4)}
    if hit.explanation:
        item["why"] = {
            "channels": {
                one.name: {"rank": one.rank, "raw": round(one.raw, 4), "share": round(one.share, 4)}
                for one in hit.explanation.channels
            },
            "factors": {one.name: round(one.value, 4) for one in hit.explanation.factors},
            "matched": list(hit.explanation.matched_terms),
        }
    return item


def _why_line(explanation: Explanation | None) -> list[str]:
    if explanation is None:
        return []
    parts = [f"{one.name} #{one.rank} {one.share:+.3f}" for one in explanation.channels]
    parts += [f"{one.name} {one.value:+.3f}" for one in explanation.factors]
    if explanation.matched_terms:
        parts.append(tokens.cut("matched " + " ".join(explanation.matched_terms), 16))
    return ["why: " + ", ".join(parts)]
