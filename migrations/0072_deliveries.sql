-- Every effect at a network that must happen at most once is a delivery: a post on one account, and the first comment below it.
-- One machine sends all kinds (docs/publishing.md). `publication` stays as the view that reads those of posts.
alter table publication rename to delivery;
alter table delivery rename constraint publication_pkey to delivery_pkey;
alter table delivery rename constraint publication_workspace_id_account_id_external_id_key
  to delivery_workspace_id_account_id_external_id_key;
alter index publication_due rename to delivery_due;
alter index publication_error rename to delivery_error;
alter index publication_text rename to delivery_text;
alter index publication_turn rename to delivery_turn;
alter index publication_workspace_turn rename to delivery_workspace_turn;

alter table delivery
  add kind text not null default 'post' check (kind in ('post', 'comment')),
  -- The delivery below which this one lies, and what it sends; a post is composed as it goes out.
  add after_id uuid,
  add content jsonb,
  add foreign key (workspace_id, after_id) references delivery (workspace_id, id) on delete cascade,
  add check ((kind = 'post') = (after_id is null)),
  add check ((kind = 'post') = (content is null)),
  drop constraint publication_workspace_id_post_id_account_id_key,
  add unique (workspace_id, post_id, account_id, kind);

create index delivery_after on delivery (workspace_id, after_id) where after_id is not null;
create index delivery_open_comment on delivery (workspace_id)
  where kind <> 'post' and state in ('PENDING', 'PREPARING', 'SUBMITTING');
grant select (kind) on delivery to parley_admin;

insert into delivery (workspace_id, id, kind, post_id, account_id, position, after_id, content, state, phase, tries, failures,
  backoffs, due_at, next_at, wait_reason, intent_at, first_intent_at, network_at, limited_until, absent_reads, absent_at,
  late_reads, late_read_at, sent, external_id, published_at, error, unproven, updated_at)
select c.workspace_id, gen_random_uuid(), 'comment', t.post_id, t.account_id, t.position, t.id, jsonb_build_object('text', c.text),
  case c.state when 'SENDING' then 'SUBMITTING' when 'POSTED' then 'PUBLISHED' else c.state end,
  case c.state when 'SENDING' then 'commit' end, c.tries, c.failures, c.backoffs, t.published_at,
  case when c.state = 'SENDING' or (c.state = 'PENDING' and t.external_id is not null) then app_now() end,
  case when c.state = 'PENDING' and t.external_id is null then 'unnamed' end,
  c.intent_at, c.intent_at, c.network_at, c.limited_until, c.absent_reads, c.absent_at, c.late_reads, c.late_read_at,
  case when c.intent_at is not null then jsonb_build_object('text', c.text, 'media', '[]'::jsonb) end,
  c.external_id, case when c.state = 'POSTED' then c.updated_at end, c.error, c.state = 'UNCONFIRMED', c.updated_at
from first_comment c join delivery t on t.workspace_id = c.workspace_id and t.id = c.publication_id;

drop table first_comment;
select graphile_worker.complete_jobs(array(
  select j.id from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where t.identifier = 'first-comment'));

create view publication with (security_invoker = true) as
  select workspace_id, id, post_id, account_id, position, state, phase, dropped_at, fence, tries, failures, backoffs, due_at, next_at,
    turn, lease_until, intent_at, absent_reads, absent_at, late_reads, late_read_at, wait_reason, handles, composed, sent,
    external_id, permalink, published_at, error, updated_at, accepted_at, unread_since, first_intent_at, text_key, network_at,
    limited_until, unproven, delay_told_at
  from delivery where kind = 'post';
grant select on publication to parley_app, parley_across;
