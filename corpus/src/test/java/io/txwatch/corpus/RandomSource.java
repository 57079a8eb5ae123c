package io.txwatch.corpus;

import io.txwatch.servers.ServerKind;
import java.util.List;
import java.util.Random;

/** Random choices that depend only on a seed. */
final class RandomSource {

  final ServerKind kind;
  private final Random random;

  /** True while a statement is to be of one block, as most of an application's are. */
  boolean simple;

  RandomSource(long seed, ServerKind kind) {
    this.random = new Random(seed * 0x9E3779B97F4A7C15L + kind.ordinal());
    this.kind = kind;
  }

  @SafeVarargs
  final <T> T one(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  <T> T of(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  boolean maybe(int percent) {
    return random.nextInt(100) < percent;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  boolean is(ServerKind... kinds) {
    return List.of(kinds).contains(kind);
  }

  /** MySQL or MariaDB. */
  boolean mySqlLike() {
    return is(ServerKind.MYSQL, ServerKind.MARIADB);
  }
}
