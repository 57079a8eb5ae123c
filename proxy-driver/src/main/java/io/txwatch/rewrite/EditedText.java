package io.txwatch.rewrite;

import io.txwatch.plan.Origins;
import io.txwatch.rewrite.Edits.Edit;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A text with its edits carried out: in pieces, between which the writer token and the ids of new
 * rows go, and with one {@code ?} for each of them.
 */
final class EditedText {

  private final Tokens tokens;
  private final List<Part> parts;
  private final List<String> pieces = new ArrayList<>();
  private final List<Integer> gaps = new ArrayList<>();
  private final List<Integer> runs = new ArrayList<>();

  EditedText(Tokens tokens, Edits edits) {
    this.tokens = tokens;
    this.parts = parts(tokens, edits.all(), 0, tokens.text().length());
    write();
  }

  /** What a stretch of a text consists of, with edits in it. */
  private static List<Part> parts(Tokens tokens, List<Edit> edits, int start, int end) {
    List<Edit> changes = new ArrayList<>(edits);
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.start(i) >= start
          && tokens.end(i) <= end
          && ParameterNumbers.isParameter(tokens, i)) {
        Part own = new Part.Own(tokens.start(i), tokens.end(i), i);
        changes.add(new Edit(tokens.start(i), tokens.end(i), List.of(own)));
      }
    }
    changes.sort(Comparator.comparingInt(Edit::from));
    List<Part> parts = new ArrayList<>();
    int at = start;
    for (Edit change : changes) {
      addOwn(at, change.from(), parts);
      parts.addAll(change.parts());
      at = change.to();
    }
    addOwn(at, end, parts);
    return parts;
  }

  private static void addOwn(int from, int to, List<Part> parts) {
    if (from > to) {
      throw new IllegalArgumentException("edits that overlap");
    }
    if (from < to) {
      parts.add(new Part.Own(from, to, -1));
    }
  }

  private void write() {
    StringBuilder piece = new StringBuilder();
    int rows = 0;
    for (Part part : parts) {
      if (part instanceof Part.Own own) {
        runs.addAll(List.of(pieces.size(), piece.length(), own.from(), own.to() - own.from()));
        piece.append(tokens.text(), own.from(), own.to());
      } else if (part instanceof Part.Added added) {
        piece.append(added.text());
      } else if (part instanceof Part.Again) {
        piece.append('?');
      } else {
        gaps.add(part instanceof Part.Writer ? 0 : ++rows);
        pieces.add(piece.toString());
        piece.setLength(0);
      }
    }
    pieces.add(piece.toString());
  }

  /** The text in pieces, cut where a token or a row's id goes. */
  List<String> pieces() {
    return pieces;
  }

  /** What goes between two pieces: 0 for the token, else the row, from 1, whose id it is. */
  int[] gaps() {
    return toArray(gaps);
  }

  /** Which stretches of the application's text the pieces consist of beside what was put in. */
  Origins origins() {
    boolean changed = parts.stream().anyMatch(part -> !(part instanceof Part.Own));
    return changed ? new Origins(toArray(runs)) : Origins.SAME;
  }

  private static int[] toArray(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * A stretch of a text with edits in it.
   *
   * @param again true if it becomes a part of this very text, so that each parameter is taken once
   *     more; false if it is a text of its own, with plain {@code ?}
   */
  static String copy(Tokens tokens, Edits edits, int from, int to, boolean again) {
    int start = tokens.start(from);
    int end = tokens.end(to - 1);
    int[] numbers = ParameterNumbers.of(tokens);
    StringBuilder copy = new StringBuilder();
    for (Part part : parts(tokens, edits.within(start, end), start, end)) {
      if (part instanceof Part.Added added) {
        copy.append(added.text());
      } else if (part instanceof Part.Own own && own.isParameter()) {
        copy.append(again ? Auxiliary.again(numbers[own.parameter()]) : "?");
      } else if (part instanceof Part.Own own) {
        copy.append(tokens.text(), own.from(), own.to());
      }
    }
    return copy.toString();
  }

  // ---------------------------------------------------------------- parameters

  /** True if parameters have numbers in the text, so that added ones need numbers, too. */
  private boolean isNumbered() {
    return has(TokenKind.NUMBERED_PARAMETER);
  }

  private boolean has(TokenKind kind) {
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.is(i, kind)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Where the parameters go, numbered as the driver numbers them. Where the application numbers
   * them in the text, the writer token has the next number, and the rows' ids those after it.
   *
   * @throws NotUnderstood if the text's own way of numbering leaves no place for one more
   */
  TextParameters parameters(Dialect dialect) throws NotUnderstood {
    boolean adds =
        parts.stream().anyMatch(part -> !(part instanceof Part.Own || part instanceof Part.Added));
    boolean mixed = has(TokenKind.PARAMETER) || has(TokenKind.NAMED_PARAMETER);
    if (adds && isNumbered() && (mixed || !dialect.grammar().has(Syntax.NUMBERED_QUESTION_MARKS))) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "numbered parameters leave no place for another");
    }
    int[] numbers = ParameterNumbers.of(tokens);
    int count = ParameterNumbers.count(tokens);
    int explicit = isNumbered() ? count + 1 : 0;
    ParameterNumbers after = new ParameterNumbers(tokens);
    int[] index = new int[count];
    Arrays.setAll(index, i -> i + 1);
    List<Integer> writers = new ArrayList<>();
    List<Integer> rowIds = new ArrayList<>();
    List<Integer> again = new ArrayList<>();
    List<Integer> againOf = new ArrayList<>();
    for (Part part : parts) {
      if (part instanceof Part.Own own && own.isParameter()) {
        index[numbers[own.parameter()] - 1] = after.number(own.parameter());
      } else if (part instanceof Part.RowId) {
        rowIds.add(explicit > 0 ? explicit + 1 + rowIds.size() : after.next());
      } else if (part instanceof Part.Again parameter) {
        again.add(explicit > 0 ? explicit : after.next());
        againOf.add(parameter.number());
      } else if (part instanceof Part.Writer && (explicit == 0 || writers.isEmpty())) {
        writers.add(explicit > 0 ? explicit : after.next());
      }
    }
    return new TextParameters(
        count, index, toArray(writers), toArray(rowIds), toArray(again), toArray(againOf));
  }

  /** The text for a PreparedStatement. */
  String prepared() {
    int explicit = isNumbered() ? ParameterNumbers.count(tokens) + 1 : 0;
    StringBuilder out = new StringBuilder(pieces.get(0));
    for (int i = 0; i < gaps.size(); i++) {
      out.append('?');
      if (explicit > 0) {
        out.append(explicit + gaps.get(i));
      }
      out.append(pieces.get(i + 1));
    }
    return out.toString();
  }
}
