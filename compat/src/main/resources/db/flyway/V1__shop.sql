CREATE TABLE product (
  id ${key},
  name VARCHAR(40) NOT NULL,
  stock INT NOT NULL,
  price DECIMAL(10, 2),
  CONSTRAINT product_name UNIQUE (name)
);
CREATE TABLE purchase (
  id ${key},
  product_id BIGINT NOT NULL,
  quantity INT NOT NULL,
  FOREIGN KEY (product_id) REFERENCES product (id)
);
INSERT INTO product (name, stock, price) VALUES ('left', 1000, 1.50);
INSERT INTO product (name, stock, price) VALUES ('right', 1000, 2.50);
INSERT INTO product (name, stock, price) VALUES ('lamp', 50, 9.95);
