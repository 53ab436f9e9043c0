-- The bot: how it is set, what it decides about each message and why, the replies that wait for people, what it remembers of
-- customers, and comparisons of ways to reply.

-- The knowledge of the bot, by its hash: decisions name what they knew, so that they can be made again.
create table bot_knowledge (
  workspace_id uuid references workspace,
  hash text,
  faq_entries jsonb not null,
  knowledge_base jsonb not null,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, hash)
);
select tenant_table('bot_knowledge', 'select, insert, delete');

create table bot_config (
  workspace_id uuid primary key references workspace,
  is_enabled boolean not null default false,
  auto_reply_comments boolean not null default true,
  auto_reply_dms boolean not null default true,
  comment_to_dm_enabled boolean not null default false,
  max_auto_replies_per_thread int not null default 3 check (max_auto_replies_per_thread between 0 and 50),
  reply_delay_seconds int not null default 0 check (reply_delay_seconds between 0 and 86400),
  working_hours_only boolean not null default false,
  working_hours_start text,
  working_hours_end text,
  working_timezone text,
  brand_voice_id uuid,
  max_confidence_for_auto float8 not null default 0.7 check (max_confidence_for_auto between 0 and 1),
  blocked_topics text[] not null default '{}',
  escalate_keywords text[] not null default '{}',
  knowledge_hash text,
  ab_testing_enabled boolean not null default false,
  handoff_text text,
  disclosure_text text,
  drafts_only_until timestamptz,
  -- People are told once that the bot has no credits left, until it has some.
  told_no_credits_at timestamptz,
  -- When people were last told of a held reply: many at once are one notice.
  told_held_at timestamptz,
  version int not null default 1,
  updated_at timestamptz,
  updated_by uuid references app_user on delete set null,
  foreign key (workspace_id, brand_voice_id) references brand_voice on delete set null (brand_voice_id),
  foreign key (workspace_id, knowledge_hash) references bot_knowledge
);
create index bot_config_voice on bot_config (workspace_id, brand_voice_id) where brand_voice_id is not null;
create index bot_config_person on bot_config (updated_by) where updated_by is not null;
select tenant_table('bot_config', 'select, insert, update');

-- Which workspace answers a page by its bot: one of all that have connected it. The key is of no workspace, so that the first keeps
-- it; the row is only seen by its own.
create table bot_claim (
  workspace_id uuid references workspace,
  platform text,
  external_id text,
  account_id uuid not null,
  primary key (workspace_id, platform, external_id),
  constraint bot_claim_page unique (platform, external_id),
  foreign key (workspace_id, account_id) references social_account
);
create index bot_claim_account on bot_claim (workspace_id, account_id);
select tenant_table('bot_claim', 'select, insert, delete');
select across_table('bot_claim', 'select, delete'); -- the watch removes those of accounts that were disconnected

-- Whether the author of a comment is a page that somebody has connected, in whichever workspace: bots do not answer bots.
select across_table('social_account', 'select (platform, external_id, status)', 'parley_gate');
grant create on schema public to parley_gate; -- for its function
create function page_is_known(network text, page text) returns boolean language sql stable security definer
  set search_path = public, pg_temp as $$
  select exists (select from social_account where platform = network and external_id = page and status <> 'DISCONNECTED') $$;
alter function page_is_known(text, text) owner to parley_gate;
revoke all on function page_is_known(text, text) from public;
grant execute on function page_is_known(text, text) to parley_app;
revoke create on schema public from parley_gate;

-- What the bot decides about one message. `facts` is everything that it considers, and `log` its steps: a pure function makes
-- one of the other. A process holds a running decision by `fence` and `leased_until`.
create table decision (
  workspace_id uuid references workspace,
  id uuid,
  kind text not null check (kind in ('bot', 'suggest', 'simulate')),
  thread_id uuid,
  message_id uuid,
  -- The batch test that it belongs to, and its place in it.
  run_id uuid,
  place int not null default 0,
  revision int not null default 0,
  state text not null default 'QUEUED' check (state in ('QUEUED', 'RUNNING', 'WAITING', 'SENDING', 'DONE')),
  -- The order of those that wait: direct messages first, then by urgency.
  rank int not null default 0,
  fence int not null default 0,
  leased_until timestamptz,
  due_at timestamptz,
  verdict text check (verdict in ('SENT', 'IGNORED', 'QUIET', 'ESCALATED', 'HELD', 'SUPERSEDED', 'EXPIRED')),
  hold text,
  facts jsonb not null default '{}',
  knowledge_hash text,
  log jsonb not null default '[]',
  rules_version int not null default 1,
  reply text,
  sources jsonb not null default '[]',
  vetoes text[] not null default '{}',
  confidence float8,
  model text,
  input_tokens int,
  output_tokens int,
  -- What it may cost, set aside until the draft or the delivery ends.
  credit_hold uuid,
  generation_hold uuid,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default app_now(),
  ended_at timestamptz,
  erased_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, thread_id) references thread on delete cascade,
  foreign key (workspace_id, message_id) references message on delete cascade,
  foreign key (workspace_id, knowledge_hash) references bot_knowledge,
  check ((state = 'DONE') = (ended_at is not null)),
  check ((state = 'DONE') = (verdict is not null) or state = 'SENDING'),
  check ((kind = 'simulate') = (thread_id is null))
);
create unique index decision_message on decision (workspace_id, message_id, revision) where kind = 'bot';
create index decision_open on decision (workspace_id, state) where state <> 'DONE';
create index decision_turns on decision (workspace_id, rank, id) where state in ('QUEUED', 'WAITING');
create index decision_thread on decision (workspace_id, thread_id, id) where thread_id is not null;
create index decision_of_message on decision (workspace_id, message_id) where message_id is not null;
create index decision_run on decision (workspace_id, run_id, place) where run_id is not null;
create index decision_ended on decision (workspace_id, ended_at) where ended_at is not null;
create index decision_person on decision (created_by) where created_by is not null;
alter table decision alter workspace_id set (n_distinct = -0.001); -- why: 0003
select tenant_table('decision', 'select, insert, update, delete');
select across_table('decision', 'select (workspace_id, state)'); -- a process looks for workspaces with open decisions

