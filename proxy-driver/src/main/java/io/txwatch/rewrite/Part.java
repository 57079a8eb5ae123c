package io.txwatch.rewrite;

import java.util.ArrayList;
import java.util.List;

/** A part of a rewritten text. */
sealed interface Part {

  /**
   * Characters of the application's text.
   *
   * @param from the first one
   * @param to the one after the last
   * @param parameter the significant token that they are, if it is a parameter; else -1
   */
  record Own(int from, int to, int parameter) implements Part {
    boolean isParameter() {
      return parameter >= 0;
    }
  }

  /** Text that is put in. */
  record Added(String text) implements Part {}

  /** The writer token. */
  record Writer() implements Part {}

  /** The id of a new row, each time of another one. */
  record RowId() implements Part {}

  /** The application's parameter of that number, once more. */
  record Again(int number) implements Part {}

  /** What a text consists of in which {@link Auxiliary}'s characters stand for values. */
  static List<Part> of(String marked) {
    List<Part> parts = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < marked.length(); i++) {
      int end = i;
      Part part =
          switch (marked.charAt(i)) {
            case Auxiliary.TOKEN -> new Writer();
            case Auxiliary.ROW_ID -> new RowId();
            case Auxiliary.AGAIN -> new Again(marked.charAt(++i));
            default -> null;
          };
      if (part != null) {
        addText(marked.substring(start, end), parts);
        parts.add(part);
        start = i + 1;
      }
    }
    addText(marked.substring(start), parts);
    return parts;
  }

  private static void addText(String text, List<Part> parts) {
    if (!text.isEmpty()) {
      parts.add(new Added(text));
    }
  }
}
