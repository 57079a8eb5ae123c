CREATE OR REPLACE VIEW stock_view AS SELECT id, name FROM product;
