package io.txwatch.format;

import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads Elle's rw-register histories (jepsen-io/elle, {@code rw_register.clj}): {@code [:w k v]},
 * {@code [:r k v]}, and {@code nil} for a register without a write.
 */
final class ElleRegisters {

  private ElleRegisters() {}

  static RegisterHistory read(Path file) throws IOException {
    KeyNumbering names = new KeyNumbering();
    RegisterHistory.Builder history = RegisterHistory.builder("rw-register history", names);
    ElleTransactions transactions =
        new ElleTransactions(
            file,
            (process, before, index, outcome, micro) -> {
              history.begin(process, "process " + process, index, outcome);
              history.startedAfter(before);
              for (int i = 0; i < micro.size(); i++) {
                add(history, outcome, micro, i);
              }
            });
    ElleReader.read(file, names, false, transactions);
    transactions.end();
    return history.build();
  }

  private static void add(RegisterHistory.Builder history, Outcome outcome, MicroOps micro, int i) {
    switch (micro.kind(i)) {
      case WRITE -> history.write(micro.key(i), micro.value(i));
      case READ_VALUE -> history.read(micro.key(i), micro.value(i));
      case READ_NIL -> {
        if (outcome == Outcome.COMMITTED) {
          history.readUnwritten(micro.key(i));
        }
      }
      case APPEND, READ_LIST -> throw new IllegalStateException("a list among registers");
    }
  }
}
