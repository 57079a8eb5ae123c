package io.txwatch.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The items that were added to the batch of a prepared statement. What was set for each is kept: if
 * the tokens that they were given prove wrong, or the text, they are added once more. Where the
 * text is one for rows that the transaction holds, each item's row must still be as it was known
 * when the batch is sent, and no two items may write the same one.
 */
final class PreparedBatch {

  private final WatchedConnection connection;
  private final CachedPlan cached;
  private final KeptParameters kept;
  private final Batch batch;
  private final List<Item> items;

  /**
   * An item.
   *
   * @param held what stood in {@code txw_wl} of the row that it writes; null if that is not known,
   *     or not needed
   */
  private record Item(KeptParameters.Snapshot set, @Nullable String held) {}

  /**
   * One without items, of the text that the driver has.
   *
   * @param kept what is set on the statement
   */
  PreparedBatch(WatchedConnection connection, CachedPlan cached, KeptParameters kept) {
    this(connection, cached, kept, new Batch(connection, cached.lead(), true), new ArrayList<>());
  }

  private PreparedBatch(
      WatchedConnection connection,
      CachedPlan cached,
      KeptParameters kept,
      Batch batch,
      List<Item> items) {
    this.connection = connection;
    this.cached = cached;
    this.kept = kept;
    this.batch = batch;
    this.items = items;
  }

  /** True if one of its items writes the row of that key. */
  boolean writes(long key) {
    for (int i = 0; i < items.size(); i++) { // asked for each item: a stream would cost more
      if (items.get(i).set().key() == key) {
        return true;
      }
    }
    return false;
  }

  /** True if all rows that the text takes for held are so, and as they were. */
  boolean stillHolds() {
    return !cached.isOfHeldRow()
        || items.stream()
            .allMatch(
                item -> Objects.equals(connection.writersOfHeld(item.set().key()), item.held()));
  }

  /**
   * Adds what is set now.
   *
   * @param held what stands in {@code txw_wl} of the row that it writes, if the text needs it
   */
  void add(PreparedStatement prepared, @Nullable String held) throws SQLException {
    KnownKey known = cached.key();
    long key = known == null ? 0 : kept.bits(known);
    batch.add(cached, key).setParameters(prepared, held);
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
    items.add(new Item(set, held));
  }

  /** The same items with another text, to which more may be added. */
  PreparedBatch withText(CachedPlan other, PreparedStatement prepared) throws SQLException {
    Batch again = new Batch(connection, other.lead(), true);
    addAgain(again, other, prepared);
    return new PreparedBatch(connection, other, kept, again, items);
  }

  /** What is to be sent now, with tokens that name what will be executed. */
  Batch toSend(PreparedStatement prepared) throws SQLException {
    if (cached.plan().tokenParameters().length == 0 || batch.tokensHold()) {
      return batch;
    }
    cached.leadWouldHold(batch.leadThatWouldHold());
    prepared.clearBatch();
    Batch again = new Batch(connection, 0, true);
    addAgain(again, cached, prepared);
    return again;
  }

  private void addAgain(Batch to, CachedPlan text, PreparedStatement prepared) throws SQLException {
    for (Item item : items) {
      KeptParameters.replay(item.set(), prepared, text);
      to.add(text, item.set().key()).setParameters(prepared, item.held());
      if (text.sideReads() != null) {
        to.parameters(kept.parameters(item.set()));
      }
      prepared.addBatch();
    }
  }
}
