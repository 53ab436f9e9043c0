-- People and their ways in, plans, workspaces and their members, notifications, and the functions of the gate.
-- The history and the keys of requests refer to people and workspaces, so their tables stand here and not with the core.

grant create on schema public to parley_gate; -- for its functions, until the end of this file

-- ---- people

-- People and their sessions belong to no workspace: no policy, and grants by column.
create table app_user (
  id uuid primary key,
  email text check (email = lower(email)),
  email_confirmed_at timestamptz,
  phone text,
  phone_confirmed_at timestamptz,
  password_hash text,
  name text not null default '',
  avatar_url text,
  language text not null default 'en',
  timezone text not null default 'UTC',
  onboarded_at timestamptz,
  is_super_admin boolean not null default false,
  disabled_at timestamptz,
  default_workspace_id uuid,
  created_at timestamptz not null default app_now(),
  -- The goals that the person chose at the beginning.
  goals text[] not null default '{}',
  quiet_from time,
  quiet_until time,
  check ((quiet_from is null) = (quiet_until is null)),
  check (quiet_from <> quiet_until)
);
create unique index app_user_email on app_user (email);
create unique index app_user_phone on app_user (phone);
grant select, insert on app_user to parley_app;
grant update (email, email_confirmed_at, phone, phone_confirmed_at, password_hash, name, avatar_url, language, timezone,
  onboarded_at, default_workspace_id, goals, quiet_from, quiet_until) on app_user to parley_app;
grant select on app_user to parley_gate;

-- One row per sign-in. A refresh token is known by its id alone: the token itself is derived again from id and times, so
-- nothing secret is stored. `previous_token` answers with the same successor for 10 s; anything older ends the session.
create table session (
  id uuid primary key,
  user_id uuid not null references app_user on delete cascade,
  current_token uuid not null,
  issued_at timestamptz not null,
  previous_token uuid,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('logout', 'reuse', 'password', 'revoked', 'disabled')),
  user_agent text,
  ip text,
  created_at timestamptz not null default app_now(),
  method text not null default 'password'
    check (method in ('password', 'phone', 'email_code', 'IDP_A', 'IDP_B', 'invitation')),
  check ((ended_at is null) = (end_reason is null))
);
create index session_of_user on session (user_id);
grant select, insert on session to parley_app;
grant update (current_token, issued_at, previous_token, last_used_at, ended_at, end_reason) on session to parley_app;
grant select on session to parley_gate;

-- Events of a person's sign-in and acts of operators, append-only. `object` names the target of an act by its ids.
create table security_event (
  id uuid primary key,
  user_id uuid references app_user on delete cascade,
  action text not null,
  detail jsonb not null default '{}',
  ip text,
  request_id text,
  at timestamptz not null default app_now(),
  object jsonb not null default '{}'
);
create index security_event_user on security_event (user_id, id);
create index security_event_admin on security_event (id) where action like 'admin.%';
grant insert on security_event to parley_app;

-- ---- ways in

-- Ten minutes in which a person may come back from a provider's consent page: single use, bound to the browser. A sign-in has no
-- user and no workspace yet; a join has a user alone. Joining and connecting are bound to the session that the person left: one
-- that ended meanwhile joins nothing. Nonce and verifier of a sign-in are derived from the browser's own secret and not kept.
create table oauth_state (
  state_hash text primary key,
  browser_hash text not null,
  provider text not null,
  user_id uuid references app_user on delete cascade,
  workspace_id uuid,
  redirect text not null,
  expires_at timestamptz not null,
  purpose text not null default 'connect' check (purpose in ('connect', 'login', 'join')),
  session_id uuid references session on delete cascade,
  check (purpose <> 'connect' or (user_id is not null and workspace_id is not null)),
  check (purpose <> 'join' or user_id is not null),
  check ((user_id is null) = (session_id is null))
);
grant select, insert, delete on oauth_state to parley_app;

