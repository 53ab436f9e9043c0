-- An index whose condition names the state of a publication makes each of its steps write to every index of the row. What waits
-- for a person's word is found by its post instead, whose status changes twice in its life.
drop index publication_unconfirmed;
create index post_not_whole on post (workspace_id, id) where status in ('PARTIALLY_PUBLISHED', 'FAILED');
