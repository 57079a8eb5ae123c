package io.txwatch.dependency;

import io.txwatch.dependency.RecordedVersions.Name;
import io.txwatch.dependency.RecordedVersions.Reading;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Event;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies of a history whose items are pairs of a row and a column, one column after the
 * other by Adya's definitions (1999, section 3.1): a version that did not write the column is
 * passed over, and one whose fate is open hides what is behind it. The existence of the row is a
 * column, which every statement reads and only a DELETE writes.
 */
public final class ColumnReference {

  private static final List<String> COLUMNS = List.of("a", "b", "c");
  private static final String EXISTENCE = "";

  private final RecordedVersions recorded;
  private final Map<String, AccessedColumns.OfTable> columns = new HashMap<>();

  /** Every dependency and every wrong read. */
  final Set<String> all = new TreeSet<>();

  private final Set<String> ww = new TreeSet<>();
  private final Set<String> wr = new TreeSet<>();
  private final Set<String> rw = new TreeSet<>();

  ColumnReference(List<Event> events) {
    recorded = new RecordedVersions(events);
    events.forEach(this::collectColumns);
    Stream.concat(COLUMNS.stream(), Stream.of(EXISTENCE)).forEach(this::infer);
    // Of two writes one dependency is emitted.
    wr.removeIf(text -> ww.contains("ww" + text.substring(2)));
    rw.removeIf(
        text -> ww.contains("ww" + text.substring(2)) || wr.contains("wr" + text.substring(2)));
    all.addAll(ww);
    all.addAll(wr);
    all.addAll(rw);
  }

  /** The history with random columns for each statement, in a third of them all. */
  public static List<Event> withColumns(List<Event> history, Random random) {
    return history.stream()
        .map(
            event ->
                event instanceof Event.StatementExecuted e
                    ? new Event.StatementExecuted(
                        e.session(),
                        e.transaction(),
                        e.statement(),
                        e.kind(),
                        e.sql(),
                        e.callSite(),
                        e.rows(),
                        e.writesSeen(),
                        e.sqlState(),
                        e.versionSets(),
                        columns(e.kind(), random))
                    : event)
        .toList();
  }

  private static String columns(StatementKind kind, Random random) {
    if (random.nextInt(6) == 0) {
      return "";
    }
    AccessedColumns.Columns read = AccessedColumns.Columns.of(some(random));
    List<String> written = kind == StatementKind.UPDATE ? some(random) : List.of();
    return new AccessedColumns(
            List.of(
                new AccessedColumns.OfTable(
                    "t",
                    read,
                    read,
                    kind == StatementKind.UPDATE && written.isEmpty()
                        ? AccessedColumns.Columns.of(List.of("a"))
                        : AccessedColumns.Columns.of(written))))
        .text();
  }

  private static List<String> some(Random random) {
    return COLUMNS.stream().filter(column -> random.nextInt(3) == 0).toList();
  }

  private void collectColumns(Event event) {
    if (event instanceof Event.StatementExecuted e) {
      AccessedColumns.parse(e.columns())
          .of("t")
          .ifPresent(of -> columns.put(e.transaction() + "." + e.statement(), of));
    }
  }

  private void infer(String column) {
    for (Name version : recorded.versions) {
      if (recorded.survived(version)) {
        for (Name next : writersAbove(version, column)) {
          if (writes(version, column)) {
            add(ww, "ww", version, next);
          } else if (reads(version, column)) {
            add(rw, "rw", version, next);
          }
        }
        if (reads(version, column)) {
          Name below = writerBelow(recorded.previous.get(version), column);
          if (below != null) {
            add(wr, "wr", below, version);
          }
        }
      }
    }
    for (Reading reading : recorded.readings) {
      boolean ofOthers =
          reading.version().writer() != reading.reader() || !writes(reading.version(), column);
      if (recorded.isCommitted(reading.reader()) && ofOthers && readsIn(reading, column)) {
        infer(reading, column);
      }
    }
  }

  private static void add(Set<String> texts, String what, Name from, Name to) {
    if (from.writer() != 0 && from.writer() != to.writer()) {
      texts.add(
          NaiveReference.text(
              what, from.writer(), to.writer(), from.statement(), to.statement(), from.row()));
    }
  }

  private void infer(Reading reading, String column) {
    Name version = reading.version();
    Name reader = new Name(version.row(), reading.reader(), reading.statement());
    if (recorded.vanished(version) && writes(version, column)) {
      add(all, "G1a", version, reader);
    } else if (recorded.survived(version) || recorded.vanished(version)) {
      Name from =
          recorded.survived(version)
              ? writerBelow(version, column)
              : writerBelow(recorded.previous.get(version), column);
      if (from != null) {
        add(wr, "wr", from, reader);
      }
    }
    for (Name next : writersAbove(version, column)) {
      if (next.writer() != version.writer()) {
        add(rw, "rw", reader, next);
      } else if (isOwnValue(version, column)) {
        if (recorded.survived(version)) {
          add(all, "G1b", version, reader);
        }
      } else if (recorded.survived(version) || recorded.vanished(version)) {
        add(rw, "rw", reader, next);
      }
    }
  }

  /** Whether the writer of a version also wrote the value that a column has in it. */
  private boolean isOwnValue(Name version, String column) {
    for (Name at = version; at != null; at = recorded.previous.get(at)) {
      if ((at.equals(version) || recorded.survived(at)) && writes(at, column)) {
        return at.writer() == version.writer();
      }
    }
    return false;
  }

  /** The last surviving version up to one that wrote a column; null if none is known. */
  private @Nullable Name writerBelow(@Nullable Name from, String column) {
    for (Name at = from; at != null; at = recorded.previous.get(at)) {
      if (!recorded.survived(at) && !recorded.vanished(at)) {
        return null;
      }
      if (recorded.survived(at) && writes(at, column)) {
        return at;
      }
    }
    return null;
  }

  /** The next surviving versions after one that wrote a column. */
  private List<Name> writersAbove(Name version, String column) {
    List<Name> found = new ArrayList<>();
    for (Name next : recorded.versions) {
      if (version.equals(recorded.previous.get(next))) {
        if (recorded.survived(next) && writes(next, column)) {
          found.add(next);
        } else if (recorded.survived(next) || recorded.vanished(next)) {
          found.addAll(writersAbove(next, column));
        }
      }
    }
    return found;
  }

  private boolean writes(Name version, String column) {
    AccessedColumns.OfTable of = columns.get(version.writer() + "." + version.statement());
    if (version.writer() == 0 || recorded.deletions.contains(version) || of == null) {
      return true;
    }
    return of.written().names().contains(column);
  }

  /** Whether the statement that made a version read a column of the one before. */
  private boolean reads(Name version, String column) {
    return version.writer() != 0
        && readsIn(new Reading(version, version.writer(), version.statement()), column);
  }

  private boolean readsIn(Reading reading, String column) {
    AccessedColumns.OfTable of = columns.get(reading.reader() + "." + reading.statement());
    return of == null || column.equals(EXISTENCE) || of.read().names().contains(column);
  }
}