-- One live code for a destination, purpose and person, kept as a keyed hash. The person is part of the key: a stranger's
-- request for the same address does not replace the code of its owner.
create table one_time_code (
  destination text not null,
  purpose text not null check (purpose in ('login', 'verify')),
  user_id uuid references app_user on delete cascade,
  code_hash text not null,
  tries int not null default 0,
  sent_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index one_time_code_key on one_time_code (destination, purpose, user_id) nulls not distinct;
create index one_time_code_expired on one_time_code (expires_at);
grant select, insert, update, delete on one_time_code to parley_app;

-- A person at an identity provider. The key is the provider's subject, never an address. A joined identity that was never used
-- has no `last_used_at`.
create table user_identity (
  issuer text,
  subject text,
  id uuid not null unique,
  provider text not null check (provider in ('IDP_A', 'IDP_B')),
  user_id uuid not null references app_user on delete cascade,
  email text,
  created_at timestamptz not null default app_now(),
  last_used_at timestamptz default app_now(),
  primary key (issuer, subject)
);
create index user_identity_user on user_identity (user_id);
grant select, insert, update, delete on user_identity to parley_app;

-- The one link by which a person may set a new password: a newer one replaces it. Bound to the address that it was sent to.
-- A link that set a password still lists and ends the other ways into the account, until it expires.
create table password_reset (
  user_id uuid primary key references app_user on delete cascade,
  token_hash text not null unique,
  email text not null,
  expires_at timestamptz not null,
  spent_at timestamptz
);
grant select, insert, update, delete on password_reset to parley_app;

-- The state before a change of the ways into an account, for as long as its owner can undo the change by the link in their mail.
-- A link restores the state before the oldest change of the last 7 days. `id` gives the changes an order that a step of the clock
-- can't turn round.
create table credential_undo (
  token_hash text primary key,
  user_id uuid not null references app_user on delete cascade,
  change text not null check (change in ('email', 'phone', 'identity', 'identity_removed', 'password')),
  -- The proven address or number before the change; null: there was none.
  former text,
  identity_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  id bigint generated always as identity,
  -- The identity that the change removed, so that it can come back.
  removed jsonb,
  check ((change = 'identity') = (identity_id is not null)),
  check ((change = 'identity_removed') = (removed is not null))
);
create unique index credential_undo_id on credential_undo (id);
create index credential_undo_user on credential_undo (user_id, created_at);
create index credential_undo_expired on credential_undo (expires_at);
grant select, insert, update, delete on credential_undo to parley_app;

-- A request that must have its effect once. `key_hash` covers workspace, person, method, path and key. `holder` names the process
-- that holds the claim; that process proves that it lives by an advisory lock on this name.
create table idempotency_key (
  key_hash text primary key,
  user_id uuid not null references app_user on delete cascade,
  body_hash text not null,
  claim uuid not null,
  claimed_until timestamptz not null,
  done_at timestamptz,
  status int,
  headers jsonb,
  body text,
  expires_at timestamptz not null,
  holder text
);
create index idempotency_key_expired on idempotency_key (expires_at);
grant select, insert, update, delete on idempotency_key to parley_app;

-- ---- plans

create table plan (
  id text primary key,
  position int not null unique
);
create table feature (
  id text primary key
);
create table plan_feature (
  plan_id text references plan,
  feature_id text references feature,
  primary key (plan_id, feature_id)
);
-- A monthly quota begins again each calendar month; a stock counts the things that exist now.
create table quota (
  id text primary key,
  kind text not null check (kind in ('monthly', 'stock'))
);
-- A null amount is unlimited.
create table plan_quota (
  plan_id text references plan,
  quota_id text references quota,
  amount bigint check (amount >= 0),
  primary key (plan_id, quota_id)
);
grant select on plan, feature, plan_feature, quota, plan_quota to parley_app, parley_across, parley_gate;

insert into plan values ('free', 1), ('pro', 2), ('business', 3);
insert into feature values ('publishing'), ('approvals'), ('ai_content'), ('ai_suggestions'), ('auto_reply'), ('analytics'),
  ('audience'), ('ecommerce'), ('competitors'), ('ab_testing'), ('predictions'), ('workflows'), ('api_access');
insert into plan_feature select 'free', id from feature where id in ('publishing', 'analytics', 'ai_content');
insert into plan_feature select plan.id, feature.id from plan, feature where plan.id in ('pro', 'business');
insert into quota values ('posts', 'monthly'), ('ai_credits', 'monthly'), ('ai_generations', 'monthly'),
  ('social_accounts', 'stock'), ('members', 'stock'), ('media_bytes', 'stock');
insert into plan_quota values
  ('free', 'posts', 30), ('free', 'ai_credits', 20), ('free', 'ai_generations', 20),
  ('free', 'social_accounts', 3), ('free', 'members', 3), ('free', 'media_bytes', 1073741824),
  ('pro', 'posts', 1000), ('pro', 'ai_credits', 2000), ('pro', 'ai_generations', 2000),
  ('pro', 'social_accounts', 25), ('pro', 'members', 25), ('pro', 'media_bytes', 53687091200),
  ('business', 'posts', null), ('business', 'ai_credits', 20000), ('business', 'ai_generations', 20000),
  ('business', 'social_accounts', null), ('business', 'members', null), ('business', 'media_bytes', 536870912000);

-- ---- workspaces

create table workspace (
  id uuid primary key,
  name text not null,
  timezone text not null,
  week_start text not null default 'monday' check (week_start in ('monday', 'sunday', 'saturday')),
  language text not null default 'en',
  niche text,
  approval_mode text not null default 'optional'
    check (approval_mode in ('none', 'optional', 'required', 'required_with_client')),
  publishing_paused_at timestamptz,
  publishing_paused_reason text,
  bot_paused_at timestamptz,
  bot_paused_reason text,
  version int not null default 1,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  deleted_at timestamptz,
  -- Posts that fell due during a pause go out late when publishing is resumed, or become drafts again.
  publishing_on_resume text not null default 'send' check (publishing_on_resume in ('send', 'draft')),
  -- The parameters that links get when they are posted.
  link_tags jsonb not null default '{"on": false, "source": "{network}", "medium": "social", "campaign": ""}'
);
select tenant_table('workspace', 'select, insert, update', 'id');
select across_table('workspace', 'select');
select across_table('workspace', 'select', 'parley_gate');

create table member (
  workspace_id uuid references workspace,
  user_id uuid references app_user on delete cascade,
  role text not null check (role in ('OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT')),
  joined_at timestamptz not null default app_now(),
  primary key (workspace_id, user_id)
);
create unique index member_one_owner on member (workspace_id) where role = 'OWNER';
create index member_user on member (user_id);
select tenant_table('member', 'select, insert, update, delete');
select across_table('member', 'select', 'parley_gate');

create table workspace_invitation (
  workspace_id uuid references workspace,
  id uuid,
  email text not null check (email = lower(email)),
  role text not null check (role in ('OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT')),
  token_hash text not null,
  invited_by uuid references app_user on delete set null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, id)
);
create unique index workspace_invitation_pending on workspace_invitation (workspace_id, email) where accepted_at is null;
create index workspace_invitation_token on workspace_invitation (token_hash);
select tenant_table('workspace_invitation', 'select, insert, update, delete');
select across_table('workspace_invitation', 'select', 'parley_gate');

