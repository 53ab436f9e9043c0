-- People are told again of a scheduled post at risk 24 hours and 1 hour before its time, each once.
--
-- Why: they were told only of findings that a check met for the first time. A post that was scheduled with a finding was never
-- reported, and nobody was reminded.

-- The page of a post lists its failures and retries, which are few among all entries. Row security lets only leakproof operators
-- use an index, and that of a field of the object is not one. It is built before the lock, since the table can be large.
create index audit_setbacks on audit_entry (workspace_id, id) where action in ('post.retried', 'publication.failed');

lock table post in access exclusive mode;

-- What people know of the risks of a scheduled post: { at, reminders, findings: [{ code, target }] }. Null: nothing.
-- A process of the version before leaves it as it is.
alter table post add risk_told jsonb;

-- They know what a check has found already.
alter table post no force row level security;
update post p set risk_told = jsonb_build_object(
    'at', iso(p.scheduled_at),
    'reminders', (p.scheduled_at <= app_now() + interval '24 hours')::int + (p.scheduled_at <= app_now() + interval '1 hour')::int,
    'findings', risks.findings)
  from post o, lateral (select jsonb_agg(jsonb_build_object('code', c -> 'code', 'target', c -> 'target')) as findings
    from jsonb_array_elements(o.checks) c
    where c ->> 'severity' = 'error' or c ->> 'code' in ('token_ends', 'network_quota')) risks
  where o.status = 'SCHEDULED' and o.deleted_at is null and risks.findings is not null
    and p.workspace_id = o.workspace_id and p.id = o.id;
alter table post force row level security;
