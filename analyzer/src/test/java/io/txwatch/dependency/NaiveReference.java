package io.txwatch.dependency;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies of a whole history by their definition: all lists are read first, then every
 * read and every version is compared with every other. Quadratic, without optimizations.
 */
final class NaiveReference {

  /** A version: the row, the writer and its statement; writer 0 is the version before all. */
  private record Name(long row, long writer, int statement) {}

  private record Reading(Name version, long reader, int statement) {}

  private final Map<Name, Name> previous = new HashMap<>();
  private final Set<Name> versions = new HashSet<>();
  private final Set<Reading> readings = new HashSet<>();
  private final Set<Long> committed = new HashSet<>();
  private final Set<Long> aborted = new HashSet<>();
  private final Map<Long, List<int[]>> undone = new HashMap<>();

  /** Rows whose first version has two successors: nothing is inferred from them. */
  private final Set<Long> forkedAtTheRoot = new HashSet<>();

  private final Set<String> all = new TreeSet<>();

  NaiveReference(List<Event> events) {
    events.forEach(this::collect);
    infer();
  }

  /** Every dependency and every wrong read. */
  Set<String> all() {
    return all;
  }

  /** The same without rows that the analyzer excludes. */
  Set<String> ofSoundRows() {
    Set<String> sound = new TreeSet<>(all);
    sound.removeIf(text -> forkedAtTheRoot.stream().anyMatch(row -> text.endsWith(" row " + row)));
    return sound;
  }

  Set<Long> forkedAtTheRoot() {
    return forkedAtTheRoot;
  }

  static String text(
      String what, long from, long to, int fromStatement, int toStatement, long row) {
    return what + " " + from + "." + fromStatement + ">" + to + "." + toStatement + " row " + row;
  }

  private void collect(Event event) {
    if (event instanceof Event.TransactionEnded e) {
      if (e.outcome() == Outcome.COMMITTED) {
        committed.add(e.transaction());
      } else if (e.outcome() == Outcome.ABORTED) {
        aborted.add(e.transaction());
      }
    } else if (event instanceof Event.StatementsUndone e) {
      undone
          .computeIfAbsent(e.transaction(), t -> new ArrayList<>())
          .add(new int[] {e.firstStatement(), e.lastStatement()});
    } else if (event instanceof Event.StatementExecuted e) {
      for (RowAccess access : e.rows()) {
        Name version = list(access.row(), access.writers());
        if (version == null) {
          continue;
        }
        if (access.access() == Access.READ && version.writer() != e.transaction()) {
          readings.add(new Reading(version, e.transaction(), e.statement()));
        } else if (access.access() == Access.DELETE) {
          Name deletion = new Name(access.row(), e.transaction(), e.statement());
          versions.add(deletion);
          previous.put(deletion, version);
        }
      }
    }
  }

  private @Nullable Name list(long row, WriterList list) {
    Name below = list.complete() ? new Name(row, 0, 0) : null;
    for (int i = 0; i < list.size(); i++) {
      Name version = new Name(row, list.transaction(i), list.statement(i));
      versions.add(version);
      if (below != null) {
        previous.put(version, below);
      }
      below = version;
    }
    return below;
  }

  private void infer() {
    Set<Name> withRoots = new HashSet<>(versions);
    versions.forEach(version -> withRoots.add(new Name(version.row(), 0, 0)));
    for (Name version : withRoots) {
      Set<Long> writers = new HashSet<>();
      for (Name next : survivorsOf(version)) {
        writers.add(next.writer());
        if (survived(version) && version.writer() != 0 && version.writer() != next.writer()) {
          all.add(
              text(
                  "ww",
                  version.writer(),
                  next.writer(),
                  version.statement(),
                  next.statement(),
                  version.row()));
        }
      }
      if (version.writer() == 0 && writers.size() > 1) {
        forkedAtTheRoot.add(version.row());
      }
    }
    readings.stream().filter(r -> committed.contains(r.reader())).forEach(this::infer);
  }

  private void infer(Reading reading) {
    Name version = reading.version();
    if (version.writer() != 0 && (survived(version) || vanished(version))) {
      all.add(
          text(
              survived(version) ? "wr" : "G1a",
              version.writer(),
              reading.reader(),
              version.statement(),
              reading.statement(),
              version.row()));
    }
    for (Name next : survivorsOf(version)) {
      if (next.writer() == reading.reader()) {
        continue;
      }
      if (next.writer() != version.writer()) {
        all.add(
            text(
                "rw",
                reading.reader(),
                next.writer(),
                reading.statement(),
                next.statement(),
                version.row()));
      } else if (survived(version)) {
        all.add(
            text(
                "G1b",
                version.writer(),
                reading.reader(),
                version.statement(),
                reading.statement(),
                version.row()));
      }
    }
  }

  private List<Name> survivorsOf(Name version) {
    List<Name> survivors = new ArrayList<>();
    for (Name next : versions) {
      if (version.equals(previous.get(next))) {
        if (survived(next)) {
          survivors.add(next);
        } else if (vanished(next)) {
          survivors.addAll(survivorsOf(next));
        }
      }
    }
    return survivors;
  }

  private boolean survived(Name version) {
    return version.writer() == 0 || committed.contains(version.writer()) && !undone(version);
  }

  private boolean vanished(Name version) {
    return aborted.contains(version.writer())
        || committed.contains(version.writer()) && undone(version);
  }

  private boolean undone(Name version) {
    return undone.getOrDefault(version.writer(), List.of()).stream()
        .anyMatch(range -> version.statement() >= range[0] && version.statement() <= range[1]);
  }
}
