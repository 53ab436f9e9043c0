-- The engagement to expect of a post on an account, seven days after it went live there. One row for each version that was
-- predicted; the last one before it went live counts. What came of it is read from post_metric.
create table engagement_prediction (
  workspace_id uuid,
  post_id uuid,
  account_id uuid,
  version int,
  low bigint not null,
  middle bigint not null,
  high bigint not null,
  usual bigint not null,
  n int not null,
  percentile int not null check (percentile between 0 and 100),
  reasons jsonb not null,
  made_at timestamptz not null,
  primary key (workspace_id, post_id, account_id, version),
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, account_id) references social_account,
  check (low <= middle and middle <= high)
);
create index engagement_prediction_account on engagement_prediction (workspace_id, account_id);
select tenant_table('engagement_prediction', 'select, insert');
