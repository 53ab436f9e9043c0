-- Drops the time of the last notice about held messages, which is kept per person since notices have their own limit. Nothing
-- reads or writes this column.
alter table bot_config drop column told_held_at;
