-- Two readings may begin a month at the same time. The second one waits for the lock and then looks into pg_class:
-- to_regclass would answer from the cache of the session, which does not know the partition of the other one yet.
create or replace function post_metric_month(of_day date) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  first date := date_trunc('month', of_day);
  name text := 'post_metric_' || to_char(of_day, 'YYYY_MM');
begin
  if to_regclass('public.' || name) is not null then return; end if;
  if of_day not between (app_now() - interval '26 months')::date and (app_now() + interval '2 days')::date then
    raise exception 'No figures are kept of %', of_day;
  end if;
  perform pg_advisory_xact_lock(7063);
  if exists (select from pg_class where relname = name and relnamespace = 'public'::regnamespace) then return; end if;
  execute format('create table %I (like post_metric including all)', name);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('alter table post_metric attach partition %I for values from (%L) to (%L)', name, first,
    first + interval '1 month');
end $$;
