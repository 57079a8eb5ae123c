package io.txwatch.pairs;

import static io.txwatch.pairs.Cell.MARIADB_RC;
import static io.txwatch.pairs.Cell.MARIADB_RR;
import static io.txwatch.pairs.Cell.POSTGRES_RC;
import static io.txwatch.pairs.Cell.POSTGRES_RR;

import java.sql.SQLException;
import java.util.List;

/**
 * The pairs. Those with the name of a public report are drawn from it: they have an order of
 * statements like the one that it describes, not its code. Where they race was found by enumeration
 * of all orders ({@link Enumeration}).
 */
public final class Pairs {

  private static final String STOCK = "id INT PRIMARY KEY, n INT, version INT";
  private static final String SALE = "client INT PRIMARY KEY, item INT";
  private static final String CLAIM = "client INT PRIMARY KEY, coupon INT";
  private static final String JOB =
      "id INT PRIMARY KEY, status VARCHAR(10) NOT NULL, worker INT NOT NULL";
  private static final String NEW_JOB =
      "SELECT id FROM job WHERE status = 'new' ORDER BY id LIMIT 1";
  private static final String CHILD_OF_PARENT =
      "id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parent (id)";
  private static final String UNIQUE_NAME = "id INT PRIMARY KEY, name VARCHAR(10) UNIQUE";
  private static final String INCREMENT = "UPDATE stock SET n = n + 1 WHERE id = 1";

