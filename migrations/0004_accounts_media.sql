-- A connected account of a network. Tokens are sealed with the table, column, workspace and row that they belong to.
create table social_account (
  workspace_id uuid references workspace,
  id uuid,
  platform text not null,
  external_id text not null,
  network_user text not null,
  name text not null,
  username text,
  avatar_url text,
  profile_url text,
  status text not null check (status in ('CONNECTED', 'RECONNECT_NEEDED', 'DISCONNECTED')),
  paused_at timestamptz,
  access_token text,
  user_token text,
  token_expires_at timestamptz,
  granted_scopes text[] not null default '{}',
  version int not null default 1,
  connected_by uuid references app_user on delete set null,
  connected_at timestamptz not null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  unique (workspace_id, platform, external_id),
  check (status <> 'DISCONNECTED' or (access_token is null and user_token is null))
);
select tenant_table('social_account', 'select, insert, update');
select across_table('social_account', 'select');

-- `original_key` holds the bytes as uploaded, private; `storage_key` what is served: clean, upright, described by the columns.
create table media_file (
  workspace_id uuid references workspace,
  id uuid,
  kind text not null check (kind in ('IMAGE', 'VIDEO')),
  state text not null check (state in ('PROCESSING', 'READY', 'REJECTED')),
  rejected_reason text,
  file_name text not null,
  mime_type text not null,
  file_size bigint not null,
  width int,
  height int,
  duration double precision,
  original_key text not null,
  original_size bigint not null,
  storage_key text,
  thumbnail_key text,
  alt_text text not null default '',
  tags text[] not null default '{}',
  version int not null default 1,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  check ((state = 'REJECTED') = (rejected_reason is not null)),
  check (state <> 'READY' or storage_key is not null)
);
create unique index media_file_storage_key on media_file (workspace_id, storage_key);
select tenant_table('media_file', 'select, insert, update, delete');
select across_table('media_file', 'select');
