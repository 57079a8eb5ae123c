ALTER TABLE product ADD COLUMN state VARCHAR(10) DEFAULT 'new' NOT NULL;
UPDATE product SET state = 'old' WHERE id = 3;
