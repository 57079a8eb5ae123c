-- Comments, quotes and white space stay unchanged.
SELECT/**/id/**/FROM/**/account/**/WHERE/**/id=1;
select
  id,
  owner -- who
from
  account -- where it is
where
  id = 1;
SELECT id FROM account WHERE owner = 'a -- b';
SELECT id FROM account WHERE owner = 'a /* b */ c';
SELECT ' FROM account ', id FROM account WHERE id = 1;
SELECT 'it''s', 'a''''b', '' FROM account WHERE id = 1;
SELECT '?', id FROM account WHERE id = 1;
SELECT 'txw_rid', 'txw_wl' AS wl FROM account WHERE id = 1;
SELECT id AS txw_id FROM account WHERE id = 1;
SELECT a.*, 1 AS txw_one FROM account a WHERE id = 1;
SELECT a.*, owner AS txw_owner, id FROM account a ORDER BY id;
SELECT id AS "from", owner AS "select" FROM account WHERE id = 1;
SELECT "id" FROM "account";
SELECT Id, OWNER, bAlAnCe FROM Account WHERE ID = 1;
SELECT ACCOUNT.* FROM account WHERE id = 1;
SELECT a . id , a . owner FROM account a WHERE a . id = 1;
/* first */ SELECT id FROM account WHERE id = 1;
-- first
/* app='shop',route='/a?b' */ SELECT id FROM account WHERE id = 1;
SELECT id FROM account WHERE id = 1 /*traceparent='00-1',action='x%27y'*/;
SELECT id FROM account WHERE id = 1;;
SELECT	id	FROM	account	WHERE	id	=	1;
   SELECT id FROM account WHERE id = 1   ;
(SELECT id FROM account WHERE id = 1);
((SELECT id FROM account WHERE id = 1));
SELECT id FROM account WHERE id=-1 OR id=+1 OR id=- -2;
SELECT id FROM account WHERE id>0AND id<3 ORDER BY id;
SELECT 1.5, .5, 1., 1e2, 1.5E-2 FROM account WHERE id = 1;
SELECT id FROM account WHERE balance>=100and balance<=200 ORDER BY id;
SELECT 'ünïcödé — “quotes”' AS u, id FROM account WHERE id = 1;
SELECT id FROM account WHERE owner = 'ünïcödé';
INSERT INTO account (id, owner) VALUES (70, 'ünïcödé');
SELECT owner FROM account WHERE id = 70;
UPDATE account SET owner = 'line
break' WHERE id = 70;
SELECT owner FROM account WHERE id = 70;
UPDATE account SET owner = 'a;b' WHERE id = 70;
SELECT id FROM account WHERE owner = 'a;b';
SELECT id FROM account a WHERE a.id = 1 AND /* one */ a.balance /* two */ > 0 /* three */;
SELECT id as a1,id as a2,id as a3,id as a4,id as a5,id as a6,id as a7,id as a8,id as a9,id as a10 FROM account WHERE id=1;
SELECT all id FROM account ORDER BY id;
SELECT id FROM account WHERE owner = 'x' OR 'y' = 'y' AND id = 1;
SELECT count ( * ) FROM account;
SELECT id, 'a' 'b' FROM account WHERE id = 1;
SELECT id FROM account WHERE id IN (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30) ORDER BY id;
SELECT ((((((((id)))))))) FROM account WHERE ((((((((id = 1))))))));
