package io.txwatch.capture;

import io.txwatch.capture.CodeLocations.Holds;
import java.util.List;

/**
 * Ranks how likely a class belongs to the application: by the configured packages ({@code
 * txwatch.packages}), by the location it was loaded from ({@link CodeLocations}), by the package of
 * the main class, and last by whether its name is that of a known library.
 *
 * <p>Each class is ranked once. The cache is attached to the class itself, so it keeps no
 * application's class loader alive.
 */
final class ApplicationClasses {

  /** The ranks, in ascending order of certainty. */
  enum Rank {
    /** A library's class, a generated class, or txwatch's own: never reported. */
    NONE,
    /** Unknown: a jar beside the application, which may be part of it. */
    UNKNOWN,
    /** The application's class, by location or package. */
    APPLICATION,
    /** A class in one of the configured packages. */
    NAMED
  }

  private static final Rank[] RANKS = Rank.values();

  private final List<String> packages;

  /**
   * The rank's ordinal and the owner. It is a String, since attaching an instance of txwatch's
   * classes to a class of a server would keep the class loader of the application that contains
   * txwatch alive.
   */
  private final ClassValue<String> judged =
      new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
          return judge(type);
        }
      };

  /** Creates the ranking for the configured packages, possibly none. */
  ApplicationClasses(List<String> packages) {
    this.packages = packages;
  }

  /** Returns the rank of a class. */
  Rank rank(Class<?> type) {
    return RANKS[judged.get(type).charAt(0) - '0'];
  }

  /** Returns the prefix of its package that identifies its owner. */
  String owner(Class<?> type) {
    return judged.get(type).substring(1);
  }

  /** Returns the highest possible rank, at which the search for a frame ends. */
  Rank highest() {
    return packages.isEmpty() ? Rank.APPLICATION : Rank.NAMED;
  }

  private String judge(Class<?> type) {
    String name = type.getName();
    Rank rank =
        type.getClassLoader() == null || KnownLibraries.isNever(name)
            ? Rank.NONE
            : rank(name, CodeLocations.of(type), MainClass.name());
    return rank.ordinal() + owner(name);
  }

  /**
   * The rank of a class that is neither generated nor the platform's.
   *
   * @param place what the location it was loaded from contains
   * @param main the name of the main class, empty if it is not known
   */
  Rank rank(String name, Holds place, String main) {
    if (packages.stream().anyMatch(prefix -> isWithin(name, prefix))) {
      return Rank.NAMED;
    }
    boolean library = KnownLibraries.isKnown(name);
    if (place == Holds.APPLICATION || isOfMain(name, library, main)) {
      return Rank.APPLICATION;
    }
    return library ? Rank.NONE : Rank.UNKNOWN;
  }

  /**
   * True if a class belongs to the main class by its package; a class with a library's name only if
   * the main class has one, too ({@code org.springframework.samples}).
   */
  private static boolean isOfMain(String name, boolean library, String main) {
    int end = main.lastIndexOf('.');
    if (end < 0) {
      return false;
    }
    return library
        ? KnownLibraries.isKnown(main) && isWithin(name, main.substring(0, end))
        : isWithin(name, main.substring(0, end)) || owner(name).equals(owner(main));
  }

  private static boolean isWithin(String name, String prefix) {
    return name.startsWith(prefix)
        && (name.length() == prefix.length()
            || prefix.endsWith(".")
            || name.charAt(prefix.length()) == '.'
            || name.charAt(prefix.length()) == '$');
  }

  /**
   * Returns {@code com.example} for {@code com.example.shop.Orders}; one component more for shared
   * prefixes.
   */
  static String owner(String name) {
    int end = name.indexOf('.', name.indexOf('.') + 1);
    if (end > 0 && KnownLibraries.SHARED.contains(name.substring(0, end))) {
      end = name.indexOf('.', end + 1);
    }
    return end < 0 ? name : name.substring(0, end);
  }
}
