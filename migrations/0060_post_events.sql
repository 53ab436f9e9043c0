-- The timeline of a post shows who scheduled it, took it off the schedule, published it now, asked for approval and
-- decided, and which attempts failed. The index of its entries held only failures and retries.
--
-- The list of actions is POST_ACTIONS in src/publishing/sending/api.ts with post.backdated. The index of the version
-- before is a part of this one, so its statement uses this one too.
create index audit_post_events on audit_entry (workspace_id, id) where action in ('approval.requested', 'approval.approved',
  'approval.rejected', 'approval.withdrawn', 'post.scheduled', 'post.cancelled', 'post.publish_requested', 'post.retried',
  'post.backdated', 'publication.attempt_failed', 'publication.failed', 'publication.stopped', 'publication.retried_now');
drop index audit_setbacks;
