package io.txwatch.analyzer;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;

/**
 * The events of interleaved sessions at READ COMMITTED, whose transactions read two rows and update
 * two: generated on demand, so that their number needs no memory.
 */
final class TrafficGenerator implements Iterator<Event> {

  private static final int STEPS = 6;

  private final Random random = new Random(1);
  private final String[] rows;
  private final long[] transaction;
  private final int[] step;
  private final int[] written;
  private final int transactions;
  private long begun;
  private int running;
  private int opened;

  TrafficGenerator(int sessions, int rows, int transactions) {
    this.rows = new String[rows];
    java.util.Arrays.fill(this.rows, "");
    this.transaction = new long[sessions];
    this.step = new int[sessions];
    this.written = new int[sessions];
    this.transactions = transactions;
  }

  @Override
  public boolean hasNext() {
    return begun < transactions || running > 0;
  }

  @Override
  public Event next() {
    if (opened < step.length) {
      opened++;
      return new Event.SessionOpened(opened, "s" + opened, Notation.POSTGRESQL);
    }
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    int at = random.nextInt(step.length);
    while (step[at] == 0 && begun == transactions) {
      at = (at + 1) % step.length;
    }
    long session = at + 1;
    int now = step[at];
    step[at] = (now + 1) % STEPS;
    if (now == 0) {
      begun++;
      running++;
      transaction[at] = begun;
      return new Event.TransactionBegan(session, begun, IsolationLevel.READ_COMMITTED, 0);
    }
    if (now == STEPS - 1) {
      running--;
      return new Event.TransactionEnded(session, transaction[at], Outcome.COMMITTED, 0, STEPS - 1);
    }
    boolean write = now % 2 == 0;
    int row = write ? written[at] : random.nextInt(rows.length);
    written[at] = row;
    if (write) {
      String list = rows[row] + WriterToken.of(transaction[at], now);
      rows[row] = list.substring(Math.max(0, list.length() - WriterList.WINDOW_LENGTH));
    }
    RowAccess access =
        new RowAccess(
            write ? Access.UPDATE : Access.READ, "t", row, WriterList.ofColumn(rows[row]));
    StatementKind kind = write ? StatementKind.UPDATE : StatementKind.SELECT;
    return new Event.StatementExecuted(
        session, transaction[at], now, kind, kind.name(), "", List.of(access), true, null);
  }
}
