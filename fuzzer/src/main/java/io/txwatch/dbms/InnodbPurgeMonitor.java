package io.txwatch.dbms;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Detects when InnoDB has purged deleted rows. Purge processes transactions in the order of their
 * commits, in batches: it reads each batch, up to the transactions that had committed when the
 * batch began, and then removes its rows ({@code trx0purge.cc}). The status text has the id of the
 * next transaction and the id up to which transactions have been read, but not whether that batch
 * is finished. It is finished if purge is idle, or if transactions that committed after the batch
 * was read have been read as well.
 *
 * <p>Each read of the status text serves all pending purges. Thread-safe.
 */
final class InnodbPurgeMonitor {

  private static final Pattern NEXT = Pattern.compile("Trx id counter (\\d+)");
  private static final Pattern READ =
      Pattern.compile("Purge done for trx's n:o < (\\d+) .*state: (running but idle)?");

  /** How often an awaited transaction has to be read until its batch is certainly finished. */
  private static final int PASSES = 3;

  private final List<Tables> awaited = new ArrayList<>();

  /** Tables whose rows have been deleted. */
  private final class Tables implements Purge {

    private final Connection watcher;

    /** The transaction id that the next pass waits for. */
    private long awaitedTransaction = Long.MAX_VALUE;

    /** The completed passes. */
    private int passes;

    Tables(Connection watcher) {
      this.watcher = watcher;
    }

    /**
     * Pass 1: the rows have been read; the last batch that contains any of them is in progress.
     * Pass 2: a later transaction has been read, possibly in the same batch. Pass 3: a transaction
     * later than that has been read, which belongs to a later batch.
     */
    void recordPurge(long next, long read, boolean isIdle) {
      if (read >= awaitedTransaction) {
        passes = isIdle ? PASSES : passes + 1;
        awaitedTransaction = next;
      }
    }

    @Override
    public boolean isDone() throws SQLException {
      synchronized (InnodbPurgeMonitor.this) {
        if (passes >= PASSES) {
          return true;
        }
      }
      readStatus(watcher);
      synchronized (InnodbPurgeMonitor.this) {
        return passes >= PASSES;
      }
    }
  }

  /**
   * Deletes all rows of tables that no session uses and whose rows no snapshot can see.
   *
   * @param deletes the statements that delete the rows
   * @param together true if these and the status query may be sent as one text
   */
  Purge begin(Connection by, List<String> deletes, boolean together) throws SQLException {
    if (!together) {
      Sql.executeAll(by, deletes);
    }
    Tables emptied = new Tables(by);
    Matcher next = NEXT.matcher(readStatus(by, together ? deletes : List.of()));
    synchronized (this) {
      emptied.awaitedTransaction = next.find() ? Long.parseLong(next.group(1)) : Long.MAX_VALUE;
      awaited.add(emptied);
    }
    return emptied;
  }

  /** Reads InnoDB's status text and updates all pending purges. */
  String readStatus(Connection watcher) throws SQLException {
    return readStatus(watcher, List.of());
  }

  /** The same in one round trip after statements that return no rows. */
  private String readStatus(Connection watcher, List<String> first) throws SQLException {
    List<String> all = new ArrayList<>(first);
    all.add("SHOW ENGINE INNODB STATUS");
    try (Statement statement = watcher.createStatement()) {
      statement.execute(String.join(";\n", all));
      for (int i = 0; i < first.size(); i++) {
        statement.getMoreResults();
      }
      try (ResultSet result = statement.getResultSet()) {
        result.next();
        String text = result.getString(3);
        recordStatus(text);
        return text;
      }
    }
  }

  private synchronized void recordStatus(String text) {
    Matcher next = NEXT.matcher(text);
    Matcher read = READ.matcher(text);
    if (!awaited.isEmpty() && next.find() && read.find(next.end())) {
      long nextTransaction = Long.parseLong(next.group(1));
      long purgedTransaction = Long.parseLong(read.group(1));
      awaited.forEach(
          tables -> tables.recordPurge(nextTransaction, purgedTransaction, read.group(2) != null));
      awaited.removeIf(tables -> tables.passes >= PASSES);
    }
  }
}
