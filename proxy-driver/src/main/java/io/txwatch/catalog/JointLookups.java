package io.txwatch.catalog;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lookups of tables on the one {@linkplain SeparateConnection connection of our own}: what many
 * threads want at the same time is read together. While one thread reads, others add what they look
 * up and wait, each for itself: where two hundred wait for one lock, they pass it on one by one,
 * though all are answered. Then one of them reads for all. So every answer was read after it was
 * requested. Thread-safe.
 */
final class JointLookups {

  /** So many tables are read together at most: each waits for all of them. */
  private static final int MAX_TABLES = 100;

  private final SchemaReader reader;
  private final SeparateConnection connection;

  // Guarded by this.
  private final Deque<Lookup> waiting = new ArrayDeque<>();
  private boolean isReading;

  JointLookups(SchemaReader reader, SeparateConnection connection) {
    this.reader = reader;
    this.connection = connection;
  }

  /** What one thread looks up. Its answer is set by who reads, before its turn is over. */
  private static final class Lookup {
    final List<String> path;
    final List<String> parts;

    /** Open until it is answered, or its thread is to read. */
    final CountDownLatch turn = new CountDownLatch(1);

    boolean isAnswered;
    Optional<TableInfo> answer = Optional.empty();

    Lookup(List<String> path, List<String> parts) {
      this.path = path;
      this.parts = parts;
    }

    void answer(Optional<TableInfo> found) {
      answer = found;
      isAnswered = true;
    }
  }

  /**
   * The table that an identifier means, as by {@link SchemaReader#find}.
   *
   * @throws SQLException if it cannot be read; others are not concerned, they read theirs again
   */
  Optional<TableInfo> find(List<String> path, List<String> parts) throws SQLException {
    Lookup own = new Lookup(path, parts);
    if (!mayRead(own)) {
      Uninterrupted.await(own.turn);
    }
    if (!own.isAnswered) {
      List<Lookup> together = together(own);
      try {
        connection.use(
            open -> {
              answer(open, together);
              return true;
            });
      } finally {
        readBy(together);
      }
    }
    return own.answer;
  }

  /** True if its thread reads at once; otherwise it waits. */
  private synchronized boolean mayRead(Lookup own) {
    if (isReading) {
      waiting.add(own);
      return false;
    }
    isReading = true;
    return true;
  }

  /** A lookup and those that wait. */
  private synchronized List<Lookup> together(Lookup own) {
    List<Lookup> together = new ArrayList<>();
    @Nullable Lookup next = own;
    while (next != null) {
      together.add(next);
      next = together.size() < MAX_TABLES ? waiting.poll() : null;
    }
    return together;
  }

  /** The first of them has read: another one reads what is left. */
  private synchronized void readBy(List<Lookup> together) {
    for (int i = together.size() - 1; i > 0; i--) {
      if (together.get(i).isAnswered) {
        together.get(i).turn.countDown();
      } else {
        waiting.addFirst(together.get(i));
      }
    }
    Lookup next = waiting.poll();
    isReading = next != null;
    if (next != null) {
      next.turn.countDown();
    }
  }

  private void answer(Connection open, List<Lookup> together) throws SQLException {
    Map<String, List<Lookup>> bySchema =
        together.stream()
            .filter(lookup -> reader.firstSchema(lookup.path, lookup.parts).isPresent())
            .collect(
                Collectors.groupingBy(
                    lookup -> reader.firstSchema(lookup.path, lookup.parts).orElseThrow()));
    for (Map.Entry<String, List<Lookup>> each : bySchema.entrySet()) {
      Map<String, TableInfo> found =
          reader.tables(
              open, each.getKey(), each.getValue().stream().map(this::name).distinct().toList());
      for (Lookup lookup : each.getValue()) {
        TableInfo table = found.get(name(lookup));
        if (table != null || lookup.parts.size() > 1 || lookup.path.size() == 1) {
          lookup.answer(Optional.ofNullable(table));
        }
      }
    }
    for (Lookup lookup : together) {
      if (!lookup.isAnswered) { // maybe elsewhere on its path
        lookup.answer(reader.find(open, lookup.path, lookup.parts));
      }
    }
  }

  private String name(Lookup lookup) {
    return reader.folding().fold(lookup.parts.get(lookup.parts.size() - 1));
  }
}
