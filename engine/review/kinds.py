"""The kinds there are, in the order in which they take turns in the list. A new one gets its line here."""

from __future__ import annotations

from engine.access import Access
from engine.digest.candidate_facade import Candidates
from engine.review.atom import Atoms
from engine.review.candidate import CandidateKind
from engine.review.cluster import Clusters
from engine.review.kind import Kind
from engine.review.lookalike import Lookalikes
from engine.review.topic import Suggests, TopicKind
from engine.text.segmentation import Segmenter


def every(access: Access, segmenter: Segmenter, candidates: Candidates, topics: Suggests) -> tuple[Kind, ...]:
    """All of them, over what the service lends."""
    return (
        CandidateKind(candidates),
        Clusters(access, segmenter),
        Lookalikes(access),
        TopicKind(access, topics),
        Atoms(access),
    )
