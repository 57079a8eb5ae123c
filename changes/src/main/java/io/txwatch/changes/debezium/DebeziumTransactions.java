package io.txwatch.changes.debezium;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Groups changes by transaction, in the order of commits. Records are added in any order, since
 * those of a transaction are in as many topics as it changed tables: all of them, or all that were
 * written before a time. A record that arrived twice counts once. Not thread-safe.
 */
public final class DebeziumTransactions {

  static final String WITHOUT_ID =
      "changes without a transaction's id; set gtid_mode=ON on the server, or"
          + " provide.transaction.metadata=true in the connector";

  static final String WITHOUT_ENDS =
      "no transaction ends in the topics; set provide.transaction.metadata=true in the"
          + " connector, and read its topic PREFIX.transaction as well";

  static final String OF_POSTGRES =
      "changes of PostgreSQL are not joined; there txwatch.versions=system needs none";

  private final Map<String, List<DebeziumRecord.Change>> changes = new LinkedHashMap<>();
  private final Map<String, Long> counts = new HashMap<>();
  private final List<SchemaChange> schemas = new ArrayList<>();
  private final Set<ChangeGap> gaps = new HashSet<>();
  private final Set<Copy> seen = new HashSet<>();

  /** The last transaction that was taken. */
  private @Nullable Taken taken;

  /** The place of a transaction in the log of a server. */
  record Taken(String server, DebeziumRecord.Place place) {}

  /** Receives transactions, and what is missing between them. */
  interface Receiver {
    void committed(Committed next);

    void missing(ChangeGap gap);
  }

  /** What two records of one change have in common; rows of a COPY have one place. */
  private record Copy(
      String transaction,
      DebeziumRecord.Place place,
      DebeziumRecord.Order order,
      String table,
      String images) {}

  /**
   * A transaction, and what is known of its times.
   *
   * @param readMicros when the connector had read its last change, by the connector's clock
   */
  public record Committed(ChangedTransaction transaction, long readMicros) {}

  /** Adds what a record states. */
  public void add(DebeziumRecord next) {
    if (next instanceof DebeziumRecord.Change change) {
      ChangedRow row = change.row();
      String id = change.transaction();
      if (id == null) {
        gaps.add(
            new ChangeGap(
                Reason.NOT_UNDERSTOOD, row.table().schema(), row.table().name(), WITHOUT_ID));
      } else if (seen.add(
          new Copy(
              id,
              change.place(),
              change.order(),
              row.table().schema() + "." + row.table().name(),
              Arrays.deepToString(new Object[] {row.before(), row.after()})))) {
        changes.computeIfAbsent(id, any -> new ArrayList<>()).add(change);
      }
    } else if (next instanceof DebeziumRecord.TransactionEnd end) {
      counts.put(end.transaction(), end.changes());
    } else if (next instanceof DebeziumRecord.Schema schema) {
      schemas.add(schema.change());
    } else if (next instanceof DebeziumRecord.Undecodable undecodable) {
      gaps.add(undecodable.gap());
    }
  }

  /** The changes of the schema. */
  public List<SchemaChange> schemaChanges() {
    return List.copyOf(schemas);
  }

  /** What is missing, each once. */
  public List<ChangeGap> gaps() {
    List<ChangeGap> all = new ArrayList<>(gaps);
    changes.forEach(
        (id, of) -> {
          if (!isComplete(id, of)) {
            all.add(
                new ChangeGap(
                    Reason.RECORD_LOST,
                    "",
                    "",
                    "transaction "
                        + id
                        + " has "
                        + counts.get(id)
                        + " changes, and the topics contain "
                        + of.size()));
          }
        });
    counts.forEach(
        (id, count) -> {
          if (count > 0 && !changes.containsKey(id)) {
            all.add(
                new ChangeGap(
                    Reason.RECORD_LOST,
                    "",
                    "",
                    "transaction " + id + " has " + count + " changes, and the topics none"));
          }
        });
    return all;
  }

  /**
   * Removes the last transactions that did not end, as those that the connector is still writing.
   *
   * @throws IllegalArgumentException if one that ended follows one that did not: then the topics do
   *     not state how many changes there are, and one that is missing would not be noticed
   */
  public void requireEnds() {
    if (counts.isEmpty() && !changes.isEmpty()) {
      throw new IllegalArgumentException(WITHOUT_ENDS);
    }
    List<String> ids = transactions().stream().map(each -> each.transaction().id()).toList();
    int ended = ids.size();
    while (ended > 0 && !counts.containsKey(ids.get(ended - 1))) {
      ended--;
      changes.remove(ids.get(ended));
    }
    for (String id : ids.subList(0, ended)) {
      if (!counts.containsKey(id)) {
        throw new IllegalArgumentException(
            "changes are missing: transaction " + id + " has no end, and a later one has");
      }
    }
  }

