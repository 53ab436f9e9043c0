-- Every live post with a caption gets its tags. `source`: the model or rules gave them, or a person, whose tags stay.
alter table post_tags add source text not null default 'model' check (source in ('model', 'rules', 'person'));
-- The sweep finds workspaces with posts that have no tags yet.
select across_table('post_tags', 'select');
create index measured_post_untagged on measured_post (workspace_id)
  where topic is null and delivery_id is null and caption <> '' and gone_at is null;
