package io.txwatch.corpus;

import io.txwatch.servers.ServerKind;
import java.util.List;
import java.util.Random;

/** Random choices that depend only on a seed. */
final class RandomSource {

  final ServerKind kind;
  private final Random random;

  /** True to generate statements of one block, as most of an application's are. */
  boolean singleBlock;

  RandomSource(long seed, ServerKind kind) {
    this.random = new Random(seed * 0x9E3779B97F4A7C15L + kind.ordinal());
    this.kind = kind;
  }

  @SafeVarargs
  final <T> T oneOf(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** True with the given probability. */
  boolean percent(int percent) {
    return random.nextInt(100) < percent;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  boolean is(ServerKind... kinds) {
    return List.of(kinds).contains(kind);
  }

  boolean isMySqlOrMariaDb() {
    return is(ServerKind.MYSQL, ServerKind.MARIADB);
  }
}
