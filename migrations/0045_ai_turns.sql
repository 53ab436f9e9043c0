-- Who runs a generation says so until then, again and again. What the voice said when it was asked.
alter table ai_generation add column leased_until timestamptz, add column told_voice jsonb;

-- Of which caption the tags tell.
alter table post_tags add column caption_hash bytea;

-- In which workspaces something is under way.
select across_table('ai_generation', 'select (workspace_id, status)');
