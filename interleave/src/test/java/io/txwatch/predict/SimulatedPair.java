package io.txwatch.predict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Two transactions under every order of their statements, on rows with versions and locks: the
 * definition that the search is compared with.
 */
final class SimulatedPair {

  /** A letter of {@link TemplateText}, and a row. */
  record Call(char letter, int row) {
    boolean reads() {
      return letter != 'W';
    }

    boolean writes() {
      return letter == 'W' || letter == 'U';
    }

    boolean locks() {
      return letter != 'R';
    }
  }

  /** What a level promises. */
  enum Level {
    COMMITTED,
    CONSISTENT_READS,
    SNAPSHOT
  }

  private record Read(int transaction, int row, int version) {}

  private static final class State {
    private final int[] next;
    private final int[] snapshot;
    private final Map<Integer, List<Integer>> versions = new HashMap<>();
    private final Map<Integer, Integer> locks = new HashMap<>();
    private final List<Read> reads = new ArrayList<>();

    private State(int[] next, int[] snapshot) {
      this.next = next;
      this.snapshot = snapshot;
    }

    private State copy() {
      State copy = new State(next.clone(), snapshot.clone());
      versions.forEach((row, writers) -> copy.versions.put(row, new ArrayList<>(writers)));
      copy.locks.putAll(locks);
      copy.reads.addAll(reads);
      return copy;
    }
  }

  /** No version but that of the tables as they were; no snapshot. */
  private static final int NOT_YET = -1;

  /** A snapshot before the first commit of the two, and one after it. */
  private static final int BEFORE = 0;

  private static final int AFTER = 1;

  private final List<List<Call>> calls;
  private final List<Level> levels;

  SimulatedPair(List<Call> first, List<Call> second, Level level) {
    this(first, second, level, level);
  }

  SimulatedPair(List<Call> first, List<Call> second, Level ofFirst, Level ofSecond) {
    this.calls = List.of(first, second);
    this.levels = List.of(ofFirst, ofSecond);
  }

  /** Whether some order in which both commit is not serializable. */
  boolean canRace() {
    return canRace(new State(new int[2], new int[] {NOT_YET, NOT_YET}));
  }

  private boolean canRace(State state) {
    for (int one = 0; one < 2; one++) {
      if (levels.get(one) == Level.SNAPSHOT
          && state.next[one] == 0
          && state.snapshot[one] == NOT_YET) {
        State begun = state.copy();
        begun.snapshot[one] = BEFORE; // before its first statement, which may wait
        if (canRace(begun)) {
          return true;
        }
      }
    }
    if (IntStream.range(0, 2).allMatch(one -> state.next[one] > calls.get(one).size())) {
      return isCyclic(state);
    }
    for (int one = 0; one < 2; one++) {
      if (state.next[one] <= calls.get(one).size()) {
        State after = state.copy();
        if (execute(after, one) && canRace(after)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Executes the next statement, or COMMIT; false if it waits or fails. */
  private boolean execute(State state, int one) {
    int at = state.next[one]++;
    if (at == calls.get(one).size()) {
      commit(state, one);
      return true;
    }
    Call call = calls.get(one).get(at);
    Level level = levels.get(one);
    if (call.locks() && state.locks.getOrDefault(call.row, one) != one) {
      return false;
    }
    boolean plain = call.letter == 'R';
    if (state.snapshot[one] == NOT_YET && (plain || level == Level.SNAPSHOT)) {
      state.snapshot[one] = BEFORE;
    }
    List<Integer> writers = state.versions.getOrDefault(call.row, List.of());
    boolean wroteItself = state.locks.containsKey(call.row) && hasWritten(one, at, call.row);
    int newest = writers.isEmpty() ? NOT_YET : writers.get(writers.size() - 1);
    boolean other = newest != NOT_YET && state.snapshot[one] == BEFORE; // committed after it
    if (level == Level.SNAPSHOT && call.locks() && other) {
      return false;
    }
    if (call.reads() && !wroteItself) {
      boolean old =
          other && (level == Level.SNAPSHOT || (level == Level.CONSISTENT_READS && plain));
      state.reads.add(new Read(one, call.row, old ? NOT_YET : newest));
    }
    if (call.locks()) {
      state.locks.put(call.row, one);
    }
    return true;
  }

  private boolean hasWritten(int one, int before, int row) {
    return calls.get(one).subList(0, before).stream()
        .anyMatch(call -> call.writes() && call.row == row);
  }

  private void commit(State state, int one) {
    calls.get(one).stream()
        .filter(Call::writes)
        .map(Call::row)
        .distinct()
        .forEach(row -> state.versions.computeIfAbsent(row, r -> new ArrayList<>()).add(one));
    state.locks.values().removeAll(Set.of(one));
    int[] snapshot = state.snapshot;
    if (snapshot[1 - one] == NOT_YET) {
      snapshot[1 - one] = AFTER; // it comes after the only commit that it could miss
    }
  }

  private static boolean isCyclic(State state) {
    boolean[] edges = new boolean[2]; // out of the transaction
    for (Read read : state.reads) {
      List<Integer> writers = state.versions.getOrDefault(read.row, List.of());
      int at = writers.indexOf(read.version);
      if (read.version == 1 - read.transaction) {
        edges[read.version] = true;
      }
      if (at + 1 < writers.size() && writers.get(at + 1) != read.transaction) {
        edges[read.transaction] = true;
      }
    }
    state.versions.values().stream()
        .filter(writers -> writers.size() > 1)
        .forEach(writers -> edges[writers.get(0)] = true);
    return edges[0] && edges[1];
  }
}
