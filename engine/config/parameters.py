"""THE table of every parameter: key, type, default, range, unit, group, and words in zh and en.

Validation, the parameter panel, the command line and the docs are all made from this table; adding a
row is all that a new parameter needs. Holds no values in force (``store.py`` does) and reads no files.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engine.errors import InvalidArgument

Kind = Literal["bool", "int", "float", "text", "choice"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One row. ``minimum``/``maximum`` are inclusive; ``label`` and ``help`` map "zh" and "en" to text."""

    key: str
    kind: Kind
    default: Any
    label: Mapping[str, str]
    help: Mapping[str, str]
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The part of the key before the dot."""
        return self.key.split(".", 1)[0]

    def check(self, value: Any) -> Any:
        """``value`` in this row's type. Errors: ``InvalidArgument`` with the key as field."""
        if self.kind == "bool":
            return self._bool(value)
        if self.kind in ("int", "float"):
            return self._number(value)
        if not isinstance(value, str):
            raise InvalidArgument(field=self.key, reason="not_text")
        if not value.isprintable():  # no parameter is more than a line, and a lone surrogate can not be saved
            raise InvalidArgument(field=self.key, reason="not_text")
        if self.kind == "choice" and value not in self.choices:
            raise InvalidArgument(field=self.key, reason="not_a_choice", allowed=list(self.choices))
        return value

    def _bool(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in _BOOL_WORDS:
            return _BOOL_WORDS[value.strip().lower()]
        raise InvalidArgument(field=self.key, reason="not_a_switch", allowed=["true", "false"])

    def _number(self, value: Any) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise InvalidArgument(field=self.key, reason="not_a_number")
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise InvalidArgument(field=self.key, reason="not_a_number") from None
        if not math.isfinite(number):
            raise InvalidArgument(field=self.key, reason="not_a_number")
        low, high = self.minimum, self.maximum
        if (low is not None and number < low) or (high is not None and number > high):
            raise InvalidArgument(field=self.key, reason="out_of_range", allowed=[low, high])
        if self.kind == "int":
            if number != int(number):
                raise InvalidArgument(field=self.key, reason="not_whole")
            return int(number)
        return number


_BOOL_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}

GROUPS: Mapping[str, Mapping[str, str]] = {
    "interface": {"zh": "界面", "en": "Interface"},
    "memory": {"zh": "记住", "en": "Remembering"},
    "recall": {"zh": "回忆", "en": "Recall"},
    "forgetting": {"zh": "遗忘", "en": "Forgetting"},
    "privacy": {"zh": "隐私", "en": "Privacy"},
    "digest": {"zh": "摘要", "en": "Digests"},
    "review": {"zh": "待定", "en": "Review"},
    "embedding": {"zh": "语义模型", "en": "Meaning model"},
    "surfacing": {"zh": "浮现", "en": "Coming up"},
    "chat": {"zh": "对话模型", "en": "Chat model"},
}


def _row(key: str, kind: Kind, default: Any, zh: str, en: str, zh_help: str, en_help: str, **more: Any) -> Parameter:
    return Parameter(key, kind, default, {"zh": zh, "en": en}, {"zh": zh_help, "en": en_help}, **more)


