-- What people need beside the messages: replies that they keep, who else is in a thread, and which waits they were told of.

create table saved_reply (
  workspace_id uuid references workspace,
  id uuid,
  name text not null,
  text text not null,
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id)
);
create unique index saved_reply_name on saved_reply (workspace_id, lower(name));
select tenant_table('saved_reply', 'select, insert, update, delete');

-- Who has a thread open at this moment. Unlogged: nothing in it must survive a crash.
create unlogged table thread_presence (
  workspace_id uuid,
  thread_id uuid,
  user_id uuid,
  typing boolean not null,
  until timestamptz not null,
  primary key (workspace_id, thread_id, user_id),
  foreign key (workspace_id, thread_id) references thread on delete cascade,
  foreign key (workspace_id, user_id) references member on delete cascade
);
create index thread_presence_user on thread_presence (workspace_id, user_id);
create index thread_presence_over on thread_presence (until);
select tenant_table('thread_presence', 'select, insert, update, delete');
select across_table('thread_presence', 'select, delete'); -- the watch removes what is over

-- The wait that people were told of: it has the time of `unanswered_at`.
alter table thread add told_wait timestamptz;
create index thread_unanswered on thread (unanswered_at)
  where unanswered_at is not null and status in ('OPEN', 'ESCALATED') and told_wait is distinct from unanswered_at;
create index thread_post on thread (workspace_id, post_id) where post_id is not null;
