-- Conversations: what customers write to the connected accounts, and what people answer.

-- What a network told, by webhook or by reading: stored before it is acknowledged, applied by a job. `key` is made of the
-- network's own ids, so that an event that comes twice is one row.
create table inbound_event (
  workspace_id uuid,
  id uuid,
  account_id uuid not null,
  key text not null,
  at timestamptz not null,
  event jsonb not null,
  via text not null check (via in ('webhook', 'read')),
  received_at timestamptz not null default app_now(),
  done_at timestamptz,
  failures int not null default 0,
  error text,
  -- The message that a change is about, or the thread whose delivery may have made it; with `waits`, it is applied when that is here.
  about text,
  waits boolean not null default false,
  primary key (workspace_id, id),
  unique (workspace_id, account_id, key),
  foreign key (workspace_id, account_id) references social_account
);
create index inbound_event_open on inbound_event (workspace_id, account_id, at) where done_at is null and failures < 5 and not waits;
create index inbound_event_waiting on inbound_event (workspace_id, account_id, about) where waits;
create index inbound_event_failed on inbound_event (workspace_id) where done_at is null and failures >= 5;
create index inbound_event_done on inbound_event (done_at) where done_at is not null;
alter table inbound_event alter workspace_id set (n_distinct = -0.001); -- why: 0003
select tenant_table('inbound_event', 'select, insert, update, delete');

-- A customer, and how a network names this person to one of our accounts. The id is sealed; its keyed hash finds it.
create table audience_node (
  workspace_id uuid references workspace,
  id uuid,
  name text not null,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, id)
);
select tenant_table('audience_node', 'select, insert, update, delete');

create table audience_identity (
  workspace_id uuid,
  id uuid,
  node_id uuid not null,
  account_id uuid not null,
  hash text not null,
  value text not null,
  username text,
  primary key (workspace_id, id),
  unique (workspace_id, account_id, hash),
  foreign key (workspace_id, node_id) references audience_node,
  foreign key (workspace_id, account_id) references social_account
);
create index audience_identity_node on audience_identity (workspace_id, node_id);
select tenant_table('audience_identity', 'select, insert, update, delete');
select across_table('audience_identity', 'select'); -- a claim reads whom a message is for

-- A direct conversation with one person, or one person's comments below one root comment.
create table thread (
  workspace_id uuid,
  id uuid,
  account_id uuid not null,
  identity_id uuid not null,
  kind text not null check (kind in ('COMMENT', 'DM')),
  key text not null,
  post_ref text,
  post_id uuid,
  status text not null default 'OPEN' check (status in ('OPEN', 'ESCALATED', 'SNOOZED', 'CLOSED')),
  assignee uuid,
  urgency text not null default 'MEDIUM' check (urgency in ('LOW', 'MEDIUM', 'HIGH', 'CRITICAL')),
  sentiment text check (sentiment in ('positive', 'neutral', 'negative')),
  language text,
  tags text[] not null default '{}',
  reply_style text,
  bot_paused_at timestamptz,
  bot_streak int not null default 0,
  revision int not null default 0,
  window_until timestamptz,
  human_until timestamptz,
  unanswered_at timestamptz,
  opened_at timestamptz not null,
  last_in_at timestamptz,
  last_out_at timestamptz,
  read_until timestamptz,
  snoozed_until timestamptz,
  version int not null default 1,
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  unique (workspace_id, account_id, key),
  foreign key (workspace_id, account_id) references social_account,
  foreign key (workspace_id, identity_id) references audience_identity,
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, assignee) references member on delete set null (assignee),
  check ((status = 'SNOOZED') = (snoozed_until is not null))
);
create index thread_assignee on thread (workspace_id, assignee, status) where assignee is not null;
create index thread_identity on thread (workspace_id, identity_id);
create index thread_newest on thread (workspace_id, coalesce(last_in_at, opened_at) desc, id desc);
create index thread_snoozed on thread (snoozed_until) where snoozed_until is not null;
alter table thread alter workspace_id set (n_distinct = -0.001); -- why: 0003
select tenant_table('thread', 'select, insert, update, delete');
select across_table('thread', 'select');

-- The order of the inbox as one number that falls: the most urgent first, then who waits the longest; last who does not wait.
create function thread_priority(urgency text, unanswered_at timestamptz) returns bigint language sql immutable parallel safe
  return (case when unanswered_at is null then 0
    else case urgency when 'CRITICAL' then 4 when 'HIGH' then 3 when 'MEDIUM' then 2 else 1 end end) * 100000000000000
    + case when unanswered_at is null then 0 else 99999999999999 - (extract(epoch from unanswered_at - timestamptz '2000-01-01 00:00:00Z') * 1000)::bigint end;
