package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * What is put into a text, and where. A splice inserts, or stands in the place of a star or a
 * keyword; all else stays as it was.
 */
final class Splices {

  private record Splice(int from, int to, String text) {}

  /**
   * A parameter in the order of the new text.
   *
   * @param token a token of the original; {@link #WRITER}; or below it, a row's id, counted down
   * @param again the number of the parameter that it takes once more, or 0
   */
  private record Place(int token, int again) {
    static final int WRITER = -1;

    Place(int token) {
      this(token, 0);
    }

    static Place rowId(int ordinal) {
      return new Place(WRITER - 1 - ordinal);
    }

    static Place again(int number) {
      return new Place(WRITER, number);
    }

    /** Which row, from 0. */
    int ordinal() {
      return WRITER - 1 - token;
    }
  }

  /**
   * Where the parameters went.
   *
   * @param again where parameters of the application's are taken once more
   * @param againOf their numbers
   * @param explicit the number that the writer token is given in the text, the rows' ids those
   *     after it; 0 if parameters are not numbered in the text
   */
  record Parameters(
      int count,
      int[] index,
      int[] writers,
      int[] rowIds,
      int[] again,
      int[] againOf,
      int explicit) {}

  private final Tokens tokens;
  private final Dialect dialect;
  private final List<Splice> splices = new ArrayList<>();

  Splices(Tokens tokens, Dialect dialect) {
    this.tokens = tokens;
    this.dialect = dialect;
  }

  boolean isEmpty() {
    return splices.isEmpty();
  }

  /** Takes over what another one collected for the same text. */
  void addAll(Splices other) {
    splices.addAll(other.splices);
  }

  /** Inserts before a significant token. */
  void before(int token, String text) {
    splices.add(new Splice(tokens.start(token), tokens.start(token), text));
  }

  /** Inserts behind a significant token. */
  void after(int token, String text) {
    splices.add(new Splice(tokens.end(token), tokens.end(token), text));
  }

  /** Replaces significant tokens. */
  void replace(int from, int to, String text) {
    splices.add(new Splice(tokens.start(from), tokens.end(to - 1), text));
  }

  /** True if something between two significant tokens is not as it was. */
  boolean changes(int from, int to) {
    int start = tokens.start(from);
    int end = tokens.end(to - 1);
    return splices.stream().anyMatch(s -> s.from >= start && s.to <= end);
  }

  /** The new text with the writer token's places marked. */
  private List<Splice> ordered() {
    List<Splice> ordered = new ArrayList<>(splices);
    ordered.sort(Comparator.comparingInt(Splice::from));
    return ordered;
  }

  /** The text, {@link Auxiliary#TOKEN} and {@link Auxiliary#ROW_ID} where those go. */
  String marked() {
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (Splice splice : ordered()) {
      out.append(tokens.text(), at, splice.from).append(splice.text);
      at = splice.to;
    }
    return out.append(tokens.text(), at, tokens.text().length()).toString();
  }

  /** The same in pieces, cut where a token or a row's id goes. */
  List<String> pieces() {
    List<String> pieces = new ArrayList<>();
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (Splice splice : ordered()) {
      out.append(tokens.text(), at, splice.from);
      for (int i = 0; i < splice.text.length(); i++) {
        if (isMark(splice.text.charAt(i))) {
          pieces.add(out.toString());
          out.setLength(0);
        } else if (splice.text.charAt(i) == Auxiliary.AGAIN) {
          out.append('?');
          i++;
        } else {
          out.append(splice.text.charAt(i));
        }
      }
      at = splice.to;
    }
    pieces.add(out.append(tokens.text(), at, tokens.text().length()).toString());
    return pieces;
  }

