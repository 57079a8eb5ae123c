CREATE INDEX purchase_quantity ON purchase (quantity);
