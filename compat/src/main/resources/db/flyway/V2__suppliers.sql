CREATE TABLE supplier (
  id ${key},
  name VARCHAR(40) NOT NULL
);
INSERT INTO supplier (name) VALUES ('Acme');
INSERT INTO supplier (name) VALUES ('Brown');