-- A reply that waits for a person. Its text is no message until it is sent.
create table draft_reply (
  workspace_id uuid references workspace,
  id uuid,
  decision_id uuid not null,
  thread_id uuid not null,
  message_id uuid not null,
  revision int not null,
  state text not null default 'PENDING_REVIEW' check (state in ('PENDING_REVIEW', 'APPROVED', 'FLAGGED', 'SUPERSEDED', 'EXPIRED')),
  text text not null,
  sent_text text,
  reason text not null,
  confidence float8 not null,
  parts jsonb not null,
  threshold float8 not null,
  sources jsonb not null default '[]',
  vetoes text[] not null default '{}',
  privately boolean not null default false,
  expires_at timestamptz,
  flag_reason text check (flag_reason in ('wrong', 'unsafe', 'off-brand')),
  flag_note text,
  decided_by uuid references app_user on delete set null,
  decided_at timestamptz,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  unique (workspace_id, decision_id),
  foreign key (workspace_id, decision_id) references decision on delete cascade,
  foreign key (workspace_id, thread_id) references thread on delete cascade,
  foreign key (workspace_id, message_id) references message on delete cascade,
  check ((state = 'FLAGGED') = (flag_reason is not null)),
  check ((state = 'PENDING_REVIEW') = (decided_at is null))
);
create index draft_reply_state on draft_reply (workspace_id, state, id);
create index draft_reply_thread on draft_reply (workspace_id, thread_id, id);
create index draft_reply_message on draft_reply (workspace_id, message_id);
create index draft_reply_person on draft_reply (decided_by) where decided_by is not null;
create unique index draft_reply_waiting on draft_reply (workspace_id, thread_id) where state = 'PENDING_REVIEW';
create index draft_reply_expiring on draft_reply (workspace_id, expires_at) where state = 'PENDING_REVIEW';
select tenant_table('draft_reply', 'select, insert, update, delete');

-- What the bot or a draft wrote names its decision. A reply of the bot is no part of its thread before its intent is written.
alter table message add decision_id uuid,
  add is_intended boolean not null default true,
  add foreign key (workspace_id, decision_id) references decision on delete set null (decision_id);
create index message_decision on message (workspace_id, decision_id) where decision_id is not null;

-- Why the newest message of a thread waits for a person, and the way to reply that an experiment chose.
-- `handed_over_at`: when the bot told the customer that a person will answer.
alter table thread add held text, add handed_over_at timestamptz, add experiment_id uuid, add variant text check (variant in ('A', 'B'));
create index thread_held on thread (workspace_id, thread_priority(urgency, unanswered_at) desc, id desc) where held is not null;

-- The cost of AI is that of a generation or of a decision.
alter table credit_entry alter generation_id drop not null,
  add decision_id uuid,
  add check ((generation_id is null) <> (decision_id is null)),
  add foreign key (workspace_id, decision_id) references decision;
create unique index credit_entry_decision on credit_entry (workspace_id, decision_id) where decision_id is not null;

-- What is remembered of a customer: their own words, under a fixed key. One value of a key is true at a time.
create table memory (
  workspace_id uuid references workspace,
  id uuid,
  scope text not null check (scope in ('thread', 'customer', 'audience')),
  -- The thread, the identity, or the node.
  owner uuid not null,
  key text not null check (key in ('first_name', 'size', 'interest', 'order', 'complaint')),
  value text not null check (length(value) <= 200),
  confidence float8 not null default 0.5,
  hit_count int not null default 0,
  from_message uuid,
  valid_until timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, from_message) references message on delete set null (from_message)
);
create unique index memory_valid on memory (workspace_id, scope, owner, key) where valid_until is null;
create index memory_message on memory (workspace_id, from_message) where from_message is not null;
select tenant_table('memory', 'select, insert, update, delete');

create table reply_experiment (
  workspace_id uuid references workspace,
  id uuid,
  name text not null,
  state text not null default 'STOPPED' check (state in ('STOPPED', 'RUNNING', 'DECIDED')),
  variant_a jsonb not null,
  variant_b jsonb not null,
  winner text check (winner in ('A', 'B')),
  version int not null default 1,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  check ((state = 'DECIDED') = (winner is not null))
);
create unique index reply_experiment_running on reply_experiment (workspace_id) where state = 'RUNNING';
select tenant_table('reply_experiment', 'select, insert, update, delete');
alter table thread add foreign key (workspace_id, experiment_id) references reply_experiment on delete set null (experiment_id);
create index thread_experiment on thread (workspace_id, experiment_id) where experiment_id is not null;

-- A customer in an experiment, counted once.
create table exposure (
  workspace_id uuid,
  experiment_id uuid,
  identity_id uuid,
  variant text not null check (variant in ('A', 'B')),
  drafted_at timestamptz not null,
  served_at timestamptz,
  converted_at timestamptz,
  primary key (workspace_id, experiment_id, identity_id),
  foreign key (workspace_id, experiment_id) references reply_experiment on delete cascade,
  foreign key (workspace_id, identity_id) references audience_identity
);
create index exposure_identity on exposure (workspace_id, identity_id);
select tenant_table('exposure', 'select, insert, update, delete');
