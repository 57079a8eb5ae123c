package io.txwatch.jdbc.changes;

import io.txwatch.history.StatedWrite;
import java.util.List;

/** A share in a reading that does something more when it is closed. */
record ClosingReading(ChangeReading reading, Runnable more) implements ChangeReading {

  @Override
  public void ended(long nanos) {
    reading.ended(nanos);
  }

  @Override
  public void sending() {
    reading.sending();
  }

  @Override
  public void sendingBatch() {
    reading.sendingBatch();
  }

  @Override
  public void sentBatch(long[] counts) {
    reading.sentBatch(counts);
  }

  @Override
  public List<StatedWrite> written(List<StatedWrite> stated, long count, String sql) {
    return reading.written(stated, count, sql);
  }

  @Override
  public void executed(String sql) {
    reading.executed(sql);
  }

  @Override
  public void close() {
    reading.close();
    more.run();
  }
}