TABLE: tuple[Parameter, ...] = (
    _row("interface.language", "choice", "auto", "语言", "Language",
         "界面和提示用的语言；“auto”跟随系统。", "Language of windows and messages; “auto” follows the system.",
         choices=("auto", "zh", "en")),
    _row("interface.theme", "choice", "auto", "外观", "Appearance",
         "明、暗，或跟随系统。", "Light, dark, or as the system says.", choices=("auto", "light", "dark")),
    _row("memory.paused", "bool", False, "暂停记忆", "Pause remembering",
         "打开后，助手不能写入新记忆；仍可回忆。", "While on, assistants can not store anything; recall still works."),
    _row("memory.max_characters", "int", 200_000, "单条最长", "Longest memory",
         "一条记忆最多多少字符；更长的会被拒绝并说明。", "Longest text of one memory; longer ones are refused with a reason.",
         minimum=1_000, maximum=5_000_000, unit="characters"),
    _row("memory.default_importance", "float", 0.5, "默认重要度", "Default importance",
         "写入时没有给出重要度就用它。", "Used when the writer gives no importance.", minimum=0.0, maximum=1.0),
    _row("memory.vector_wait_ms", "int", 250, "等待语义", "Wait for meaning",
         "写入时最多等语义向量多久；超过就先存文字，稍后补上。",
         "How long a write waits for its vector; past that the words are stored first and the meaning follows.",
         minimum=0, maximum=10_000, unit="ms"),
    _row("memory.merge", "bool", True, "合并同义", "Merge repeats",
         "换个说法又说一遍的内容并入原来那条；不丢内容，可撤销。",
         "What says the same in other words goes into the memory that is there; nothing is lost, and it can be undone."),
    _row("memory.supersede", "bool", True, "新的替换旧的", "Newer replaces older",
         "同一件事的状态或事实变了，旧的就不再被想起；它仍保留，可恢复。",
         "When a state or fact has changed, the old one is no longer recalled; it is kept and can be brought back."),
    _row("memory.words", "text", "", "自定词", "Own words",
         "分词时不拆开的词，用逗号分隔；也可以写在数据目录的 words.txt 里，每行一个。",
         "Chinese words that are never taken apart, between commas; or one a line in words.txt in the data directory."),
    _row("recall.fusion", "choice", "convex", "融合方式", "Fusion",
         "文字与语义两路结果的合并方式。", "How the results by words and by meaning are joined.",
         choices=("convex", "rrf", "lexical", "vector")),
    _row("recall.lexical_share", "float", 0.4, "文字占比", "Share of words",
         "凸组合中文字一路的份额，其余归语义。", "Share of the words in convex fusion; the rest is meaning.",
         minimum=0.0, maximum=1.0),
    _row("recall.across_languages", "bool", True, "跨语言", "Across languages",
         "中英文记忆都有时，用另一种语言写的记忆也公平地参与比较。",
         "In a store of both Chinese and English, memories in the other language are compared on equal terms."),
    _row("recall.rrf_k", "int", 60, "RRF 常数", "RRF constant",
         "倒数排名融合的平滑常数。", "Smoothing constant of reciprocal rank fusion.", minimum=1, maximum=1_000),
    _row("recall.weight_relevance", "float", 0.97, "相关性权重", "Weight of relevance",
         "与问题有多相关。三个权重按总和折算。", "How well it answers. The three weights count by their sum.",
         minimum=0.0, maximum=1.0),
    _row("recall.weight_importance", "float", 0.015, "重要度权重", "Weight of importance",
         "记忆有多重要。", "How important the memory is.", minimum=0.0, maximum=1.0),
    _row("recall.weight_recency", "float", 0.015, "新近权重", "Weight of recency",
         "多久以前存入或想起。", "How long ago it was stored or recalled.", minimum=0.0, maximum=1.0),
    _row("recall.recency_days", "float", 30.0, "新近衰减", "Recency decay",
         "新近分随时间衰减的尺度。", "Time scale on which the recency score fades.",
         minimum=0.5, maximum=3_650.0, unit="days"),
    _row("recall.boost_time", "float", 0.3, "时间加成", "Boost for its time",
         "问题提到某段时间时，那段时间里的记忆加几成分；0 关闭。",
         "The share that a memory gains if it is of the time a question speaks of; 0 turns it off.",
         minimum=0.0, maximum=1.0),
    _row("recall.boost_phrase", "float", 0.5, "原话加成", "Boost for a phrase",
         "问题里用引号引了原话时，含有原话的记忆加几成分；0 关闭。",
         "The share that a memory gains if it holds what a question quotes, word for word; 0 turns it off.",
         minimum=0.0, maximum=1.0),
    _row("recall.boost_name", "float", 0.3, "别名加成", "Boost for another name",
         "问题用了某人或某主题的别名时，用其他叫法提到它的记忆加几成分；0 关闭。",
         "The share that a memory gains if it calls whom or what is asked about by another name; 0 turns it off.",
         minimum=0.0, maximum=1.0),
    _row("recall.boost_past", "float", 0.2, "往事加成", "Boost for what was",
         "问起过去（“以前住哪”）时，连同已被取代的记忆一起找，并加几成分；0 则不找。",
         "Asked for the past (“where did she use to live”), replaced memories are found too and gain this share; "
         "0 leaves them out.", minimum=0.0, maximum=1.0),
    _row("recall.graph_share", "float", 0.0, "图谱占比", "Share of the graph",
         "由人物、主题和事实的关联找到的记忆占多少分量；0 不走这一路，也不费时间。",
         "How much counts what is found by way of people, topics and facts; 0 leaves this way out and costs no time.",
         minimum=0.0, maximum=0.85),
    _row("recall.graph_by_intent", "bool", False, "占比随问法变", "Share by question",
         "问人际关系或时间时图谱占比加大，问“是什么、怎么做”时减小。",
         "The graph counts more where people or times are asked about, less where an explanation is."),
    _row("recall.graph_bonus", "float", 0.0, "两路都中加成", "Bonus for both ways",
         "文字语义与图谱两路都找到的记忆另加多少分。", "What is added where the graph and the text both lead to a memory.",
         minimum=0.0, maximum=0.5),
    _row("recall.graph_hops", "int", 1, "图谱步数", "Steps in the graph",
         "从问题提到的人和事出发，沿关联走几步。", "How many steps are taken from whom and what a question names.",
         minimum=1, maximum=2),
    _row("recall.graph_fading", "bool", False, "图谱随事实淡忘", "Graph fades with facts",
         "图谱一路的分数随事实的寿命减少，过期的事实不算。", "The graph's scores fade with the life of the facts; one that has run out counts nothing."),
    _row("recall.graph_weight_relevance", "float", 1.0, "图谱：相关性", "Graph: relevance",
         "图谱一路里相关性的权重。四个权重按总和折算。", "Weight of relevance on the graph's way. The four weights count by their sum.",
         minimum=0.0, maximum=1.0),
    _row("recall.graph_weight_importance", "float", 0.0, "图谱：重要度", "Graph: importance",
         "图谱一路里重要度的权重。", "Weight of importance on the graph's way.", minimum=0.0, maximum=1.0),
    _row("recall.graph_weight_recency", "float", 0.0, "图谱：新近", "Graph: recency",
         "图谱一路里新近的权重。", "Weight of recency on the graph's way.", minimum=0.0, maximum=1.0),
    _row("recall.graph_weight_confidence", "float", 0.0, "图谱：可信度", "Graph: confidence",
         "图谱一路里事实可信度的权重。", "Weight of the facts' confidence on the graph's way.", minimum=0.0, maximum=1.0),
    _row("recall.mmr_lambda", "float", 0.9, "多样性", "Diversity",
         "1 只看相关，越小越避免雷同。", "1 looks at relevance alone; smaller avoids look-alikes more.",
         minimum=0.1, maximum=1.0),
    _row("recall.candidates", "int", 100, "候选数", "Candidates",
         "每一路最多取多少候选。", "How many candidates each channel offers.", minimum=20, maximum=2_000),
    _row("recall.abstain_below", "float", 0.2, "把握下限", "Least confidence",
         "首条结果能回答问题的把握低于此值时，告诉助手没有把握；结果照样列出。0 表示从不。",
         "Where it is less likely than this that the first hit answers, assistants are told that nothing is certain; "
         "what was found is listed all the same. 0 never says so.",
         minimum=0.0, maximum=1.0),
    _row("recall.cache_seconds", "float", 45.0, "缓存时间", "Cache time",
         "相同问题在这段时间内直接用上次的答案；0 关闭。", "The same question within this time gets the same answer; 0 turns it off.",
         minimum=0.0, maximum=3_600.0, unit="s"),
    _row("recall.reinforce", "bool", True, "回忆强化", "Recall strengthens",
         "被想起的记忆会更牢。", "Memories that are recalled last longer."),
    _row("forgetting.enabled", "bool", True, "随时间淡忘", "Fade with time",
         "每天让记忆变淡一点，久不用的休眠；不删除任何内容。",
         "Memories fade a little each day and unused ones go to sleep; nothing is ever deleted."),
    _row("forgetting.hour", "int", 0, "几点", "Hour",
         "每天在几点进行（本地时间）；错过的日子会补上。", "When the day is run, local time; missed days are caught up.",
         minimum=0, maximum=23),
    _row("forgetting.minute", "int", 5, "几分", "Minute",
         "每天在几分进行。", "The minute of that hour.", minimum=0, maximum=59),
    _row("forgetting.longest_catch_up", "int", 60, "最长补算", "Longest catch-up",
         "时钟一次跳过更多天时，先不淡忘，等它显示的日子真的用过三天再补算，以防时钟出错。",
         "If the clock jumps by more, nothing fades until Hupo was used on three days of it: the clock may be wrong.",
         minimum=7, maximum=400, unit="days"),
    _row("forgetting.rate", "float", 0.01, "每日淡忘", "Daily fading",
         "强度每天减少的比例；常用的和动情的更慢，置顶与受保护的不变。",
         "Share of its strength that a memory loses a day; less for what is used or moving, none for what is pinned "
         "or protected.",
         minimum=0.0, maximum=0.5),
    _row("forgetting.access_days", "float", 30.0, "使用算新近", "Use counts for",
         "在这么多天内用过，就淡忘得更慢。", "What was used within so many days fades more slowly.",
         minimum=0.0, maximum=3_650.0, unit="days"),
    _row("forgetting.sleep_event", "bool", True, "事件休眠", "Events sleep",
         "久不用的事件休眠：不再主动出现，但仍能找到，想起即醒。",
         "Unused events go to sleep: no longer offered, still found, and awake again once recalled."),
    _row("forgetting.sleep_state", "bool", False, "状态休眠", "States sleep",
         "久不用的状态也休眠。", "Unused states go to sleep as well."),
    _row("forgetting.sleep_fact", "bool", False, "事实休眠", "Facts sleep",
         "久不用的事实也休眠。", "Unused facts go to sleep as well."),
    _row("forgetting.sleep_decision", "bool", False, "决定休眠", "Decisions sleep",
         "久不用的、已了结的决定也休眠。", "Unused decisions that are resolved go to sleep as well."),
    _row("forgetting.sleep_low_days", "float", 7.0, "低重要度", "Low importance",
         "重要度不超过 0.4 的，多少天不用就休眠。", "Days without use until what has importance up to 0.4 goes to sleep.",
         minimum=1.0, maximum=3_650.0, unit="days"),
    _row("forgetting.sleep_medium_days", "float", 14.0, "中重要度", "Medium importance",
         "重要度 0.4 到 0.6 的，多少天不用就休眠。", "Days without use for importance above 0.4, up to 0.6.",
         minimum=1.0, maximum=3_650.0, unit="days"),
    _row("forgetting.sleep_high_days", "float", 30.0, "高重要度", "High importance",
         "重要度高于 0.6 的，多少天不用就休眠。", "Days without use for importance above 0.6.",
         minimum=1.0, maximum=3_650.0, unit="days"),
    _row("forgetting.archive", "bool", False, "自动归档", "Archive by itself",
         "把又旧又弱的记忆归档；仍能找到，想起即恢复。",
         "Old and weak memories go into the archive; still found, and back once recalled."),
    _row("forgetting.archive_days", "float", 30.0, "归档期限", "Archive after",
         "多少天没有用过才归档。", "Only what was not used for more than so many days.",
         minimum=1.0, maximum=3_650.0, unit="days"),
    _row("forgetting.archive_below", "float", 0.3, "归档强度", "Archive below",
         "强度低于此值才归档。", "Only what is weaker than this.", minimum=0.0, maximum=1.0),
    _row("surfacing.budget", "int", 800, "浮现长度", "Breath length",
         "对话开始时浮现的内容最多占多少词元。", "How many tokens may come up at the start of a conversation.",
         minimum=100, maximum=20_000, unit="tokens"),
    _row("surfacing.recent", "int", 3, "近期条数", "Recent events",
         "浮现几条近期的事；话题相同的只出现一次。", "How many recent events come up; one for each topic.",
         minimum=0, maximum=50),
    _row("surfacing.noise_tags", "text", "技术, 开发, 日志, technology, tech, development, dev, log, logs", "流水标签", "Noise tags",
         "带这些标签的事不算近期要事，用逗号分隔。", "Events with these tags do not come up as recent; between commas."),
    _row("surfacing.reminder_days", "int", 2, "提醒范围", "Reminders ahead",
         "提前几天提起有日期的安排；0 只提今天的。", "How many days ahead plans with a date come up; 0 means today only.",
         minimum=0, maximum=60, unit="days"),
    _row("surfacing.reminders", "int", 5, "提醒条数", "Reminders at once",
         "一次浮现最多几条提醒，近的在前。", "How many reminders come up at once, the soonest first.", minimum=0, maximum=50),
    _row("surfacing.rumination_share", "float", 0.3, "心事几率", "Share of unsettled days",
         "多大比例的日子会浮现一件没有了结、情绪强烈的事；0 关闭。",
         "On which share of days something unresolved that moved you comes up; 0 turns it off.",
         minimum=0.0, maximum=1.0),
    _row("surfacing.rumination_emotion", "float", 6.0, "心事强度", "Unsettled from",
         "情绪强度（0–10）达到多少才算。", "The emotion (0–10) from which a memory counts as moving.",
         minimum=0.0, maximum=10.0),
    _row("surfacing.weight_importance", "float", 1.0, "心事：重要度", "Unsettled: importance",
         "每点重要度（1–5）在浮现分中计多少。", "What a point of importance (1–5) adds to the surface score.",
         minimum=0.0, maximum=100.0),
    _row("surfacing.weight_emotion", "float", 2.0, "心事：情绪", "Unsettled: emotion",
         "每点情绪强度在浮现分中计多少。", "What a point of emotion adds to the surface score.", minimum=0.0, maximum=100.0),
    _row("surfacing.weight_unresolved", "float", 3.0, "心事：未了结", "Unsettled: unresolved",
         "没有了结在浮现分中计多少。", "What being unresolved adds to the surface score.", minimum=0.0, maximum=100.0),
    _row("surfacing.weight_activation", "float", 0.3, "心事：使用", "Unsettled: use",
         "每次使用（会淡去）在浮现分中计多少。", "What each use, as it fades, adds to the surface score.",
         minimum=0.0, maximum=100.0),
    _row("surfacing.weight_valence", "float", 2.0, "心事：心境", "Unsettled: mood",
         "与当下心境相近在浮现分中计多少。", "What being near to the mood of the moment adds to the surface score.",
         minimum=0.0, maximum=100.0),
    _row("review.save_from", "float", 1.0, "直接记住", "Saved at once from",
         "整理对话时，重要度达到多少的内容不用问就记住。",
         "What an assistant offers after a conversation is remembered without asking from this importance on.",
         minimum=0.0, maximum=1.0),
    _row("review.ask_from", "float", 0.7, "先问再记", "Asked about from",
         "重要度达到多少的内容留给你决定；更低的不记。",
         "From this importance on it waits for your word; what is below is dropped.", minimum=0.0, maximum=1.0),
    _row("review.keep_days", "float", 7.0, "保留多久", "Kept for",
         "没有记住或已决定的内容还能看到、找回多少天。",
         "How many days what was dropped or decided can still be seen and brought back.",
         minimum=0.0, maximum=3_650.0, unit="days"),
    _row("review.consolidate", "bool", True, "建议归并", "Suggest consolidation",
         "每天看看有没有讲同一件事的几条旧记忆，建议并成一条；不会自己改动任何记忆。",
         "Once a day, look for older memories on one matter and suggest to sum them up; nothing is changed by itself."),
    _row("review.cluster_size", "int", 3, "归并条数", "Memories to consolidate",
         "至少几条讲同一件事才建议归并。", "How many memories on one matter are worth a suggestion.", minimum=2, maximum=12),
    _row("review.cluster_days", "float", 7.0, "归并期限", "Consolidate after",
         "记忆存了多少天以后才考虑归并。", "Only memories that are at least so many days old.",
         minimum=0.0, maximum=3_650.0, unit="days"),
    _row("privacy.hide_sensitive", "bool", True, "隐藏敏感记忆", "Hide sensitive memories",
         "打开时，高敏感的记忆不会自己出现在助手的回忆、浮现、摘要和话题里；窗口里总能看到。",
         "While on, highly sensitive memories stay out of what assistants recall, breathe, digest and look up; "
         "the windows always show them."),
    _row("privacy.agent_instruction", "text", "", "敏感说明", "Word on sensitive memories",
         "有敏感记忆被隐藏或显示时，附给助手的一句话，例如“提起前先问我”；留空则不附。",
         "What assistants are told where sensitive memories are hidden or shown, e.g. “ask before you mention them”; "
         "empty says nothing."),
    _row("privacy.secrets", "choice", "mark", "密码与密钥", "Passwords and keys",
         "写入的内容里发现密码、密钥、卡号或证件号时：不管、标为敏感，或在保存前隐去。",
         "When a password, key, card or identity number is noticed in what is written: leave it, mark the memory as "
         "sensitive, or blank it out before it is stored.",
         choices=("off", "mark", "mask")),
    _row("digest.hints", "bool", True, "提醒整理", "Hint at digests",
         "对话开始时告诉助手有哪些日、周、月、年还没有整理成摘要。",
         "At the start of a conversation, tell assistants which days, weeks, months and years wait to be digested."),
    _row("digest.budget", "int", 4_000, "摘要来源长度", "Digest sources",
         "助手要整理摘要时，最多给它多长的来源。来源更长时先截短最长的，再略去不重要的。",
         "How much text an assistant is given to write a digest from. Where there is more, the longest ones are "
         "shortened first, then less important ones are left out.",
         minimum=500, maximum=50_000, unit="tokens"),
    _row("digest.daily_least", "int", 3, "日摘要", "Daily digest",
         "一天里至少有几条记忆才值得整理。", "How many memories a day needs to be worth a digest.", minimum=1, maximum=1_000),
    _row("digest.weekly_least", "int", 5, "周摘要", "Weekly digest",
         "一周里至少有几篇日摘要才值得整理。", "How many daily digests a week needs.", minimum=1, maximum=7),
    _row("digest.monthly_least", "int", 3, "月摘要", "Monthly digest",
         "一个月里至少有几篇周摘要才值得整理。", "How many weekly digests a month needs.", minimum=1, maximum=5),
    _row("digest.yearly_least", "int", 6, "年摘要", "Yearly digest",
         "一年里至少有几篇月摘要才值得整理。", "How many monthly digests a year needs.", minimum=1, maximum=12),
    _row("digest.topic_stale_days", "int", 14, "话题概述过期", "Topic summaries go stale",
         "话题概述写成这么多天后，如果又有新记忆归入，就提示重写。",
         "After this many days a topic's summary counts as out of date once newer memories are filed there.",
         minimum=0, maximum=3_650, unit="days"),
    _row("embedding.provider", "choice", "local", "模型来源", "Model source",
         "内置模型、外部接口，或只按文字查找。", "The built-in model, an outside service, or words only.",
         choices=("local", "remote", "none")),
    _row("embedding.threads", "int", 1, "线程数", "Threads",
         "内置模型使用的处理器线程。", "Processor threads for the built-in model.", minimum=1, maximum=16),
    _row("embedding.idle_minutes", "float", 15.0, "闲置卸载", "Unload when idle",
         "这么久没用就把模型移出内存；0 表示不卸载。", "The model leaves memory after this long without use; 0 keeps it.",
         minimum=0.0, maximum=1_440.0, unit="min"),
    _row("embedding.remote_url", "text", "", "接口地址", "Service address",
         "OpenAI 兼容接口的地址，例如 https://主机/v1。", "Address of an OpenAI-compatible service, e.g. https://host/v1."),
    _row("embedding.remote_model", "text", "", "接口模型", "Service model",
         "外部接口的模型名。", "The model's name at the service."),
    _row("embedding.remote_dimension", "int", 0, "向量维数", "Dimension",
         "外部模型的维数；0 表示由首次应答得知。", "The outside model's dimension; 0 learns it from the first answer.",
         minimum=0, maximum=8_192),
    _row("embedding.remote_timeout", "float", 10.0, "接口超时", "Service time limit",
         "等待外部接口多久。", "How long to wait for the outside service.", minimum=0.5, maximum=120.0, unit="s"),
    _row("chat.url", "text", "", "接口地址", "Service address",
         "OpenAI 兼容对话接口的地址，例如 https://主机/v1；留空则不用。整理对话时，原文会发往该地址。",
         "Address of an OpenAI-compatible chat service, e.g. https://host/v1; empty turns it off. "
         "Conversations to be summarised are sent there."),
    _row("chat.model", "text", "", "接口模型", "Service model",
         "对话接口的模型名；留空则不用。", "The model's name at the service; empty turns it off."),
    _row("chat.timeout", "float", 60.0, "接口超时", "Service time limit",
         "整理一段对话最多等多久，重试也算在内。", "How long one summary may take, a second try included.",
         minimum=1.0, maximum=600.0, unit="s"),
)  # fmt: skip

BY_KEY: Mapping[str, Parameter] = {row.key: row for row in TABLE}


def check(key: str, value: Any) -> Any:
    """``value`` in the type of parameter ``key``. Errors: ``InvalidArgument`` (unknown key or bad value)."""
    row = BY_KEY.get(key)
    if row is None:
        raise InvalidArgument(field=key, reason="unknown_parameter")
    return row.check(value)