  /** Those that race in one cell at least come first. */
  public static final List<Pair> ALL =
      List.of(
          Pair.of("a value is read and written", "macrozheng/mall#353")
              .table("stock", STOCK, "(1, 2, 0)")
              .both(
                  (s, client) -> {
                    int n = s.number("SELECT n FROM stock WHERE id = 1");
                    return s.update("UPDATE stock SET n = ? WHERE id = 1", n - 1);
                  })
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of(
                  "a check before a guarded UPDATE whose count is ignored",
                  "woocommerce/woocommerce#24782")
              .table("stock", STOCK, "(1, 1, 0)")
              .table("sale", SALE, "")
              .both(
                  (s, client) -> {
                    if (s.number("SELECT n FROM stock WHERE id = 1") == 0) {
                      return "sold out";
                    }
                    s.update("UPDATE stock SET n = n - 1 WHERE id = 1 AND n > 0");
                    return s.update("INSERT INTO sale VALUES (?, 1)", client);
                  })
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of("a row is inserted if there is none", "jugglingdb/mysql-adapter#53")
              .table("tag", "client INT PRIMARY KEY, name VARCHAR(10)", "")
              .both(
                  (s, client) ->
                      s.number("SELECT client FROM tag WHERE name = 'x'") < 0
                          ? s.update("INSERT INTO tag VALUES (?, 'x')", client)
                          : 0)
              .racesEverywhere(),
          Pair.of(
                  "each locks its own row, and both change a third",
                  "a lock, but not of the row that is read")
              .table("client", "id INT PRIMARY KEY, n INT", "(1, 0), (2, 0)")
              .table("stock", STOCK, "(1, 2, 0)")
              .both(
                  (s, client) -> {
                    s.number("SELECT n FROM client WHERE id = ? FOR UPDATE", client);
                    int n = s.number("SELECT n FROM stock WHERE id = 1");
                    return s.update("UPDATE stock SET n = ? WHERE id = 1", n - 1);
                  })
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of("a row is locked after it was read", "the read, not the write, needs the lock")
              .table("stock", STOCK, "(1, 2, 0)")
              .both(
                  (s, client) -> {
                    int n = s.number("SELECT n FROM stock WHERE id = 1");
                    s.number("SELECT id FROM stock WHERE id = 1 FOR UPDATE");
                    return s.update("UPDATE stock SET n = ? WHERE id = 1", n - 1);
                  })
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of("a version whose count is ignored", "typeorm/typeorm#2848")
              .table("stock", STOCK, "(1, 2, 0)")
              .both((s, client) -> versioned(s, false))
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of(
                  "an advisory lock is released before the commit",
                  "hyperledger-labs/fabric-smart-client#670")
              .table("stock", STOCK, "(1, 2, 0)")
              .both(
                  (s, client) -> {
                    lock(s);
                    int n = s.number("SELECT n FROM stock WHERE id = 1");
                    s.update("UPDATE stock SET n = ? WHERE id = 1", n - 1);
                    return s.number(unlock(s));
                  })
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of("the last two of a group leave", "the classic write skew")
              .table("member", "id INT PRIMARY KEY, present INT", "(1, 1), (2, 1)")
              .both(
                  (s, client) ->
                      s.number("SELECT count(*) FROM member WHERE present = 1") > 1
                          ? s.update("UPDATE member SET present = 0 WHERE id = ?", client)
                          : 0)
              .racesEverywhere(),
          Pair.of("a child of a parent that is closed", "a write skew of two tables")
              .table("parent", "id INT PRIMARY KEY, status INT", "(1, 1)")
              .table("child", CHILD_OF_PARENT, "")
              .operations(
                  s ->
                      s.number("SELECT status FROM parent WHERE id = 1") == 1
                          ? s.update("INSERT INTO child VALUES (1, 1)")
                          : 0,
                  s ->
                      s.number("SELECT count(*) FROM child WHERE parent = 1") == 0
                          ? s.update("UPDATE parent SET status = 0 WHERE id = 1")
                          : 0)
              .racesEverywhere(),
          Pair.of("the greatest number and one more", "grandnode/grandnode2#778")
              .table("entry", "client INT PRIMARY KEY, seq INT", "(0, 1)")
              .both(
                  (s, client) -> {
                    int seq = s.number("SELECT max(seq) + 1 FROM entry");
                    s.update("INSERT INTO entry VALUES (?, ?)", client, seq);
                    return seq;
                  })
              .racesEverywhere(),
          Pair.of("a row is locked, and changed in the next transaction", "OCA/queue#859")
              .table("job", JOB, "(1, 'new', 0), (2, 'new', 0)")
              .both(
                  (s, client) -> {
                    int job = s.number(NEW_JOB + " FOR UPDATE SKIP LOCKED");
                    s.commit();
                    s.update(
                        "UPDATE job SET status = 'done', worker = ? WHERE id = ?", client, job);
                    return job;
                  })
              .racesEverywhere(),
          Pair.of("two defaults, without a transaction", "two UPDATEs of different rows")
              .table("address", "id INT PRIMARY KEY, preferred INT", "(1, 0), (2, 1), (3, 0)")
              .autocommit()
              .both((s, client) -> prefer(s, 2 * client - 1))
              .racesEverywhere(),
          Pair.of("two defaults, in a transaction", "two UPDATEs of different rows")
              .table("address", "id INT PRIMARY KEY, preferred INT", "(1, 0), (2, 1), (3, 0)")
              .both((s, client) -> prefer(s, 2 * client - 1))
              .racesOn(POSTGRES_RC, MARIADB_RC),
          Pair.of("a report of two tables beside a transfer", "a read skew")
              .table("checking", "id INT PRIMARY KEY, n INT", "(1, 10)")
              .table("saving", "id INT PRIMARY KEY, n INT", "(1, 10)")
              .operations(
                  s -> {
                    s.update("UPDATE checking SET n = n - 5 WHERE id = 1");
                    return s.update("UPDATE saving SET n = n + 5 WHERE id = 1");
                  },
                  s ->
                      s.number("SELECT n FROM checking WHERE id = 1")
                          + s.number("SELECT n FROM saving WHERE id = 1"))
              .racesOn(POSTGRES_RC, MARIADB_RC),
          Pair.of("a job is taken by its key alone", "seatgeek/djjob#2")
              .table("job", JOB, "(1, 'new', 0), (2, 'new', 0)")
              .both(
                  (s, client) -> {
                    int job = s.number(NEW_JOB);
                    s.update(
                        "UPDATE job SET status = 'taken', worker = ? WHERE id = ?", client, job);
                    return job;
                  })
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of("an upsert of a value that was read", "MahoCommerce/maho#1378")
              .table("counter", "id INT PRIMARY KEY, n INT", "")
              .both(
                  (s, client) -> {
                    int n = Math.max(0, s.number("SELECT n FROM counter WHERE id = 1")) + 1;
                    s.update(
                        "INSERT INTO counter VALUES (1, ?)"
                            + s.dialect(
                                " ON CONFLICT (id) DO UPDATE SET n = ?",
                                " ON DUPLICATE KEY UPDATE n = ?"),
                        n,
                        n);
                    return n;
                  })
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of("all are deleted and new ones inserted", "easy to take for one that locks")
              .table("tag", "post INT, name VARCHAR(10), PRIMARY KEY (post, name)", "")
              .both(
                  (s, client) -> {
                    s.update("DELETE FROM tag WHERE post = 1");
                    return s.update("INSERT INTO tag VALUES (1, ?)", "tag" + client);
                  })
              .racesOn(POSTGRES_RC, POSTGRES_RR, MARIADB_RC),
          Pair.of("a queue whose rows are locked looks empty", "what is skipped may be there again")
              .table("job", JOB, "(1, 'new', 0)")
              .operations(
                  s -> {
                    s.number(NEW_JOB + " FOR UPDATE SKIP LOCKED");
                    s.update("UPDATE job SET status = 'done' WHERE id = 1");
                    throw new IllegalStateException("the job has failed");
                  },
                  s -> s.number(NEW_JOB + " FOR UPDATE SKIP LOCKED"))
              .racesEverywhere(),
          Pair.of("a token is read and deleted", "the DELETE, not the read, decides")
              .table("token", "id INT PRIMARY KEY", "(1)")
              .table("passkey", "client INT PRIMARY KEY", "")
              .both(
                  (s, client) -> {
                    if (s.number("SELECT id FROM token WHERE id = 1") < 0) {
                      return "expired";
                    }
                    s.update("DELETE FROM token WHERE id = 1");
                    return s.update("INSERT INTO passkey VALUES (?)", client);
                  })
              .racesOn(POSTGRES_RC, MARIADB_RC, MARIADB_RR),
          Pair.of(
                  "a limit under a lock that comes after the snapshot",
                  "the count is as old as the first read")
              .table("coupon", "id INT PRIMARY KEY, most INT", "(1, 1)")
              .table("claim", CLAIM, "")
              .both(
                  (s, client) -> {
                    int most = s.number("SELECT most FROM coupon WHERE id = 1");
                    s.number("SELECT id FROM coupon WHERE id = 1 FOR UPDATE");
                    return claim(s, client, most);
                  })
              .racesOn(POSTGRES_RR, MARIADB_RR),
          Pair.of("a limit under the lock of the parent", "liberusoftware/ecommerce-laravel#785")
              .table("coupon", "id INT PRIMARY KEY, most INT", "(1, 1)")
              .table("claim", CLAIM, "")
              .both(
                  (s, client) ->
                      claim(s, client, s.number("SELECT most FROM coupon WHERE id = 1 FOR UPDATE")))
              .racesOn(POSTGRES_RR),
          Pair.of(
                  "a limit under an advisory lock of the transaction",
                  "the lock comes after the snapshot")
              .table("claim", CLAIM, "")
              .both(
                  (s, client) -> {
                    s.number(
                        s.dialect(
                            "SELECT 1 FROM pg_advisory_xact_lock(77)",
                            "SELECT GET_LOCK('bed', 50)"));
                    s.afterRollback(s.dialect("SELECT 1", "SELECT RELEASE_LOCK('bed')"));
                    Object claimed = claim(s, client, 1);
                    s.commit();
                    s.number(s.dialect("SELECT 1", "SELECT RELEASE_LOCK('bed')"));
                    return claimed;
                  })
              .racesOn(POSTGRES_RR),
          Pair.of("a unique name is taken for a moment", "a race of UPDATEs of different rows")
              .table("account", UNIQUE_NAME, "(1, 'a'), (2, 'b')")
              .autocommit()
              .operations(
                  s ->
                      rename(s, "UPDATE account SET name = 'x' WHERE id = 1")
                          + rename(s, "UPDATE account SET name = 'y' WHERE id = 1"),
                  s -> rename(s, "UPDATE account SET name = 'x' WHERE id = 2"))
              .racesEverywhere(),
          Pair.of("a child is there for a moment", "a race of statements on different tables")
              .table("parent", "id INT PRIMARY KEY", "(1)")
              .table("child", CHILD_OF_PARENT, "")
              .autocommit()
              .operations(
                  s ->
                      rename(s, "INSERT INTO child VALUES (1, 1)")
                          + rename(s, "DELETE FROM child WHERE id = 1"),
                  s -> rename(s, "DELETE FROM parent WHERE id = 1"))
              .racesEverywhere(),
          // ---------------------------------------------------------------- none of these races
          Pair.of("a guarded UPDATE whose count is checked", "a second look is not needed")
              .table("stock", STOCK, "(1, 1, 0)")
              .table("sale", SALE, "")
              .both(
                  (s, client) -> {
                    if (s.update("UPDATE stock SET n = n - 1 WHERE id = 1 AND n > 0") == 0) {
                      throw new IllegalStateException("sold out");
                    }
                    return s.update("INSERT INTO sale VALUES (?, 1)", client);
                  }),
          Pair.of(
                  "a guarded UPDATE whose count is ignored",
                  "wrong, but as wrong one after the other")
              .table("stock", STOCK, "(1, 1, 0)")
              .table("sale", SALE, "")
              .both(
                  (s, client) -> {
                    s.update("UPDATE stock SET n = n - 1 WHERE id = 1 AND n > 0");
                    return s.update("INSERT INTO sale VALUES (?, 1)", client);
                  }),
          Pair.of(
                  "a row that a unique key keeps from being there twice",
                  "the key throws where the read is too early")
              .table("tag", "client INT PRIMARY KEY, name VARCHAR(10) UNIQUE", "")
              .both(
                  (s, client) ->
                      s.number("SELECT client FROM tag WHERE name = 'x'") < 0
                          ? s.update("INSERT INTO tag VALUES (?, 'x')", client)
                          : 0),
          Pair.of("an INSERT that does nothing if the row is there", "a conflict is no exception")
              .table("tag", "name VARCHAR(10) PRIMARY KEY", "")
              .both(
                  (s, client) ->
                      s.update(
                          s.dialect(
                              "INSERT INTO tag VALUES ('x') ON CONFLICT DO NOTHING",
                              "INSERT IGNORE INTO tag VALUES ('x')"))),
          Pair.of(
                  "an upsert that adds to the row",
                  "the row is read by the statement that changes it")
              .table("counter", "id INT PRIMARY KEY, n INT", "")
              .both(
                  (s, client) -> {
                    s.update(
                        "INSERT INTO counter VALUES (1, 1)"
                            + s.dialect(
                                " ON CONFLICT (id) DO UPDATE SET n = counter.n + 1",
                                " ON DUPLICATE KEY UPDATE n = n + 1"));
                    return "counted";
                  }),
          Pair.of("a row that is locked when it is read", "the read, not the write, needs the lock")
              .table("stock", STOCK, "(1, 2, 0)")
              .both(
                  (s, client) -> {
                    int n = s.number("SELECT n FROM stock WHERE id = 1 FOR UPDATE");
                    return s.update("UPDATE stock SET n = ? WHERE id = 1", n - 1);
                  }),
          Pair.of("a version whose count is checked", "typeorm/typeorm#2848")
              .table("stock", STOCK, "(1, 2, 0)")
              .both((s, client) -> versioned(s, true)),
          Pair.of(
                  "an advisory lock around the whole transaction",
                  "the snapshot comes after the lock")
              .table("claim", CLAIM, "")
              .both(
                  (s, client) -> {
                    lock(s);
                    s.commit();
                    Object claimed = claim(s, client, 1);
                    s.commit();
                    s.number(unlock(s));
                    return claimed;
                  }),
          Pair.of("a token whose DELETE is counted", "the DELETE, not the read, decides")
              .table("token", "id INT PRIMARY KEY", "(1)")
              .table("passkey", "client INT PRIMARY KEY", "")
              .both(
                  (s, client) -> {
                    if (s.update("DELETE FROM token WHERE id = 1") == 0) {
                      throw new IllegalStateException("expired");
                    }
                    return s.update("INSERT INTO passkey VALUES (?)", client);
                  }),
          Pair.of("the last two of a group, serializable and tried again", "the loop hides nothing")
              .table("member", "id INT PRIMARY KEY, present INT", "(1, 1), (2, 1)")
              .serializable()
              .both(Pairs::leaveAgain),
          Pair.of("two columns of a row that do not meet", "easy to take for a lost update")
              .table("item", "id INT PRIMARY KEY, price INT, n INT", "(1, 10, 2)")
              .operations(
                  s -> {
                    int price = s.number("SELECT price FROM item WHERE id = 1");
                    return s.update("UPDATE item SET price = ? WHERE id = 1", price + 1);
                  },
                  s -> {
                    int n = s.number("SELECT n FROM item WHERE id = 1");
                    return s.update("UPDATE item SET n = ? WHERE id = 1", n + 1);
                  }),
          Pair.of("two transfers that deadlock", "a deadlock is no race")
              .table("account", "id INT PRIMARY KEY, n INT", "(1, 10), (2, 10)")
              .both(
                  (s, client) -> {
                    s.update("UPDATE account SET n = n - ? WHERE id = ?", client, client);
                    return s.update(
                        "UPDATE account SET n = n + ? WHERE id = ?", client, 3 - client);
                  }),
          Pair.of("two rename themselves to the same unique name", "the second one throws")
              .table("account", UNIQUE_NAME, "(1, 'a'), (2, 'b')")
              .both(
                  (s, client) ->
                      s.number("SELECT id FROM account WHERE name = 'x'") < 0
                          ? s.update("UPDATE account SET name = 'x' WHERE id = ?", client)
                          : 0),
          Pair.of("a job is taken if it is new", "one UPDATE of two finds the row")
              .table("job", JOB, "(1, 'new', 0)")
              .both(
                  (s, client) -> {
                    int job = s.number(NEW_JOB);
                    return s.update(
                            "UPDATE job SET status = 'taken', worker = ?"
                                + " WHERE id = ? AND status = 'new'",
                            client,
                            job)
                        == 1;
                  }),
          Pair.of("a queue that skips what is locked", "each finds another row")
              .table("job", JOB, "(1, 'new', 0), (2, 'new', 0)")
              .both(
                  (s, client) -> {
                    int job = s.number(NEW_JOB + " FOR UPDATE SKIP LOCKED");
                    s.update(
                        "UPDATE job SET status = 'taken', worker = ? WHERE id = ?", client, job);
                    return job;
                  }),
          Pair.of("a report of two tables in one statement", "a statement has a snapshot")
              .table("checking", "id INT PRIMARY KEY, n INT", "(1, 10)")
              .table("saving", "id INT PRIMARY KEY, n INT", "(1, 10)")
              .operations(
                  s -> {
                    s.update("UPDATE checking SET n = n - 5 WHERE id = 1");
                    return s.update("UPDATE saving SET n = n + 5 WHERE id = 1");
                  },
                  s -> s.number("SELECT c.n + s.n FROM checking c JOIN saving s ON s.id = c.id")),
          Pair.of("a limit under an UPDATE of the parent", "the UPDATE fails where a lock does not")
              .table("coupon", "id INT PRIMARY KEY, version INT", "(1, 0)")
              .table("claim", CLAIM, "")
              .both(
                  (s, client) -> {
                    s.update("UPDATE coupon SET version = version + 1 WHERE id = 1");
                    return claim(s, client, 1);
                  }),
          Pair.of("a child of a parent that is deleted", "the foreign key decides")
              .table("parent", "id INT PRIMARY KEY", "(1)")
              .table("child", CHILD_OF_PARENT, "")
              .operations(
                  s -> s.update("INSERT INTO child VALUES (1, 1)"),
                  s ->
                      s.number("SELECT count(*) FROM child WHERE parent = 1") == 0
                          ? s.update("DELETE FROM parent WHERE id = 1")
                          : 0),
          Pair.of("the next number in one statement, unique", "thoth-pub/thoth#719")
              .table("entry", "client INT PRIMARY KEY, seq INT UNIQUE", "(0, 1)")
              .both(
                  (s, client) ->
                      s.update("INSERT INTO entry SELECT " + client + ", max(seq) + 1 FROM entry")),
          Pair.of("increments without a transaction", "atomic, and in any order the same")
              .table("stock", STOCK, "(1, 2, 0)")
              .autocommit()
              .both((s, client) -> s.update(INCREMENT) + s.update(INCREMENT)));

