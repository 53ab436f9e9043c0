-- The price of a plan is set in the administration.
grant update (price_amount, price_currency) on plan to parley_admin;
