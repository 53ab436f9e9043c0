-- What went live is settled over all workspaces in one statement, with its entry: that one entry, and nothing else of the audit.
grant insert (workspace_id, id, actor_kind, action, object, detail) on audit_entry to parley_across;
create policy across_parley_across on audit_entry for insert to parley_across
  with check (actor_kind = 'system' and action = 'publication.published');
