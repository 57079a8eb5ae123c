package io.txwatch.format;

import io.txwatch.format.ElleOp.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
 * any order. Unknown keys of an operation are skipped with their values, including tagged literals
 * ({@code #jepsen.history.Op{…}}) and comments. What an operation's value states is never skipped:
 * if it is not a transaction of the expected kind, the operation gets a {@linkplain ElleOp#problem
 * problem}, which is an error unless the operation is the nemesis'.
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

  /** The deepest nesting of discarded forms. */
  private static final int MAX_DISCARDS = 100;

  static final String EXPECTED =
      "not a history of transactions that check can judge: expected a :value such as [[:append 1 2]"
          + " [:r 1 [2]]], or [[:w 1 2] [:r 1 2]]; histories of banks, sets, counters, queues and"
          + " single registers (Knossos) are none";

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
  private final KeyNumbering names;
  private final boolean lists;
  private final ElleOp op = new ElleOp();

  /** The text of a number that {@link #integer} did not read. */
  private String number = "";

  private int discards;

  private ElleReader(ByteCursor in, KeyNumbering names, boolean lists) {
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
  static void read(Path file, KeyNumbering names, boolean lists, Sink sink) throws IOException {
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
          if (depth == 0) {
            throw in.unexpected("an operation of Elle, or the end of the file");
          }
          in.skip();
          depth--;
        }
        case '#' -> tag();
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
    boolean hasProcess = false;
    boolean hasValue = false;
    while (space() != '}') {
      long offset = in.offset();
      long key = mapKey();
      if (key == TYPE && op.hasType || key == PROCESS && hasProcess || key == VALUE && hasValue) {
        throw in.error(offset, "expected an operation with each key once, found one twice");
      }
      hasProcess |= key == PROCESS;
      hasValue |= key == VALUE;
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
    } else if (op.client && op.problem != null) {
      if (!(op.valueIsRemark && (op.type == Type.FAIL || op.type == Type.INFO))) {
        throw in.error(op.problemOffset, op.problem);
      }
    } else if (op.client && op.type == Type.OK && !op.hasMicroOps) {
      throw in.error(op.offset, EXPECTED);
    } else if (op.client && op.type == Type.OK && op.readWithoutResult >= 0) {
      throw in.error(op.readWithoutResult, "expected the result of a read that is :ok, found none");
    }
  }

  private void problem(long offset, String problem) {
    op.hasMicroOps = false;
    if (op.problem == null) {
      op.problem = problem;
      op.problemOffset = offset;
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
    long offset = in.offset();
    if (isNumber(c)) {
      op.process = integer();
      if (op.process < 0) {
        throw in.error(offset, "expected a :process of at most 18 digits");
      }
      return;
    }
    String process = form();
    op.client = !process.equals(":nemesis") && !process.equals("\"nemesis\"");
    if (op.client && !isNil(process)) { // nil is a process, too
      throw in.error(offset, "expected a :process that is an integer, nil or :nemesis");
    }
  }

  private static boolean isNil(String text) {
    return text.equals("nil") || text.equals("null");
  }

  private void microOps() throws IOException {
    int c = space();
    long start = in.offset();
    if (c != '[' && c != '(') {
      boolean collection = c == '{' || c == '#';
      boolean absent = c == 'n' && isNil(text());
      if (c != 'n') {
        value();
      }
      if (!absent) {
        op.valueIsRemark = !collection && !isNumber(c);
        problem(start, EXPECTED);
      }
      return;
    }
    in.skip();
    op.hasMicroOps = true;
    while (true) {
      c = space();
      if (c == ']' || c == ')') {
        in.skip();
        op.hasMicroOps &= op.problem == null;
        return;
      } else if (c == '[' || c == '(') {
        in.skip();
        microOp();
      } else if (c == ByteCursor.END) {
        throw in.unexpected("']': the file seems to be cut off");
      } else {
        problem(start, EXPECTED); // another kind of operation, such as the nemesis'
        value();
      }
    }
  }

  private void microOp() throws IOException {
    int c = space();
    long offset = in.offset();
    if (c != ':' && c != '"') {
      problem(offset, EXPECTED);
      rest();
      return;
    }
    long function = name();
    if (function != APPEND && function != WRITE && function != READ) {
      problem(offset, "expected one of the operations :append, :r and :w, found another one");
      rest();
      return;
    }
    int key = key();
    c = space();
    if (function == READ) {
      result(key, c, offset);
    } else {
      if (function != (lists ? APPEND : WRITE)) {
        problem(
            offset,
            lists
                ? "expected appends and reads of lists, found a write of a register: a history must"
                    + " be of one kind (--format elle-register)"
                : "expected writes and reads of registers, found an append: a history must be of"
                    + " one kind (--format elle-append)");
      }
      boolean nil = !lists && c == 'n';
      long element = element();
      if (nil && isNil(names.valueText(element))) {
        problem(offset, "expected a value that is written, found nil, which stands for no value");
      }
      op.micro.add(lists ? MicroOps.Kind.APPEND : MicroOps.Kind.WRITE, key, element);
    }
    if (rest() > 0) {
      problem(offset, "expected an operation of three parts, such as [:append 1 2], found more");
    }
  }

  private void result(int key, int c, long offset) throws IOException {
    if (c == ']' || c == ')') {
      op.readWithoutResult = offset;
      op.micro.add(MicroOps.Kind.READ_NIL, key, 0);
    } else if (lists && (c == '[' || c == '(')) {
      in.skip();
      list(key);
    } else {
      read(key, c, offset);
    }
  }

  private void read(int key, int c, long offset) throws IOException {
    String text = c == 'n' ? text() : "";
    if (isNil(text)) {
      op.micro.add(MicroOps.Kind.READ_NIL, key, 0);
      return;
    }
    op.micro.add(MicroOps.Kind.READ_VALUE, key, c == 'n' ? names.value(text) : element());
    if (lists) {
      problem(
          offset,
          "expected a read that returns a list, such as [:r 1 [2 3]], or nil; a set has no order,"
              + " and registers are read with --format elle-register");
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

  /** Skips to the end of the current vector; returns the number of values skipped. */
  private int rest() throws IOException {
    int skipped = 0;
    for (int c = space(); c != ']' && c != ')'; c = space()) {
      value();
      skipped++;
    }
    in.skip();
    return skipped;
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

  /** Any value but a plain integer, in one way of writing it: equal values have equal texts. */
  private String form() throws IOException {
    int c = in.peek();
    return c == '[' || c == '(' || c == '{' || c == '#' ? collection() : atomText(c);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** A collection that is being read: its tag, how it begins, and its values. */
  private record Form(String tag, String start, List<String> values) {

    /** A vector equals a list; maps and sets are equal in any order. */
    String text() {
      List<String> ordered = values;
      if (start.equals("{")) {
        ordered = new ArrayList<>();
        for (int i = 0; i < values.size(); i += 2) {
          ordered.add(values.get(i) + (i + 1 < values.size() ? " " + values.get(i + 1) : ""));
        }
      }
      if (!start.equals("[")) {
        ordered = ordered.stream().sorted().toList();
      }
      return tag + start + String.join(" ", ordered) + (start.equals("[") ? "]" : "}");
    }
  }

  /** A vector, list, map or set, or a value with a tag. Iterative, however deep it is. */
  private String collection() throws IOException {
    Deque<Form> open = new ArrayDeque<>();
    String tag = "";
    while (true) {
      int c = space();
      @Nullable String value = null;
      switch (c) {
        case ByteCursor.END -> throw in.unexpected("a value: the file seems to be cut off");
        case '[', '(', '{' -> {
          in.skip();
          boolean set = c == '{' && tag.endsWith("#");
          String start = set ? "{" : c == '{' ? "{" : "[";
          open.push(new Form(tag, set ? "#" : start, new ArrayList<>()));
          tag = "";
        }
        case ']', ')', '}' -> {
          Form closed = open.poll();
          if (closed == null || !tag.isEmpty() || closed.start.equals("[") == (c == '}')) {
            throw in.unexpected("a value");
          }
          in.skip();
          value = closed.text();
        }
        case '#' -> {
          String next = tagText();
          value = next.startsWith("##") ? tag + next : null;
          tag = value == null ? tag + next : "";
        }
        case ':' -> {
          Form of = open.peek();
          boolean afterKey = of != null && of.start.equals("{") && of.values.size() % 2 == 1;
          if (afterKey && isDelimiter(in.peekSecond())) {
            in.skip(); // the colon of JSON
          } else {
            value = tag + atomText(c);
            tag = "";
          }
        }
        default -> {
          value = tag + atomText(c);
          tag = "";
        }
      }
      if (value != null && open.isEmpty()) {
        return value;
      } else if (value != null) {
        open.element().values.add(value);
      }
    }
  }

  /** A tag with a blank behind it, {@code #} of a set, or a value such as {@code ##Inf}. */
  private String tagText() throws IOException {
    in.skip();
    if (in.peek() == '{') {
      return "#";
    }
    StringBuilder text = new StringBuilder("#");
    while (!isDelimiter(in.peek())) {
      text.append((char) in.next());
    }
    return text.toString().startsWith("##") ? text.toString() : text.append(' ').toString();
  }

  private String atomText(int c) throws IOException {
    if (c == '"') {
      return quoted(text());
    } else if (c == '\\') {
      in.skip();
      return "\\" + (char) in.needed() + (isDelimiter(in.peek()) ? "" : text());
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
        if (c == '\\') {
          escape(text);
        } else {
          text.write(c);
        }
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

  /** The character behind a backslash, in UTF-8. */
  private void escape(ByteArrayOutputStream text) throws IOException {
    int c = in.needed();
    switch (c) {
      case 'n' -> text.write('\n');
      case 't' -> text.write('\t');
      case 'r' -> text.write('\r');
      case 'b' -> text.write('\b');
      case 'f' -> text.write('\f');
      case 'u' -> {
        char unit = codeUnit();
        String character = String.valueOf(unit);
        if (Character.isHighSurrogate(unit) && in.peek() == '\\' && in.peekSecond() == 'u') {
          in.skip();
          in.skip();
          character += codeUnit();
        }
        text.writeBytes(character.getBytes(StandardCharsets.UTF_8));
      }
      default -> text.write(c);
    }
  }

  private char codeUnit() throws IOException {
    int unit = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(in.peek(), 16);
      if (digit < 0) {
        throw in.unexpected("four hexadecimal digits");
      }
      in.skip();
      unit = unit << 4 | digit;
    }
    return (char) unit;
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
      if (quoted && c == '\\') {
        in.skip();
        length = Long.BYTES; // no name that is looked for
      }
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
        case '#' -> whole = tag() == Tag.ITSELF;
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
    /** {@code ##Inf}: a value itself. */
    ITSELF
  }

  private Tag tag() throws IOException {
    in.skip();
    switch (in.peek()) {
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

  /**
   * Skips separators, comments and discarded forms ({@code #_}); returns the next byte without
   * consuming it.
   */
  private int space() throws IOException {
    int discarded = 0;
    while (true) {
      int c = separators();
      if (c == '#' && in.peekSecond() == '_') {
        in.skip();
        in.skip();
        discarded++;
      } else if (discarded > 0) {
        discarded--;
        if (discards == MAX_DISCARDS) {
          throw in.error("expected at most " + MAX_DISCARDS + " nested forms that are discarded");
        }
        discards++;
        value();
        discards--;
      } else {
        return c;
      }
    }
  }

  private int separators() throws IOException {
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
