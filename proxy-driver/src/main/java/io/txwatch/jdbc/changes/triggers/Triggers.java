package io.txwatch.jdbc.changes.triggers;

import io.txwatch.changes.h2.SentStatements;
import io.txwatch.changes.h2.TriggerSource;
import io.txwatch.jdbc.changes.ChangeRecord;
import java.util.List;

/**
 * The triggers on the tables of one H2 database in memory.
 *
 * <p>DDL and TRUNCATE fire none, so that sessions {@linkplain #executed report} them.
 */
final class Triggers implements ChangeRecord {

  private final String database;
  private volatile TriggerSource source;
  private boolean isTaken;

  /**
   * Triggers that are not created yet.
   *
   * @param database its name for people
   */
  Triggers(String database, TriggerSource source) {
    this.database = database;
    this.source = source;
  }

  @Override
  public String name() {
    return "triggers in " + database;
  }

  @Override
  public String kind() {
    return "triggers";
  }

  @Override
  public boolean comparesPadding() {
    return true;
  }

  @Override
  public synchronized Opened open() {
    if (isTaken) {
      source = source.another();
    }
    isTaken = true;
    return new Opened(source, List.of());
  }

  /** What a session sends is noted from now on. */
  SentStatements sendingOf(int session) {
    source.using();
    return source.sendingOf(session);
  }

  /** A session is about to send something. */
  void using() {
    source.using();
  }

  void noLongerSending(int session) {
    source.noLongerSending(session);
  }

  @Override
  public void executed(String schema, String sql) {
    source.executed(schema, sql);
  }
}
