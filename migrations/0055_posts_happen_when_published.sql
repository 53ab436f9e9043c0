-- A live post happens when it was published, not when it was meant to be.
alter table post alter column happens_at set expression as (coalesce(published_at, scheduled_at, created_at));

-- Published ahead of its time, a post leaves the schedule.
update post set scheduled_at = null where published_at < scheduled_at and status = 'PUBLISHED';
