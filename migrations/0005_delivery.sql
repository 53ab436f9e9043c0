-- Effects at networks, and the calls that they may make (docs/publishing.md).

-- An effect at a network that must happen at most once: a post on one account, or the first comment below it. The rows are the
-- queue of the machine that sends them.
create table delivery (
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
  -- The network has accepted it and processes it: since when, and since when it could not be read.
  accepted_at timestamptz,
  unread_since timestamptz,
  -- When the earliest try was about to be made. The network may show the effect of any try from then on.
  first_intent_at timestamptz,
  -- A hash of the shown text, so that people are warned before they send the same text to one account again.
  text_key text,
  -- The network's clock at the earliest try: a proof of absence needs it beside our own clock.
  network_at timestamptz,
  -- The latest try was answered by a bare 429: proven absent, it goes out again from then on, and counts as no failure.
  limited_until timestamptz,
  -- It was UNCONFIRMED once: the network is read before it is sent again.
  unproven boolean not null default false,
  -- When people were told that failures delay this attempt; null: not yet.
  delay_told_at timestamptz,
  kind text not null default 'post' check (kind in ('post', 'comment')),
  -- The delivery that a comment lies below, and its text. A post is composed as it goes out.
  after_id uuid,
  content jsonb,
  primary key (workspace_id, id),
  unique (workspace_id, post_id, account_id, kind),
  unique (workspace_id, account_id, external_id),
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, account_id) references social_account,
  foreign key (workspace_id, after_id) references delivery on delete cascade,
  check ((kind = 'post') = (after_id is null)),
  check ((kind = 'post') = (content is null)),
  check (state not in ('PUBLISHED', 'FAILED', 'UNCONFIRMED') or (next_at is null and turn is null and lease_until is null)),
  check ((state = 'SUBMITTING') = (phase is not null)),
  check (state <> 'PUBLISHED' or external_id is not null or permalink is not null or published_at is not null)
);
create index delivery_due on delivery (next_at) where turn is null and next_at is not null;
create index delivery_turn on delivery (turn) where turn is not null;
create index delivery_workspace_turn on delivery (workspace_id, turn) where turn is not null;
create index delivery_error on delivery (workspace_id, post_id) where error is not null;
create index delivery_text on delivery (workspace_id, account_id, text_key) where text_key is not null;
create index delivery_after on delivery (workspace_id, after_id) where after_id is not null;
create index delivery_open_comment on delivery (workspace_id)
  where kind <> 'post' and state in ('PENDING', 'PREPARING', 'SUBMITTING');
alter table delivery alter workspace_id set (n_distinct = -0.001), alter state set (n_distinct = 6); -- why: 0003
select tenant_table('delivery', 'select, insert, update, delete');
select across_table('delivery', 'select, update');

-- The deliveries of posts, for readers. It runs with the rights of the reader, so that the policies of the table hold.
create view publication with (security_invoker = true) as
  select workspace_id, id, post_id, account_id, position, state, phase, dropped_at, fence, tries, failures, backoffs, due_at,
    next_at, turn, lease_until, intent_at, absent_reads, absent_at, late_reads, late_read_at, wait_reason, handles, composed, sent,
    external_id, permalink, published_at, error, updated_at, accepted_at, unread_since, first_intent_at, text_key, network_at,
    limited_until, unproven, delay_told_at
  from delivery where kind = 'post';
grant select on publication to parley_app, parley_across;

-- One statement over all workspaces settles live posts together with their entries of the history: this one entry, and nothing
-- else of the history.
grant insert (workspace_id, id, actor_kind, action, object, detail) on audit_entry to parley_across;
create policy across_parley_across on audit_entry for insert to parley_across
  with check (actor_kind = 'system' and action = 'publication.published');

-- A person at a network whose calls are counted: one row for all workspaces in which their accounts are connected.
create table network_user (
  app text,
  user_key text,
  blocked_until timestamptz,
  usage_limit int,
  usage_limit_until timestamptz,
  primary key (app, user_key)
);
grant select, insert, update on network_user to parley_across;

create table network_call (
  app text,
  user_key text,
  minute timestamptz,
  calls int not null,
  primary key (app, user_key, minute),
  foreign key (app, user_key) references network_user
);
grant select, insert, update, delete on network_call to parley_across;

-- Reserves a number of calls in one person's name. `granted` is the minute in which they count; else `until` says when there are
-- enough again. `keep` calls of the hour stay untouched. 61 minutes are summed, so that no sliding hour holds more than `hourly`.
-- A person whom the network's own count slows down has calls again when that is over, not only when the hour has moved on.
create function reserve_calls(app_key text, person text, wanted int, keep int, hourly int,
  out granted timestamptz, out until timestamptz) language plpgsql as $$
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
  if used + wanted <= hourly - keep then until := least(until, usr.usage_limit_until); end if;
  until := coalesce(until, usr.usage_limit_until, at + interval '1 minute');
end $$;
revoke all on function reserve_calls(text, text, int, int, int) from public;
grant execute on function reserve_calls(text, text, int, int, int) to parley_across;
