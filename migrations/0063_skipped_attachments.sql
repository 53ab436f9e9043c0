-- A customer's file may be skipped: beyond the limit of a day it stays a link.
alter table message_attachment drop constraint message_attachment_state_check,
  add constraint message_attachment_state_check check (state in ('LINK', 'KEPT', 'TOO_LARGE', 'GONE', 'SKIPPED'));
