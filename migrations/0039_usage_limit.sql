-- Slowed down by the network's own count a person has calls again when that is over, not only when the hour has moved on.
create or replace function reserve_calls(app_key text, person text, wanted int, keep int, hourly int,
  out granted timestamptz, out until timestamptz) language plpgsql as $$
declare
  at timestamptz := app_now();
  usr network_user;
  available int;
  used int;
begin
  insert into network_user (app, user_key) values (app_key, person) on conflict do nothing;
  select * into usr from network_user where app = app_key and user_key = person for update;
  if usr.blocked_until > at then
    until := usr.blocked_until;
    return;
  end if;
  available := hourly - keep;
  if usr.usage_limit_until > at then available := least(available, usr.usage_limit); end if;
  delete from network_call where app = app_key and user_key = person and minute < at - interval '2 hours';
  select coalesce(sum(calls), 0) into used from network_call
    where app = app_key and user_key = person and minute >= date_trunc('minute', at) - interval '60 minutes';
  if used + wanted <= available then
    granted := date_trunc('minute', at);
    insert into network_call values (app_key, person, granted, wanted)
      on conflict (app, user_key, minute) do update set calls = network_call.calls + wanted;
    return;
  end if;
  select minute + interval '61 minutes' into until from (
    select minute, sum(calls) over (order by minute) as freed from network_call
    where app = app_key and user_key = person and minute >= date_trunc('minute', at) - interval '60 minutes') oldest
    where used - freed + wanted <= available order by minute limit 1;
  if used + wanted <= hourly - keep then until := least(until, usr.usage_limit_until); end if;
  until := coalesce(until, usr.usage_limit_until, at + interval '1 minute');
end $$;
