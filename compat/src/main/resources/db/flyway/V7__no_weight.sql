ALTER TABLE product DROP COLUMN weight;
