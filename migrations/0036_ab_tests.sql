-- Tests of posts: blocks of two posts in adjacent weeks. A coin decides which one is variant A.
create table ab_test (
  workspace_id uuid references workspace,
  id uuid,
  name text not null,
  account_id uuid not null,
  kind text not null check (kind in ('post', 'reel', 'pictures')),
  slot text not null,
  trait text not null check (trait in ('topic', 'tone', 'length', 'link', 'question')),
  a text not null,
  b text not null,
  state text not null default 'draft' check (state in ('draft', 'running', 'done', 'stopped')),
  -- Null until all blocks are in.
  result jsonb,
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, account_id) references social_account,
  check ((state = 'done') = (result is not null))
);
create unique index ab_test_name on ab_test (workspace_id, lower(name));
select tenant_table('ab_test', 'select, insert, update, delete');

-- `first_is_a`: the coin. `dropped`: the rule by which the block does not count.
create table ab_block (
  workspace_id uuid,
  test_id uuid,
  n int,
  first_is_a boolean not null,
  first_post_id uuid,
  second_post_id uuid,
  dropped text,
  -- The engagement of A by that of B.
  ratio double precision,
  primary key (workspace_id, test_id, n),
  foreign key (workspace_id, test_id) references ab_test on delete cascade,
  foreign key (workspace_id, first_post_id) references post,
  foreign key (workspace_id, second_post_id) references post
);
create index ab_block_first on ab_block (workspace_id, first_post_id);
create index ab_block_second on ab_block (workspace_id, second_post_id);
select tenant_table('ab_block', 'select, insert, update, delete');
