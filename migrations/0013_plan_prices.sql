-- What a plan costs in a month, in the smallest unit of its currency. Null: people ask.
alter table plan add column price_amount integer check (price_amount >= 0),
  add column price_currency text check (price_currency ~ '^[A-Z]{3}$'),
  add constraint plan_price_whole check ((price_amount is null) = (price_currency is null));
update plan set price_amount = 0, price_currency = 'USD' where id = 'free';
