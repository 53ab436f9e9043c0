-- A person who reopens a thread, for example with undo, finds the bot paused as before the thread was closed.
--
-- Why: closing ends the pause. Undo reopened the thread without it, and the bot answered over the person.

-- When the pause had begun that ended when the thread was last closed.
alter table thread add ended_pause_at timestamptz;
