-- Until when a reading of an account's conversations is under way.
--
-- Why: a reading that needs the calls of several hours waits in the queue with the steps that are left. The watch enqueued a
-- new reading under the same key every five minutes, so those steps were lost and the first ones were made forever.
alter table inbox_reading add underway_until timestamptz;
