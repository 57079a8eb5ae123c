package io.txwatch.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Compares the checker with a search of every serial order, on random register histories. */
class RegisterProperties {

  /** An operation of the text format, without session and transaction. */
  private record Op(boolean write, int key, int value) {}

  @Property(tries = 400)
  void serializableMeansThatASerialOrderExplainsAllReads(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 6) int transactions) throws IOException {
    Random random = new Random(seed);
    int[] sessions = random.ints(transactions, 0, 3).toArray();
    List<List<Op>> history = new ArrayList<>();
    int written = 0;
    for (int t = 0; t < transactions; t++) {
      List<Op> ops = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        boolean write = random.nextBoolean();
        ops.add(new Op(write, random.nextInt(2), write ? ++written : -1));
      }
      history.add(ops);
    }
    // Reads return the value of a random write of the key, or 0; sometimes that of a serial order.
    Map<Integer, List<Integer>> values = new HashMap<>();
    history.forEach(
        ops -> ops.stream().filter(Op::write).forEach(o -> values(values, o).add(o.value)));
    for (List<Op> ops : history) {
      ops.replaceAll(
          o -> {
            List<Integer> all = values(values, o);
            return o.write ? o : new Op(false, o.key, all.get(random.nextInt(all.size())));
          });
    }
    StringBuilder text = new StringBuilder();
    for (int t = 0; t < transactions; t++) {
      for (Op o : history.get(t)) {
        text.append(o.write ? 'w' : 'r');
        text.append("(%d,%d,%d,%d)\n".formatted(o.key, o.value, sessions[t], t));
      }
    }
    boolean serial = someOrder(history, sessions, new boolean[transactions], Map.of());
    Optional<Boolean> judged = judged(text.toString(), IsolationLevel.SERIALIZABLE);
    if (judged.isPresent()) {
      assertThat(judged).as(text.toString()).contains(serial);
    }
    // A serializable history satisfies snapshot isolation and read committed as well.
    if (serial) {
      for (IsolationLevel level : List.of(IsolationLevel.SNAPSHOT, IsolationLevel.READ_COMMITTED)) {
        assertThat(judged(text.toString(), level).orElse(true)).as(text.toString()).isTrue();
      }
    }
  }

  private static List<Integer> values(Map<Integer, List<Integer>> values, Op op) {
    return values.computeIfAbsent(op.key, k -> new ArrayList<>(List.of(0)));
  }

  private static boolean someOrder(
      List<List<Op>> history, int[] sessions, boolean[] done, Map<Integer, Integer> state) {
    boolean all = true;
    for (int t = 0; t < done.length; t++) {
      all &= done[t];
      boolean next = !done[t];
      for (int before = 0; before < t; before++) {
        next &= done[before] || sessions[before] != sessions[t];
      }
      Map<Integer, Integer> after = new TreeMap<>(state);
      if (next && runs(history.get(t), after)) {
        done[t] = true;
        if (someOrder(history, sessions, done, after)) {
          return true;
        }
        done[t] = false;
      }
    }
    return all;
  }

  private static boolean runs(List<Op> ops, Map<Integer, Integer> state) {
    for (Op op : ops) {
      if (op.write) {
        state.put(op.key, op.value);
      } else if (state.getOrDefault(op.key, 0) != op.value) {
        return false;
      }
    }
    return true;
  }

  private static Optional<Boolean> judged(String text, IsolationLevel level) throws IOException {
    Path file = Files.createTempFile("register", ".txt");
    try {
      Files.writeString(file, text);
      return ForeignHistory.check(
              file, ForeignFormat.PLUME, ElleNotation.demand(level), anomaly -> {})
          .valid();
    } finally {
      Files.delete(file);
    }
  }
}
