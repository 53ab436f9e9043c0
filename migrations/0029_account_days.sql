-- When the days of an account were last read, and when a person last asked for a reading.
alter table account_sync add days_at timestamptz, add by_hand_at timestamptz;
