-- What waits for somebody is found without looking at all that is done.
create index post_unsettled on post (workspace_id, id)
  where deleted_at is null and status in ('SCHEDULED', 'PUBLISHING', 'PARTIALLY_PUBLISHED', 'FAILED');
create index publication_error on publication (workspace_id, post_id) where error is not null;
