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
import org.jspecify.annotations.Nullable;

/**
 * What a whole history contains about versions, without any conclusion: which there are, which was
 * there before which, who read them, and what became of their writers. The references that judge
 * the analyzer begin with it.
 */
final class RecordedVersions {

  /** A version: the row, the writer and its statement; writer 0 is the version before all. */
  record Name(long row, long writer, int statement) {}

  /** A read of a version. */
  record Reading(Name version, long reader, int statement) {}

  final Map<Name, Name> previous = new HashMap<>();
  final Set<Name> versions = new HashSet<>();
  final Set<Name> deletions = new HashSet<>();
  final Set<Reading> readings = new HashSet<>();
  private final Set<Long> committed = new HashSet<>();
  private final Set<Long> aborted = new HashSet<>();
  private final Map<Long, List<int[]>> undone = new HashMap<>();

  RecordedVersions(List<Event> events) {
    events.forEach(this::collect);
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
        if (access.access() == Access.READ) {
          readings.add(new Reading(version, e.transaction(), e.statement()));
        } else if (access.access() == Access.DELETE) {
          Name deletion = new Name(access.row(), e.transaction(), e.statement());
          versions.add(deletion);
          deletions.add(deletion);
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

  boolean isCommitted(long transaction) {
    return committed.contains(transaction);
  }

  boolean survived(Name version) {
    return version.writer() == 0 || committed.contains(version.writer()) && !undone(version);
  }

  boolean vanished(Name version) {
    return aborted.contains(version.writer())
        || committed.contains(version.writer()) && undone(version);
  }

  private boolean undone(Name version) {
    return undone.getOrDefault(version.writer(), List.of()).stream()
        .anyMatch(range -> version.statement() >= range[0] && version.statement() <= range[1]);
  }
}
