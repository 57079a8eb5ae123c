package io.txwatch.corpus;

import io.txwatch.corpus.Expressions.Source;
import io.txwatch.servers.ServerKind;
import java.util.List;

/** Generates INSERT, UPDATE, DELETE, MERGE and REPLACE; some of them fail on purpose. */
final class WriteGenerator {

  private final RandomSource random;
  private final Expressions expressions;

  WriteGenerator(RandomSource random) {
    this.random = random;
    this.expressions = new Expressions(random);
  }

  String write() {
    return switch (random.below(13)) {
      case 0, 1, 2 -> insert();
      case 3 -> upsert();
      case 4 -> insertSelect();
      case 5, 6, 7, 8 -> update();
      case 9 -> joinedWrite();
      case 10 -> returning();
      default -> delete();
    };
  }

  private String condition(Schema.Table table, int depth) {
    return expressions.condition(List.of(new Source(table, table.name())), depth);
  }

  private int unusedId() {
    return 100 + random.below(900_000);
  }

  private String text() {
    return random.oneOf("'new'", "'it''s'", "NULL", "'?'", "''", "'rent'");
  }

  private String insert() {
    int id = random.percent(85) ? unusedId() : random.below(6);
    int n = random.below(9);
    return random.oneOf(
        "INSERT INTO account VALUES (" + id + ", " + text() + ", " + n + ", NULL)",
        "INSERT INTO account (id, owner) VALUES (" + id + ", " + text() + ")",
        "insert into account (balance, id) values (" + n + ", " + id + "), (1, " + unusedId() + ")",
        "INSERT INTO entry (account_id, amount) VALUES (" + n + ", " + n + ".25)",
        "INSERT INTO entry (account_id, memo) VALUES (1, " + text() + "), (2, DEFAULT)",
        "INSERT INTO pair VALUES (" + id + ", " + n + ", " + text() + ")",
        "INSERT INTO pair (b, a) VALUES (" + n + ", " + id + "), (7, " + id + ")",
        "INSERT INTO tag VALUES (" + text() + ", " + n + "), (" + text() + ", NULL)",
        "INSERT INTO tag (name) VALUES (" + text() + ")",
        "INSERT INTO reading (code, flag, note) VALUES ('k" + (n + 10) + "', TRUE, " + text() + ")",
        "INSERT INTO person VALUES (" + id + ", 'm" + id + "@x.org', " + (n - 1) + ")",
        "INSERT INTO person (id, email) VALUES (" + id + ", 'a@x.org')",
        "INSERT INTO item (id, account_id, qty) VALUES (" + id + ", " + random.below(7) + ", 1)",
        "INSERT INTO account VALUES (" + id + ", 'too', 'few')",
        "INSERT INTO account (id, nosuch) VALUES (" + id + ", 1)",
        "INSERT INTO np VALUES (" + id + ", 'n')",
        "INSERT INTO branch (id, city) VALUES (" + id + ", (SELECT min(owner) FROM account))",
        random.isMySqlOrMariaDb()
            ? "INSERT INTO account SET id = " + id + ", owner = " + text()
            : "INSERT INTO account (id, owner, balance) VALUES ("
                + id
                + ", DEFAULT, "
                + n
                + " + 1)");
  }

  private String upsert() {
    int id = random.percent(50) ? unusedId() : 1 + random.below(4);
    String values =
        "(id, email, n) VALUES (" + id + ", 'u" + id + "@x.org', " + random.below(9) + ")";
    return switch (random.kind) {
      case POSTGRESQL, SQLITE ->
          random.oneOf(
              "INSERT INTO person " + values + " ON CONFLICT DO NOTHING",
              "INSERT INTO person " + values + " ON CONFLICT (id) DO UPDATE SET n = excluded.n",
              "INSERT INTO person AS p "
                  + values
                  + " ON CONFLICT (id) DO UPDATE SET n = p.n + 1 WHERE p.n < 5",
              "INSERT INTO account VALUES ("
                  + id
                  + ", 'up', 1, 1) ON CONFLICT (id) DO UPDATE SET balance = account.balance + 1, owner = excluded.owner",
              random.is(ServerKind.SQLITE)
                  ? "INSERT OR " + random.oneOf("REPLACE", "IGNORE") + " INTO person " + values
                  : merge(id),
              random.is(ServerKind.SQLITE)
                  ? "REPLACE INTO person " + values
                  : "INSERT INTO person " + values + " ON CONFLICT (email) DO NOTHING");
      case MYSQL, MARIADB ->
          random.oneOf(
              "INSERT IGNORE INTO person " + values,
              "INSERT INTO person " + values + " ON DUPLICATE KEY UPDATE n = n + 1",
              "INSERT INTO person "
                  + values
                  + " ON DUPLICATE KEY UPDATE n = VALUES(n), email = email",
              "REPLACE INTO person " + values,
              "REPLACE INTO account VALUES (" + id + ", 'rep', 5, NULL)",
              "INSERT INTO account (id, owner) VALUES ("
                  + id
                  + ", 'a'), (2, 'b') ON DUPLICATE KEY UPDATE owner = 'dup'");
      case H2 ->
          random.oneOf(
              "MERGE INTO person KEY (id) VALUES (" + id + ", 'u" + id + "@x.org', 1)", merge(id));
    };
  }

