-- People and their sessions belong to no workspace: no policy, granted by column.
create table app_user (
  id uuid primary key,
  email text,
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
  check (email = lower(email))
);
create unique index app_user_email on app_user (email);
create unique index app_user_phone on app_user (phone);

-- One row per sign-in. A refresh token is known by its id alone: the token itself is made again from id and times, so
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
  check ((ended_at is null) = (end_reason is null))
);
create index session_of_user on session (user_id);

-- What happened to somebody's sign-in, append-only.
create table security_event (
  id uuid primary key,
  user_id uuid references app_user on delete cascade,
  action text not null,
  detail jsonb not null default '{}',
  ip text,
  request_id text,
  at timestamptz not null default app_now()
);
create index security_event_user on security_event (user_id, id);

-- Ten minutes in which somebody may come back from a provider's consent page: single use, bound to browser, user, workspace.
create table oauth_state (
  state_hash text primary key,
  browser_hash text not null,
  provider text not null,
  user_id uuid not null references app_user on delete cascade,
  workspace_id uuid not null,
  redirect text not null,
  expires_at timestamptz not null
);

grant select, insert on app_user to parley_app;
grant update (name, avatar_url, language, timezone, onboarded_at, default_workspace_id, password_hash) on app_user to parley_app;
grant select, insert on session to parley_app;
grant update (current_token, issued_at, previous_token, last_used_at, ended_at, end_reason) on session to parley_app;
grant insert on security_event to parley_app;
grant select, insert, delete on oauth_state to parley_app;
