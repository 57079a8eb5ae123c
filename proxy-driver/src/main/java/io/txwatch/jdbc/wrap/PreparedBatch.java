package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.Batch;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.KnownKey;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The items that were added to the batch of a prepared statement. What was set for each is kept: if
 * the tokens that they were given prove wrong, or the text, they are added once more.
 */
final class PreparedBatch {

  private final ExecutionContext context;
  private final CachedPlan cached;
  private final KeptParameters kept;
  private final Batch batch;
  private final List<KeptParameters.Snapshot> items;

  /**
   * One without items, of the text that the driver has.
   *
   * @param kept what is set on the statement
   */
  PreparedBatch(ExecutionContext context, CachedPlan cached, KeptParameters kept) {
    this(context, cached, kept, new Batch(context, cached.lead(), true), new ArrayList<>());
  }

  private PreparedBatch(
      ExecutionContext context,
      CachedPlan cached,
      KeptParameters kept,
      Batch batch,
      List<KeptParameters.Snapshot> items) {
    this.context = context;
    this.cached = cached;
    this.kept = kept;
    this.batch = batch;
    this.items = items;
  }

  /** Adds what is set now. */
  void add(PreparedStatement prepared) throws SQLException {
    KnownKey known = cached.key();
    long key = known == null ? 0 : kept.bits(known);
    batch.add(cached, key).setParameters(prepared);
    kept.setAgain(cached, prepared);
    KeptParameters.Snapshot set = kept.snapshot(key);
    if (cached.sideReads() != null) {
      batch.parameters(kept.parameters(set));
    }
    try {
      prepared.addBatch();
    } catch (SQLException e) {
      batch.removeLast();
      throw e;
    }
    items.add(set);
  }

  /** The same items with another text, to which more may be added. */
  PreparedBatch withText(CachedPlan other, PreparedStatement prepared) throws SQLException {
    Batch again = new Batch(context, other.lead(), true);
    addAgain(again, other, prepared);
    return new PreparedBatch(context, other, kept, again, items);
  }

  /** What is to be sent now, with tokens that name what will be executed. */
  Batch toSend(PreparedStatement prepared) throws SQLException {
    if (cached.plan().tokenParameters().length == 0 || batch.tokensHold()) {
      return batch;
    }
    cached.leadWouldHold(batch.leadThatWouldHold());
    prepared.clearBatch();
    Batch again = new Batch(context, 0, true);
    addAgain(again, cached, prepared);
    return again;
  }

  private void addAgain(Batch to, CachedPlan text, PreparedStatement prepared) throws SQLException {
    for (KeptParameters.Snapshot item : items) {
      KeptParameters.replay(item, prepared, text);
      to.add(text, item.key()).setParameters(prepared);
      if (text.sideReads() != null) {
        to.parameters(kept.parameters(item));
      }
      prepared.addBatch();
    }
  }
}
