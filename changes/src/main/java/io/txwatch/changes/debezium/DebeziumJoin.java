package io.txwatch.changes.debezium;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.SchemaChange;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.ValueHash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Joins what processes read and committed with the changes of Debezium's topics, as if one process
 * had read the DBMS's log: all times become wall-clock times, and events are in their order. If
 * anything is missing, nothing is joined.
 */
public final class DebeziumJoin {

  private DebeziumJoin() {}

  /**
   * Passes the joined events on.
   *
   * @param history the events of processes whose writes are known by their statements alone ({@code
   *     txwatch.versions=statements})
   * @param changes those of the topics
   * @param hash with the key of the processes
   * @throws IllegalArgumentException if they cannot be joined, with the reason
   */
  public static void join(
      List<Event> history,
      DebeziumTransactions changes,
      ValueHash hash,
      Consumer<? super Event> out) {
    if (changes.transactions().stream()
        .anyMatch(each -> each.transaction().end().file().isEmpty())) {
      throw new IllegalArgumentException(DebeziumTransactions.OF_POSTGRES);
    }
    Map<String, Database> databases = new LinkedHashMap<>();
    Map<Long, Database> opened = new HashMap<>();
    for (Event event : history) {
      if (event instanceof Event.SessionOpened open) {
        opened.put(open.session(), open.database());
      } else if (event instanceof Event.WritesStated writes) {
        Database of = opened.get(writes.session());
        if (of != null) {
          databases.put(of.scope(), of);
        }
      }
    }
    if (databases.size() != 1) {
      throw new IllegalArgumentException(
          databases.isEmpty()
              ? "no process recorded with txwatch.versions=statements, whose reads alone are joined"
              : "the history has several databases: " + String.join(", ", databases.keySet()));
    }
    changes.requireEnds();
    requireComplete(changes);
    EventJoin join = new EventJoin(databases.values().iterator().next(), hash);
    join.addChanges(changes.transactions());
    history.forEach(join::addHistory);
    if (join.clockWasSet()) {
      throw new IllegalArgumentException("the clock of a process was set while it recorded");
    }
    List<Event> joined = new ArrayList<>();
    join.release(Long.MAX_VALUE, joined::add);
    join.requireSameKey();
    joined.forEach(out);
  }

  /** With a change missing, an older version may have the values that were read. */
  private static void requireComplete(DebeziumTransactions changes) {
    for (ChangeGap gap : changes.gaps()) {
      throw new IllegalArgumentException(
          "changes are missing"
              + (gap.table().isEmpty() ? ": " : " of " + gap.schema() + "." + gap.table() + ": ")
              + gap.detail());
    }
    for (SchemaChange change : changes.schemaChanges()) {
      throw new IllegalArgumentException(
          "the schema was changed at " + change.end() + ": " + change.text());
    }
    for (DebeziumTransactions.Committed committed : changes.transactions()) {
      if (committed.transaction().commitMicros() < 0) {
        throw new IllegalArgumentException("no time of commit at " + committed.transaction().end());
      }
    }
  }
}
