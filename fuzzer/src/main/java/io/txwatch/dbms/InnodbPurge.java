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
 * the order of their commits ({@code trx0purge.cc}). Its monitor shows how far it has come, and by
 * which number transactions are counted: ours are those below the number that comes next after
 * them.
 *
 * <p>What is shown is how far it has read, and it removes what it has read in one go: it has done
 * so if it is idle.
 */
final class InnodbPurge implements Purge {

  private static final Pattern NEXT = Pattern.compile("Trx id counter (\\d+)");
  private static final Pattern REACHED =
      Pattern.compile("Purge done for trx's n:o < (\\d+) .*state: (running but idle)?");

  private final Connection watcher;
  private final long next;

  private InnodbPurge(Connection watcher, long next) {
    this.watcher = watcher;
    this.next = next;
  }

  /** Empties tables, in which no session works, and whose rows nobody sees any more. */
  static InnodbPurge begin(Connection by, List<String> tables) throws SQLException {
    List<String> statements = new ArrayList<>();
    statements.add("COMMIT"); // of the snapshot
    statements.add("BEGIN");
    statements.addAll(Sql.emptying(tables));
    statements.add("COMMIT");
    Sql.executeAll(by, statements);
    Matcher counter = NEXT.matcher(status(by));
    return new InnodbPurge(by, counter.find() ? Long.parseLong(counter.group(1)) : Long.MAX_VALUE);
  }

  @Override
  public boolean isDone() throws SQLException {
    Matcher reached = REACHED.matcher(status(watcher));
    return reached.find() && Long.parseLong(reached.group(1)) >= next && reached.group(2) != null;
  }

  /** The text of InnoDB's monitor. */
  static String status(Connection watcher) throws SQLException {
    try (Statement statement = watcher.createStatement();
        ResultSet result = statement.executeQuery("SHOW ENGINE INNODB STATUS")) {
      result.next();
      return result.getString(3);
    }
  }
}