create table subscription (
  workspace_id uuid primary key references workspace,
  plan_id text not null references plan,
  status text not null default 'active' check (status in ('active')),
  updated_at timestamptz not null default app_now()
);
select tenant_table('subscription', 'select, insert, update');
select across_table('subscription', 'select (workspace_id, plan_id)'); -- the publisher asks whether the plan has approvals
select across_table('subscription', 'select', 'parley_gate');

-- Used units of a quota. `period` is the first day of the month, or 0001-01-01 for a stock. A workspace that changes its zone
-- keeps the latest period that it has seen, so that no month is counted twice.
create table workspace_usage (
  workspace_id uuid references workspace,
  quota_id text references quota,
  period date not null,
  used bigint not null default 0 check (used >= 0),
  primary key (workspace_id, quota_id, period)
);
select tenant_table('workspace_usage', 'select, insert, update');
select across_table('workspace_usage', 'select', 'parley_gate');

-- A reservation whose operation is under way. It counts as used until `expires_at`, so time alone gives back the units that a
-- crash leaves behind. An operation that waited for its turn extends its reservation when it begins.
create table usage_hold (
  workspace_id uuid references workspace,
  id uuid,
  quota_id text not null references quota,
  period date not null,
  amount bigint not null check (amount >= 0),
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);
create index usage_hold_quota on usage_hold (workspace_id, quota_id, period, expires_at);
select tenant_table('usage_hold', 'select, insert, update, delete');
select across_table('usage_hold', 'select', 'parley_gate');

