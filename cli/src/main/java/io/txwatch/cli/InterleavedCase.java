package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.Interleaved;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What was found by executing a case's sessions in every order.
 *
 * @param bound which orders were executed, or were to be
 */
record InterleavedCase(
    Path file, Dbms dbms, IsolationLevel level, String bound, Interleaved found) {

  /** Prints it, on standard output as JSON if that is wanted. */
  void report(Console console, boolean json) throws IOException {
    ExploredOrders orders = ExploredOrders.of(found, bound);
    if (json) {
      orders.writeJson(
          console.out(),
          more -> {
            more.writeStringField("case", file.toString());
            more.writeStringField("dbms", dbms.describe());
            more.writeStringField("isolation", level.name());
          });
    }
    orders.print(console.textOut(json), file + " on " + dbms.describe() + " at " + level);
  }
}
