package io.txwatch.stale;

import io.txwatch.history.WriterList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of three sessions on two rows, at READ COMMITTED with row locks, and the stale
 * writes among them by brute force.
 */
final class RandomSessions {

  private static final List<String> COLUMNS = List.of("a", "b", "v");
  private static final int SESSIONS = 3;
  private static final int STEPS = 40;

  /** A version that survived; {@code read} is what its statement read. */
  private record Version(
      int tx,
      int session,
      String name,
      Set<String> written,
      Set<String> read,
      Set<String> compared) {}

  /** What a session did with a row: it read a version, or made one. */
  private record Deed(int tx, boolean isRead, @Nullable Version version, Set<String> columns) {}

  private final Random random;
  private final boolean isBlind;
  private final StringBuilder history = new StringBuilder();
  private final Map<Character, List<Version>> versions = new LinkedHashMap<>();
  private final Map<Character, Integer> locks = new HashMap<>();
  private final Map<String, List<Deed>> deeds = new HashMap<>();
  private final Map<Integer, Integer> current = new HashMap<>();
  private final Map<Integer, Integer> statements = new HashMap<>();
  private final Map<Integer, Integer> first = new HashMap<>();
  private final Set<Integer> aborted = new HashSet<>();
  private int lastTx;

  /**
   * A schedule.
   *
   * @param isBlind whether the rows of some UPDATEs are not observed; at the end somebody reads all
   *     rows then
   */
  RandomSessions(long seed, boolean isBlind) {
    this.random = new Random(seed);
    this.isBlind = isBlind;
    for (char row : new char[] {'x', 'y'}) {
      versions.put(row, new ArrayList<>());
    }
    for (int i = 0; i < STEPS; i++) {
      step(random.nextInt(SESSIONS));
    }
    List.copyOf(current.keySet()).forEach(session -> end(session, true));
    if (isBlind) {
      versions.forEach(
          (row, all) ->
              history.append(
                  "r%d(%c%s)[z] "
                      .formatted(lastTx + 1, row, name(all.isEmpty() ? null : last(all)))));
      history.append('c').append(lastTx + 1);
    }
  }

  private static Version last(List<Version> all) {
    return all.get(all.size() - 1);
  }

  /** Whether a writers' list at the end shows all versions of each row. */
  boolean isShownAtTheEnd() {
    return versions.values().stream().allMatch(all -> all.size() <= WriterList.WINDOW);
  }

  String history() {
    return history.toString();
  }

  private void step(int session) {
    Integer tx = current.get(session);
    if (tx == null) {
      int begun = ++lastTx;
      current.put(session, begun);
      Integer before = first.putIfAbsent(session, begun);
      if (before != null) {
        history.append(begun).append('~').append(before).append(' ');
      }
      read(session, begun);
    } else {
      switch (random.nextInt(5)) {
        case 0, 1 -> read(session, tx);
        case 2, 3 -> write(session, tx);
        default -> end(session, random.nextInt(5) > 0);
      }
    }
  }

  private char row() {
    return random.nextInt(3) > 0 ? 'x' : 'y';
  }

  private Set<String> some(int least) {
    Set<String> chosen = new TreeSet<>();
    while (chosen.size() < least || random.nextInt(3) == 0) {
      chosen.add(COLUMNS.get(random.nextInt(COLUMNS.size())));
    }
    return chosen;
  }

  /** The newest version that a transaction sees: its own, or the last committed one. */
  private @Nullable Version visible(char row, int tx) {
    List<Version> all = Objects.requireNonNull(versions.get(row));
    Integer locker = locks.get(row);
    for (int i = all.size() - 1; i >= 0; i--) {
      if (locker == null || locker == tx || all.get(i).tx() != locker) {
        return all.get(i);
      }
    }
    return null;
  }

  private void read(int session, int tx) {
    char row = row();
    Set<String> columns = some(1);
    Version version = visible(row, tx);
    statements.merge(tx, 1, Integer::sum);
    history.append("r%d(%c%s)[%s] ".formatted(tx, row, name(version), String.join(",", columns)));
    deeds(session, row).add(new Deed(tx, true, version, columns));
  }

  private void write(int session, int tx) {
    char row = row();
    if (locks.getOrDefault(row, tx) != tx) {
      return;
    }
    locks.put(row, tx);
    Version before = visible(row, tx);
    Set<String> written = some(1);
    Set<String> read = random.nextInt(4) == 0 ? some(1) : Set.of();
    Set<String> compared = random.nextInt(4) == 0 ? some(1) : Set.of();
    int number = statements.merge(tx, 1, Integer::sum);
    history.append(
        "%c%d(%c%s)[%s<%s/%s] "
            .formatted(
                isBlind && random.nextBoolean() ? 'b' : 'w',
                tx,
                row,
                name(before),
                String.join(",", written),
                String.join(",", read),
                String.join(",", compared)));
    Set<String> all = new TreeSet<>(read);
    all.addAll(compared);
    Version version = new Version(tx, session, tx + "." + number, written, all, compared);
    Objects.requireNonNull(versions.get(row)).add(version);
    deeds(session, row).add(new Deed(tx, false, version, written));
  }

  private static String name(@Nullable Version version) {
    return version == null ? "0" : version.name();
  }

  private void end(int session, boolean commits) {
    int tx = Objects.requireNonNull(current.remove(session));
    history.append(commits ? 'c' : 'a').append(tx).append(' ');
    locks.values().removeIf(locker -> locker == tx);
    if (!commits) {
      aborted.add(tx);
      versions.values().forEach(all -> all.removeIf(version -> version.tx() == tx));
    }
  }

  private List<Deed> deeds(int session, char row) {
    return deeds.computeIfAbsent(session + "" + row, key -> new ArrayList<>());
  }

  /** The stale writes by the definition: "transaction row". */
  Set<String> staleWrites() {
    Set<String> stale = new TreeSet<>();
    versions.forEach(
        (row, all) -> {
          for (Version write : all) {
            for (String column : write.written()) {
              if (!write.read().contains(column) && isStale(row, all, write, column)) {
                stale.add(write.tx() + " " + row);
              }
            }
          }
        });
    return stale;
  }

  private boolean isStale(char row, List<Version> all, Version write, String column) {
    Deed last = null;
    for (Deed deed : deeds(write.session(), row)) {
      if (write.equals(deed.version())) {
        break;
      }
      boolean counts = deed.isRead() || !aborted.contains(deed.tx());
      last = counts && deed.columns().contains(column) ? deed : last;
    }
    if (last == null || !last.isRead() || last.tx() == write.tx()) {
      return false;
    }
    int from = last.version() == null ? 0 : all.indexOf(last.version()) + 1;
    int to = all.indexOf(write);
    if (from > to || last.version() != null && from == 0) {
      return false;
    }
    Set<String> changed = new TreeSet<>();
    boolean isLost = false;
    for (Version between : all.subList(from, to)) {
      if (between.session() != write.session()) {
        changed.addAll(between.written());
        isLost |= between.written().contains(column);
      }
    }
    changed.retainAll(write.compared());
    return isLost && changed.isEmpty();
  }
}
