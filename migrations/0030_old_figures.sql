-- Drops the months of figures that ended more than 25 months ago. Readers wait for a drop, so it gives up where it has to wait.
create function post_metric_expire() returns int language plpgsql security definer
  set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  old regclass;
  dropped int := 0;
begin
  for old in select i.inhrelid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'post_metric'::regclass
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= app_now() - interval '25 months'
  loop
    execute format('drop table %s', old);
    dropped := dropped + 1;
  end loop;
  return dropped;
exception when lock_not_available then
  return 0;
end $$;
revoke all on function post_metric_expire() from public;
grant execute on function post_metric_expire() to parley_across;
