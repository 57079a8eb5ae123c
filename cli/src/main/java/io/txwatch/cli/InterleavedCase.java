package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.Interleaved;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What was found by executing a case's sessions in every order.
 *
 * @param bound which orders were executed, or were to be
 */
record InterleavedCase(
    Path file, Dbms dbms, IsolationLevel level, String bound, Interleaved found) {

  /** Prints it, on standard output as JSON if that is wanted. */
  void report(Console console, boolean json) throws IOException {
    if (json) {
      writeJson(console.out());
    }
    print(console.textOut(json));
  }

  /** What the dependency graph of the order shows; empty if it is not known. */
  private Optional<String> phenomenon() {
    return found.anomalies().stream().map(one -> one.phenomenon().name()).findFirst();
  }

  private void print(PrintWriter out) {
    out.println(
        file
            + " on "
            + dbms.describe()
            + " at "
            + level
            + ": "
            + found.verdict()
            + phenomenon().map(name -> ", " + name).orElse(""));
    out.println("  " + Console.printable(found.reason()));
    for (String line : found.schedule()) {
      out.println("    " + Console.printable(line));
    }
    for (String note : found.notes()) {
      out.println("  note: " + Console.printable(note));
    }
    out.println("  " + found.executions() + " orders executed (" + bound + ")");
    out.flush();
  }

  private void writeJson(PrintWriter out) throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "interleave");
      json.writeStringField("result", found.verdict().name());
      json.writeStringField("phenomenon", phenomenon().orElse(null));
      json.writeNumberField("executions", found.executions());
      json.writeStringField("bound", bound);
      json.writeArrayFieldStart("schedule");
      for (String line : found.schedule()) {
        json.writeString(line);
      }
      json.writeEndArray();
      json.writeStringField("case", file.toString());
      json.writeStringField("reason", found.reason());
      json.writeStringField("dbms", dbms.describe());
      json.writeStringField("isolation", level.name());
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }
}
