package io.txwatch.capture;

import io.txwatch.capture.CodePlaces.Holds;
import java.util.List;

/**
 * Tells how surely a class is the application's own: by the packages that the user names ({@code
 * txwatch.packages}), by the place that it was loaded from ({@link CodePlaces}), by the package of
 * the main class, and at last by its name, which is that of a known library or not.
 *
 * <p>Each class is judged once. The cache hangs on the class itself, so nothing keeps an
 * application's class loader alive.
 */
final class ApplicationClasses {

  /** How surely; the later, the surer. */
  enum Rank {
    /** A library's, a generated class, or our own: never named. */
    NONE,
    /** Nobody knows: a jar beside the application, which may be a part of it. */
    UNKNOWN,
    /** The application's, by its place or its package. */
    APPLICATION,
    /** In one of the packages that the user names. */
    NAMED
  }

  private static final Rank[] RANKS = Rank.values();

  private final List<String> packages;

  /**
   * The rank's number and the owner. A text, since no class of ours may hang on a class that is
   * not: a class of a server would keep the class loader of an application alive that carries us.
   */
  private final ClassValue<String> judged =
      new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
          return judge(type);
        }
      };

  /** For the packages that the user names, none perhaps. */
  ApplicationClasses(List<String> packages) {
    this.packages = packages;
  }

  /** How surely a class is the application's. */
  Rank rank(Class<?> type) {
    return RANKS[judged.get(type).charAt(0) - '0'];
  }

  /** The beginning of its package that tells who has made it. */
  String owner(Class<?> type) {
    return judged.get(type).substring(1);
  }

  /** The rank above which there is none: the search for a frame ends there. */
  Rank highest() {
    return packages.isEmpty() ? Rank.APPLICATION : Rank.NAMED;
  }

  private String judge(Class<?> type) {
    String name = type.getName();
    Rank rank =
        type.getClassLoader() == null || Libraries.isNever(name)
            ? Rank.NONE
            : rank(name, CodePlaces.of(type), MainClass.name());
    return rank.ordinal() + owner(name);
  }

  /**
   * The rank of a class that is neither generated nor the platform's.
   *
   * @param place what the place says that it was loaded from
   * @param main the name of the main class, empty if it is not known
   */
  Rank rank(String name, Holds place, String main) {
    if (packages.stream().anyMatch(prefix -> isWithin(name, prefix))) {
      return Rank.NAMED;
    }
    boolean library = Libraries.isKnown(name);
    if (place == Holds.APPLICATION || isOfMain(name, library, main)) {
      return Rank.APPLICATION;
    }
    return library ? Rank.NONE : Rank.UNKNOWN;
  }

  /**
   * True if a class belongs to the main class by its package; one with a library's name only if the
   * main class has one, too ({@code org.springframework.samples}).
   */
  private static boolean isOfMain(String name, boolean library, String main) {
    int end = main.lastIndexOf('.');
    if (end < 0) {
      return false;
    }
    return library
        ? Libraries.isKnown(main) && isWithin(name, main.substring(0, end))
        : isWithin(name, main.substring(0, end)) || owner(name).equals(owner(main));
  }

  private static boolean isWithin(String name, String prefix) {
    return name.startsWith(prefix)
        && (name.length() == prefix.length()
            || prefix.endsWith(".")
            || name.charAt(prefix.length()) == '.'
            || name.charAt(prefix.length()) == '$');
  }

  /** {@code com.example} of {@code com.example.shop.Orders}; one more where many live together. */
  static String owner(String name) {
    int end = name.indexOf('.', name.indexOf('.') + 1);
    if (end > 0 && Libraries.SHARED.contains(name.substring(0, end))) {
      end = name.indexOf('.', end + 1);
    }
    return end < 0 ? name : name.substring(0, end);
  }
}
