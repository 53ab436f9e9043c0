-- What networks tell of live posts and of accounts. Numbers only come in: whatever a network does not tell
-- is null, never 0.

-- A live post of an account, made here or elsewhere, with the last values that the network told. `known_at`: when a value was
-- read that the last reading lacked.
create table measured_post (
  workspace_id uuid,
  id uuid,
  account_id uuid not null,
  delivery_id uuid,
  external_id text not null,
  kind text not null check (kind in ('post', 'reel', 'story', 'pictures')),
  caption text not null,
  permalink text,
  published_at timestamptz not null,
  reach bigint,
  impressions bigint,
  likes bigint,
  comments bigint,
  shares bigint,
  saves bigint,
  video_views bigint,
  engagement bigint generated always as (case when coalesce(likes, comments, shares, saves) is not null
    then coalesce(likes, 0) + coalesce(comments, 0) + coalesce(shares, 0) + coalesce(saves, 0) end) stored,
  known_at jsonb not null default '{}',
  read_at timestamptz,
  -- Null: no further reading is planned.
  next_read_at timestamptz,
  -- When the network first did not have it. A day later it is gone.
  missing_at timestamptz,
  gone_at timestamptz,
  -- The network keeps no figures of it: it is older than the professional account.
  unmeasurable boolean not null default false,
  topic text,
  format text,
  tone text,
  primary key (workspace_id, id),
  unique (workspace_id, account_id, external_id),
  unique (workspace_id, delivery_id),
  foreign key (workspace_id, account_id) references social_account,
  foreign key (workspace_id, delivery_id) references delivery on delete set null (delivery_id)
);
create index measured_post_published on measured_post (workspace_id, account_id, published_at);
create index measured_post_next on measured_post (workspace_id, account_id, next_read_at) where next_read_at is not null;
select tenant_table('measured_post', 'select, insert, update');
select across_table('measured_post', 'select');
-- The sweep finds the accounts with a live post that nobody measures yet.
create index delivery_live on delivery (published_at)
  where kind = 'post' and state = 'PUBLISHED' and external_id is not null and dropped_at is null;

-- The totals of a post since it was published, as the last reading of a day told them. `day` is the workspace's at the reading.
-- A month has its partition, made before the first write to it; there is none for other days.
create table post_metric (
  workspace_id uuid,
  post_id uuid,
  day date,
  read_at timestamptz not null,
  age_hours real not null,
  reach bigint,
  impressions bigint,
  likes bigint,
  comments bigint,
  shares bigint,
  saves bigint,
  video_views bigint,
  engagement bigint generated always as (case when coalesce(likes, comments, shares, saves) is not null
    then coalesce(likes, 0) + coalesce(comments, 0) + coalesce(shares, 0) + coalesce(saves, 0) end) stored,
  primary key (workspace_id, post_id, day),
  foreign key (workspace_id, post_id) references measured_post
) partition by range (day);
select tenant_table('post_metric', 'select, insert, update');

-- Makes the partition of a day's month, if it is missing. It is attached, so that nobody who reads the others waits for it.
create function post_metric_month(of_day date) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  first date := date_trunc('month', of_day);
  name text := 'post_metric_' || to_char(of_day, 'YYYY_MM');
begin
  if to_regclass('public.' || name) is not null then return; end if;
  if of_day not between (app_now() - interval '26 months')::date and (app_now() + interval '2 days')::date then
    raise exception 'No figures are kept of %', of_day;
  end if;
  perform pg_advisory_xact_lock(7063);
  if to_regclass('public.' || name) is not null then return; end if;
  execute format('create table %I (like post_metric including all)', name);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('alter table post_metric attach partition %I for values from (%L) to (%L)', name, first,
    first + interval '1 month');
end $$;
revoke all on function post_metric_month(date) from public;
grant execute on function post_metric_month(date) to parley_app;

-- What happened on an account in one day, by the network's own days: `ends_at` tells when the day ended there.
create table account_metric (
  workspace_id uuid,
  account_id uuid,
  day date,
  ends_at timestamptz not null,
  followers bigint,
  reach bigint,
  reach_7 bigint,
  reach_28 bigint,
  impressions bigint,
  engagement bigint,
  source text not null check (source in ('network', 'difference')),
  read_at timestamptz not null,
  primary key (workspace_id, account_id, day),
  foreign key (workspace_id, account_id) references social_account
);
select tenant_table('account_metric', 'select, insert, update');

-- The readings of an account. `lease_until`: a process reads it now.
create table account_sync (
  workspace_id uuid,
  account_id uuid,
  next_at timestamptz,
  ok_at timestamptz,
  failures int not null default 0,
  error text,
  gaps jsonb not null default '[]',
  lease_until timestamptz,
  primary key (workspace_id, account_id),
  foreign key (workspace_id, account_id) references social_account
);
select tenant_table('account_sync', 'select, insert, update');
select across_table('account_sync', 'select');

-- A name that a network no longer takes: one such name makes it refuse the whole request.
create table metric_gone (
  app text,
  version text,
  kind text,
  metric text,
  since timestamptz not null default app_now(),
  primary key (app, version, kind, metric)
);
grant select, insert, update on metric_gone to parley_across;
