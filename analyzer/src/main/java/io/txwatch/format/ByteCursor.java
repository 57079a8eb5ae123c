package io.txwatch.format;

import io.txwatch.history.HistoryFormatException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a file's bytes from front to back, and reports errors with their position. */
final class ByteCursor implements Closeable {

  /** What {@link #peek} and {@link #next} return after the last byte. */
  static final int END = -1;

  private static final int BUFFER = 1 << 18;

  private final Path file;
  private final InputStream in;
  private final byte[] bytes = new byte[BUFFER];
  private long before;
  private int at;
  private int end;
  private boolean readNegative;
  private boolean readHuge;

  ByteCursor(Path file) throws IOException {
    this.file = file;
    this.in = Files.newInputStream(file);
  }

  /** The next byte, without consuming it; {@link #END} if there is none. */
  int peek() throws IOException {
    return at < end || fill() ? bytes[at] & 0xff : END;
  }

  /** The next byte; {@link #END} if there is none. */
  int next() throws IOException {
    return at < end || fill() ? bytes[at++] & 0xff : END;
  }

  /** Consumes the byte that was peeked. */
  void skip() {
    at++;
  }

  /** The byte behind the next one, without consuming either; {@link #END} if there is none. */
  int peekSecond() throws IOException {
    if (peek() != END && at + 1 == end) {
      before += at;
      bytes[0] = bytes[at];
      at = 0;
      end = 1 + Math.max(0, in.read(bytes, 1, bytes.length - 1));
    }
    return at + 1 < end ? bytes[at + 1] & 0xff : END;
  }

  /** The offset of the next byte, from 0. */
  long offset() {
    return before + at;
  }

  /** Eight bytes, most significant first. */
  long nextLong() throws IOException {
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = value << 8 | needed();
    }
    return value;
  }

  /** Eight bytes, least significant first. */
  long nextLittleEndianLong() throws IOException {
    return Long.reverseBytes(nextLong());
  }

  /**
   * A decimal number of up to 64 bits, with or without a sign. One above 2^63 wraps around: it
   * stays distinct from all others, since a file with such numbers may have no negative ones.
   *
   * @param expected what to expect, for the message
   */
  long nextNumber(String expected) throws IOException {
    boolean negative = peek() == '-';
    if (negative) {
      skip();
    }
    if (!isDigit(peek())) {
      throw unexpected(expected);
    }
    long value = 0;
    while (isDigit(peek())) {
      int digit = peek() - '0';
      if (Long.compareUnsigned(value, Long.divideUnsigned(-1L - digit, 10)) > 0) {
        throw error("expected " + expected + " of up to 64 bits");
      }
      value = 10 * value + digit;
      skip();
    }
    if (negative && (value < 0 && value != Long.MIN_VALUE)) {
      throw error("expected " + expected + " of up to 64 bits");
    }
    readNegative |= negative && value != 0;
    readHuge |= !negative && value < 0;
    if (readNegative && readHuge) {
      throw error("expected numbers of 64 bits, either with a sign or without, found both");
    }
    return negative ? -value : value;
  }

  /**
   * A decimal number that names something, from -2^63 to 2^63 - 1.
   *
   * @param expected what to expect, for the message
   */
  long nextLabel(String expected) throws IOException {
    boolean negative = readNegative;
    boolean huge = readHuge;
    readNegative = false;
    readHuge = false;
    long label = nextNumber(expected);
    if (readHuge) {
      throw error("expected " + expected + " of up to 63 bits");
    }
    readNegative = negative;
    readHuge = huge;
    return label;
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  /** A byte that must exist. */
  int needed() throws IOException {
    int next = next();
    if (next == END) {
      throw new EOFException();
    }
    return next;
  }

  /**
   * An error that something else was expected here, with the line.
   *
   * @param expected what was expected, and what the user can do about it
   */
  HistoryFormatException unexpected(String expected) throws IOException {
    int found = peek();
    String what =
        found == END
            ? "the file ends"
            : found > 0x20 && found < 0x7f ? "'" + (char) found + "'" : "byte " + found;
    return error("expected " + expected + ", found " + what);
  }

  HistoryFormatException error(String what) throws IOException {
    return error(offset(), what);
  }

  HistoryFormatException error(long offset, String what) throws IOException {
    return error(file, offset, what);
  }

  /** An error at a place of a file, with the line. */
  static HistoryFormatException error(Path file, long offset, String what) throws IOException {
    return new HistoryFormatException(file, offset, "line " + line(file, offset) + ": " + what);
  }

  private static long line(Path file, long offset) throws IOException {
    long line = 1;
    try (InputStream again = Files.newInputStream(file)) {
      byte[] chunk = new byte[BUFFER];
      long left = offset;
      for (int read = again.read(chunk); read > 0 && left > 0; read = again.read(chunk)) {
        for (int i = 0; i < Math.min(read, left); i++) {
          line += chunk[i] == '\n' ? 1 : 0;
        }
        left -= read;
      }
    }
    return line;
  }

  private boolean fill() throws IOException {
    before += end;
    at = 0;
    end = Math.max(0, in.read(bytes));
    return end > 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /** The first bytes of a file, as ISO 8859-1. */
  static String head(Path file, int length) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
    }
  }
}
