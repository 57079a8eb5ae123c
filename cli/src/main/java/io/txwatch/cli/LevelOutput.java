package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.dbms.Dbms;
import io.txwatch.history.CallSite;
import io.txwatch.history.IsolationLevel;
import io.txwatch.proof.CertifiedLevel;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Prints the levels that {@code predict --levels} finds: a table for people, or objects. */
final class LevelOutput {

  private static final String NO_LEVEL = "no level of this DBMS";
  private static final String INDENT = " ".repeat(4);

  private final Console console;
  private final boolean json;
  private final Dbms dbms;

  LevelOutput(Console console, boolean json, Dbms dbms) {
    this.console = console;
    this.json = json;
    this.dbms = dbms;
  }

  void print(List<CertifiedLevel> levels) throws IOException {
    if (json) {
      for (CertifiedLevel level : levels) {
        writeJson(level);
      }
    }
    PrintWriter text = console.textOut(json);
    text.println("The weakest level of each operation on " + dbms.describe() + ":");
    int width =
        levels.stream().mapToInt(one -> one.operation().toString().length()).max().orElse(0);
    for (CertifiedLevel one : levels) {
      print(text, one, width);
    }
    text.println(bound(levels));
    text.println();
    text.flush();
  }

  private static void print(PrintWriter text, CertifiedLevel one, int width) {
    String name = Console.printable(one.operation().toString());
    text.printf(Locale.ROOT, "  %-" + Math.max(width, 1) + "s  %s%n", name, name(one.level()));
    for (String reason : one.preventedBy()) {
      line(text, (one.level().isEmpty() ? "not safe: " : "not weaker: ") + reason);
    }
    if (!one.allowedBy().isEmpty()) {
      line(
          text,
          (one.level().isEmpty() ? "safe" : "weaker")
              + " if you "
              + String.join("; and ", one.allowedBy()));
    }
    if (one.restsOnExecutions()) {
      line(
          text,
          "rests on executions that showed no race: a test, not a proof. Without them: "
              + name(one.withoutExecutions()));
    }
    if (one.untested() > 0) {
      line(text, "not tested with " + one.untested() + " of the operations that it conflicts with");
    }
    for (String race : one.contradictedBy()) {
      line(text, "UNDECIDED: an execution at these levels contradicts it: " + race);
    }
  }

  private static void line(PrintWriter text, String line) {
    text.println(INDENT + Console.printable(line));
  }

  private static String name(Optional<IsolationLevel> level) {
    return level.map(IsolationLevel::words).orElse(NO_LEVEL);
  }

  private static String bound(List<CertifiedLevel> levels) {
    boolean all = levels.stream().allMatch(one -> one.level().isPresent());
    return (all
            ? "At these levels the operations that were observed stay serializable"
            : "No levels of this DBMS make all operations that were observed serializable")
        + ", by the tables, columns and keys that they use. Each pair that conflicts was executed"
        + " at its levels, within the bound of the interleaver. Operations that were not observed"
        + " are not covered.";
  }

  private void writeJson(CertifiedLevel one) throws IOException {
    PrintWriter to = console.out();
    try (JsonGenerator out = JsonReport.generator(to)) {
      out.writeStartObject();
      out.writeStringField("type", "level");
      out.writeStringField("operation", one.operation().toString());
      out.writeStringField("callSite", CallSite.shown(one.operation().callSite()));
      out.writeStringField("level", one.level().map(Enum::name).orElse(null));
      write(out, "preventedBy", one.preventedBy());
      write(out, "allowedBy", one.allowedBy());
      out.writeBooleanField("restsOnExecutions", one.restsOnExecutions());
      out.writeStringField(
          "levelWithoutExecutions", one.withoutExecutions().map(Enum::name).orElse(null));
      out.writeNumberField("tested", one.tested());
      out.writeNumberField("untested", one.untested());
      write(out, "contradictedBy", one.contradictedBy());
      out.writeEndObject();
    }
    to.println();
    to.flush();
  }

  private static void write(JsonGenerator out, String name, List<String> texts) throws IOException {
    out.writeArrayFieldStart(name);
    for (String text : texts) {
      out.writeString(text);
    }
    out.writeEndArray();
  }
}
