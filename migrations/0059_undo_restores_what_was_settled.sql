-- A link to undo restores what was there before the oldest change of the last 7 days. The changes need an order that a step of
-- the clock can't turn round, and what is removed is kept, so that it comes back too.
alter table credential_undo
  add column id bigint generated always as identity,
  add column removed jsonb,
  drop constraint credential_undo_change_check,
  add constraint credential_undo_change_check
    check (change in ('email', 'phone', 'identity', 'identity_removed', 'password')),
  add constraint credential_undo_removed check ((change = 'identity_removed') = (removed is not null));
create unique index credential_undo_id on credential_undo (id);

-- Links that were sent to an address that was itself younger than 7 days undo nothing any more, and nothing leads back to it.
update credential_undo u set expires_at = u.created_at where exists (select from credential_undo o
  where o.user_id = u.user_id and o.change = 'email' and o.created_at < u.created_at);
update credential_undo u set former = null where former is not null and exists (select from credential_undo o
  where o.user_id = u.user_id and o.change = u.change and o.created_at < u.created_at);
