-- A search of conversations finds no reply of the bot that was never sent.

-- The threads of the transaction's workspace in which a message has the words, or its customer has these names. The word of the
-- workspace finds its rows; a comparison of the column would be one that an index of all its rows answers.
create or replace function threads_found(words text, name_words tsquery) returns setof uuid language plpgsql stable security
  definer set search_path = public, pg_temp rows 20 as $$
declare
  own text := nullif(current_setting('app.workspace_id', true), '');
  own_word tsquery := ('''w:' || own || '''')::tsquery;
  text_words tsquery := plainto_tsquery('simple', words);
  terms tsquery;
begin
  if own is null then return; end if;
  if numnode(text_words) > 0 then
    -- A vector of one word is that word as a query quotes it.
    select string_agg(array_to_tsvector(array[term])::text, ' & ')::tsquery into terms
    from unnest(tsvector_to_array(message_terms(own::uuid,
      to_tsvector('simple', words) || array_to_tsvector(array['w:' || own])))) term;
    return query select m.thread_id from message m where message_terms(m.workspace_id, m.tsv) @@ terms and m.tsv @@ text_words
      and m.direction <> 'INTERNAL' and m.is_intended and m.workspace_id::text = own;
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
