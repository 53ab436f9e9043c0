-- What the inbox forgets: raw events after 14 days, and a customer who is to be erased.

drop index inbound_event_done;
create index inbound_event_received on inbound_event (received_at);
select across_table('inbound_event', 'select, delete'); -- the watch removes old ones

-- A customer whose texts, name and ids were removed. The rows stay, so that what was counted stays counted.
alter table audience_node add erased_at timestamptz;

-- Messages of these people up to that time are not taken in again when a network tells of them late.
create table erased_person (
  workspace_id uuid,
  account_id uuid,
  hash text,
  at timestamptz not null,
  primary key (workspace_id, account_id, hash),
  foreign key (workspace_id, account_id) references social_account
);
create index erased_person_at on erased_person (at);
select tenant_table('erased_person', 'select, insert, update');
select across_table('erased_person', 'select, delete'); -- the watch removes old ones
