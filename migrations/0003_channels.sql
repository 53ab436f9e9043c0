-- Connected accounts of the networks.

-- Tokens are sealed with the table, column, workspace and row that they belong to. The process that renews a token holds
-- `refreshing_until`, so that a rotating token is used once.
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
  refresh_token text,
  refresh_expires_at timestamptz,
  refreshing_until timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, platform, external_id),
  check (status <> 'DISCONNECTED' or (access_token is null and user_token is null)),
  check (status <> 'DISCONNECTED' or refresh_token is null)
);
-- One account of a network may be connected in several workspaces: a post that one of them sent is not the other's.
create index social_account_external on social_account (platform, external_id);
select tenant_table('social_account', 'select, insert, update');
select across_table('social_account', 'select');

-- Statistics that were taken while a table had one row say that each value is unique: a workspace then seems to have one post, and
-- the planner joins thousands by reading all of them again for each. The tables of posts (0004, 0005) say the same. These figures
-- count from the next ANALYZE.
alter table social_account alter workspace_id set (n_distinct = -0.001);
