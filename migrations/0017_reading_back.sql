-- What a network was told of our address, and up to when its conversations are known to be whole.

create table webhook_subscription (
  workspace_id uuid,
  account_id uuid,
  -- Null: the network refused it.
  url text,
  checked_at timestamptz not null,
  primary key (workspace_id, account_id),
  foreign key (workspace_id, account_id) references social_account
);
select tenant_table('webhook_subscription', 'select, insert, update');
select across_table('webhook_subscription', 'select');

create table inbox_reading (
  workspace_id uuid,
  account_id uuid,
  read_at timestamptz not null,
  primary key (workspace_id, account_id),
  foreign key (workspace_id, account_id) references social_account
);
select tenant_table('inbox_reading', 'select, insert, update');
select across_table('inbox_reading', 'select');

-- When some process last took webhooks. A longer gap before a start is time in which events were not taken.
create table inbox_alive (
  singleton boolean primary key default true check (singleton),
  at timestamptz not null
);
grant select, insert, update on inbox_alive to parley_across;
create index social_account_person on social_account (network_user) where status = 'CONNECTED';
