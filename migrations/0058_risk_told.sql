-- People are told again of a scheduled post at risk 24 hours and 1 hour before its time, each once.
--
-- Why: they were told only of findings that a check met for the first time. A post that was scheduled with a finding was never
-- reported, and nobody was reminded.

-- What people know of the risks of a scheduled post: { at, reminders, findings: [{ code, target }] }. Null: nothing.
-- A process of the version before leaves it as it is.
alter table post add risk_told jsonb;
