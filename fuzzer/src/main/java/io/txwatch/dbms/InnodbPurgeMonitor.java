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
 * InnoDB's purge: it removes deleted rows that no snapshot can see, transaction by transaction in
 * the order of their commits, in batches: each is read, up to what had been committed when it
 * began, and then done ({@code trx0purge.cc}). Its monitor shows which number the next transaction
 * gets, and up to which number transactions have been read; not whether that batch has been done.
 * It has if purge is idle, and if what was committed after it had been read is read, too.
 *
 * <p>Whoever looks at the monitor, all that is waited for is told. For several threads.
 */
final class InnodbPurgeMonitor {

  private static final Pattern NEXT = Pattern.compile("Trx id counter (\\d+)");
  private static final Pattern READ =
      Pattern.compile("Purge done for trx's n:o < (\\d+) .*state: (running but idle)?");

  /** How often what was awaited has to be read until a batch is sure to have been done. */
  private static final int PASSES = 3;

  private final List<Tables> awaited = new ArrayList<>();

  /** Tables that have been emptied. */
  private final class Tables implements Purge {

    private final Connection watcher;

    /** What has to be read next for one to know more. */
    private long awaitedTransaction = Long.MAX_VALUE;

    /** How often what was awaited has been read. */
    private int passes;

    Tables(Connection watcher) {
      this.watcher = watcher;
    }

    /**
     * First their rows have been read, with the last batch that holds any of them under way; then
     * something that came later, be it that it only stands next to what this batch has read; then
     * something that came later than that, which is of a later batch.
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
   * Empties tables, in which no session works, and whose rows nobody sees any more.
   *
   * @param deletes what does so
   * @param together true if that, and a look, may be sent as one text
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

  /** The text of InnoDB's monitor, which all that is waited for are told of. */
  String readStatus(Connection watcher) throws SQLException {
    return readStatus(watcher, List.of());
  }

  /** The same after statements that return nothing, which are sent with it. */
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
