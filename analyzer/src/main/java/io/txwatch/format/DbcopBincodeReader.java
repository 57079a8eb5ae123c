package io.txwatch.format;

import io.txwatch.history.HistoryFormatException;
import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads dbcop's histories in bincode: Rust's structures field by field, little-endian 8-byte
 * numbers, each sequence preceded by its length.
 *
 * <p>After {@code src/db/history.rs} of amnore/dbcop (the version that PolySI and Plume use) and
 * {@code history/loaders/DBCopHistoryLoader.java} of hengxin/PolySI-PVLDB2023-Artifacts. Every
 * register starts with 0. Unsuccessful events are ignored.
 */
final class DbcopBincodeReader {

  private static final int PARAMETER_COUNT = 5;
  private static final long MAX_PLAUSIBLE_NUMBER = 1L << 40;
  private static final int MAX_TEXT_LENGTH = 1 << 16;

  private DbcopBincodeReader() {}

  /** Whether a file may start with this: five small numbers, a text, and a date. */
  static boolean looksLike(String head) {
    int at = 0;
    for (int i = 0; i < PARAMETER_COUNT; i++, at += Long.BYTES) {
      if (littleEndian(head, at) >= MAX_PLAUSIBLE_NUMBER) {
        return false;
      }
    }
    long info = littleEndian(head, at);
    if (info >= MAX_TEXT_LENGTH) {
      return false;
    }
    at += Long.BYTES + (int) info;
    long date = littleEndian(head, at);
    return date >= 10 && date < 64 && head.length() > at + 12 && head.charAt(at + 12) == '-';
  }

  private static long littleEndian(String text, int at) {
    if (at + Long.BYTES > text.length()) {
      return Long.MAX_VALUE;
    }
    long value = 0;
    for (int i = Long.BYTES - 1; i >= 0; i--) {
      value = value << 8 | text.charAt(at + i);
    }
    return value < 0 ? Long.MAX_VALUE : value;
  }

  /**
   * Reads a file.
   *
   * @throws HistoryFormatException if it is truncated or malformed
   */
  static RegisterHistory read(Path file) throws IOException {
    try (ByteCursor in = new ByteCursor(file)) {
      try {
        return history(in);
      } catch (EOFException e) {
        throw new HistoryFormatException(
            file, in.offset(), "the file ends within a history of dbcop: it seems to be cut off");
      }
    }
  }

  private static RegisterHistory history(ByteCursor in) throws IOException {
    KeyNumbering names = new KeyNumbering();
    RegisterHistory.Builder history =
        RegisterHistory.builder("register history", names).initialValue(0);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
      in.nextLittleEndianLong();
    }
    for (int i = 0; i < 3; i++) { // info, start, end
      long length = count(in, MAX_TEXT_LENGTH);
      for (long j = 0; j < length; j++) {
        in.needed();
      }
    }
    long sessions = count(in, MAX_PLAUSIBLE_NUMBER);
    for (long session = 0; session < sessions; session++) {
      long transactions = count(in, MAX_PLAUSIBLE_NUMBER);
      for (long t = 0; t < transactions; t++) {
        transaction(in, names, history, session);
      }
    }
    if (in.peek() != ByteCursor.END) {
      throw in.unexpected("the end of the file after its last session");
    }
    return history.build();
  }

  private static void transaction(
      ByteCursor in, KeyNumbering names, RegisterHistory.Builder history, long session)
      throws IOException {
    history.begin(session, "session " + session, -1, Outcome.ABORTED);
    long events = count(in, MAX_PLAUSIBLE_NUMBER);
    for (long i = 0; i < events; i++) {
      boolean write = flag(in);
      int key = names.key(in.nextLittleEndianLong());
      long value = in.nextLittleEndianLong();
      if (!flag(in)) {
        continue;
      }
      if (write) {
        history.write(key, value);
      } else {
        history.read(key, value);
      }
    }
    if (flag(in)) {
      history.outcome(Outcome.COMMITTED);
    }
  }

  private static boolean flag(ByteCursor in) throws IOException {
    int flag = in.needed();
    if (flag > 1) {
      throw in.error(
          in.offset() - 1, "expected a yes or no (1 or 0) of dbcop's bincode, found " + flag);
    }
    return flag == 1;
  }

  private static long count(ByteCursor in, long most) throws IOException {
    long offset = in.offset();
    long count = in.nextLittleEndianLong();
    if (count < 0 || count >= most) {
      throw in.error(offset, "expected a length in dbcop's bincode, found " + count);
    }
    return count;
  }
}
