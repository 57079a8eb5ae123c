package io.txwatch.format;

import io.txwatch.history.Outcome;
import io.txwatch.listappend.ListHistory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads Elle's list-append histories (jepsen-io/elle, {@code list_append.clj}): {@code [:append k
 * v]}, {@code [:r k [v …]]}, and {@code nil} for an empty list.
 */
final class ElleLists {

  private ElleLists() {}

  static ListHistory read(Path file) throws IOException {
    KeyNumbering names = new KeyNumbering();
    ListHistory history = new ListHistory(names);
    ElleTransactions transactions =
        new ElleTransactions(
            file,
            (process, before, index, outcome, micro) -> {
              history.begin(process, before, index, outcome);
              for (int i = 0; i < micro.size(); i++) {
                add(history, outcome, micro, i);
              }
            });
    ElleReader.read(file, names, true, transactions);
    transactions.end();
    return history;
  }

  private static void add(ListHistory history, Outcome outcome, MicroOps micro, int i) {
    int key = micro.key(i);
    switch (micro.kind(i)) {
      case APPEND -> history.append(key, micro.value(i));
      case READ_LIST -> history.read(key, micro.elements(), micro.start(i), (int) micro.value(i));
      case READ_NIL -> {
        if (outcome == Outcome.COMMITTED) {
          history.read(key, micro.elements(), 0, 0);
        } else {
          history.readUnknown(key);
        }
      }
      case WRITE, READ_VALUE -> throw new IllegalStateException("a register among lists");
    }
  }
}
