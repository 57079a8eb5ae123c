package io.txwatch.rewrite;

import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;

/**
 * What is put into a text, and where: insertions, and replacements of a star or a keyword. All else
 * stays as it was. A value: edits of several rewriters are joined by {@link #and}. Of two
 * insertions at one place the one that was joined first comes first.
 */
record Edits(List<Edit> all) {

  /**
   * One edit.
   *
   * @param from the first character that it replaces
   * @param to the one after the last; {@code from} for an insertion
   * @param parts what it puts in
   */
  record Edit(int from, int to, List<Part> parts) {
    Edit {
      parts = List.copyOf(parts);
    }

    /** One that puts in a text in which {@link Auxiliary}'s characters stand for values. */
    Edit(int from, int to, String text) {
      this(from, to, Part.of(text));
    }
  }

  static final Edits NONE = new Edits(List.of());

  Edits {
    all = List.copyOf(all);
  }

  /** An insertion before a significant token. */
  static Edits before(Tokens tokens, int token, String text) {
    return new Edits(List.of(new Edit(tokens.start(token), tokens.start(token), text)));
  }

  /** An insertion behind a significant token. */
  static Edits after(Tokens tokens, int token, String text) {
    return new Edits(List.of(new Edit(tokens.end(token), tokens.end(token), text)));
  }

  /** A replacement of significant tokens. */
  static Edits replace(Tokens tokens, int from, int to, String text) {
    return new Edits(List.of(new Edit(tokens.start(from), tokens.end(to - 1), text)));
  }

  /** All of these. */
  static Edits joined(List<Edits> several) {
    return new Edits(several.stream().flatMap(edits -> edits.all.stream()).toList());
  }

  /** These and then those. */
  Edits and(Edits then) {
    if (then.isEmpty()) {
      return this;
    }
    List<Edit> both = new ArrayList<>(all);
    both.addAll(then.all);
    return isEmpty() ? then : new Edits(both);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Those between two characters, in no order. */
  List<Edit> within(int start, int end) {
    return all.stream().filter(edit -> edit.from >= start && edit.to <= end).toList();
  }
}
