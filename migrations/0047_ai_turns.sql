-- Whoever takes a turn holds the lock of its workspace: counting those that run is enough.
drop index ai_generation_open;
alter table ai_generation drop column lane;
create index ai_generation_open on ai_generation (workspace_id, id) where status in ('QUEUED', 'RUNNING');
