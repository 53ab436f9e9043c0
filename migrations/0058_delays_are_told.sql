-- When people were told that failures delay a target. Null: not yet, of this attempt.
alter table publication add column delay_told_at timestamptz;
