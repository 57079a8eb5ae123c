package io.txwatch.rewrite;

import io.txwatch.plan.Origins;
import io.txwatch.rewrite.Edits.Edit;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A text with its edits carried out: in pieces, between which the writer token and the ids of new
 * rows go, and with one {@code ?} for each of them.
 */
final class EditedText {

  private final Tokens tokens;
  private final List<Edit> edits;

  EditedText(Tokens tokens, Edits edits) {
    this.tokens = tokens;
    this.edits = edits.ordered();
  }

  private static boolean isMark(int c) {
    return c == Auxiliary.TOKEN || c == Auxiliary.ROW_ID;
  }

  private String replaced(List<Edit> inOrder, int start, int end) {
    StringBuilder out = new StringBuilder();
    int at = start;
    for (Edit edit : inOrder) {
      out.append(tokens.text(), at, edit.from()).append(edit.text());
      at = edit.to();
    }
    return out.append(tokens.text(), at, end).toString();
  }

  /** The same in pieces, cut where a token or a row's id goes. */
  List<String> pieces() {
    List<String> pieces = new ArrayList<>();
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (Edit edit : edits) {
      out.append(tokens.text(), at, edit.from());
      for (int i = 0; i < edit.text().length(); i++) {
        if (isMark(edit.text().charAt(i))) {
          pieces.add(out.toString());
          out.setLength(0);
        } else if (edit.text().charAt(i) == Auxiliary.AGAIN) {
          out.append('?');
          i++;
        } else {
          out.append(edit.text().charAt(i));
        }
      }
      at = edit.to();
    }
    pieces.add(out.append(tokens.text(), at, tokens.text().length()).toString());
    return pieces;
  }

  /** What goes between two pieces: 0 for the token, else the row, from 1, whose id it is. */
  int[] gaps() {
    List<Integer> gaps = new ArrayList<>();
    int rows = 0;
    for (Edit edit : edits) {
      for (int i = 0; i < edit.text().length(); i++) {
        if (isMark(edit.text().charAt(i))) {
          gaps.add(edit.text().charAt(i) == Auxiliary.TOKEN ? 0 : ++rows);
        }
      }
    }
    return toArray(gaps);
  }

  /** Which stretches of the application's text the pieces consist of beside what was put in. */
  Origins origins() {
    if (edits.isEmpty()) {
      return Origins.SAME;
    }
    List<Integer> runs = new ArrayList<>();
    int piece = 0;
    int length = 0;
    int at = 0;
    for (Edit edit : edits) {
      addRun(runs, piece, length, at, edit.from());
      length += edit.from() - at;
      for (int i = 0; i < edit.text().length(); i++) {
        if (isMark(edit.text().charAt(i))) {
          piece++;
          length = 0;
        } else {
          i += edit.text().charAt(i) == Auxiliary.AGAIN ? 1 : 0;
          length++;
        }
      }
      at = edit.to();
    }
    addRun(runs, piece, length, at, tokens.text().length());
    return new Origins(toArray(runs));
  }

  private static void addRun(List<Integer> runs, int piece, int offset, int from, int to) {
    if (from < to) {
      runs.addAll(List.of(piece, offset, from, to - from));
    }
  }

