package io.txwatch.capture;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the application calls the transactions of the calling thread. A framework knows that: Spring
 * names a transaction after the method that is annotated with {@code @Transactional}.
 */
public final class TransactionNames {

  /** Longer names are not used: they are texts of the history's dictionary. */
  static final int MAX_CHARACTERS = 300;

  private static volatile @Nullable Supplier<@Nullable String> source;
  private static volatile @Nullable Supplier<@Nullable String> fallback;

  private TransactionNames() {}

  /**
   * Sets where the names come from.
   *
   * @param names returns the name of the calling thread's transaction, or null; called at the first
   *     statement of each transaction. Its exceptions are ignored. Names should be few, since they
   *     are kept
   */
  public static void setSource(Supplier<@Nullable String> names) {
    source = names;
  }

  /**
   * Sets where the names of transactions come from that the source does not name.
   *
   * @param names as for {@link #setSource}; null for nowhere
   */
  public static void setFallback(@Nullable Supplier<@Nullable String> names) {
    fallback = names;
  }

  /** The name of the calling thread's transaction; empty if unknown. */
  static String current() {
    Supplier<@Nullable String> names = source;
    Supplier<@Nullable String> others = fallback;
    String name = names == null ? "" : from(names);
    return name.isEmpty() && others != null ? from(others) : name;
  }

  static String from(Supplier<@Nullable String> names) {
    try {
      String name = names.get();
      return name == null || name.length() > MAX_CHARACTERS ? "" : name;
    } catch (RuntimeException | LinkageError e) {
      return ""; // the application's statement must not fail
    }
  }
}