  /**
   * Removes the transactions that ended, in the order of commits. Their changes were added before
   * their ends: what is missing now stays missing. Those of which one at their place or a later one
   * was taken before are again the same, after a restart of the connector, and are left out.
   */
  void takeEnded(Receiver receiver) {
    List<Ordered> all = ordered();
    int ended = all.size();
    while (ended > 0 && !counts.containsKey(all.get(ended - 1).id())) {
      ended--;
    }
    List<ChangeGap> lost = new ArrayList<>();
    for (Map.Entry<String, Long> end : counts.entrySet()) {
      if (end.getValue() > 0 && !changes.containsKey(end.getKey())) {
        lost.add(lost("of the transaction " + end.getKey()));
      }
    }
    Set<String> removed = new HashSet<>();
    for (Ordered next : all.subList(0, ended)) {
      removed.add(next.id());
      Taken last = taken;
      String server = next.committed().transaction().server();
      if (last != null && !last.server().equals(server)) {
        receiver.missing(
            new ChangeGap(Reason.OTHER_SERVER, "", "", "the server is " + server + " now"));
      } else if (last != null && next.place().compareTo(last.place()) <= 0) {
        continue;
      }
      taken = new Taken(server, next.place());
      ChangedTransaction transaction = next.committed().transaction();
      if (counts.containsKey(next.id())
          && transaction.isComplete()
          && transaction.commitMicros() >= 0) {
        if (!lost.isEmpty()) { // between which of them is not known
          receiver.missing(lost.get(0));
        }
        receiver.committed(next.committed());
      } else {
        receiver.missing(lost("of the transaction " + next.id()));
      }
    }
    lost.forEach(receiver::missing);
    counts.clear();
    changes.keySet().removeAll(removed);
    seen.removeIf(copy -> removed.contains(copy.transaction()));
  }

  private static ChangeGap lost(String of) {
    return new ChangeGap(Reason.RECORD_LOST, "", "", "the topics lack changes " + of);
  }

  /** The last transaction that was taken; null before the first one. */
  @Nullable Taken taken() {
    return taken;
  }

  /** Continues after a transaction that another instance has taken. */
  void resume(Taken last) {
    taken = last;
  }

  /** Whether changes of a transaction wait for its end. */
  boolean isPending(String transaction) {
    return changes.containsKey(transaction);
  }

  /** States that the end of a transaction is missing. */
  void endIsMissing(String transaction) {
    counts.putIfAbsent(transaction, -1L);
  }

  /** Without the topic of transactions it is not known how many changes there are. */
  private boolean isComplete(String id, List<DebeziumRecord.Change> of) {
    Long count = counts.get(id);
    return count == null || count == of.size();
  }

  /** The transactions, in the order of commits. */
  public List<Committed> transactions() {
    return ordered().stream().map(Ordered::committed).toList();
  }

  private record Ordered(String id, DebeziumRecord.Place place, Committed committed) {}

  private List<Ordered> ordered() {
    List<Ordered> all = new ArrayList<>();
    changes.forEach(
        (id, of) -> {
          List<DebeziumRecord.Change> ordered = new ArrayList<>(of);
          ordered.sort(
              Comparator.comparing(DebeziumRecord.Change::place)
                  .thenComparing(DebeziumRecord.Change::order));
          all.add(new Ordered(id, ordered.get(0).place(), committed(id, ordered)));
        });
    all.sort(Comparator.comparing(Ordered::place));
    return all;
  }

  private Committed committed(String id, List<DebeziumRecord.Change> ordered) {
    DebeziumRecord.Change last = ordered.get(ordered.size() - 1);
    List<ChangedRow> rows = new ArrayList<>();
    LogPosition before = ordered.get(0).place().at();
    int event = 0;
    long read = 0;
    for (DebeziumRecord.Change change : ordered) {
      // The record does not state which statement it was; an event of the log has rows of one.
      event += change.place().at().equals(before) ? 0 : 1;
      before = change.place().at();
      read = Math.max(read, change.source().readMicros());
      rows.add(withStatement(change.row(), event));
    }
    return new Committed(
        new ChangedTransaction(
            last.source().server(),
            id,
            last.place().at(),
            last.source().connection(),
            last.source().commitMicros(),
            last.source().precisionMicros(),
            null,
            rows,
            isComplete(id, ordered)),
        read);
  }

  private static ChangedRow withStatement(ChangedRow row, int statement) {
    return new ChangedRow(
        row.kind(), row.table(), row.before(), row.after(), statement, row.text());
  }
}
