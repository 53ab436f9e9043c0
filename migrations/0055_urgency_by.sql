-- Says what the urgency of a thread is from, and lets the watch see whose bot is enabled.
--
-- Why: the first classification and an escalation stayed for ever, because nothing told them from what a person had set. A plan
-- that loses the bot has to release the pages that it answered.

-- The lock comes first, so that nothing was changed yet if it is not free.
lock table thread in access exclusive mode;

-- Null: nothing, it is the default. 'message': the messages that wait. 'person': somebody set it for this conversation.
-- A process of the version before leaves it as it is.
alter table thread add urgency_by text check (urgency_by in ('message', 'person'));

alter table thread no force row level security;
update thread set urgency_by = 'message' where urgency <> 'MEDIUM';
alter table thread force row level security;

grant select (is_enabled) on bot_config to parley_across;