  /** Which stretches of the text the pieces consist of beside what was put in. */
  Origins origins() {
    List<Integer> runs = new ArrayList<>();
    int piece = 0;
    int length = 0;
    int at = 0;
    for (Splice splice : ordered()) {
      addRun(runs, piece, length, at, splice.from);
      length += splice.from - at;
      for (int i = 0; i < splice.text.length(); i++) {
        if (isMark(splice.text.charAt(i))) {
          piece++;
          length = 0;
        } else {
          i += splice.text.charAt(i) == Auxiliary.AGAIN ? 1 : 0;
          length++;
        }
      }
      at = splice.to;
    }
    addRun(runs, piece, length, at, tokens.text().length());
    return new Origins(toArray(runs));
  }

  private static void addRun(List<Integer> runs, int piece, int offset, int from, int to) {
    if (from < to) {
      runs.addAll(List.of(piece, offset, from, to - from));
    }
  }

  /** What goes between two pieces: 0 for the token, else the row, from 1, whose id it is. */
  int[] gaps() {
    List<Integer> gaps = new ArrayList<>();
    int rows = 0;
    for (Splice splice : ordered()) {
      for (int i = 0; i < splice.text.length(); i++) {
        if (isMark(splice.text.charAt(i))) {
          gaps.add(splice.text.charAt(i) == Auxiliary.TOKEN ? 0 : ++rows);
        }
      }
    }
    return gaps.stream().mapToInt(Integer::intValue).toArray();
  }

  private static boolean isMark(int c) {
    return c == Auxiliary.TOKEN || c == Auxiliary.ROW_ID;
  }

  /** The text for a PreparedStatement. */
  String prepared(Parameters parameters) {
    List<String> pieces = pieces();
    int[] gaps = gaps();
    StringBuilder out = new StringBuilder(pieces.get(0));
    for (int i = 0; i < gaps.length; i++) {
      out.append('?');
      if (parameters.explicit > 0) {
        out.append(parameters.explicit + gaps[i]);
      }
      out.append(pieces.get(i + 1));
    }
    return out.toString();
  }

  /**
   * Where the parameters go (hazard 30), numbered as the driver numbers them.
   *
   * @throws NotUnderstood if the text's own way of numbering leaves no place for one more
   */
  Parameters parameters() throws NotUnderstood {
    List<Place> before = new ArrayList<>();
    List<Place> after = new ArrayList<>();
    boolean plain = false;
    boolean numbered = false;
    boolean named = false;
    List<Splice> ordered = ordered();
    int next = 0;
    int rows = 0;
    for (int i = 0; i <= tokens.count(); i++) {
      int offset = i == tokens.count() ? tokens.text().length() : tokens.start(i);
      while (next < ordered.size() && ordered.get(next).from <= offset) {
        String text = ordered.get(next++).text;
        for (int at = 0; at < text.length(); at++) {
          if (text.charAt(at) == Auxiliary.AGAIN) {
            after.add(Place.again(text.charAt(++at)));
          } else if (isMark(text.charAt(at))) {
            boolean writer = text.charAt(at) == Auxiliary.TOKEN;
            after.add(writer ? new Place(Place.WRITER) : Place.rowId(rows++));
          }
        }
      }
      if (i == tokens.count()) {
        break;
      }
      TokenKind kind = tokens.kind(i);
      plain |= kind == TokenKind.PARAMETER;
      numbered |= kind == TokenKind.NUMBERED_PARAMETER;
      named |= kind == TokenKind.NAMED_PARAMETER;
      if (isParameter(i)) {
        before.add(new Place(i));
        after.add(new Place(i));
      }
    }
    boolean writers = after.size() > before.size();
    if (writers && numbered && (plain || named || dialect == Dialect.POSTGRESQL)) {
      throw new NotUnderstood(GapReason.SHAPE, "numbered parameters leave no place for another");
    }
    Numbering old = new Numbering(0);
    before.forEach(old::number);
    int explicit = numbered ? old.max + 1 : 0;
    Numbering renumbered = new Numbering(explicit);
    int[] index = new int[old.max];
    java.util.Arrays.setAll(index, i -> i + 1);
    Numbering replay = new Numbering(0);
    List<Integer> writerNumbers = new ArrayList<>();
    int[] rowIds = new int[rows];
    List<Integer> again = new ArrayList<>();
    List<Integer> againOf = new ArrayList<>();
    for (Place place : after) {
      int number = renumbered.number(place);
      if (place.again > 0) {
        again.add(number);
        againOf.add(place.again);
      } else if (place.token >= 0) {
        index[replay.number(place) - 1] = number;
      } else if (place.token < Place.WRITER) {
        rowIds[place.ordinal()] = number;
      } else if (explicit == 0 || writerNumbers.isEmpty()) {
        writerNumbers.add(number);
      }
    }
    return new Parameters(
        old.max, index, toArray(writerNumbers), rowIds, toArray(again), toArray(againOf), explicit);
  }

