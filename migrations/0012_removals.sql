-- Deliveries that take a live post down.
alter table delivery drop constraint delivery_kind_check,
  add constraint delivery_kind_check check (kind in ('post', 'comment', 'remove'));
