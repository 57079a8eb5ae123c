package io.txwatch.format;

import io.txwatch.history.HistoryFormatException;
import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads Cobra's logs: a file {@code *.log} for each client, with consecutive records and big-endian
 * 8-byte numbers.
 *
 * <pre>
 *  S transaction [time]                      begin
 *  W write key value                         a write; each write has its own number
 *  R transaction write key value             a read of that write of that transaction
 *  C transaction [time]                      commit
 *  </pre>
 *
 * <p>After {@code CobraLogLoader} of DBCobra/CobraVerifier, as described in {@code
 * history/loaders/CobraHistoryLoader.java} of hengxin/PolySI-PVLDB2023-Artifacts. A read of an
 * initial value has one of Cobra's two marks instead of a transaction and a write.
 */
final class CobraReader {

  private static final long INITIAL_MARK = 0xbebe_ebeeL;
  private static final long NULL_MARK = 0xdead_beefL;
  private static final long GARBAGE_COLLECTED = 0x2333_2333L;
  private static final long NOT_GARBAGE_COLLECTED = 0x6666_6666L;

  private final ByteCursor in;
  private final KeyNumbering names;
  private final RegisterHistory.Builder history;

  private CobraReader(ByteCursor in, KeyNumbering names, RegisterHistory.Builder history) {
    this.in = in;
    this.names = names;
    this.history = history;
  }

  /** The logs in a directory, sorted by name. */
  static List<Path> logs(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
  }

  /**
   * Reads a directory of logs, or one log.
   *
   * @throws HistoryFormatException if a log has another format, or there is none
   */
  static RegisterHistory read(Path path) throws IOException {
    List<Path> logs = Files.isDirectory(path) ? logs(path) : List.of(path);
    if (logs.isEmpty()) {
      throw new HistoryFormatException(path, 0, "expected Cobra's logs (*.log) in that directory");
    }
    KeyNumbering names = new KeyNumbering();
    RegisterHistory.Builder history = RegisterHistory.builder("register history", names);
    for (int session = 0; session < logs.size(); session++) {
      Path log = logs.get(session);
      try (ByteCursor in = new ByteCursor(log)) {
        try {
          new CobraReader(in, names, history).log(session, String.valueOf(log.getFileName()));
        } catch (EOFException e) {
          throw new HistoryFormatException(
              log, in.offset(), "the file ends within a record of Cobra: it seems to be cut off");
        }
      }
    }
    return history.build();
  }

  private void log(int session, String name) throws IOException {
    boolean inTransaction = false;
    boolean timed = false;
    boolean first = true;
    long transaction = 0;
    for (int record = in.next(); record != ByteCursor.END; record = in.next()) {
      boolean starts = record == 'S';
      if (starts == inTransaction && record != 'S' || first && !starts) {
        throw unexpected(record);
      }
      switch (record) {
        case 'S' -> {
          transaction = in.nextLong();
          // A start without a commit before it: the client does not know the outcome of the
          // previous one.
          history.begin(session, name, transaction, Outcome.UNKNOWN);
          inTransaction = true;
          if (first) {
            int next = in.peek();
            timed = next != 'R' && next != 'W' && next != 'C' && next != ByteCursor.END;
            first = false;
          }
          skipTime(timed);
        }
        case 'C' -> {
          long offset = in.offset();
          long committed = in.nextLong();
          if (committed != transaction) {
            throw in.error(
                offset,
                "expected the commit of transaction "
                    + transaction
                    + ", found that of "
                    + committed);
          }
          history.outcome(Outcome.COMMITTED);
          inTransaction = false;
          skipTime(timed);
        }
        case 'W' -> {
          long write = in.nextLong();
          int key = names.key(in.nextLong());
          in.nextLong();
          history.write(key, write);
        }
        case 'R' -> read();
        default -> throw unexpected(record);
      }
    }
  }

  private void skipTime(boolean timed) throws IOException {
    if (timed) {
      in.nextLong();
    }
  }

  private void read() throws IOException {
    long transaction = in.nextLong();
    long write = in.nextLong();
    int key = names.key(in.nextLong());
    in.nextLong();
    boolean initial = transaction == INITIAL_MARK || transaction == NULL_MARK;
    if (initial && (write == INITIAL_MARK || write == NULL_MARK)) {
      history.readUnwritten(key);
    } else if (!initial || write != GARBAGE_COLLECTED && write != NOT_GARBAGE_COLLECTED) {
      history.read(key, write);
    }
  }

  private HistoryFormatException unexpected(int record) throws IOException {
    return in.error(
        in.offset() - 1,
        "expected a record of Cobra: S, then R and W, then C; found byte " + record);
  }
}