create index thread_priority on thread (workspace_id, thread_priority(urgency, unanswered_at) desc, id desc);

create table message (
  workspace_id uuid,
  id uuid,
  thread_id uuid not null,
  account_id uuid not null,
  kind text not null check (kind in ('COMMENT', 'PRIVATE_REPLY', 'DM', 'NOTE')),
  direction text not null check (direction in ('IN', 'OUT', 'INTERNAL')),
  source text not null check (source in ('CUSTOMER', 'BOT_AUTO', 'BOT_SUGGESTED', 'AGENT_MANUAL', 'SYSTEM')),
  author uuid references app_user on delete set null,
  text text,
  parent_id uuid,
  external_id text,
  at timestamptz not null,
  edit_number int not null default 0,
  edited_at timestamptz,
  removed_at timestamptz,
  hidden_at timestamptz,
  hide_at timestamptz,
  reaction text,
  reaction_at timestamptz,
  -- Its words, and one for the workspace, so that one index finds the words of one workspace.
  tsv tsvector generated always as
    (to_tsvector('simple', coalesce(text, '')) || array_to_tsvector(array['w:' || workspace_id::text])) stored,
  primary key (workspace_id, id),
  unique (workspace_id, account_id, external_id),
  foreign key (workspace_id, thread_id) references thread on delete cascade,
  foreign key (workspace_id, account_id) references social_account,
  foreign key (workspace_id, parent_id) references message on delete cascade,
  check ((kind = 'NOTE') = (direction = 'INTERNAL'))
);
create index message_thread on message (workspace_id, thread_id, at desc, id desc);
create index message_author on message (author) where author is not null;
create index message_parent on message (workspace_id, parent_id) where parent_id is not null;
create index message_words on message using gin (tsv);
alter table message alter workspace_id set (n_distinct = -0.001); -- why: 0003
select tenant_table('message', 'select, insert, update, delete');
select across_table('message', 'select');

create table message_attachment (
  workspace_id uuid,
  id uuid,
  message_id uuid not null,
  position int not null,
  type text not null,
  url text,
  media_file_id uuid,
  state text not null default 'LINK' check (state in ('LINK', 'KEPT', 'TOO_LARGE', 'GONE')),
  primary key (workspace_id, id),
  unique (workspace_id, message_id, position),
  foreign key (workspace_id, message_id) references message on delete cascade,
  foreign key (workspace_id, media_file_id) references media_file
);
select tenant_table('message_attachment', 'select, insert, update, delete');

create table thread_label (
  workspace_id uuid,
  thread_id uuid,
  label_id uuid,
  primary key (workspace_id, thread_id, label_id),
  foreign key (workspace_id, thread_id) references thread on delete cascade,
  foreign key (workspace_id, label_id) references label on delete cascade
);
create index thread_label_label on thread_label (workspace_id, label_id);
select tenant_table('thread_label', 'select, insert, delete');

-- Up to which message a person has read a thread.
create table thread_seen (
  workspace_id uuid,
  thread_id uuid,
  user_id uuid references app_user on delete cascade,
  seen_at timestamptz not null,
  primary key (workspace_id, thread_id, user_id),
  foreign key (workspace_id, thread_id) references thread on delete cascade
);
create index thread_seen_user on thread_seen (user_id);
select tenant_table('thread_seen', 'select, insert, update, delete');

-- Deliveries of the inbox belong to a thread as those of posts belong to a post: an answer below a comment, the one private
-- answer to a comment, a direct message, and hiding a comment or showing it again.
alter table delivery alter post_id drop not null,
  add thread_id uuid,
  add message_id uuid,
  drop constraint delivery_kind_check,
  add constraint delivery_kind_check check (kind in ('post', 'comment', 'remove', 'reply', 'private_reply', 'dm', 'hide')),
  drop constraint delivery_check,
  add constraint delivery_after_check check ((kind in ('comment', 'remove')) = (after_id is not null)),
  add constraint delivery_subject_check check ((post_id is null) = (thread_id is not null) and (thread_id is null) = (message_id is null)
    and (thread_id is not null) = (kind in ('reply', 'private_reply', 'dm', 'hide'))),
  add foreign key (workspace_id, thread_id) references thread on delete cascade,
  add foreign key (workspace_id, message_id) references message on delete cascade;
create unique index delivery_message on delivery (workspace_id, message_id) where message_id is not null;
create index delivery_thread on delivery (workspace_id, thread_id, kind) where thread_id is not null;
-- A comment has one private answer. Only a failed one can be followed by another.
create unique index delivery_private_reply on delivery (workspace_id, account_id, (content ->> 'commentId'))
  where kind = 'private_reply' and state <> 'FAILED';
