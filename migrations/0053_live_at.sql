-- A post that is live on some of its networks happens when it went live there.
--
-- Why: published_at waits for the last target, so a partly published post stood in the calendar at its planned time, or at the
-- time at which it was written.

-- When the last of its live targets went live, if others are not.
alter table post add live_at timestamptz;

alter table post drop happens_at;
alter table post add happens_at timestamptz not null
  generated always as (coalesce(published_at, live_at, scheduled_at, created_at)) stored;
create index post_happens on post (workspace_id, happens_at) where deleted_at is null;

alter table post no force row level security;
alter table delivery no force row level security;
update post p set live_at = t.at
  from (select workspace_id, post_id, max(published_at) as at from delivery
    where kind = 'post' and state = 'PUBLISHED' and dropped_at is null group by workspace_id, post_id) t
  where t.workspace_id = p.workspace_id and t.post_id = p.id and p.status = 'PARTIALLY_PUBLISHED';
alter table post force row level security;
alter table delivery force row level security;
