-- A review link over several posts.

-- Why: the first post of a link stays in review_link.post_id, so that the version before shows it. The other posts are here.
create table review_link_further_post (
  workspace_id uuid references workspace,
  link_id uuid,
  post_id uuid,
  position int not null check (position > 0),
  primary key (workspace_id, link_id, post_id),
  foreign key (workspace_id, link_id) references review_link on delete cascade,
  foreign key (workspace_id, post_id) references post on delete cascade
);
create index review_link_further_post_post on review_link_further_post (workspace_id, post_id);
select tenant_table('review_link_further_post', 'select, insert');
