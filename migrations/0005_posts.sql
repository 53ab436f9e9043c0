create table post (
  workspace_id uuid references workspace,
  id uuid,
  caption text not null default '',
  hashtags text[] not null default '{}',
  cta text not null default '',
  media_type text check (media_type in ('IMAGE', 'VIDEO', 'CAROUSEL')),
  caption_overrides jsonb not null default '{}',
  hashtag_overrides jsonb not null default '{}',
  platform_options jsonb not null default '{}',
  status text not null check (status in ('DRAFT', 'SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED')),
  scheduled_at timestamptz,
  published_at timestamptz,
  late boolean not null default false,
  checks jsonb not null default '[]',
  version int not null default 1,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  deleted_at timestamptz,
  happens_at timestamptz not null generated always as (coalesce(scheduled_at, published_at, created_at)) stored,
  primary key (workspace_id, id),
  check (status <> 'SCHEDULED' or scheduled_at is not null)
);
create index post_list on post (workspace_id, id desc) where deleted_at is null;
create index post_happens on post (workspace_id, happens_at) where deleted_at is null;
-- The watch looks for posts that should be moving.
create index post_moving on post (scheduled_at) where status in ('SCHEDULED', 'PUBLISHING');
select tenant_table('post', 'select, insert, update');
select across_table('post', 'select, update');

create table post_media (
  workspace_id uuid,
  post_id uuid,
  media_file_id uuid,
  sort_order int not null,
  platforms text[],
  primary key (workspace_id, post_id, media_file_id),
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, media_file_id) references media_file
);
create index post_media_file on post_media (workspace_id, media_file_id);
select tenant_table('post_media', 'select, insert, update, delete');
select across_table('post_media', 'select');

-- One target of a post, and at the same time its place in the publish queue (docs: the publishing machine).
create table publication (
  workspace_id uuid,
  id uuid,
  post_id uuid not null,
  account_id uuid not null,
  position int not null,
  state text not null default 'PENDING'
    check (state in ('PENDING', 'PREPARING', 'SUBMITTING', 'PUBLISHED', 'FAILED', 'UNCONFIRMED')),
  phase text check (phase in ('commit', 'confirm')),
  dropped_at timestamptz,
  fence int not null default 0,
  tries int not null default 0,
  failures int not null default 0,
  backoffs int not null default 0,
  due_at timestamptz,
  next_at timestamptz,
  turn timestamptz,
  lease_until timestamptz,
  intent_at timestamptz,
  absent_reads int not null default 0,
  absent_at timestamptz,
  late_reads int not null default 0,
  late_read_at timestamptz,
  wait_reason text,
  handles jsonb not null default '{}',
  composed text,
  sent jsonb,
  external_id text,
  permalink text,
  published_at timestamptz,
  error jsonb,
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  unique (workspace_id, post_id, account_id),
  unique (workspace_id, account_id, external_id),
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, account_id) references social_account,
  check (state not in ('PUBLISHED', 'FAILED', 'UNCONFIRMED') or (next_at is null and turn is null and lease_until is null)),
  check ((state = 'SUBMITTING') = (phase is not null)),
  check (state <> 'PUBLISHED' or external_id is not null or permalink is not null or published_at is not null)
);
create index publication_due on publication (next_at) where turn is null and next_at is not null;
create index publication_turn on publication (turn) where turn is not null;
create index publication_workspace_turn on publication (workspace_id, turn) where turn is not null;
select tenant_table('publication', 'select, insert, update, delete');
select across_table('publication', 'select, update');

-- A person at a network whose calls are counted: one row for all workspaces in which their accounts are connected.
create table network_user (
  app text,
  user_key text,
  blocked_until timestamptz,
  usage_limit int,
  usage_limit_until timestamptz,
  primary key (app, user_key)
);
create table network_call (
  app text,
  user_key text,
  minute timestamptz,
  calls int not null,
  primary key (app, user_key, minute),
  foreign key (app, user_key) references network_user
);
grant select, insert, update on network_user to parley_across;
grant select, insert, update, delete on network_call to parley_across;

-- Leave for a number of calls in one person's name: `granted` is the minute in which they count, else `until` says when there
-- is enough again. `keep` calls of the hour stay untouched. 61 minutes are summed, so that no sliding hour holds more than
-- `hourly`.
create function reserve_calls(app_key text, person text, wanted int, keep int, hourly int,
  out granted timestamptz, out until timestamptz)
language plpgsql as $$
declare
  at timestamptz := app_now();
  usr network_user;
  available int;
  used int;
begin
  insert into network_user (app, user_key) values (app_key, person) on conflict do nothing;
  select * into usr from network_user where app = app_key and user_key = person for update;
  if usr.blocked_until > at then
    until := usr.blocked_until;
    return;
  end if;
  available := hourly - keep;
  if usr.usage_limit_until > at then available := least(available, usr.usage_limit); end if;
  delete from network_call where app = app_key and user_key = person and minute < at - interval '2 hours';
  select coalesce(sum(calls), 0) into used from network_call
    where app = app_key and user_key = person and minute >= date_trunc('minute', at) - interval '60 minutes';
  if used + wanted <= available then
    granted := date_trunc('minute', at);
    insert into network_call values (app_key, person, granted, wanted)
      on conflict (app, user_key, minute) do update set calls = network_call.calls + wanted;
    return;
  end if;
  select minute + interval '61 minutes' into until from (
    select minute, sum(calls) over (order by minute) as freed from network_call
    where app = app_key and user_key = person and minute >= date_trunc('minute', at) - interval '60 minutes') oldest
    where used - freed + wanted <= available order by minute limit 1;
  until := coalesce(until, usr.usage_limit_until, at + interval '1 minute');
end $$;
grant execute on function reserve_calls(text, text, int, int, int) to parley_across;
revoke all on function reserve_calls(text, text, int, int, int) from public;
