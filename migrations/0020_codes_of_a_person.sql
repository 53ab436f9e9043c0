-- A code that confirms an address belongs to who asked for it: a stranger's wish for the same address takes nobody's place.
alter table one_time_code drop constraint one_time_code_pkey;
create unique index one_time_code_key on one_time_code (destination, purpose, user_id) nulls not distinct;

-- Joined is not used.
alter table user_identity alter column last_used_at drop not null;

-- A session that ended because its account was disabled says so, for as long as it is.
create or replace function gate_facts(session uuid, asked_workspace uuid, asked_quota text, out user_id uuid, out disabled boolean,
  out is_super_admin boolean, out email_confirmed boolean, out workspace_id uuid, out role text, out plan text,
  out features text[], out quota_limit bigint, out quota_used bigint, out quota_resets_at timestamptz) returns setof record
language sql stable security definer set search_path = public, pg_temp as $$
  select f.* from session s, lateral member_facts(s.user_id, asked_workspace, asked_quota) f
  where s.id = session and s.expires_at > app_now() and (s.ended_at is null or s.end_reason = 'disabled' and f.disabled)
$$;
