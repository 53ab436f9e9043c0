-- People are told again of a scheduled post at risk 24 hours and 1 hour before its time, each once.
--
-- Why: they were told only of findings that a check met for the first time. A post that was scheduled with a finding was never
-- reported, and nobody was reminded.

-- What people know of the risks of a scheduled post: { at, reminders, findings: [{ code, target }] }. Null: nothing.
-- A process of the version before leaves it as it is.
alter table post add risk_told jsonb;

-- The page of a post lists its failures and retries, which are few among all entries. Row security lets only leakproof operators
-- use an index, and that of a field of the object is not one.
create index audit_setbacks on audit_entry (workspace_id, id) where action in ('post.retried', 'publication.failed');