  private Pairs() {}

  private static Object versioned(PairSession s, boolean isChecked) throws SQLException {
    int version = s.number("SELECT version FROM stock WHERE id = 1");
    int changed =
        s.update(
            "UPDATE stock SET n = n - 1, version = version + 1 WHERE id = 1 AND version = ?",
            version);
    if (isChecked && changed == 0) {
      throw new IllegalStateException("changed meanwhile");
    }
    return "sold";
  }

  private static Object claim(PairSession s, int client, int most) throws SQLException {
    return s.number("SELECT count(*) FROM claim WHERE coupon = 1") < most
        ? s.update("INSERT INTO claim VALUES (?, 1)", client)
        : 0;
  }

  private static Object prefer(PairSession s, int address) throws SQLException {
    s.update("UPDATE address SET preferred = 0 WHERE preferred = 1");
    return s.update("UPDATE address SET preferred = 1 WHERE id = ?", address);
  }

  /** Takes a lock of the session, which is released if the operation throws. */
  private static void lock(PairSession s) throws SQLException {
    s.number(s.dialect("SELECT 1 FROM pg_advisory_lock(77)", "SELECT GET_LOCK('bed', 50)"));
    s.afterRollback(
        s.dialect("SELECT 1 FROM pg_advisory_unlock_all()", "SELECT RELEASE_ALL_LOCKS()"));
  }

  private static String unlock(PairSession s) {
    return s.dialect("SELECT 1 FROM pg_advisory_unlock(77)", "SELECT RELEASE_LOCK('bed')");
  }

  /** Executes a statement that a key may refuse. */
  private static String rename(PairSession s, String sql) {
    try {
      return "changed " + s.update(sql) + ";";
    } catch (SQLException e) {
      return "refused;";
    }
  }

  /** Leaves unless no other one is present, again and again while the DBMS reports a conflict. */
  private static Object leaveAgain(PairSession s, int client) throws SQLException {
    for (int tries = 0; ; tries++) {
      try {
        Object left =
            s.number("SELECT count(*) FROM member WHERE present = 1") > 1
                ? s.update("UPDATE member SET present = 0 WHERE id = ?", client)
                : 0;
        s.commit();
        return left;
      } catch (SQLException e) {
        if (tries == 3 || e.getSQLState() == null || !e.getSQLState().startsWith("40")) {
          throw e;
        }
        s.rollback();
      }
    }
  }
}
