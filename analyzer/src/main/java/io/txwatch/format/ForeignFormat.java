package io.txwatch.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** The formats of histories that others wrote. */
public enum ForeignFormat {
  /** Elle's list-append, in EDN or JSON. */
  ELLE_APPEND("elle-append");

  private static final int HEAD = 1 << 16;
  private static final Pattern MICRO_OP =
      Pattern.compile("\\[\\s*(?::|\")(append|w|r)\\b\"?[\\s,]+[^\\s,\\[\\]]+[\\s,]+(\\[)?");

  private final String id;

  ForeignFormat(String id) {
    this.id = id;
  }

  /** The name that users type. */
  public String id() {
    return id;
  }

  /** The format of that name. */
  public static Optional<ForeignFormat> named(String id) {
    for (ForeignFormat format : values()) {
      if (format.id.equals(id)) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /** The format that a file's beginning looks like; empty if it looks like none of these. */
  public static Optional<ForeignFormat> of(Path file) throws IOException {
    String text = ByteCursor.head(file, HEAD).stripLeading();
    if (text.startsWith("{")
        || text.startsWith("[")
        || text.startsWith("(")
        || text.startsWith("#")
        || text.startsWith(";")) {
      return ofMaps(text);
    }
    return Optional.empty();
  }

  private static Optional<ForeignFormat> ofMaps(String text) {
    return MICRO_OP.matcher(text).find() || text.contains(":type") || text.contains("\"type\"")
        ? Optional.of(ELLE_APPEND)
        : Optional.empty();
  }
}
