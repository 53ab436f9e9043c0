-- Two customers who turned out to be one person. `node_id` stays; `identities` are those that came from `merged_id`. The rest is what
-- the customer who stays was before, so that the merge can be undone.
create table audience_merge (
  workspace_id uuid references workspace,
  id uuid,
  node_id uuid not null,
  merged_id uuid not null,
  identities uuid[] not null,
  name text not null,
  language text,
  tags text[] not null,
  at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, merged_id),
  foreign key (workspace_id, node_id) references audience_node,
  foreign key (workspace_id, merged_id) references audience_node
);
create index audience_merge_node on audience_merge (workspace_id, node_id, at);
select tenant_table('audience_merge', 'select, insert, delete');
