-- Two statements of every new post.

-- Why: the search for the same text on an account read every draft with that text, although drafts never count.
drop index delivery_text;
create index delivery_text on delivery (workspace_id, account_id, text_key)
  where text_key is not null and (due_at is not null or state in ('PUBLISHED', 'UNCONFIRMED'));

-- Why: PostgreSQL planned the SQL version again in most calls, four times for each post. Row security ties a plan to one role.
-- This version always runs as the same role, so its plan is kept.
grant create on schema public to parley_gate; -- for its function, until the end of this file
create or replace function usage_period(workspace uuid, quota_kind text, zone text) returns date language plpgsql stable
  security definer set search_path = public, pg_temp as $$
begin
  if quota_kind = 'stock' then return date '0001-01-01'; end if;
  return greatest(date_trunc('month', app_now() at time zone zone)::date,
    (select max(u.period) from workspace_usage u where u.workspace_id = workspace));
end $$;
alter function usage_period(uuid, text, text) owner to parley_gate;
revoke all on function usage_period(uuid, text, text) from public;
grant execute on function usage_period(uuid, text, text) to parley_app, parley_admin;
revoke create on schema public from parley_gate;
