package io.txwatch.format;

import io.txwatch.dependency.KnownRow;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.version.VersionResolver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of statements in a history that was recorded by value: they become known after their
 * statements' events. All of them are in memory.
 */
final class ResolvedRows {

  private record Place(long transaction, int statement) {}

  private final Map<Place, List<KnownRow>> rows = new HashMap<>();
  private final VersionResolver resolver =
      new VersionResolver(
          event -> {},
          (session, transaction, statement, known) ->
              rows.computeIfAbsent(new Place(transaction, statement), p -> new ArrayList<>())
                  .addAll(known),
          Runtime.getRuntime().maxMemory() / 8);

  /** Processes an event. To be called for all of them before {@link #with}. */
  void learn(Event event) {
    resolver.accept(event);
  }

  /** All events were learned. */
  void complete() {
    resolver.flush();
  }

  /** An event with the rows that became known later. */
  Event with(Event event) {
    if (!(event instanceof Event.StatementExecuted e)) {
      return event;
    }
    List<KnownRow> known = rows.get(new Place(e.transaction(), e.statement()));
    if (known == null) {
      return event;
    }
    List<RowAccess> all = new ArrayList<>(e.rows());
    boolean isWrite = false;
    boolean hasOtherColumns = false;
    for (KnownRow row : known) {
      RowAccess access = row.access();
      isWrite |= access.access().isWrite();
      hasOtherColumns |= row.columns().isPresent();
      boolean certain = access.certain() && row.bound() == KnownRow.Bound.EXACT;
      all.add(
          new RowAccess(access.access(), access.table(), access.row(), access.writers(), certain));
    }
    return new Event.StatementExecuted(
        e.session(),
        e.transaction(),
        e.statement(),
        e.kind(),
        e.sql(),
        e.callSite(),
        all,
        e.writesSeen() || isWrite,
        e.sqlState(),
        e.versionSets(),
        hasOtherColumns ? "" : e.columns(),
        e.keyValues());
  }
}
