package io.txwatch.jdbc.changes.triggers;

import io.txwatch.changes.h2.SentStatements;
import io.txwatch.jdbc.changes.ChangeReading;

/** One watched session's share in the triggers of its database: they learn what it sends. */
final class TriggersReading implements ChangeReading {

  private final ChangeReading lease;
  private final Triggers triggers;
  private final int session;
  private final SentStatements sent;

  TriggersReading(ChangeReading lease, Triggers triggers, int session) {
    this.lease = lease;
    this.triggers = triggers;
    this.session = session;
    this.sent = triggers.sendingOf(session);
  }

  @Override
  public void ended(long nanos) {
    lease.ended(nanos);
  }

  @Override
  public void sending() {
    triggers.using();
    sent.sending();
  }

  @Override
  public void sendingBatch() {
    triggers.using();
    sent.sendingBatch();
  }

  @Override
  public void executed(String sql) {
    lease.executed(sql);
  }

  @Override
  public void close() {
    triggers.noLongerSending(session);
    lease.close();
  }
}
