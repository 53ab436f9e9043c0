-- A person who reopens a thread, for example with undo, finds the bot paused as before the thread was closed.
--
-- Why: closing ends the pause. Undo reopened the thread without it, and the bot answered over the person.

-- When the pause had begun that ended when the thread was last closed.
alter table thread add ended_pause_at timestamptz;

-- The views and counts of threads that are not closed.
--
-- Why: in the order of the inbox, they were looked for among all threads of a workspace, and most threads are closed.
create index thread_not_closed on thread (workspace_id, thread_priority(urgency, unanswered_at) desc, id desc)
  where status <> 'CLOSED';
