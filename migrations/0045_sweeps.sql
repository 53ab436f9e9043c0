-- When a test that runs was looked at last. The sweep finds those that nobody looked at for a day.
alter table ab_test add checked_at timestamptz;
create index ab_test_unchecked on ab_test (coalesce(checked_at, started_at)) where state = 'running';
select across_table('ab_test', 'select');

-- The sweep finds the accounts whose reading is overdue.
create index competitor_overdue on competitor (next_at);
select across_table('competitor', 'select');
