ALTER TABLE product RENAME COLUMN price TO unit_price;