create table audit_entry (
  workspace_id uuid references workspace,
  id uuid,
  at timestamptz not null default app_now(),
  actor_kind text not null check (actor_kind in ('user', 'system')),
  actor_id uuid,
  action text not null,
  object jsonb not null,
  detail jsonb not null default '{}',
  ip text,
  request_id text,
  primary key (workspace_id, id)
);
select tenant_table('audit_entry', 'select, insert');

-- ---- notifications

-- A notice belongs to a person, and `workspace_id` is its subject. Every statement names the person.
create table notification (
  user_id uuid references app_user on delete cascade,
  id uuid,
  workspace_id uuid references workspace on delete cascade,
  kind text not null,
  data jsonb not null default '{}',
  in_app boolean not null default true,
  mail_at timestamptz,
  mailed_at timestamptz,
  read_at timestamptz,
  created_at timestamptz not null default app_now(),
  primary key (user_id, id)
);
create index notification_unread on notification (user_id, id desc) where in_app and read_at is null;
-- Notices that have been read, or were mailed alone, are removed after a while.
create index notification_over on notification (coalesce(read_at, created_at)) where read_at is not null or not in_app;
grant select, insert, update, delete on notification to parley_app;

-- The places where a person wants a kind of notice; without a row it is both.
create table notification_preference (
  user_id uuid references app_user on delete cascade,
  kind text,
  in_app boolean not null,
  mail boolean not null,
  primary key (user_id, kind)
);
grant select, insert, update, delete on notification_preference to parley_app;

-- ---- the gate

-- The period in which a workspace now counts a quota.
create function usage_period(workspace uuid, quota_kind text, zone text) returns date language sql stable as $$
  select case when quota_kind = 'stock' then date '0001-01-01'
    else greatest(date_trunc('month', app_now() at time zone zone)::date,
                  (select max(period) from workspace_usage where workspace_id = workspace)) end
$$;

