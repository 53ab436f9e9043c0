-- Accounts of others, as their network shows them to everybody. `account_id`: the account of ours that looks it up.
create table competitor (
  workspace_id uuid references workspace,
  id uuid,
  account_id uuid not null,
  external_id text not null,
  username text not null,
  name text not null,
  next_at timestamptz not null,
  failures int not null default 0,
  -- Why the last reading told nothing.
  error text,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  unique (workspace_id, external_id),
  foreign key (workspace_id, account_id) references social_account
);
select tenant_table('competitor', 'select, insert, update, delete');

-- One reading of a day. `posts`: the newest ones, each with its public counts.
create table competitor_snapshot (
  workspace_id uuid,
  competitor_id uuid,
  day date,
  read_at timestamptz not null,
  followers bigint,
  media_count bigint,
  posts jsonb not null,
  primary key (workspace_id, competitor_id, day),
  foreign key (workspace_id, competitor_id) references competitor on delete cascade
);
select tenant_table('competitor_snapshot', 'select, insert, update, delete');
