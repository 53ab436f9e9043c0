-- Statistics that were taken while a table had one row say that each value of it is unique: a workspace then has one post, and the
-- planner joins thousands by reading all of them again for each. PostgreSQL is told better; the figures count from the next ANALYZE.
do $$
declare name text;
begin
  foreach name in array array['post', 'publication', 'social_account', 'post_media', 'media_file'] loop
    execute format('alter table %I alter workspace_id set (n_distinct = -0.001)', name);
  end loop;
end $$;
alter table post alter status set (n_distinct = 8);
alter table publication alter state set (n_distinct = 6);
