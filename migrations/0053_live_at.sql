-- A post that is live on some of its networks takes the time at which it went live there.
--
-- Why: published_at waits for the last target, so the calendar showed a partly published post at its planned time, or at the time
-- at which it was written.

-- Both locks come first, so that nothing was changed yet if one of them is not free.
lock table post, delivery in access exclusive mode;

-- When the last of its live targets went live, if others are not. A process of the version before leaves it empty.
alter table post add live_at timestamptz;

alter table post no force row level security;
alter table delivery no force row level security;
update post p set live_at = (select max(t.published_at) from delivery t where t.workspace_id = p.workspace_id and t.post_id = p.id
    and t.kind = 'post' and t.state = 'PUBLISHED' and t.dropped_at is null)
  where p.status = 'PARTIALLY_PUBLISHED';
alter table post force row level security;
alter table delivery force row level security;

alter table post drop happens_at;
alter table post add happens_at timestamptz not null
  generated always as (coalesce(published_at, live_at, scheduled_at, created_at)) stored;
create index post_happens on post (workspace_id, happens_at) where deleted_at is null;
analyze post (happens_at);
