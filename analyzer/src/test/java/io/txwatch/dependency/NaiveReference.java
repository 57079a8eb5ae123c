package io.txwatch.dependency;

import io.txwatch.dependency.RecordedVersions.Name;
import io.txwatch.dependency.RecordedVersions.Reading;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The dependencies of a whole history by their definition: all lists are read first, then every
 * read and every version is compared with every other. Quadratic, without optimizations.
 */
final class NaiveReference {

  private final RecordedVersions recorded;

  /** Rows whose first version has two successors: nothing is inferred from them. */
  private final Set<Long> forkedAtTheRoot = new HashSet<>();

  private final Set<String> all = new TreeSet<>();

  NaiveReference(List<Event> events) {
    recorded = new RecordedVersions(events);
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

  private void infer() {
    Set<Name> withRoots = new HashSet<>(recorded.versions);
    recorded.versions.forEach(version -> withRoots.add(new Name(version.row(), 0, 0)));
    for (Name version : withRoots) {
      Set<Long> writers = new HashSet<>();
      for (Name next : survivorsOf(version)) {
        writers.add(next.writer());
        if (recorded.survived(version)
            && version.writer() != 0
            && version.writer() != next.writer()) {
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
    recorded.readings.stream()
        .filter(r -> r.version().writer() != r.reader() && recorded.isCommitted(r.reader()))
        .forEach(this::infer);
  }

  private void infer(Reading reading) {
    Name version = reading.version();
    if (version.writer() != 0 && (recorded.survived(version) || recorded.vanished(version))) {
      all.add(
          text(
              recorded.survived(version) ? "wr" : "G1a",
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
      } else if (recorded.survived(version)) {
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
    for (Name next : recorded.versions) {
      if (version.equals(recorded.previous.get(next))) {
        if (recorded.survived(next)) {
          survivors.add(next);
        } else if (recorded.vanished(next)) {
          survivors.addAll(survivorsOf(next));
        }
      }
    }
    return survivors;
  }
}