  private static int[] toArray(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * The number of each significant token that is a parameter of the original text, as the driver
   * numbers them; 0 for all others.
   */
  int[] numbers() {
    int[] numbers = new int[tokens.count()];
    Numbering numbering = new Numbering(0);
    for (int i = 0; i < numbers.length; i++) {
      if (isParameter(i)) {
        numbers[i] = numbering.number(new Place(i));
      }
    }
    return numbers;
  }

  private boolean isParameter(int i) {
    return tokens.is(i, TokenKind.PARAMETER)
        || tokens.is(i, TokenKind.NUMBERED_PARAMETER)
        || tokens.is(i, TokenKind.NAMED_PARAMETER);
  }

  /**
   * A stretch of the new text, every parameter of whatever spelling a plain {@code ?}.
   *
   * @param from its first significant token
   * @param to the token after it
   */
  String slice(int from, int to) {
    return slice(from, to, i -> "?");
  }

  /** The same for a place in this very text: each parameter is taken once more. */
  String sliceAgain(int from, int to) {
    int[] numbers = numbers();
    return slice(from, to, i -> Auxiliary.again(numbers[i]));
  }

  private String slice(int from, int to, IntFunction<String> parameter) {
    int start = tokens.start(from);
    int end = tokens.end(to - 1);
    List<Splice> inside = new ArrayList<>();
    for (Splice splice : splices) {
      if (splice.from >= start && splice.to <= end) {
        inside.add(splice);
      }
    }
    for (int i = from; i < to; i++) {
      if (isParameter(i)) {
        inside.add(new Splice(tokens.start(i), tokens.end(i), parameter.apply(i)));
      }
    }
    inside.sort(Comparator.comparingInt(Splice::from));
    StringBuilder out = new StringBuilder();
    int at = start;
    for (Splice splice : inside) {
      out.append(tokens.text(), at, splice.from).append(splice.text);
      at = splice.to;
    }
    return out.append(tokens.text(), at, end).toString();
  }

  /** Gives parameters their numbers as SQLite does; with {@code ?} alone, as everyone does. */
  private final class Numbering {
    private final int explicitWriter;
    private final Map<String, Integer> names = new HashMap<>();
    private int max;

    Numbering(int explicitWriter) {
      this.explicitWriter = explicitWriter;
    }

    int number(Place place) {
      if (place.token < 0) {
        boolean writer = place.token == Place.WRITER;
        return explicitWriter > 0 ? explicitWriter + (writer ? 0 : 1 + place.ordinal()) : ++max;
      }
      if (tokens.is(place.token, TokenKind.NUMBERED_PARAMETER)) {
        int number = numberOf(tokens.text(place.token));
        max = Math.max(max, number);
        return number;
      }
      if (tokens.is(place.token, TokenKind.NAMED_PARAMETER)) {
        return names.computeIfAbsent(tokens.text(place.token), name -> ++max);
      }
      return ++max;
    }

    private int numberOf(String text) {
      int number = text.length() > 6 ? 0 : Integer.parseInt(text.substring(1));
      if (number < 1) {
        throw new IllegalArgumentException("a parameter's number out of range");
      }
      return number;
    }
  }
}
