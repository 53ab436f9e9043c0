-- The one link that somebody may set a new password with: a newer one takes its place, using it removes it. Bound to the
-- address that it was sent to.
create table password_reset (
  user_id uuid primary key references app_user on delete cascade,
  token_hash text not null unique,
  email text not null,
  expires_at timestamptz not null
);
grant select, insert, update, delete on password_reset to parley_app;

-- Tries within a window, by the hash of what is limited.
create table try_count (
  key text primary key,
  tries int not null,
  ends_at timestamptz not null
);
create index try_count_ended on try_count (ends_at);
grant select, insert, update, delete on try_count to parley_app;

-- What somebody said at the beginning that they came for.
alter table app_user add column goals text[] not null default '{}';
-- A link that was mailed and used proves the address.
grant update (goals, email_confirmed_at) on app_user to parley_app;
