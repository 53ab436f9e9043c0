-- Search that does not depend on how much others wrote.
--
-- Why a function: row security lets only leakproof operators use an index, and a match of words is not one. So a search read all
-- messages of its workspace, and all its customers.

alter table audience_node add words tsvector generated always as
  (to_tsvector('simple', translate(name, '._-@/', '     ')) || array_to_tsvector(array['w:' || workspace_id::text])) stored;
create index audience_node_words on audience_node using gin (words);
alter table audience_identity add words tsvector generated always as
  (to_tsvector('simple', translate(coalesce(username, ''), '._-@/', '     ')) || array_to_tsvector(array['w:' || workspace_id::text]))
  stored;
create index audience_identity_words on audience_identity using gin (words);

-- The search reads these as the role that only answers fixed questions.
select across_table(name, 'select', 'parley_gate') from unnest('{thread,message,audience_node,audience_identity}'::regclass[]) name;
grant create on schema public to parley_gate; -- for its function, until the end of this file
-- The threads of the transaction's workspace in which a message or its customer has these words. The word of the workspace finds
-- its rows; a comparison of the column would be one that an index of all its rows answers.
create function threads_found(text_words tsquery, name_words tsquery) returns setof uuid language plpgsql stable security definer
  set search_path = public, pg_temp rows 20 as $$
declare
  own text := nullif(current_setting('app.workspace_id', true), '');
  own_word tsquery := ('''w:' || own || '''')::tsquery;
begin
  if own is null then return; end if;
  if numnode(text_words) > 0 then
    return query select m.thread_id from message m where m.tsv @@ (text_words && own_word) and m.direction <> 'INTERNAL'
      and m.workspace_id::text = own;
  end if;
  if numnode(name_words) > 0 then
    return query select t.id from audience_node n
      join audience_identity i on i.workspace_id = n.workspace_id and i.node_id = n.id
      join thread t on t.workspace_id = i.workspace_id and t.identity_id = i.id
      where n.words @@ (name_words && own_word) and n.workspace_id::text = own;
    return query select t.id from audience_identity i join thread t on t.workspace_id = i.workspace_id and t.identity_id = i.id
      where i.words @@ (name_words && own_word) and i.workspace_id::text = own;
  end if;
end $$;
alter function threads_found(tsquery, tsquery) owner to parley_gate;
revoke all on function threads_found(tsquery, tsquery) from public;
grant execute on function threads_found(tsquery, tsquery) to parley_app;
revoke create on schema public from parley_gate;

-- Views of few threads: in their order, they were looked for among all threads of a workspace.
create index thread_few on thread (workspace_id, status, thread_priority(urgency, unanswered_at) desc, id desc)
  where status in ('ESCALATED', 'SNOOZED');

-- The comments below a post are compared with what the network lists.
create index thread_post_ref on thread (workspace_id, account_id, post_ref) where post_ref is not null;
