-- The rows that every script begins with.
DELETE FROM item;
DELETE FROM person;
DELETE FROM reading;
DELETE FROM tag;
DELETE FROM pair;
DELETE FROM entry;
DELETE FROM account;
DELETE FROM branch;
DELETE FROM np;
INSERT INTO branch (id, city) VALUES (1, 'oslo'), (2, 'lima'), (3, 'graz');
INSERT INTO account (id, owner, balance, branch_id) VALUES (1, 'alice', 100, 1), (2, 'bob', 200, 1), (3, NULL, 300, 2), (4, 'dan', 0, NULL), (5, 'eve', NULL, 2);
INSERT INTO entry (id, account_id, amount, noted, memo) VALUES (1, 1, 10.50, '2026-01-02', 'rent'), (2, 1, 20.00, '2026-01-03', 'food'), (3, 2, 30.25, NULL, 'rent'), (4, 9, -5.00, '2026-02-01', NULL);
INSERT INTO pair (a, b, label) VALUES (1, 1, 'x'), (1, 2, 'y'), (2, 1, NULL), (3, 3, 'x');
INSERT INTO tag (name, account_id) VALUES ('new', 1), ('new', 1), ('vip', 2), (NULL, 3), ('old', NULL);
INSERT INTO reading (code, flag, ratio, big, small, made, note) VALUES ('aaa', TRUE, 0.5, 9007199254740993, 1, '2026-03-01 10:00:00', 'it''s'), ('bbb', FALSE, -2.25, 0, -32768, NULL, ''), ('ccc', NULL, NULL, NULL, NULL, '1999-12-31 23:59:59', NULL);
INSERT INTO person (id, email, n) VALUES (1, 'a@x.org', 1), (2, 'b@x.org', 2), (3, 'c@x.org', 3);
INSERT INTO item (id, account_id, qty) VALUES (1, 1, 5), (2, 1, 0), (3, 2, NULL);
INSERT INTO np (id, x) VALUES (1, 'p'), (7, 'z');