  private static int[] toArray(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  // ---------------------------------------------------------------- a stretch of the text

  /** A stretch of the new text, every parameter of whatever spelling a plain {@code ?}. */
  String copy(int from, int to) {
    return copy(from, to, i -> "?");
  }

  /** The same for a place in this very text: each parameter is taken once more. */
  String copyAgain(int from, int to) {
    int[] numbers = ParameterNumbers.of(tokens);
    return copy(from, to, i -> Auxiliary.again(numbers[i]));
  }

  private String copy(int from, int to, IntFunction<String> parameter) {
    int start = tokens.start(from);
    int end = tokens.end(to - 1);
    List<Edit> inside = new ArrayList<>(new Edits(edits).within(start, end));
    for (int i = from; i < to; i++) {
      if (ParameterNumbers.isParameter(tokens, i)) {
        inside.add(new Edit(tokens.start(i), tokens.end(i), parameter.apply(i)));
      }
    }
    inside.sort(Comparator.comparingInt(Edit::from));
    return replaced(inside, start, end);
  }

  // ---------------------------------------------------------------- parameters

  /** A parameter in the order of the new text. */
  private sealed interface Place {}

  /** One of the application's, by its token. */
  private record Own(int token) implements Place {}

  /** The writer token. */
  private record Writer() implements Place {}

  /** The id of a new row. */
  private record RowId() implements Place {}

  /** The application's parameter of that number, once more. */
  private record Again(int of) implements Place {}

  private List<Place> places() {
    List<Place> places = new ArrayList<>();
    int next = 0;
    for (int i = 0; i <= tokens.count(); i++) {
      int offset = i == tokens.count() ? tokens.text().length() : tokens.start(i);
      while (next < edits.size() && edits.get(next).from() <= offset) {
        added(edits.get(next++).text(), places);
      }
      if (i < tokens.count() && ParameterNumbers.isParameter(tokens, i)) {
        places.add(new Own(i));
      }
    }
    return places;
  }

  private static void added(String text, List<Place> places) {
    for (int i = 0; i < text.length(); i++) {
      switch (text.charAt(i)) {
        case Auxiliary.AGAIN -> places.add(new Again(text.charAt(++i)));
        case Auxiliary.TOKEN -> places.add(new Writer());
        case Auxiliary.ROW_ID -> places.add(new RowId());
        default -> {}
      }
    }
  }

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

  /** How many parameters the application's text has. */
  int ownCount() {
    ParameterNumbers numbers = new ParameterNumbers(tokens);
    for (int i = 0; i < tokens.count(); i++) {
      if (ParameterNumbers.isParameter(tokens, i)) {
        numbers.number(i);
      }
    }
    return numbers.max();
  }

  /**
   * Where the parameters go, numbered as the driver numbers them. Where the application numbers
   * them in the text, the writer token has the next number, and the rows' ids those after it.
   *
   * @throws NotUnderstood if the text's own way of numbering leaves no place for one more
   */
  TextParameters parameters(Dialect dialect) throws NotUnderstood {
    List<Place> places = places();
    boolean adds = places.stream().anyMatch(place -> !(place instanceof Own));
    boolean mixed = has(TokenKind.PARAMETER) || has(TokenKind.NAMED_PARAMETER);
    if (adds && isNumbered() && (mixed || !dialect.grammar().has(Syntax.NUMBERED_QUESTION_MARKS))) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "numbered parameters leave no place for another");
    }
    int count = ownCount();
    int explicit = isNumbered() ? count + 1 : 0;
    ParameterNumbers before = new ParameterNumbers(tokens);
    ParameterNumbers after = new ParameterNumbers(tokens);
    int[] index = new int[count];
    java.util.Arrays.setAll(index, i -> i + 1);
    List<Integer> writers = new ArrayList<>();
    List<Integer> rowIds = new ArrayList<>();
    List<Integer> again = new ArrayList<>();
    List<Integer> againOf = new ArrayList<>();
    for (Place place : places) {
      if (place instanceof Own own) {
        index[before.number(own.token) - 1] = after.number(own.token);
      } else if (place instanceof RowId) {
        rowIds.add(explicit > 0 ? explicit + 1 + rowIds.size() : after.next());
      } else if (place instanceof Again parameter) {
        again.add(explicit > 0 ? explicit : after.next());
        againOf.add(parameter.of);
      } else if (explicit == 0 || writers.isEmpty()) {
        writers.add(explicit > 0 ? explicit : after.next());
      }
    }
    return new TextParameters(
        count, index, toArray(writers), toArray(rowIds), toArray(again), toArray(againOf));
  }

  /** The text for a PreparedStatement. */
  String prepared() {
    List<String> pieces = pieces();
    int[] gaps = gaps();
    int explicit = isNumbered() ? ownCount() + 1 : 0;
    StringBuilder out = new StringBuilder(pieces.get(0));
    for (int i = 0; i < gaps.length; i++) {
      out.append('?');
      if (explicit > 0) {
        out.append(explicit + gaps[i]);
      }
      out.append(pieces.get(i + 1));
    }
    return out.toString();
  }
}
