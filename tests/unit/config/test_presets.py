"""Presets: sets of values that can be set, told apart and left again."""

from __future__ import annotations

from engine.config import BY_KEY, Settings, presets


def test_a_preset_is_set_like_any_values_and_recognised() -> None:
    settings = Settings()
    assert presets.in_force(settings.current) is presets.BY_NAME["hupo"]
    settings.update(presets.BY_NAME["aokun"].values)
    assert presets.in_force(settings.current) is presets.BY_NAME["aokun"]
    settings.set("recall.mmr_lambda", 0.65)
    assert presets.in_force(settings.current) is None
    settings.update(presets.BY_NAME["hupo"].values)
    assert settings.changed() == {}


def test_presets_set_the_same_parameters_of_the_table_and_have_words_in_both_languages() -> None:
    keys = {one.name: set(one.values) for one in presets.PRESETS}
    assert keys["hupo"] == keys["aokun"] <= set(BY_KEY)
    for one in presets.PRESETS:
        assert all(BY_KEY[key].check(value) == value for key, value in one.values.items())
        assert {*one.label} == {*one.help} == {"zh", "en"} and all((*one.label.values(), *one.help.values()))


def test_aokun_has_the_figures_of_s0() -> None:
    values = presets.BY_NAME["aokun"].values
    assert [values[f"recall.weight_{name}"] for name in ("relevance", "importance", "recency")] == [0.5, 0.25, 0.25]
    names = ("relevance", "importance", "recency", "confidence")
    assert [values[f"recall.graph_weight_{name}"] for name in names] == [0.55, 0.20, 0.15, 0.10]
    assert (values["recall.graph_share"], values["recall.graph_bonus"], values["recall.rrf_k"]) == (0.35, 0.08, 60)