-- The facts about a person that a gate needs, in one trip: in the given workspace (else the person's default) the role, the
-- plan's features, and the use of a quota where one is given. No row: there is no such person. A null role: the person is no
-- member of a living workspace.
create function member_facts(person uuid, asked_workspace uuid, asked_quota text, out user_id uuid, out disabled boolean,
  out is_super_admin boolean, out email_confirmed boolean, out workspace_id uuid, out role text, out plan text,
  out features text[], out quota_limit bigint, out quota_used bigint, out quota_resets_at timestamptz)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select u.id, u.disabled_at is not null, u.is_super_admin, u.email_confirmed_at is not null or u.phone_confirmed_at is not null,
    m.workspace_id, m.role, sub.plan_id,
    (select array_agg(feature_id) from plan_feature f where f.plan_id = sub.plan_id),
    pq.amount, coalesce(used.used, 0) + coalesce((select sum(amount) from usage_hold h where h.workspace_id = m.workspace_id
      and h.quota_id = q.id and h.period = period.start and h.expires_at > app_now()), 0)::bigint,
    case when q.kind = 'monthly' then ((period.start + interval '1 month')::timestamp at time zone w.timezone) end
  from app_user u
  left join member m on m.user_id = u.id and m.workspace_id = coalesce(asked_workspace, u.default_workspace_id)
    and exists (select from workspace x where x.id = m.workspace_id and x.deleted_at is null)
  left join workspace w on w.id = m.workspace_id
  left join subscription sub on sub.workspace_id = m.workspace_id
  left join quota q on q.id = asked_quota
  left join plan_quota pq on pq.plan_id = sub.plan_id and pq.quota_id = q.id
  left join lateral (select usage_period(m.workspace_id, q.kind, w.timezone) as start where q.id is not null) period on true
  left join workspace_usage used on used.workspace_id = m.workspace_id and used.quota_id = q.id and used.period = period.start
  where u.id = person
$$;
alter function member_facts(uuid, uuid, text) owner to parley_gate;
revoke all on function member_facts(uuid, uuid, text) from public;
grant execute on function member_facts(uuid, uuid, text) to parley_across;

-- The same for the person of a session: every request's gate reads it. No row: the session has ended. A session that ended because
-- its account was disabled still answers, so that the refusal can say so, for as long as the account is disabled.
create function gate_facts(session uuid, asked_workspace uuid, asked_quota text, out user_id uuid, out disabled boolean,
  out is_super_admin boolean, out email_confirmed boolean, out workspace_id uuid, out role text, out plan text,
  out features text[], out quota_limit bigint, out quota_used bigint, out quota_resets_at timestamptz)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select f.* from session s, lateral member_facts(s.user_id, asked_workspace, asked_quota) f
  where s.id = session and s.expires_at > app_now() and (s.ended_at is null or s.end_reason = 'disabled' and f.disabled)
$$;
alter function gate_facts(uuid, uuid, text) owner to parley_gate;
revoke all on function gate_facts(uuid, uuid, text) from public;
grant execute on function gate_facts(uuid, uuid, text) to parley_across;

-- A person's own profile with their workspaces, as the API answers it.
create function profile(person uuid) returns json language sql stable security definer set search_path = public, pg_temp as $$
  select json_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'name', u.name, 'avatarUrl', u.avatar_url,
    'language', u.language, 'timezone', u.timezone, 'emailConfirmed', u.email_confirmed_at is not null,
    'phoneConfirmed', u.phone_confirmed_at is not null, 'onboardedAt', iso(u.onboarded_at),
    'isSuperAdmin', u.is_super_admin, 'defaultWorkspaceId', u.default_workspace_id,
    'workspaces', coalesce((
      select json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role, 'plan', s.plan_id,
        'features', (select json_agg(feature_id order by feature_id) from plan_feature f where f.plan_id = s.plan_id))
        order by w.id)
      from member m join workspace w on w.id = m.workspace_id join subscription s on s.workspace_id = w.id
      where m.user_id = u.id and w.deleted_at is null), '[]'))
  from app_user u where u.id = person
$$;
alter function profile(uuid) owner to parley_gate;
revoke all on function profile(uuid) from public;
grant execute on function profile(uuid) to parley_app;

-- The invitation that a token opens, for a person who belongs to no workspace yet.
create function invitation_facts(token text, out workspace_id uuid, out id uuid, out email text, out role text,
  out expires_at timestamptz, out accepted_at timestamptz, out workspace_name text, out invited_by text)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select i.workspace_id, i.id, i.email, i.role, i.expires_at, i.accepted_at, w.name, u.name
  from workspace_invitation i join workspace w on w.id = i.workspace_id left join app_user u on u.id = i.invited_by
  where i.token_hash = token and w.deleted_at is null
