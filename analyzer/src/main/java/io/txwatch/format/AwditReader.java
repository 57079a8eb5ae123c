package io.txwatch.format;

import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads AWDIT's text for tests: a line for each operation of a committed transaction, {@code w KEY
 * VALUE} or {@code r KEY VALUE}. A line of dashes separates the transactions of a session, a line
 * of equals signs the sessions.
 *
 * <p>After {@code parse_test_history} in {@code src/formats.rs} of lassemoldrup/AWDIT. Registers
 * have no initial value: the first session of its histories writes them.
 */
final class AwditReader {

  private static final String EXPECTED =
      "an operation such as 'w 1 2', '---' between transactions or '===' between sessions";

  private final ByteCursor in;
  private final KeyNumbering names = new KeyNumbering();

  private AwditReader(ByteCursor in) {
    this.in = in;
  }

  /**
   * Reads a file.
   *
   * @throws io.txwatch.history.HistoryFormatException if a line has another format
   */
  static RegisterHistory read(Path file) throws IOException {
    try (ByteCursor in = new ByteCursor(file)) {
      return new AwditReader(in).history();
    }
  }

  private RegisterHistory history() throws IOException {
    RegisterHistory.Builder history = RegisterHistory.builder("register history", names);
    long session = 0;
    long transaction = 0;
    boolean begun = false;
    for (int c = space(); c != ByteCursor.END; c = space()) {
      in.skip();
      if (c == '-' || c == '=') {
        session += c == '=' && in.peek() != '=' ? 1 : 0;
        transaction += begun ? 1 : 0;
        begun = false;
      } else if (c == 'r' || c == 'w') {
        if (!begun) {
          history.begin(session, "session " + session, transaction, Outcome.COMMITTED);
          begun = true;
        }
        int key = names.key(number());
        long value = number();
        if (c == 'w') {
          history.write(key, value);
        } else {
          history.read(key, value);
        }
      } else {
        throw in.error(in.offset() - 1, "expected " + EXPECTED);
      }
    }
    return history.build();
  }

  private long number() throws IOException {
    space();
    return in.nextNumber("a number in " + EXPECTED);
  }

  private int space() throws IOException {
    int c = in.peek();
    while (c != ByteCursor.END && c <= ' ') {
      in.skip();
      c = in.peek();
    }
    return c;
  }
}
