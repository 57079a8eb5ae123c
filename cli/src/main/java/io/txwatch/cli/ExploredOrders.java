package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.interleave.Interleaved;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What was found by executing operations in every order, as it is printed.
 *
 * @param phenomenon what the dependency graph of the order shows; null if it is not known
 * @param bound which orders were executed, or were to be
 */
record ExploredOrders(Interleaved found, @Nullable String phenomenon, String bound) {

  /** With the first of the anomalies. */
  static ExploredOrders of(Interleaved found, String bound) {
    Optional<String> phenomenon =
        found.anomalies().stream().map(one -> one.phenomenon().name()).findFirst();
    return new ExploredOrders(found, phenomenon.orElse(null), bound);
  }

  /** Fields of JSON beside the common ones. */
  interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /**
   * Prints it as text.
   *
   * @param what was executed
   */
  void print(PrintWriter out, String what) {
    out.println(
        Console.printable(what)
            + ": "
            + found.verdict()
            + (phenomenon == null ? "" : ", " + phenomenon));
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

  /** Prints it as one line of JSON. */
  void writeJson(PrintWriter out, Fields more) throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "interleave");
      json.writeStringField("result", found.verdict().name());
      json.writeStringField("phenomenon", phenomenon);
      json.writeNumberField("executions", found.executions());
      json.writeStringField("bound", bound);
      writeTexts(json, "schedule", found.schedule());
      json.writeStringField("reason", found.reason());
      writeTexts(json, "notes", found.notes());
      more.write(json);
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private static void writeTexts(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }
}