$$;
alter function invitation_facts(text) owner to parley_gate;
revoke all on function invitation_facts(text) from public;
grant execute on function invitation_facts(text) to parley_across, parley_app;

-- Workspaces that a person owned and deleted, while they can be restored.
create function deleted_workspaces(person uuid) returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select w.id from member m join workspace w on w.id = m.workspace_id
  where m.user_id = person and m.role = 'OWNER' and w.deleted_at > app_now() - interval '30 days'
$$;
alter function deleted_workspaces(uuid) owner to parley_gate;
revoke all on function deleted_workspaces(uuid) from public;
grant execute on function deleted_workspaces(uuid) to parley_app;

-- ---- standing

-- A person's standing allows them to act: a live session, an account that is not disabled, a role in a live workspace. A
-- transaction in a person's name locks the standing that it relies on as shared; a change that ends or lowers a standing takes
-- the same lock exclusively. So either the transaction commits first, or it sees the change. The locks are advisory: a row lock
-- would write each of these rows with every request, and would deadlock with operations that update the row afterwards.
create function standing_key(id uuid, of_workspace uuid default null) returns bigint language sql immutable
  return hashtextextended(id::text || coalesce(of_workspace::text, ''), 7064);

create function lock_standing() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(standing_key(old.id));
  return new;
end $$;

create function lock_membership() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(standing_key(old.user_id, old.workspace_id));
  return case tg_op when 'DELETE' then old else new end;
end $$;

create trigger standing before update on session for each row
  when (old.ended_at is null and new.ended_at is not null) execute function lock_standing();
create trigger standing before update on app_user for each row
  when (old.disabled_at is null and new.disabled_at is not null or old.is_super_admin and not new.is_super_admin)
  execute function lock_standing();
create trigger standing before update on workspace for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function lock_standing();
create trigger standing before update on member for each row
  when (old.role is distinct from new.role) execute function lock_membership();
create trigger standing_end before delete on member for each row execute function lock_membership();

-- Locks a person's standing until the end of the transaction. Raises PA002 with the code of the refusal where the person may no
-- longer act. Without a workspace it looks at the session alone. `roles` are those that pass; no list lets every member pass.
create function require_standing(session uuid, person uuid, asked_workspace uuid, roles text[], needed text, as_operator boolean)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  facts record;
begin
  perform pg_advisory_xact_lock_shared(standing_key(session)), pg_advisory_xact_lock_shared(standing_key(person)),
    pg_advisory_xact_lock_shared(standing_key(asked_workspace)),
    pg_advisory_xact_lock_shared(standing_key(person, asked_workspace));
  select s.ended_at is not null as ended, u.disabled_at is not null as disabled, u.is_super_admin, m.role into facts
    from session s join app_user u on u.id = s.user_id
    left join member m on m.user_id = u.id and m.workspace_id = asked_workspace
      and exists (select from workspace w where w.id = m.workspace_id and w.deleted_at is null)
    where s.id = session and s.user_id = person and s.expires_at > app_now();
  if facts.disabled then raise exception 'account_disabled' using errcode = 'PA002'; end if;
  if facts.ended is not false then raise exception 'session_revoked' using errcode = 'PA002'; end if;
  if as_operator and not facts.is_super_admin then raise exception 'super_admin_required' using errcode = 'PA002'; end if;
  if asked_workspace is null then return; end if;
  if facts.role is null then raise exception 'not_found' using errcode = 'PA002'; end if;
  if facts.role <> all(roles) then
    raise exception 'role_required' using errcode = 'PA002',
      detail = json_build_object('required', needed, 'actual', facts.role)::text;
  end if;
end $$;
alter function require_standing(uuid, uuid, uuid, text[], text, boolean) owner to parley_gate;
revoke all on function require_standing(uuid, uuid, uuid, text[], text, boolean) from public;
grant execute on function require_standing(uuid, uuid, uuid, text[], text, boolean) to parley_app, parley_admin;

revoke create on schema public from parley_gate;
