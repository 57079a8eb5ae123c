package io.txwatch.jdbc.wrap;

import io.txwatch.history.GapReason;
import io.txwatch.jdbc.error.VendorErrors;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.plan.CachedPlan;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What a prepared statement describes of its result and its parameters, ours left out. What a text
 * describes before it was ever executed, also that it is wrong, is its own: then the application's
 * own text is prepared, to be queried.
 */
final class PreparedMetadata {

  private final ExecutionContext context;
  private final Preparer preparer;
  private @Nullable PreparedStatement asItWas;

  /** Prepares a text where the statement itself was prepared. */
  interface Preparer {
    PreparedStatement prepare(String text) throws SQLException;
  }

  PreparedMetadata(ExecutionContext context, Preparer preparer) {
    this.context = context;
    this.preparer = preparer;
  }

  /**
   * What is known of the result before the statement is executed.
   *
   * @param prepared what the driver has
   * @param active the plan that it was prepared by
   * @param plan the plan for the text that the application prepared
   * @param kept gives parameters their types
   */
  @Nullable ResultSetMetaData ofResult(
      PreparedStatement prepared, CachedPlan active, CachedPlan plan, KeptParameters kept)
      throws SQLException {
    boolean other = mustAskAsItWas(active) && !prepared.isClosed();
    CachedPlan cached = other ? plainest(plan) : active;
    try {
      return mask((other ? asItWas(plan, kept) : prepared).getMetaData(), cached);
    } catch (SQLException e) {
      throw VendorErrors.of(e, cached.prepared());
    }
  }

  /** What is known of the parameters. */
  ParameterMetaData ofParameters(
      PreparedStatement prepared, CachedPlan active, CachedPlan plan, KeptParameters kept)
      throws SQLException {
    boolean other = mustAskAsItWas(active) && !prepared.isClosed();
    CachedPlan cached = other ? plainest(plan) : active;
    try {
      ParameterMetaData metaData = (other ? asItWas(plan, kept) : prepared).getParameterMetaData();
      return cached.plan().addedParameters() == 0
          ? metaData
          : new WatchedParameterMetaData(metaData, cached.plan());
    } catch (SQLException e) {
      throw VendorErrors.of(e, cached.prepared());
    }
  }

  private @Nullable ResultSetMetaData mask(@Nullable ResultSetMetaData metaData, CachedPlan cached)
      throws SQLException {
    boolean joins = context.sql().joinsInvisibleColumns();
    boolean maySeeJoined = joins && !cached.plan().isRewritten(); // by * of a NATURAL JOIN
    if (metaData == null || !(cached.hidesColumns() || maySeeJoined)) {
      return metaData;
    }
    int appended = cached.appendedColumns();
    ColumnMask mask =
        cached.plan().starShowsAuxiliary() || maySeeJoined
            ? ColumnMask.ofNames(metaData, appended, context.sql())
            : ColumnMask.ofLast(appended, metaData.getColumnCount());
    return new WatchedResultSetMetaData(metaData, mask);
  }

  private static boolean mustAskAsItWas(CachedPlan active) {
    return active.plan().isRewritten(); // which the tables may not fit any more
  }

  private PreparedStatement asItWas(CachedPlan plan, KeptParameters kept) throws SQLException {
    PreparedStatement own = asItWas;
    if (own == null) {
      own = preparer.prepare(plainest(plan).plan().preparedSql());
      asItWas = own;
    }
    kept.replay(own, plainest(plan));
    return own;
  }

  /** The application's text. */
  private static CachedPlan plainest(CachedPlan plan) {
    return plan.asItIs(GapReason.SHAPE, "");
  }

  void close() throws SQLException {
    if (asItWas != null) {
      asItWas.close();
      asItWas = null;
    }
  }
}
