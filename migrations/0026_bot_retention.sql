-- What the bot forgets: what a decision considered after 180 days, and knowledge that nothing names any more. The steps stay.

create index decision_kept on decision (ended_at) where ended_at is not null and erased_at is null;
create index decision_knowledge on decision (workspace_id, knowledge_hash) where knowledge_hash is not null;
-- The watch forgets in all workspaces.
grant select (id, ended_at, erased_at, knowledge_hash), update (facts, reply, sources, knowledge_hash, erased_at) on decision to parley_across;
grant update (created_at) on bot_knowledge to parley_app;
select across_table('bot_knowledge', 'select, delete');
select across_table('bot_config', 'select (workspace_id, knowledge_hash)');
-- Whose customer was erased names none either.
update decision set knowledge_hash = null where erased_at is not null;
