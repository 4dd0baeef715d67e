"""Whether two texts that are made of the same words also put them together the same way: who does what to whom.

Words may be told in another order ("on Monday Ann runs", "Ann runs on Monday"), but two that change places around a
third ("Ann calls Bob", "Bob calls Ann"), or change partners between clauses, tell something else. When in doubt:
another order. Must not weigh words that only one side has.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.ingest.judge_features import Features, is_name
from engine.ingest.judge_lexicon import stem
from engine.ingest.judge_units import listed
from engine.ingest.judge_words import Token

# These say little alone, but everything by where they stand.
_MARKS: Final = listed(
    "than to from into before after over instead until 's not only even just 比 从 到 向 往 给 把 前 后 之前 之后 "
    "以前 以后 而不是 不 没 只 只有 仅 才 替 代替"
)
_SEQUENCE: Final = listed("then afterwards finally next 再 然后 接着 随后 之后 最后 后来 再用 并")
_SCOPE: Final = listed("only just even also 只 只有 仅 唯独 只能 才")
# A part of a sentence ends here, as at a comma.
_JOINTS: Final = listed(
    "and or but while whereas because since although so 和 与 及 以及 而 并 并且 但 但是 可是 因为 所以 而且 或 或者"
)
_FRONTED: Final = listed("before after when if because since once unless until during")
_USER: Final = listed("i me we us 我 我们 用户 咱们")
_OWN: Final = listed("的 's 家 家里 这边 那边")
_PASSIVE: Final = listed("被 由 遭")
_BE: Final = listed("is are was were be been being gets got get")
_PARTICIPLE_ENDS: Final = ("ed", "en", "wn", "ught", "ne", "ade", "eld", "ept", "un", "uilt", "ent", "aid", "ung")
_LISTS: Final = listed("and or 和 与 及 以及 或 或者 跟")
HOW_OFTEN: Final = listed(
    "every_other_week everyday everyweek everymonth everyyear daily weekly monthly yearly nightly morning often"
)
_ROLES: Final = listed("~向 ~给 ~替 ~比 ~从 ~than ~from")
_USER_KEY: Final = "@user"
_SUBJECT: Final = "~i"
_OBJECT: Final = "~me"


@dataclass(frozen=True, slots=True)
class _Item:
    """One word by its place: ``part`` of the sentence, ``participant`` for people and names."""

    key: str
    part: int
    participant: bool
    verb: bool
    denied: bool
    figure: str
    scope: bool
    free: bool  # says when, which may stand anywhere


def out_of_order(a: Features, b: Features) -> bool:
    """Whether the words that ``a`` and ``b`` share stand to each other otherwise. Symmetric."""
    one, two = _items(a), _items(b)
    people = {i.key for i in (*one, *two) if i.participant}
    one, two = (
        [i if i.participant or i.key not in people else replace(i, participant=True) for i in items]
        for items in (one, two)
    )
    if _list_turned(a, b):
        return False
    if [i.key for i in one] == [i.key for i in two] and [i.denied for i in one] == [i.denied for i in two]:
        return _partners(one, two)
    if _denials(one, two) or _participants(one, two):
        return True
    return _partners(one, two) or _partners(_coarse(a, one), _coarse(b, two)) or _within(one, two)


def _items(f: Features) -> list[_Item]:
    """The words of a text part by part; passives turned, a part that was put in front put back."""
    parts: list[list[tuple[Token, int]]] = []
    for clause in f.clauses:
        for tokens in _split(clause):
            if parts and tokens and tokens[0].surface in _SEQUENCE:
                parts[-1].extend((t, 0) for t in tokens)
            elif tokens:
                parts.append([(t, 0) for t in tokens])
    ordered = [_active([t for t, _ in part]) for part in parts]
    for at in range(len(ordered) - 1):
        if ordered[at] and ordered[at][0].surface.split(" ")[0] in _FRONTED and ordered[at][0].surface.isascii():
            ordered[at : at + 2] = [[*ordered[at + 1], *ordered[at]], []]
    return [item for at, part in enumerate(ordered) for item in _part(part, at, f)]


def _split(clause: Sequence[Token]) -> Iterable[list[Token]]:
    current: list[Token] = []
    for token in clause:
        if token.surface in _JOINTS:
            yield current
            current = [token] if token.surface in _FRONTED else []
        else:
            current.append(token)
    yield current


def _active(part: list[Token]) -> list[Token]:
    """ "X is led by Y" and "X 由 Y 负责" as "Y leads X"."""
    for at, token in enumerate(part):
        if token.surface in _PASSIVE and 0 < at < len(part) - 1:
            return [*part[at + 1 :], *part[:at]]
        if (token.surface == "by" or token.surface.endswith("ed by")) and 0 < at < len(part) - 1:
            verb = at if token.surface != "by" else next(
                (i for i in range(at - 1, 0, -1) if part[i].surface.endswith(_PARTICIPLE_ENDS)), 0
            )  # fmt: skip
            if verb and any(t.surface in _BE for t in part[:verb]):
                return [*part[at + 1 :], *part[verb : max(at, verb + 1)], *part[:verb]]
    return part


def _part(part: Sequence[Token], at: int, f: Features) -> Iterable[_Item]:
    copula = any(t.key == "=" for t in part)
    for position, token in enumerate(part):
        after = part[position + 1] if position + 1 < len(part) else None
        figure = _figure_kind(token) if token.kind == "figure" else ""
        if token.surface in _USER and token.surface.isascii():
            yield _Item(_SUBJECT if token.surface in ("i", "we") else _OBJECT, at, False, False, False, "", False, True)
        elif token.surface in _USER:
            if after is None or not (after.key[0] in "@&*" or after.surface in _OWN):
                yield _Item(_USER_KEY, at, True, False, False, "", False, False)
        elif token.weight > 0:
            yield _Item(
                _bare(token.key) if figure == "number" else token.key, at,
                token.key[0] == "@" or (is_name(token, f) and not _common(token, f)),
                token.key.startswith("v.") or (token.kind == "han" and not copula), token.denied, figure,
                token.surface in _SCOPE, figure not in ("", "number") or token.key in HOW_OFTEN,
            )  # fmt: skip
        elif token.surface in _MARKS or token.surface in _SEQUENCE or token.key in ("=", "=at"):
            key = token.key if token.key[0] == "=" else f"~{token.surface}"
            yield _Item(key, at, False, False, False, "", token.surface in _SCOPE, False)


def _bare(key: str) -> str:
    return key.rstrip("abcdefghijklmnopqrstuvwxyz%") or key


def _common(token: Token, f: Features) -> bool:
    """ "API", "CI", "Office": names of things that stand anywhere."""
    return token.surface.isascii() and (token.surface.upper() in f.text or token.key != stem(token.surface))


def _figure_kind(token: Token) -> str:
    """Two figures of one kind may not change places: "3-1" is not "1-3"."""
    if ":" in token.key:
        return "time"
    if token.key.startswith(("weekday", "part", "relative")):
        return token.key[:4]
    return "date" if token.key.count("-") == 2 else "number"


def _coarse(f: Features, items: Sequence[_Item]) -> list[_Item]:
    """The same words with whole clauses for parts."""
    ends: list[int] = []
    seen = 0
    for clause in f.clauses:
        seen += sum(1 for tokens in _split(clause) if tokens and tokens[0].surface not in _SEQUENCE)
        ends.append(seen)
    return [replace(item, part=next((c for c, end in enumerate(ends) if item.part < end), len(ends))) for item in items]


def _unique(one: Sequence[_Item], two: Sequence[_Item]) -> list[tuple[_Item, _Item]]:
    """The words that stand once in each, and the first of each person, in the order of ``one``."""
    once_a, once_b = Counter(i.key for i in one), Counter(i.key for i in two)
    other = {i.key: i for i in reversed(two)}
    seen: set[str] = set()
    pairs = []
    for item in one:
        if item.key in other and item.key not in seen and (
            item.participant or once_a[item.key] == 1 == once_b[item.key]
        ):  # fmt: skip
            pairs.append((item, other[item.key]))
        seen.add(item.key)
    return pairs


def _list_turned(a: Features, b: Features) -> bool:
    """Whether nothing but the two sides of one "and" have changed places: "tea and milk", "milk and tea"."""
    one, two = ([t for t in f.tokens if t.weight > 0 or t.surface in _LISTS or t.surface in _MARKS] for f in (a, b))
    keys_a, keys_b = (["+" if t.surface in _LISTS else t.key for t in side] for side in (one, two))
    if len(keys_a) != len(keys_b) or keys_a == keys_b:
        return False
    start = next(i for i, (x, y) in enumerate(zip(keys_a, keys_b, strict=True)) if x != y)
    end = len(keys_a) - next(i for i, (x, y) in enumerate(zip(keys_a[::-1], keys_b[::-1], strict=True)) if x != y)
    left, right = keys_a[start:end], keys_b[start:end]
    if left.count("+") != 1 or (end < len(keys_a) and one[end].surface in ("'s", "的")):
        return False
    at = left.index("+")
    return [*left[at + 1 :], "+", *left[:at]] == right


def _denials(one: Sequence[_Item], two: Sequence[_Item]) -> bool:
    """Whether a word that is both denied and not is so of other things."""
    shared = {i.key for i in one} & {i.key for i in two}
    mixed = {i.key for i in one if i.denied} & {i.key for i in one if not i.denied}
    mixed |= {i.key for i in two if i.denied} & {i.key for i in two if not i.denied}
    if mixed & shared:
        told_a, told_b = (
            Counter(
                (i.key, i.denied, frozenset(j.key for j in items if j.part == i.part and j.key in shared - mixed))
                for i in items
                if i.key in mixed & shared
            )
            for items in (one, two)
        )
        return told_a != told_b
    return False


def _participants(one: Sequence[_Item], two: Sequence[_Item]) -> bool:
    """Whether somebody is told of more often here, and somebody else there."""
    a, b = (Counter(i.key for i in items if i.participant and i.key != _USER_KEY) for items in (one, two))
    if len({*a} & {*b}) > 1 and _roles(one) != _roles(two):
        return True
    roles_a, roles_b = ({i.key for i in items} & {_SUBJECT, _OBJECT} for items in (one, two))
    if a and b and len(roles_a) == len(roles_b) == 1 and roles_a != roles_b:
        return True
    return len({*a, *b}) > 1 and bool(a - b) and bool(b - a)


def _roles(items: Sequence[_Item]) -> set[str]:
    return {i.key for i in items if i.key in _ROLES}


def _partners(one: Sequence[_Item], two: Sequence[_Item]) -> bool:
    """Whether two parts have exchanged words: "cat twice, dog once", "dog twice, cat once"."""
    cells = {(i.part, j.part) for i, j in _unique(one, two) if i.key[0] not in "~="}
    rows: dict[int, set[int]] = defaultdict(set)
    for row, column in cells:
        rows[row].add(column)
    shared = [columns for columns in rows.values() if len(columns) > 1]
    return any(len(x & y) > 1 for at, x in enumerate(shared) for y in shared[:at])


def _within(one: Sequence[_Item], two: Sequence[_Item]) -> bool:
    """Whether words that share a part in both texts have changed places around another."""
    at_b = {id(item): position for position, item in enumerate(two)}
    groups: dict[tuple[int, int], list[tuple[_Item, int]]] = defaultdict(list)
    for i, j in _unique(one, two):
        groups[i.part, j.part].append((i, at_b[id(j)]))
    return any(_turned(group) for group in groups.values())


def _turned(group: Sequence[tuple[_Item, int]]) -> bool:
    places = [place for _, place in group]
    if places == sorted(places):
        return False
    tails: list[int] = []  # the ends of the falling runs of each length; three in a row is X M Y told as Y M X
    for item, place in group:
        if item.key != "=" and not item.free:
            at = bisect_left(tails, -place)
            tails[at : at + 1] = [-place]
    if len(tails) > 2 or _turned_around_is(group):
        return True
    return any(
        earlier > place and _tied(before, item)
        for at, (item, place) in enumerate(group)
        for before, earlier in group[:at]
    )


def _turned_around_is(group: Sequence[tuple[_Item, int]]) -> bool:
    """ "X is Y's boss" as "Y is X's boss"; "X is Y" may be told as "Y is X"."""
    at = next((i for i, (item, _) in enumerate(group) if item.key == "="), None)
    if at is None:
        return False
    middle = group[at][1]
    sides = {(i < at, place < middle) for i, (_, place) in enumerate(group) if i != at}
    return {(True, False), (False, True)} <= sides and len(sides) > 2


def _tied(a: _Item, b: _Item) -> bool:
    """Whether the order of these two means something whatever stands between them."""
    if a.participant and b.participant:  # "my aunt Ruth" may be "Ruth, my aunt"
        return (a.key[0] == "@") == (b.key[0] == "@") or _USER_KEY in (a.key, b.key)
    if a.scope or b.scope:
        return True
    if _USER_KEY in (a.key, b.key):
        return False
    if a.participant or b.participant:
        return (b if a.participant else a).verb
    return bool(a.figure) and a.figure == b.figure
