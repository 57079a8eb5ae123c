package io.txwatch.format;

import io.txwatch.format.ElleOp.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Reads histories of Jepsen and Elle, in EDN and JSON: a sequence of operation maps, or one list of
 * them.
 *
 * <pre>
 *  {:type :invoke, :f :txn, :value [[:append 5 1] [:r 7 nil]], :process 0, :index 0}
 *  {:type :ok, :f :txn, :value [[:append 5 1] [:r 7 [2 3]]], :process 0, :index 1}
 *  {"type": "ok", "value": [["w", "x", 1], ["r", "y", null]], "process": 0, "index": 2}
 *  </pre>
 *
 * <p>The format is that of jepsen-io/elle (README, "list-append", "rw-register") and of
 * ligurio/elle-cli (README, {@code histories/elle/*.edn} and {@code *.json}). Map keys may come in
 * any order. Unknown keys are skipped with their values, including tagged literals ({@code
 * #jepsen.history.Op{…}}) and comments.
 *
 * <p>This is a parser of its own, since each read returns a whole list: a history of a million
 * operations contains hundreds of millions of list elements. Here an element costs the parsing of
 * its digits, and no object.
 */
final class ElleReader {

  /** Receives operations; {@code op} is reused. */
  interface Sink {
    void op(ElleOp op) throws IOException;
  }

  /** The most digits of numbers that are not read as texts. */
  private static final int MAX_DIGITS = 18;

  private static final long NO_INTEGER = Long.MIN_VALUE;

  private static final long TYPE = packed("type");
  private static final long PROCESS = packed("process");
  private static final long VALUE = packed("value");
  private static final long INDEX = packed("index");
  private static final long INVOKE = packed("invoke");
  private static final long OK = packed("ok");
  private static final long FAIL = packed("fail");
  private static final long INFO = packed("info");
  private static final long APPEND = packed("append");
  private static final long WRITE = packed("w");
  private static final long READ = packed("r");

  private final ByteCursor in;
  private final KeyNames names;
  private final boolean lists;
  private final ElleOp op = new ElleOp();

  /** The text of a number that {@link #integer} did not read. */
  private String number = "";

  private ElleReader(ByteCursor in, KeyNames names, boolean lists) {
    this.in = in;
    this.names = names;
    this.lists = lists;
  }

  /**
   * Emits the operations of a file, in order.
   *
   * @param lists whether reads return lists; otherwise a vector is a value
   * @throws io.txwatch.history.HistoryFormatException if the format is wrong; the message names
   *     where and what was expected
   */
  static void read(Path file, KeyNames names, boolean lists, Sink sink) throws IOException {
    try (ByteCursor in = new ByteCursor(file)) {
      new ElleReader(in, names, lists).operations(sink);
    }
  }

  private void operations(Sink sink) throws IOException {
    int depth = 0;
    while (true) {
      int c = space();
      switch (c) {
        case ByteCursor.END -> {
          if (depth > 0) {
            throw in.unexpected("']' after the last operation: the file seems to be cut off");
          }
          return;
        }
        case '[', '(' -> {
          in.skip();
          depth++;
        }
        case ']', ')' -> {
          in.skip();
          depth--;
        }
        case '#' -> {
          if (tag() == Tag.DISCARDS) {
            value();
          }
        }
        case '{' -> {
          operation();
          sink.op(op);
        }
        default ->
            throw in.unexpected(
                "an operation of Elle: {:type :ok, :process 0, :value [[:append 1 2]]}");
      }
    }
  }

  private void operation() throws IOException {
    op.clear(in.offset());
    in.skip();
    while (space() != '}') {
      long key = mapKey();
      if (key == TYPE) {
        op.type = type();
        op.hasType = true;
      } else if (key == PROCESS) {
        process();
      } else if (key == INDEX) {
        op.index = isNumber(space()) ? integerOr(-1) : skipped(-1);
      } else if (key == VALUE) {
        microOps();
      } else {
        value();
      }
    }
    in.skip();
    if (!op.hasType) {
      throw in.error(op.offset, "expected an operation with a :type, found one without");
    }
  }

  private Type type() throws IOException {
    space();
    long offset = in.offset();
    long name = name();
    if (name == OK) {
      return Type.OK;
    } else if (name == INVOKE) {
      return Type.INVOKE;
    } else if (name == FAIL) {
      return Type.FAIL;
    } else if (name == INFO) {
      return Type.INFO;
    }
    throw in.error(offset, "expected a :type of :invoke, :ok, :fail or :info");
  }

  private void process() throws IOException {
    int c = space();
    if (isNumber(c)) {
      op.process = integerOr(-1);
    } else {
      op.client = c == 'n'; // nil is a process, too; :nemesis is not a client
      value();
      op.client = op.client && c == 'n';
    }
  }

  private void microOps() throws IOException {
    int c = space();
    if (c != '[' && c != '(') {
      value();
      return;
    }
    in.skip();
    op.hasMicroOps = true;
    while (true) {
      c = space();
      if (c == ']' || c == ')') {
        in.skip();
        return;
      } else if (c == '[' || c == '(') {
        in.skip();
        microOp();
      } else if (c == ByteCursor.END) {
        throw in.unexpected("']': the file seems to be cut off");
      } else {
        op.hasMicroOps = false; // another kind of operation, such as the nemesis'
        value();
      }
    }
  }

  private void microOp() throws IOException {
    int c = space();
    long offset = in.offset();
    if (c != ':' && c != '"') {
      op.hasMicroOps = false;
      rest();
      return;
    }
    long function = name();
    int key = key();
    c = space();
    if (function == APPEND || function == WRITE) {
      MicroOps.Kind kind = function == APPEND ? MicroOps.Kind.APPEND : MicroOps.Kind.WRITE;
      op.micro.add(kind, key, element());
    } else if (function != READ) {
      throw in.error(
          offset, "expected one of the operations :append, :r and :w, found another one");
    } else if (c == ']' || c == ')') {
      op.micro.add(MicroOps.Kind.READ_NIL, key, 0);
    } else if (lists && (c == '[' || c == '(')) {
      in.skip();
      list(key);
    } else {
      read(key, c);
    }
    rest();
  }

  private void read(int key, int c) throws IOException {
    String text = c == 'n' ? text() : "";
    if (text.equals("nil") || text.equals("null")) {
      op.micro.add(MicroOps.Kind.READ_NIL, key, 0);
    } else {
      op.micro.add(MicroOps.Kind.READ_VALUE, key, c == 'n' ? names.value(text) : element());
    }
  }

  /** The elements of a list up to its end. */
  private void list(int key) throws IOException {
    int mark = op.micro.mark();
    while (true) {
      int c = space();
      if (c == ']' || c == ')') {
        in.skip();
        op.micro.addList(key, mark);
        return;
      }
      op.micro.element(element());
    }
  }

  /** Skips to the end of the current vector. */
  private void rest() throws IOException {
    for (int c = space(); c != ']' && c != ')'; c = space()) {
      value();
    }
    in.skip();
  }

  private int key() throws IOException {
    if (!isNumber(space())) {
      return names.key(form());
    }
    long integer = integer();
    return integer == NO_INTEGER ? names.key(number) : names.key(integer);
  }

  private long element() throws IOException {
    if (!isNumber(space())) {
      return names.value(form());
    }
    long integer = integer();
    return integer == NO_INTEGER ? names.value(number) : integer;
  }

  /** Any value but a plain integer, in one way of writing it. */
  private String form() throws IOException {
    int c = in.peek();
    if (c == '[' || c == '(' || c == '{' || c == '#') {
      return collection();
    } else if (c != '"') {
      return text();
    }
    String text = text();
    return isWord(text) ? text : quoted(text);
  }

  /** Whether a string can be mistaken for nothing else when it is written without quotes. */
  private static boolean isWord(String text) {
    return !text.isEmpty() && (Character.isLetter(text.charAt(0)) || text.charAt(0) == '_');
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  /** A vector, list, map or set, with single blanks; a vector and a list are equal. */
  private String collection() throws IOException {
    StringBuilder text = new StringBuilder();
    int depth = 0;
    boolean separate = false;
    do {
      int c = space();
      switch (c) {
        case ByteCursor.END -> throw in.unexpected("a value: the file seems to be cut off");
        case '[', '(', '{' -> {
          text.append(separate ? " " : "").append(c == '{' ? '{' : '[');
          in.skip();
          depth++;
          separate = false;
        }
        case ']', ')', '}' -> {
          text.append(c == '}' ? '}' : ']');
          in.skip();
          depth--;
          separate = true;
        }
        case '#' -> {
          if (tag() == Tag.DISCARDS) {
            value();
          }
        }
        default -> {
          text.append(separate ? " " : "").append(atomText(c));
          separate = true;
        }
      }
    } while (depth > 0);
    return text.toString();
  }

  private String atomText(int c) throws IOException {
    if (c == '"') {
      return quoted(text());
    } else if (!isNumber(c)) {
      return text();
    }
    long integer = integer();
    return integer == NO_INTEGER ? number : Long.toString(integer);
  }

  /** A keyword, symbol or string as written; a string without its quotes. */
  private String text() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    int c = in.peek();
    if (c == '"') {
      in.skip();
      for (c = in.next(); c != '"'; c = in.next()) {
        if (c == ByteCursor.END) {
          throw in.unexpected("'\"': the file seems to be cut off");
        }
        text.write(c == '\\' ? in.needed() : c);
      }
    } else {
      while (!isDelimiter(c)) {
        text.write(c);
        in.skip();
        c = in.peek();
      }
      if (text.size() == 0) {
        throw in.unexpected("a key or a value: a number, a keyword or a string");
      }
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  /** An integer; if it is another number, what is given. */
  private long integerOr(long instead) throws IOException {
    long integer = integer();
    return integer == NO_INTEGER ? instead : integer;
  }

  /**
   * An integer of at most 18 digits. For any other number or symbol that starts like one, {@link
   * #number} is set to its text, and the result is {@link #NO_INTEGER}.
   */
  private long integer() throws IOException {
    int c = in.peek();
    boolean negative = c == '-';
    boolean signed = negative || c == '+';
    if (signed) {
      in.skip();
      c = in.peek();
    }
    long value = 0;
    int digits = 0;
    while (c >= '0' && c <= '9' && digits < MAX_DIGITS) {
      value = 10 * value + c - '0';
      digits++;
      in.skip();
      c = in.peek();
    }
    if (c == 'N') {
      in.skip(); // a Clojure big integer
      c = in.peek();
    }
    if (digits > 0 && isDelimiter(c)) {
      return negative ? -value : value;
    }
    String rest = isDelimiter(c) ? "" : text();
    String sign = negative ? "-" : signed && digits == 0 ? "+" : "";
    number = digits == 0 ? sign + rest : canonical(sign + value + rest);
    return NO_INTEGER;
  }

  /** A number that is no small integer: 1.50 and 1.5 are equal, 1 and 1.0 are not. */
  private static String canonical(String number) {
    if (number.endsWith("N")) {
      return number.substring(0, number.length() - 1);
    } else if (number.chars().allMatch(c -> c == '-' || c >= '0' && c <= '9')) {
      return number;
    }
    try {
      return number.endsWith("M") ? number : Double.toString(Double.parseDouble(number));
    } catch (NumberFormatException e) {
      return number; // a ratio
    }
  }

  /** The key of a map; in JSON also the colon after it. */
  private long mapKey() throws IOException {
    int c = in.peek();
    if (c != ':' && c != '"') {
      if (c == ByteCursor.END) {
        throw in.unexpected("'}': the file seems to be cut off");
      }
      value();
      return 0;
    }
    long name = name();
    if (c == '"' && space() == ':') {
      in.skip();
    }
    return name;
  }

  /** A keyword or string, its first eight characters packed into a number; 0 if it is longer. */
  private long name() throws IOException {
    int c = in.peek();
    boolean quoted = c == '"';
    if (quoted || c == ':') {
      in.skip();
      c = in.peek();
    }
    long name = 0;
    int length = 0;
    while (quoted ? c != '"' && c != ByteCursor.END : !isDelimiter(c)) {
      name = name << 8 | c;
      length++;
      in.skip();
      c = in.peek();
    }
    if (quoted) {
      in.skip();
    }
    return length <= Long.BYTES ? name : 0;
  }

  private static long packed(String name) {
    long packed = 0;
    for (int i = 0; i < name.length(); i++) {
      packed = packed << 8 | name.charAt(i);
    }
    return packed;
  }

  private long skipped(long instead) throws IOException {
    value();
    return instead;
  }

  /** Skips any value, however deep. Iterative, so that no file can exhaust the stack. */
  private void value() throws IOException {
    int depth = 0;
    int needed = 1;
    while (needed > 0) {
      int c = space();
      boolean whole = true;
      switch (c) {
        case ByteCursor.END -> throw in.unexpected("a value: the file seems to be cut off");
        case '[', '(', '{' -> {
          in.skip();
          depth++;
        }
        case ']', ')', '}' -> {
          if (depth == 0) {
            throw in.unexpected("a value");
          }
          in.skip();
          depth--;
        }
        case '#' -> {
          Tag tag = tag();
          whole = tag == Tag.ITSELF;
          needed += tag == Tag.DISCARDS && depth == 0 ? 1 : 0;
        }
        case '"' -> text();
        case '\\' -> {
          in.skip();
          in.needed();
          atom();
        }
        default -> {
          in.skip();
          atom();
        }
      }
      needed -= depth == 0 && whole ? 1 : 0;
    }
  }

  private void atom() throws IOException {
    while (!isDelimiter(in.peek())) {
      in.skip();
    }
  }

  /** What follows a {@code #}. */
  private enum Tag {
    /** A name, or nothing: the next form is the value. */
    OF_NEXT,
    /** {@code #_}: the next form is discarded. */
    DISCARDS,
    /** {@code ##Inf}: a value itself. */
    ITSELF
  }

  private Tag tag() throws IOException {
    in.skip();
    switch (in.peek()) {
      case '_' -> {
        in.skip();
        return Tag.DISCARDS;
      }
      case '#' -> {
        atom();
        return Tag.ITSELF;
      }
      case '{' -> {
        return Tag.OF_NEXT;
      }
      default -> {
        atom();
        return Tag.OF_NEXT;
      }
    }
  }

  /** Skips separators and comments; returns the next byte without consuming it. */
  private int space() throws IOException {
    while (true) {
      int c = in.peek();
      if (c == ';') {
        while (c != '\n' && c != ByteCursor.END) {
          in.skip();
          c = in.peek();
        }
      } else if (c > ' ' && c != ',' || c == ByteCursor.END) {
        return c;
      } else {
        in.skip();
      }
    }
  }

  private static boolean isNumber(int c) {
    return c >= '0' && c <= '9' || c == '-' || c == '+';
  }

  private static boolean isDelimiter(int c) {
    return switch (c) {
      case ByteCursor.END, ',', '[', ']', '(', ')', '{', '}', '"', ';' -> true;
      default -> c <= ' ';
    };
  }
}
