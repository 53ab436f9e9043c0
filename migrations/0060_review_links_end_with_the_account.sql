-- A review link of somebody who was shut out ends, in every workspace, like that of a member who was removed.
create function end_review_links_of_disabled() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update review_link set revoked_at = app_now() where created_by = old.id and revoked_at is null;
  return null;
end $$;
grant create on schema public to parley_gate; -- to be given the function
alter function end_review_links_of_disabled owner to parley_gate;
revoke create on schema public from parley_gate;
revoke execute on function end_review_links_of_disabled from public;

create trigger review_links_end after update on app_user for each row
  when (old.disabled_at is null and new.disabled_at is not null) execute function end_review_links_of_disabled();
create index review_link_maker on review_link (created_by) where revoked_at is null;

update review_link l set revoked_at = app_now()
  where revoked_at is null and exists (select from app_user u where u.id = l.created_by and u.disabled_at is not null);
