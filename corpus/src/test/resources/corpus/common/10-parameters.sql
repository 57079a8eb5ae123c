-- Parameters keep their positions, number and types.
--? 1
--? 2
--? 99
SELECT * FROM account WHERE id = ?;
--? 1, 'bob'
--? 3, 'x'
SELECT id, owner FROM account WHERE id = ? OR owner = ? ORDER BY id;
--? 'alice', 100
SELECT * FROM account WHERE owner = ? AND balance >= ?;
--? 50, 250
--? 0, 0
SELECT id FROM account WHERE balance BETWEEN ? AND ? ORDER BY id;
--? 1, 2, 3
SELECT id FROM account WHERE id IN (?, ?, ?) ORDER BY id;
--? '%a%'
SELECT id FROM account WHERE owner LIKE ? ORDER BY id;
--? 2
SELECT id FROM account ORDER BY id LIMIT ?;
--? 2, 1
SELECT id FROM account ORDER BY id LIMIT ? OFFSET ?;
--? 1
SELECT a.id, '?' AS q, "a"."owner" FROM account a /* ? */ WHERE a.id = ? -- ?
;
--? 1
SELECT count(*) FROM account WHERE branch_id = ?;
--? 100
SELECT branch_id, count(*) FROM account WHERE balance >= ? GROUP BY branch_id ORDER BY branch_id;
--? 'oslo'
SELECT a.id FROM account a JOIN branch b ON b.id = a.branch_id WHERE b.city = ? ORDER BY a.id;
--? 0
SELECT id FROM account WHERE id IN (SELECT account_id FROM item WHERE qty > ?) ORDER BY id;
--? 1, 2
SELECT id FROM account WHERE id = ? UNION SELECT id FROM branch WHERE id = ? ORDER BY 1;
--? 150
SELECT d.id FROM (SELECT id FROM account WHERE balance > ?) d ORDER BY d.id;
--? 2
WITH q AS (SELECT id FROM account WHERE id > ?) SELECT id FROM q ORDER BY id;
--? 40, 'p', 1, 1
--? 41, 'q', 2, 2
--? 42, null, 3, 1
INSERT INTO account VALUES (?, ?, ?, ?);
--? 50, 'p'
--? 51, 'q'
INSERT INTO account (id, owner) VALUES (?, ?);
--? 52, 'p', 53, 'q'
INSERT INTO account (id, owner) VALUES (?, ?), (?, ?);
--? 40, 'again', 1, 1
INSERT INTO account VALUES (?, ?, ?, ?);
--? 54, 'x'
--? 40, 'dup'
--? 55, 'y'
INSERT INTO account (id, owner) VALUES (?, ?);
--? 1, 10.50
--? 2, 0.01
INSERT INTO entry (account_id, amount) VALUES (?, ?);
--? 700
INSERT INTO account SELECT id + ?, owner, balance, branch_id FROM account WHERE id < 3;
--? 5, 1
--? 6, 2
UPDATE account SET balance = ? WHERE id = ?;
--? 1, 'n', 1
UPDATE account SET balance = balance + ?, owner = ? WHERE id = ?;
--? 'all'
UPDATE account SET owner = ?;
--? 1, 0
UPDATE account SET balance = ? WHERE id IN (SELECT account_id FROM item WHERE qty > ?);
--? 1
--? 1
--? 2
DELETE FROM entry WHERE id = ?;
--? 1, 1
--? 3, 3
DELETE FROM pair WHERE a = ? AND b = ?;
--? 1
DELETE FROM tag WHERE account_id IN (SELECT id FROM account WHERE id = ?);
--? -7
UPDATE person SET n = ?;
--? 'nosuch'
SELECT nosuch FROM account WHERE owner = ?;
SELECT * FROM account WHERE id = ?;
--? 1, 2
SELECT * FROM account WHERE id = ?;
--? 1
SELECT ? FROM account;
--? 'x'
SELECT * FROM account WHERE id = ?;
