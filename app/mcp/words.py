"""The tables of words that replies are made of, English and Chinese. Only words; nothing is decided here.

Written for a model that passes them on: what happened, what it means, what to do next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]
Table = Mapping[str, Mapping[Language, str]]

SUCCESSES: Table = {
    "stored": {"en": "Stored as memory {id} ({layer}).", "zh": "已存为记忆 {id}（{layer}）。"},
    "reinforced": {
        "en": "Known already: memory {id} ({layer}) was reinforced.",
        "zh": "已经记得：记忆 {id}（{layer}）得到强化。",
    },
    "merged": {
        "en": "Merged into memory {id} ({layer}), which nearly said it; undo=true of edit_memory parts them. "
        "It says now:",
        "zh": "已并入说法相近的记忆 {id}（{layer}）；用 edit_memory 的 undo=true 可以分开。现在的内容：",
    },
    "superseded": {
        "en": "Stored as memory {id} ({layer}); it replaces what follows, kept but no longer recalled. To bring "
        'an old one back: edit_memory with its id and status="active"; to take the new one back: undo=true.',
        "zh": "已存为记忆 {id}（{layer}），取代了下列记忆；它们仍然保留，但不再被回忆。要恢复旧的，请用 edit_memory，"
        '带上它的 id 和 status="active"；要收回新的，带上新的 id 和 undo=true。',
    },
    "secret_marked": {
        "en": "It seems to hold a secret ({kinds}), so it is marked as sensitive and hidden unless asked for.",
        "zh": "其中似乎有秘密（{kinds}），已标为敏感，不主动要求就不会显示。",
    },
    "secret_masked": {
        "en": "What seemed to be a secret ({kinds}) was blanked out before it was stored.",
        "zh": "似乎是秘密的部分（{kinds}）已在保存前隐去。",
    },
    "secret_left": {
        "en": "It seems to hold a secret ({kinds}); the user chose not to mark it as sensitive.",
        "zh": "其中似乎有秘密（{kinds}）；用户选择不标为敏感。",
    },
    "brought_back": {
        "en": "What it had replaced holds again: {ids}.",
        "zh": "被它取代的记忆重新生效：{ids}。",
    },
    "replaced": {"en": "It replaces again: {ids}.", "zh": "又被它取代：{ids}。"},
    "created": {
        "en": "What had been merged into it is a memory of its own now: {ids}.",
        "zh": "并入其中的内容现在是单独的记忆：{ids}。",
    },
    "edited": {"en": "Memory {id}: {fields} set.", "zh": "记忆 {id}：已设置 {fields}。"},
    "undone": {
        "en": "The last change of memory {id} was taken back; it is {status} now.",
        "zh": "已撤销记忆 {id} 的最近改动，现在是 {status}。",
    },
    "trashed": {
        "en": "In the trash: {ids}. To bring one back: edit_memory with its id and undo=true.",
        "zh": "已移入回收站：{ids}。要恢复，请用 edit_memory，带上 id 和 undo=true。",
    },
    "erased": {"en": "Erased for good: {ids}.", "zh": "已彻底删除：{ids}。"},
    "digest_saved": {
        "en": "It is the {level} of {period}; sources: {count}.",
        "zh": "它是 {period} 的{level}，来源 {count} 条。",
    },
    "review_known": {"en": "Memory {id} ({layer}) says it already.", "zh": "记忆 {id}（{layer}）已经记着这件事。"},
    "review_consolidated": {
        "en": "Memory {id} now stands for the group; its memories are linked to it. restore takes that back.",
        "zh": "记忆 {id} 现在代表这一组，组内的记忆都与它关联。用 restore 可以撤回。",
    },
    "review_archived": {"en": "Archived: {ids}.", "zh": "已归档：{ids}。"},
    "review_merged": {
        "en": "Memory {gone} was merged into {id} and is in the trash; restore takes that back. {id} says now:",
        "zh": "记忆 {gone} 已并入 {id}，并移入回收站；用 restore 可以撤回。{id} 现在的内容：",
    },
    "review_superseded": {
        "en": "Memory {id} now replaces what follows, kept but no longer recalled; restore takes that back.",
        "zh": "记忆 {id} 取代了下列记忆；它们仍然保留，但不再被回忆。用 restore 可以撤回。",
    },
    "review_repaired": {"en": "The single fact is stored now.", "zh": "这条单条事实已存好。"},
    "review_failed": {
        "en": "The single fact could not be stored this time either; it is tried again every hour.",
        "zh": "这条单条事实仍未存成，之后每小时会再试。",
    },
    "review_filed": {
        "en": "Memory {id} is filed under this topic now; restore takes it out:",
        "zh": "记忆 {id} 已归入这个话题；用 restore 可以移出：",
    },
    "review_dismissed": {
        "en": "{id} was dismissed and is not offered again; restore takes that back.",
        "zh": "已驳回 {id}，不再提出；用 restore 可以撤回。",
    },
    "review_restored": {"en": "{id} waits for a decision again.", "zh": "{id} 重新等待决定。"},
    "review_taken_back": {
        "en": "What had been done was taken back: memories {ids}.",
        "zh": "之前的改动已撤回：记忆 {ids}。",
    },
    "status": {
        "en": "Hupo {version}. Memories: {counts}. Search by meaning: {state}.",
        "zh": "琥珀 {version}。记忆：{counts}。语义查找：{state}。",
    },
    "is_paused": {"en": "The user has paused remembering.", "zh": "用户暂停了记忆。"},
}

SENTENCES: Table = {
    "invalid_argument": {"en": "{field}: {reason}", "zh": "{field}：{reason}"},
    "not_found": {"en": "There is no {kind} {id}.", "zh": "没有编号为 {id} 的{kind}。"},
    "conflict": {"en": "{reason} ({id}).", "zh": "{reason}（{id}）。"},
    "protected": {
        "en": "Memory {id} is protected: only the user can change it, in the Hupo window.",
        "zh": "记忆 {id} 受保护，只有用户能在琥珀窗口里修改。",
    },
    "paused": {
        "en": "The user has paused remembering, so nothing was changed. Recall still works; do not retry on your own.",
        "zh": "用户暂停了记忆，这次没有改动任何内容。仍可回忆；请不要自行重试。",
    },
    "cancelled": {"en": "The work was cancelled.", "zh": "操作已取消。"},
    "timed_out": {
        "en": "This took longer than {seconds} seconds and was given up.",
        "zh": "超过 {seconds} 秒仍未完成，已放弃。",
    },
    "closed": {
        "en": "Hupo is closing and takes no more work. Try again once it runs.",
        "zh": "琥珀正在退出，不再接受操作。等它重新运行后再试。",
    },
    "embedder_unavailable": {
        "en": "Search by meaning is not available at the moment; words still find memories.",
        "zh": "暂时不能按语义查找，按文字仍可找到记忆。",
    },
    "chat_unavailable": {
        "en": "No summary can be written now: {reason}. Everything else works; the user can see to it in Hupo.",
        "zh": "暂时写不出摘要：{reason}。其他功能照常；请用户在琥珀窗口里查看。",
    },
    "storage": {"en": "The memory store has a problem; see the Hupo window.", "zh": "记忆库出了问题，请看琥珀窗口。"},
    "store_locked": {
        "en": "Another process is using the memory store.",
        "zh": "另一个程序正在使用记忆库。",
    },
    "database_busy": {
        "en": "The memory store was busy for {seconds} seconds. Nothing was changed; try again.",
        "zh": "记忆库忙了 {seconds} 秒，没有改动任何内容，请重试。",
    },
    "disk_full": {
        "en": "The disk is full, so nothing was changed. The user has to free some space.",
        "zh": "磁盘已满，没有改动任何内容。需要用户腾出空间。",
    },
    "not_writable": {
        "en": "The memory store can not be written to, so nothing was changed. The user has to check its permissions.",
        "zh": "记忆库不可写，没有改动任何内容。需要用户检查权限。",
    },
    "corrupt_database": {
        "en": "The memory store is damaged and was left as it is. The user should restore a backup in the Hupo window.",
        "zh": "记忆库已损坏，未作改动。请用户在琥珀窗口里恢复备份。",
    },
    "newer_schema": {
        "en": "The memory store was written by a newer version of Hupo. The user has to update Hupo.",
        "zh": "记忆库由更新版本的琥珀写成，需要用户升级琥珀。",
    },
    "disk_error": {
        "en": "The system reported a disk error. Whether the change was kept is not known; look before you repeat it.",
        "zh": "系统报告磁盘错误，不能确定改动是否保留；重复之前请先查看。",
    },
    "internal": {
        "en": "Hupo met an unexpected error; it is in the log. The call may not have taken effect.",
        "zh": "琥珀遇到意外错误，已记入日志。这次调用可能没有生效。",
    },
    "app_closed": {
        "en": "The user has closed Hupo, so memories can not be reached. They are back when the user starts Hupo.",
        "zh": "用户关闭了琥珀，暂时无法访问记忆。用户重新打开琥珀后即可使用。",
    },
    "app_unreachable": {
        "en": "Hupo did not answer in time. Nothing is known to have changed; try again in a moment.",
        "zh": "琥珀没有及时应答，不确定是否有改动，请稍后再试。",
    },
    "restarted": {
        "en": "Hupo restarted during this call. It may or may not have taken effect; look before you repeat it.",
        "zh": "调用过程中琥珀重新启动了，不确定是否生效；重复之前请先查看。",
    },
    "confirm_needed": {
        "en": "Erasing removes the text for good, history included. If the user really wants that, call forget_memory "
        "again with erase=true and confirm=true; without erase the memory goes to the trash and can be brought back.",
        "zh": "彻底删除会连同历史一起清除，无法恢复。若用户确实要求，请再次调用 forget_memory，"
        "带上 erase=true 和 confirm=true；不带 erase 则只移入回收站，可以恢复。",
    },
}

REASONS: Table = {
    "missing": {"en": "is required", "zh": "必须给出"},
    "empty": {"en": "must not be empty", "zh": "不能为空"},
    "too_long": {"en": "is too long", "zh": "太长"},
    "not_text": {"en": "must be text", "zh": "必须是文字"},
    "not_unicode": {"en": "holds half a character (a lone surrogate)", "zh": "含有半个字符（孤立代理项）"},
    "not_a_number": {"en": "must be a number", "zh": "必须是数字"},
    "not_whole": {"en": "must be a whole number", "zh": "必须是整数"},
    "not_a_switch": {"en": "must be true or false", "zh": "必须是 true 或 false"},
    "not_a_list": {"en": "must be a list", "zh": "必须是列表"},
    "not_an_object": {"en": "must be an object", "zh": "必须是对象"},
    "not_json": {"en": "must be plain JSON", "zh": "必须是普通 JSON"},
    "not_a_moment": {
        "en": "must be a date or time in ISO 8601, like 2026-11-30 or 2026-11-30T08:30+08:00",
        "zh": "必须是 ISO 8601 日期或时间，例如 2026-11-30 或 2026-11-30T08:30+08:00",
    },
    "not_a_choice": {"en": "is not one of the known values", "zh": "不是已知的值"},
    "not_editable": {"en": "can not be changed", "zh": "不能修改"},
    "out_of_range": {"en": "is out of range", "zh": "超出范围"},
    "unknown_argument": {"en": "no such argument", "zh": "没有这个参数"},
    "unknown_tool": {"en": "no such tool", "zh": "没有这个工具"},
    "not_for_writing": {
        "en": '"all" is only for reading; name one conversation or "user"',
        "zh": "“all” 只用于读取；写入请指明会话或 “user”",
    },
    "given_twice": {"en": "is also a key of extra, with another value", "zh": "在 extra 里也有，且值不同"},
    "excludes_changes": {"en": "can not be combined with changes in one call", "zh": "不能和修改放在同一次调用里"},
    "nothing_to_change": {"en": "name at least one field to change", "zh": "请至少给出一个要修改的字段"},
    "ends_before_start": {"en": "must come after the beginning", "zh": "必须晚于开始时间"},
    "no_such_memory": {"en": "there is no such memory", "zh": "没有这样的记忆"},
    "other_level": {
        "en": "must be of the level below: memories for a daily digest, daily digests for a weekly one, and so on",
        "zh": "必须来自下一级：日摘要用记忆，周摘要用日摘要，依此类推",
    },
    "not_a_period": {"en": "names no period of this level", "zh": "不是这一级的时段"},
    "not_begun": {"en": "has not begun yet", "zh": "还没有开始"},
    "unknown_field": {"en": "no such field", "zh": "没有这个字段"},
    # About topics.
    "blank_part": {"en": "must not hold a blank name", "zh": "不能含有空的名称"},
    "too_deep": {"en": "has too many levels; there are four, T1 to T4", "zh": "层级太多，最多四级（T1 到 T4）"},
    "topic_taken": {
        "en": "is the name of another topic there; merge them instead",
        "zh": "同级已有这个话题名，可以改为合并",
    },
    "inside_itself": {"en": "can not go below itself", "zh": "不能放到自己的下级"},
    "not_empty": {"en": "is not empty: memories or topics are still there", "zh": "不是空的，里面还有记忆或下级话题"},
    "entity_or_memory": {"en": "give either entity or id", "zh": "entity 和 id 只能给一个"},
    "path_needs_entity": {"en": "needs entity, the name the path begins with", "zh": "需要 entity，即路径起点的名称"},
    # About names.
    "mixed_types": {"en": "must all be of one kind, people or topics", "zh": "必须同为人物或同为话题"},
    "not_both": {"en": "give either names or memories, not both", "zh": "名称和记忆只能给一种"},
    "not_of_this": {"en": "does not belong to this name", "zh": "不属于这个名称"},
    "nothing_left": {"en": "would leave nothing of it", "zh": "会使它不剩任何内容"},
    "not_for_facts": {
        "en": "can not be done to facts, only to people and topics",
        "zh": "不适用于事实，只适用于人物和话题",
    },
    "same": {"en": "means the same already", "zh": "本来就是同一个"},
    "no_alias": {"en": "is not an alias", "zh": "不是别名"},
    "taken": {"en": "is the name of another one already", "zh": "已是另一个的名称"},
    "one_at_a_time": {
        "en": "can be set for one candidate at a time only",
        "zh": "一次只能为一条待定内容设置",
    },
    "use_forget_memory": {"en": "use forget_memory for that", "zh": "请改用 forget_memory"},
    "malformed": {"en": "is damaged; start again without it", "zh": "已损坏，请去掉它重新开始"},
    "other_sort": {
        "en": "belongs to a listing in another order; start again without it",
        "zh": "属于另一种排序的列表，请去掉它重新开始",
    },
    "same_tool_name": {
        "en": "two of these profiles have different tools of one name",
        "zh": "其中两个方案有同名但不同的工具",
    },
    "only_with_approve": {"en": "goes with action approve only", "zh": "只能和 action=approve 一起用"},
    "not_for_this_item": {"en": "does not go with this kind of item", "zh": "不适用于这类事项"},
    # Reasons of a conflict.
    "already_undone": {"en": "That change was already undone", "zh": "这次改动已经撤销过了"},
    "erased": {"en": "The memory was erased for good", "zh": "这条记忆已被彻底删除"},
    "nothing_to_undo": {"en": "There is nothing to undo", "zh": "没有可以撤销的改动"},
    "changed_since": {
        "en": "There was a change since: look again; to undo, take back the later change first",
        "zh": "之后又有改动，请重新查看；要撤销，请先撤销较晚的改动",
    },
    "not_pending": {
        "en": "It no longer waits for a decision; restore it first, unless it is a memory already",
        "zh": "它已不在等待决定；可以先恢复，已成为记忆的除外",
    },
    # Reasons why no summary is written.
    "not_configured": {"en": "no chat model is set up", "zh": "尚未设置对话模型"},
    "unauthorized": {"en": "the chat model's key was refused", "zh": "对话模型的密钥被拒绝"},
    "rate_limited": {"en": "the chat model asks to wait", "zh": "对话模型要求稍后再试"},
    "timeout": {"en": "the chat model did not answer in time", "zh": "对话模型没有及时应答"},
    "refused": {"en": "the chat model refused the request", "zh": "对话模型拒绝了请求"},
    "server": {"en": "the chat model has trouble of its own", "zh": "对话模型服务出错"},
    "bad_answer": {"en": "the chat model's answer made no sense", "zh": "对话模型的回答无法使用"},
}
KINDS: Table = {
    "memory": {"en": "memory", "zh": "记忆"},
    "history": {"en": "history entry", "zh": "历史记录"},
    "entity": {"en": "person, topic or fact", "zh": "人物、话题或事实"},
    "topic": {"en": "topic", "zh": "话题"},
    "alias": {"en": "alias", "zh": "别名"},
    "review": {"en": "item in review", "zh": "待定事项"},
    "atom": {"en": "single fact", "zh": "单条事实"},
    "candidate": {"en": "candidate", "zh": "待定内容"},
    "trait": {"en": "trait", "zh": "特征"},
}
# Kinds of secrets.
SECRETS: Table = {
    "password": {"en": "password", "zh": "密码"},
    "url_password": {"en": "password in an address", "zh": "地址里的密码"},
    "pin": {"en": "PIN", "zh": "PIN 码"},
    "code": {"en": "verification code", "zh": "验证码"},
    "card": {"en": "bank card number", "zh": "银行卡号"},
    "id_card": {"en": "identity number", "zh": "身份证号"},
    "iban": {"en": "IBAN", "zh": "IBAN 账号"},
    "seed_phrase": {"en": "wallet recovery phrase", "zh": "钱包助记词"},
    "private_key": {"en": "private key", "zh": "私钥"},
    "jwt": {"en": "session token", "zh": "会话令牌"},
    "api_key": {"en": "API key", "zh": "接口密钥"},
    "provider": {"en": "{name} key", "zh": "{name} 密钥"},
}
EXTRAS: Table = {
    "allowed": {"en": "; allowed: {}", "zh": "；可用：{}"},
    "range": {"en": "; allowed: {} to {}", "zh": "；允许 {} 到 {}"},
    "least": {"en": "; at least {}", "zh": "；至少 {}"},
    "nearest": {"en": "; did you mean {}?", "zh": "；是不是 {}？"},
    "ids": {"en": ": {}", "zh": "：{}"},
    "limit": {"en": "; at most {}", "zh": "；最多 {}"},
}
