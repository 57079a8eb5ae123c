package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.Batch;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.KeyedRowHasher;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The items that were added to the batch of a prepared statement: what was set for each, or a text
 * of its own, as MySQL's driver allows. All are kept in their order: if the tokens that they were
 * given prove wrong, or the text, they are added once more.
 */
final class PreparedBatch {

  private final ExecutionContext context;
  private final CachedPlan cached;
  private final KeptParameters kept;
  private final Batch batch;
  private final List<Item> items;

  /** What was added: one of the two. */
  private record Item(KeptParameters.@Nullable Snapshot set, @Nullable CachedPlan text) {}

  /**
   * One without items, of the text that the driver has.
   *
   * @param kept what is set on the statement
   */
  PreparedBatch(ExecutionContext context, CachedPlan cached, KeptParameters kept) {
    this(
        context,
        cached,
        kept,
        new Batch(context, cached.usage().lead(), true, kept.isStreamed()),
        new ArrayList<>());
  }

  private PreparedBatch(
      ExecutionContext context,
      CachedPlan cached,
      KeptParameters kept,
      Batch batch,
      List<Item> items) {
    this.context = context;
    this.cached = cached;
    this.kept = kept;
    this.batch = batch;
    this.items = items;
  }

  /** Adds what is set now. */
  void add(PreparedStatement prepared) throws SQLException {
    KeyedRowHasher known = cached.key();
    long key = known == null ? 0 : kept.bits(known);
    batch.add(cached, key).setParameters(prepared);
    kept.setAgain(cached, prepared);
    KeptParameters.Snapshot set =
        kept.snapshot(
            key,
            context.keyValues(cached, kept),
            context.recordsValues() ? kept.recorded() : List.of());
    if (cached.sideReads() != null) {
      batch.parameters(kept.parameters(set));
    }
    try {
      prepared.addBatch();
    } catch (SQLException e) {
      batch.removeLast();
      throw e;
    }
    batch.values(context.values(cached, kept));
    batch.keyValues(set.keyValues());
    batch.recorded(set.recorded());
    items.add(new Item(set, null));
  }

  /** Adds a text of its own, which is sent as it is. */
  void add(CachedPlan text, PreparedStatement prepared) throws SQLException {
    batch.addText(text);
    if (cached.sideReads() != null) {
      batch.parameters(Parameters.NONE);
    }
    try {
      prepared.addBatch(text.plan().original());
    } catch (SQLException e) {
      batch.removeLast();
      throw e;
    }
    batch.values(null);
    items.add(new Item(null, text));
  }

  /** True if a text may end the transaction: what comes behind it has no known position. */
  boolean controlsTransaction() {
    return items.stream().anyMatch(item -> item.text() != null && item.text().isControl());
  }

  /** True if an item was set from a stream, and cannot be set once more. */
  boolean isStreamed() {
    return items.stream().anyMatch(item -> item.set() != null && item.set().streamed());
  }

  /**
   * The same items with another text, to which more may be added; none was set from a stream.
   *
   * @param streamed true if others may be
   */
  PreparedBatch withText(CachedPlan other, PreparedStatement prepared, boolean streamed)
      throws SQLException {
    Batch again = new Batch(context, other.usage().lead(), true, streamed);
    addAgain(again, other, prepared);
    return new PreparedBatch(context, other, kept, again, items);
  }

  /** What is to be sent now, with tokens that name what will be executed. */
  Batch toSend(PreparedStatement prepared) throws SQLException {
    if (batch.tokensHold()) {
      return batch;
    }
    if (cached.plan().tokenParameters().length == 0) { // the driver has no tokens
      batch.placeAnew();
      return batch;
    }
    if (isStreamed()) {
      batch.writesUnnamed();
      return batch;
    }
    cached.usage().leadWouldHold(batch.leadThatWouldHold());
    prepared.clearBatch();
    Batch again = new Batch(context, 0, true, false);
    addAgain(again, cached, prepared);
    return again;
  }

  private void addAgain(Batch to, CachedPlan text, PreparedStatement prepared) throws SQLException {
    boolean hasPositions = !controlsTransaction();
    for (Item item : items) {
      KeptParameters.Snapshot set = item.set();
      CachedPlan own = item.text();
      CachedPlan cachedPlan = own == null ? text : own;
      if (!hasPositions) {
        to.addWithoutPosition(cachedPlan);
      }
      if (set != null) {
        KeptParameters.replay(set, prepared, text);
        if (hasPositions) {
          to.add(text, set.key()).setParameters(prepared);
        }
        if (text.sideReads() != null) {
          to.parameters(kept.parameters(set));
        }
        prepared.addBatch();
        if (hasPositions) {
          to.keyValues(set.keyValues());
        }
        to.recorded(set.recorded());
      } else if (own != null) {
        if (hasPositions) {
          to.addText(own);
        }
        if (text.sideReads() != null) {
          to.parameters(Parameters.NONE);
        }
        prepared.addBatch(own.plan().original());
      }
    }
  }
}
