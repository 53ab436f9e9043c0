-- A review link ends when the membership of its maker does, or when their role may make links no longer. A trigger holds it for
-- every way in which that happens. The update waits for a decision by the link that is under way, which locks the link's row.
create function end_review_links() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update review_link set revoked_at = app_now()
    where workspace_id = old.workspace_id and created_by = old.user_id and revoked_at is null;
  return null;
end $$;
grant create on schema public to parley_gate; -- to be given the function
alter function end_review_links owner to parley_gate;
revoke create on schema public from parley_gate;
revoke execute on function end_review_links from public;
grant update (revoked_at) on review_link to parley_gate;

create trigger review_links_end after delete on member for each row execute function end_review_links();
create trigger review_links_end_with_role after update on member for each row
  when (old.role <> new.role and new.role in ('VIEWER', 'CLIENT')) execute function end_review_links();

update review_link l set revoked_at = app_now()
  where revoked_at is null and not exists (select from member m where m.workspace_id = l.workspace_id
    and m.user_id = l.created_by and m.role in ('OWNER', 'ADMIN', 'EDITOR'));
