package io.txwatch.format;

import io.txwatch.history.HistoryFormatException;
import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads the text format of Plume and PolySI: a line for each operation, {@code
 * w(key,value,session,transaction)} or {@code r(key,value,session,transaction)}. Transaction -1
 * stands for all that aborted.
 *
 * <p>After {@code history/loaders/TextHistoryLoader.java} of hengxin/PolySI-PVLDB2023-Artifacts and
 * the histories named {@code text} in dracoooooo/Plume, and {@code
 * history/loader/TextHistoryLoader.java} of hengxin/IsoVista, which numbers aborted transactions
 * -1. Every register starts with 0.
 */
final class PlumeReader {

  private static final String EXPECTED =
      "an operation such as w(1,2,0,0): key, value, session, transaction";

  private static final long ABORTED = -1;

  private final ByteCursor in;
  private final KeyNumbering names = new KeyNumbering();

  private PlumeReader(ByteCursor in) {
    this.in = in;
  }

  /**
   * Reads a file.
   *
   * @throws HistoryFormatException if a line has another format
   */
  static RegisterHistory read(Path file) throws IOException {
    try (ByteCursor in = new ByteCursor(file)) {
      return new PlumeReader(in).history();
    }
  }

  private RegisterHistory history() throws IOException {
    RegisterHistory.Builder history =
        RegisterHistory.builder("register history", names).initialValue(0);
    for (int c = space(); c != ByteCursor.END; c = space()) {
      if (c != 'r' && c != 'w') {
        throw in.unexpected(EXPECTED);
      }
      in.skip();
      int key = names.key(number('('));
      long value = number(',');
      long session = label();
      long transaction = label();
      if (space() != ')') {
        throw in.unexpected("')' after " + EXPECTED);
      }
      in.skip();
      if (transaction == ABORTED) {
        history.begin(session, "session " + session, ABORTED, Outcome.ABORTED);
      } else {
        history.continueOrBegin(session, "session " + session, transaction, Outcome.COMMITTED);
      }
      if (c == 'w') {
        history.write(key, value);
      } else {
        history.read(key, value);
      }
    }
    return history.build();
  }

  private long number(char before) throws IOException {
    separator(before);
    return in.nextNumber("a number in " + EXPECTED);
  }

  private long label() throws IOException {
    separator(',');
    return in.nextLabel("a number in " + EXPECTED);
  }

  private void separator(char before) throws IOException {
    if (space() != before) {
      throw in.unexpected("'" + before + "' in " + EXPECTED);
    }
    in.skip();
    space();
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