  private String merge(int id) {
    return random.oneOf(
        "MERGE INTO person p USING (SELECT "
            + id
            + " AS id) s ON p.id = s.id"
            + " WHEN MATCHED THEN UPDATE SET n = 7"
            + " WHEN NOT MATCHED THEN INSERT (id, email, n) VALUES (s.id, 'm"
            + id
            + "@x.org', 0)",
        "MERGE INTO account a USING branch b ON a.id = b.id WHEN MATCHED THEN UPDATE SET owner = b.city",
        "MERGE INTO account a USING branch b ON a.id = b.id AND b.id = 2 WHEN MATCHED THEN DELETE");
  }

  private String insertSelect() {
    int id = unusedId();
    return random.oneOf(
        "INSERT INTO tag SELECT name, account_id FROM tag WHERE name = 'vip' AND account_id < 3",
        "INSERT INTO tag (account_id, name) SELECT id, owner FROM account WHERE id <= 2",
        "INSERT INTO tag SELECT * FROM tag WHERE account_id = 3",
        "INSERT INTO branch SELECT id + " + id + ", city FROM branch WHERE id < 3",
        "INSERT INTO account SELECT id + "
            + id
            + ", owner, balance, branch_id FROM account WHERE id < 3",
        "INSERT INTO entry (account_id, amount) SELECT account_id, sum(amount) FROM entry WHERE id < 4 GROUP BY account_id ORDER BY account_id",
        "INSERT INTO pair SELECT DISTINCT id + " + id + ", 0, owner FROM account WHERE id < 4",
        "INSERT INTO branch SELECT id + "
            + id
            + ", 'u' FROM account WHERE id < 3 UNION SELECT "
            + (id + 9)
            + ", 'v'",
        "INSERT INTO tag SELECT 'j', a.id FROM account a JOIN item i ON i.account_id = a.id WHERE i.id < 4",
        "INSERT INTO np SELECT id + " + id + ", owner FROM account WHERE id < 3");
  }

  private String update() {
    int n = random.below(9);
    return random.oneOf(
        "UPDATE account SET balance = balance + " + n + " WHERE id = " + random.below(6),
        "UPDATE account SET balance = "
            + n
            + ", owner = "
            + text()
            + " WHERE "
            + condition(Schema.ACCOUNT, 2),
        "UPDATE account SET balance = coalesce(balance, 0) + 1",
        "UPDATE account a SET owner = upper(a.owner) WHERE a.id IN (SELECT account_id FROM item)",
        "UPDATE account SET owner = owner",
        "UPDATE account SET balance = balance WHERE id = " + random.below(4),
        "update entry set amount = amount * 2, memo = "
            + text()
            + " where "
            + condition(Schema.ENTRY, 1),
        "UPDATE entry SET noted = '2026-05-05' WHERE " + condition(Schema.ENTRY, 2),
        "UPDATE pair SET label = 'z' WHERE a = " + random.below(4) + " AND b = 1",
        "UPDATE pair SET b = b + 100 WHERE " + condition(Schema.PAIR, 1),
        "UPDATE tag SET name = 't' WHERE " + condition(Schema.TAG, 2),
        "UPDATE tag SET account_id = account_id + 1",
        "UPDATE reading SET small = 7, flag = FALSE WHERE " + condition(Schema.READING, 1),
        "UPDATE person SET n = n + 1 WHERE " + condition(Schema.PERSON, 2),
        "UPDATE person SET n = -1 WHERE id = " + random.below(4),
        "UPDATE person SET email = 'a@x.org' WHERE id = 2",
        "UPDATE item SET qty = (SELECT max(z.a) FROM pair z) WHERE id = " + random.below(5),
        "UPDATE account SET branch_id = (SELECT min(b.id) FROM branch b WHERE b.id > account.id)",
        "UPDATE account SET nosuch = 1",
        "UPDATE account SET id = 1 WHERE id = 2",
        "UPDATE np SET x = 'u' WHERE id = 1",
        "UPDATE item SET account_id = 99 WHERE id = 1",
        random.isMySqlOrMariaDb()
            ? "UPDATE entry SET memo = 'l' WHERE amount > 0 ORDER BY id LIMIT 2"
            : "UPDATE pair SET (label, b) = (SELECT 'r', " + n + ") WHERE a = 3");
  }

