package io.txwatch.jdbc;

import io.txwatch.capture.SessionTracker;
import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The items of a batch, each a statement of its own: with a number, a writer token and an outcome.
 *
 * <p>A token must be given when an item is added, before it is known in which transaction the batch
 * will be executed. So an item is given the {@linkplain SessionTracker.Position position} that it
 * will have if nothing comes between, and whether that held is asked when the batch is sent.
 */
final class Batch {

  private final WatchedConnection connection;

  /**
   * What an item is given when it is added.
   *
   * @param firstRow the id of its first new row; 0 if it has none
   */
  record Given(CachedPlan cached, String token, long firstRow) {
    String immediateSql() {
      return cached.plan().immediateSql(token, firstRow);
    }

    void setParameters(PreparedStatement statement) throws SQLException {
      Execution.setParameters(statement, cached, token, firstRow);
    }
  }

  private final List<CachedPlan> plans = new ArrayList<>();
  private final List<SessionTracker.Position> positions = new ArrayList<>();
  private final List<Given> given = new ArrayList<>();

  Batch(WatchedConnection connection) {
    this.connection = connection;
  }

  /** Sends the items. */
  interface Sender {
    /** The update counts, as the driver gives them. */
    long[] send() throws SQLException;
  }

  int size() {
    return plans.size();
  }

  /** Adds an item and gives it its token and its rows' ids. */
  Given add(CachedPlan cached) {
    SessionTracker.Position position = connection.tracker().next(plans.size());
    plans.add(cached);
    positions.add(position);
    Given item = new Given(cached, position.token(), Execution.takeRowIds(cached));
    given.add(item);
    return item;
  }

  /** Adds an item that has no token. */
  void addWithoutPosition(CachedPlan cached) {
    plans.add(cached);
  }

  /** True if the tokens that were given name what will be executed now. */
  boolean tokensHold() {
    return connection.tracker().stillHolds(positions);
  }

  /** Sends the batch and notes what became of each item. */
  <T> T run(Sender sender, Function<long[], T> as) throws SQLException {
    List<Execution> begun = null;
    if (!positions.isEmpty() && !positions.get(0).alone()) {
      begun = new ArrayList<>(plans.size());
      for (int i = 0; i < plans.size(); i++) {
        begun.add(begin(i));
      }
    }
    long[] counts;
    try {
      counts = sender.send();
    } catch (BatchUpdateException e) {
      long[] done = countsOf(e);
      failed(begun, e, done);
      throw plans.isEmpty() ? e : VendorErrors.ofBatch(e, firstFailed(done));
    } catch (SQLException e) {
      failed(begun, e, new long[0]);
      throw e;
    }
    for (int i = 0; i < plans.size(); i++) {
      Execution execution = begun == null ? begin(i) : begun.get(i);
      execution.counted(i < counts.length ? counts[i] : -1);
    }
    return as.apply(counts);
  }

  private Execution begin(int i) {
    return i < positions.size()
        ? Execution.begin(connection, plans.get(i), positions.get(i), given.get(i).firstRow())
        : Execution.begin(connection, plans.get(i), null, 0);
  }

  private void failed(@Nullable List<Execution> begun, SQLException error, long[] counts) {
    boolean shared = begun == null && connection.rules().batchSharesTransaction();
    for (int i = 0; i < plans.size(); i++) {
      Execution execution = begun == null ? begin(i) : begun.get(i);
      boolean done = i < counts.length && counts[i] != Statement.EXECUTE_FAILED;
      if (shared) {
        execution.outcomeUnknown();
      } else if (done) {
        execution.counted(counts[i]);
      } else {
        execution.failed(error);
      }
    }
  }

  private CachedPlan firstFailed(long[] counts) {
    int i = 0;
    while (i < plans.size() - 1 && i < counts.length && counts[i] != Statement.EXECUTE_FAILED) {
      i++;
    }
    return plans.get(i);
  }

  private static long[] countsOf(BatchUpdateException error) {
    long[] counts = error.getLargeUpdateCounts();
    if (counts != null && counts.length > 0) {
      return counts;
    }
    int[] narrow = error.getUpdateCounts();
    return narrow == null ? new long[0] : widen(narrow);
  }

  static long[] widen(int[] counts) {
    long[] wide = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      wide[i] = counts[i];
    }
    return wide;
  }

  static int[] narrow(long[] counts) {
    int[] narrow = new int[counts.length];
    for (int i = 0; i < counts.length; i++) {
      narrow[i] = (int) counts[i];
    }
    return narrow;
  }
}
