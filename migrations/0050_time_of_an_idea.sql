-- The time that an idea is about: of an empty day and of a time to post.
alter table ai_suggestion add column scheduled_at timestamptz;