  private String joinedWrite() {
    return switch (random.kind) {
      case POSTGRESQL ->
          random.oneOf(
              "UPDATE account SET balance = 1 FROM branch b WHERE b.id = account.branch_id",
              "UPDATE account a SET owner = b.city FROM branch b WHERE b.id = a.branch_id AND b.id > 1",
              "DELETE FROM entry USING account a WHERE a.id = entry.account_id AND a.balance > 150",
              "DELETE FROM tag t USING account a, branch b WHERE a.id = t.account_id AND b.id = a.branch_id");
      case MYSQL, MARIADB ->
          random.oneOf(
              "UPDATE account a JOIN branch b ON b.id = a.branch_id SET a.owner = b.city",
              "UPDATE account a, branch b SET a.balance = 1, b.city = 'k' WHERE b.id = a.branch_id",
              "DELETE e FROM entry e JOIN account a ON a.id = e.account_id WHERE a.balance > 150",
              "DELETE FROM t USING tag AS t JOIN account a ON a.id = t.account_id",
              "DELETE a, b FROM pair a JOIN tag b ON a.a = b.account_id",
              "UPDATE account a LEFT JOIN item i ON i.account_id = a.id SET a.balance = 0 WHERE i.id IS NULL");
      case SQLITE ->
          random.oneOf(
              "UPDATE account SET balance = 1 FROM branch b WHERE b.id = account.branch_id",
              "WITH q AS (SELECT id FROM branch) UPDATE account SET balance = 2 WHERE branch_id IN (SELECT id FROM q)",
              "DELETE FROM entry WHERE id IN (SELECT e.id FROM entry e JOIN account a ON a.id = e.account_id)");
      case H2 ->
          random.oneOf(
              "UPDATE account SET balance = 1 WHERE EXISTS (SELECT 1 FROM branch b WHERE b.id = account.branch_id)",
              merge(1),
              "DELETE FROM entry WHERE account_id IN (SELECT id FROM account WHERE balance > 150)");
    };
  }

  private String returning() {
    int id = unusedId();
    String list = random.oneOf("*", "id", "id, owner AS o", "balance + 1", "upper(owner), id");
    return switch (random.kind) {
      case POSTGRESQL, SQLITE ->
          random.oneOf(
              "INSERT INTO account (id, owner) VALUES (" + id + ", 'r') RETURNING " + list,
              "UPDATE account SET balance = 3 WHERE id < 3 RETURNING " + list,
              "DELETE FROM account WHERE id = 4 RETURNING " + list,
              "UPDATE person SET n = n + 1 WHERE id = 2 RETURNING n, email",
              "INSERT INTO entry (account_id) VALUES (1), (2) RETURNING id",
              "INSERT INTO person VALUES ("
                  + id
                  + ", 'r"
                  + id
                  + "@x.org', 1) ON CONFLICT (id) DO NOTHING RETURNING *",
              random.is(ServerKind.POSTGRESQL)
                  ? "WITH w AS (UPDATE account SET balance = 5 WHERE id = 1 RETURNING *) SELECT * FROM w"
                  : "DELETE FROM tag WHERE name = 'vip' RETURNING name",
              random.is(ServerKind.POSTGRESQL)
                  ? "WITH d AS (DELETE FROM tag WHERE account_id = 1 RETURNING name) INSERT INTO tag (name) SELECT name FROM d"
                  : "DELETE FROM tag RETURNING *");
      case MARIADB ->
          random.oneOf(
              "INSERT INTO account (id, owner) VALUES (" + id + ", 'r') RETURNING " + list,
              "DELETE FROM account WHERE id = 4 RETURNING " + list,
              "REPLACE INTO account (id, owner) VALUES (3, 'r') RETURNING id",
              "DELETE FROM tag WHERE account_id = 1 RETURNING name");
      case H2 ->
          random.oneOf(
              "SELECT id, owner FROM FINAL TABLE (INSERT INTO account (id, owner) VALUES ("
                  + id
                  + ", 'r'))",
              "SELECT * FROM OLD TABLE (DELETE FROM account WHERE id = 4)",
              "SELECT balance FROM FINAL TABLE (UPDATE account SET balance = 3 WHERE id < 3)",
              "SELECT count(*) FROM NEW TABLE (UPDATE account SET balance = 4)");
      case MYSQL -> update();
    };
  }

  private String delete() {
    return random.oneOf(
        "DELETE FROM entry WHERE id = " + random.below(6),
        "DELETE FROM entry WHERE " + condition(Schema.ENTRY, 2),
        "delete from tag where account_id = " + random.below(4) + " -- gone",
        "DELETE FROM tag WHERE " + condition(Schema.TAG, 2),
        "DELETE FROM pair WHERE (a, b) = (1, " + random.below(3) + ")",
        "DELETE FROM pair WHERE " + condition(Schema.PAIR, 1),
        "DELETE FROM reading WHERE " + condition(Schema.READING, 1),
        "DELETE FROM person WHERE n > (SELECT min(z.id) FROM account z)",
        "DELETE FROM item WHERE account_id IN (SELECT id FROM account WHERE balance >= 200)",
        "DELETE FROM account WHERE id = " + random.below(6),
        "DELETE FROM branch",
        "DELETE FROM nosuch WHERE id = 1",
        "DELETE FROM np WHERE id = 7",
        random.isMySqlOrMariaDb()
            ? "DELETE FROM entry ORDER BY id LIMIT 1"
            : "DELETE FROM account WHERE EXISTS (SELECT 1 FROM item i WHERE i.account_id = account.id)");
  }
}
