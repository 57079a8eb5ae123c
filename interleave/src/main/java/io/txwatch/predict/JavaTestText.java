package io.txwatch.predict;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * The text of a Java class of tests. It is plain ASCII, whatever names and SQL it contains: the
 * compiler may expect any encoding. Not thread-safe.
 */
public final class JavaTestText {

  private static final int MAX_NAME = 80;

  private final StringBuilder text = new StringBuilder();
  private final Set<String> methods = new HashSet<>();

  /** Adds a comment of one line, in which nothing is an escape. */
  public void comment(String indent, String content) {
    line((indent + "// " + content.replace("\\", "\\\\")).stripTrailing());
  }

  /** Adds a line. */
  public void line(String content) {
    for (char c : content.toCharArray()) {
      if (c >= ' ' && c < 127) {
        text.append(c);
      } else if (c <= 127) {
        text.append(' ');
      } else {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    text.append('\n');
  }

  /** Adds an operation of an {@code @InterleaveTest} whose call has to be filled in. */
  public void operation(String name, String side) {
    String shown = limited(name);
    line("    run.operation(");
    line("        " + literal(shown + " " + side) + ",");
    line("        () -> {");
    line("          throw new UnsupportedOperationException(" + literal("call " + shown) + ");");
    line("        });");
  }

  /**
   * The name of a test of two operations, {@code sellAndRestock} or {@code sellTwice}: unique in
   * the class, and no word of Java.
   */
  public String method(String one, String other) {
    String first = identifier(one);
    String second = identifier(other);
    String both =
        one.equals(other)
            ? first + "Twice"
            : first + "And" + second.substring(0, 1).toUpperCase(Locale.ROOT) + second.substring(1);
    String unique = both;
    for (int number = 2; !methods.add(unique); number++) {
      unique = both + number;
    }
    return unique;
  }

  private static String identifier(String operation) {
    String last =
        operation.indexOf('/') >= 0
            ? operation.toLowerCase(Locale.ROOT)
            : operation.substring(operation.lastIndexOf('.') + 1);
    StringBuilder name = new StringBuilder();
    boolean isNewWord = false;
    for (char c : limited(last).toCharArray()) {
      if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
        name.append(
            name.isEmpty() ? Character.toLowerCase(c) : isNewWord ? Character.toUpperCase(c) : c);
        isNewWord = false;
      } else {
        isNewWord = true;
      }
    }
    return name.isEmpty() || Character.isDigit(name.charAt(0))
        ? "operation" + name
        : name.toString();
  }

  private static String limited(String name) {
    return name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
  }

  private static String literal(String value) {
    return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** The text so far. */
  @Override
  public String toString() {
    return text.toString();
  }
}
