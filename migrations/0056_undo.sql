-- What a change of the ways into an account replaced, for as long as its owner can undo it by the link in their mail.
create table credential_undo (
  token_hash text primary key,
  user_id uuid not null references app_user (id) on delete cascade,
  change text not null check (change in ('email', 'phone', 'identity')),
  -- The proven address or number before the change; null: there was none.
  former text,
  identity_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((change = 'identity') = (identity_id is not null))
);
create index credential_undo_user on credential_undo (user_id, created_at);
create index credential_undo_expired on credential_undo (expires_at);
grant select, insert, update, delete on credential_undo to parley_app;

-- A link that set a password still lists and ends the other ways into the account, until it expires.
alter table password_reset add column spent_at timestamptz;
