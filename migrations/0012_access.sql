-- Every door: codes, identities of other providers, several sessions.
grant update (email, phone, phone_confirmed_at) on app_user to parley_app;

alter table session add column method text not null default 'password'
  check (method in ('password', 'phone', 'email_code', 'IDP_A', 'IDP_B', 'invitation'));

-- One live code for a destination and purpose, kept as a keyed hash.
create table one_time_code (
  destination text,
  purpose text check (purpose in ('login', 'verify')),
  user_id uuid references app_user on delete cascade,
  code_hash text not null,
  tries int not null default 0,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (destination, purpose)
);
create index one_time_code_expired on one_time_code (expires_at);
grant select, insert, update, delete on one_time_code to parley_app;

-- Who somebody is at an identity provider: its key is never an address.
create table user_identity (
  issuer text,
  subject text,
  id uuid not null unique,
  provider text not null check (provider in ('IDP_A', 'IDP_B')),
  user_id uuid not null references app_user on delete cascade,
  email text,
  created_at timestamptz not null default app_now(),
  last_used_at timestamptz not null default app_now(),
  primary key (issuer, subject)
);
create index user_identity_user on user_identity (user_id);
grant select, insert, update, delete on user_identity to parley_app;

-- A sign-in has no user and no workspace yet; a join has a user alone.
alter table oauth_state
  alter column user_id drop not null,
  alter column workspace_id drop not null,
  add column purpose text not null default 'connect' check (purpose in ('connect', 'login', 'join')),
  add column nonce text,
  add column code_verifier text,
  add check (purpose <> 'connect' or (user_id is not null and workspace_id is not null)),
  add check (purpose <> 'join' or user_id is not null);

-- Members come by invitation.
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

-- Which invitation a token opens, for somebody who belongs to no workspace yet.
create function invitation_facts(token text, out workspace_id uuid, out id uuid, out email text, out role text,
  out expires_at timestamptz, out accepted_at timestamptz, out workspace_name text, out invited_by text)
returns setof record language sql stable security definer set search_path = public as $$
  select i.workspace_id, i.id, i.email, i.role, i.expires_at, i.accepted_at, w.name, u.name
  from workspace_invitation i join workspace w on w.id = i.workspace_id left join app_user u on u.id = i.invited_by
  where i.token_hash = token and w.deleted_at is null
$$;
grant create on schema public to parley_gate; -- to be given the function
alter function invitation_facts owner to parley_gate;
revoke create on schema public from parley_gate;
revoke execute on function invitation_facts from public;
grant execute on function invitation_facts to parley_across, parley_app;

-- What people are told. A notice belongs to a person; `workspace_id` is what it is about. Every statement names the person.
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
grant select, insert, update, delete on notification to parley_app;

-- Where a person wants a kind of notice; without a row both.
create table notification_preference (
  user_id uuid references app_user on delete cascade,
  kind text,
  in_app boolean not null,
  mail boolean not null,
  primary key (user_id, kind)
);
grant select, insert, update, delete on notification_preference to parley_app;
alter table app_user add column quiet_from time, add column quiet_until time,
  add check ((quiet_from is null) = (quiet_until is null)), add check (quiet_from <> quiet_until);
grant update (quiet_from, quiet_until) on app_user to parley_app;

-- A request that must have its effect once. `key_hash` is of workspace, person, method, path and key.
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
  expires_at timestamptz not null
);
create index idempotency_key_expired on idempotency_key (expires_at);
grant select, insert, update, delete on idempotency_key to parley_app;

-- Requests of one caller in one minute, taken by the processes in small portions. Nothing of it must survive a crash.
create unlogged table request_window (
  key text primary key,
  taken int not null,
  ends_at timestamptz not null
);
create index request_window_ended on request_window (ends_at);
grant select, insert, update, delete on request_window to parley_across;
