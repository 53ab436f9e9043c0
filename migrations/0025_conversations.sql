-- A network that tells apps only how many comments a post has: the post has a thread without a customer and without messages, which
-- opens when the number rises. `comments_before`: the number up to which people had looked when the thread was opened.
alter table thread alter identity_id drop not null,
  add comments int,
  add comments_before int,
  add post_url text,
  add post_text text,
  add constraint thread_counted_check check ((identity_id is null) = (comments is not null)
    and (comments is null) = (comments_before is null));

-- The numbers of the last reading, by the network's id of the post.
alter table inbox_reading add comment_counts jsonb;

-- Comments below a live broadcast: people answer them, and the bot does not.
alter table thread add live boolean not null default false;
