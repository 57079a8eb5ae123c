package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.CallSite;
import io.txwatch.history.PrivateFiles;
import io.txwatch.predict.KeyEquality;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.proof.ConfirmedOrders;
import io.txwatch.proof.RaceProof;
import io.txwatch.proof.RaceProof.Result;
import io.txwatch.proof.RaceProof.TriedRepair;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.JsonReport;
import io.txwatch.report.TextReport;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Redactor;
import io.txwatch.testcase.CaseWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Prints what {@code predict} finds, and writes the cases. */
final class PredictionOutput {

  private static final int MAX_UNDECIDED = 10;
  private static final int MAX_REASON = 300;

  private final Console console;
  private final boolean json;
  private final Dbms dbms;
  private final int operations;
  private final @Nullable Path folder;
  private final Map<Result, Integer> counts = new EnumMap<>(Result.class);
  private final List<RaceProof> undecided = new ArrayList<>();
  private final ConfirmedOrders orders = new ConfirmedOrders();
  private final List<Path> files = new ArrayList<>();
  private int shownByEarlier;
  private boolean isBegun;

  PredictionOutput(
      Console console, boolean json, Dbms dbms, int operations, @Nullable Path folder) {
    this.console = console;
    this.json = json;
    this.dbms = dbms;
    this.operations = operations;
    this.folder = folder;
  }

  int count(Result result) {
    return counts.getOrDefault(result, 0);
  }

  /** The next one: printed if it is confirmed; in a line if an order that is printed shows it. */
  void add(RaceProof proof) throws IOException {
    if (proof.result() == Result.CONFIRMED) {
      int number = orders.add(proof);
      if (number <= count(Result.CONFIRMED)) {
        addShownBy(number, proof);
        return;
      }
    }
    counts.merge(proof.result(), 1, Integer::sum);
    Path file = proof.testCase().isPresent() ? write(proof) : null;
    if (file != null) {
      files.add(file);
    }
    write(out -> write(out, proof, file));
    if (proof.result() == Result.UNDECIDED) {
      undecided.add(proof);
    } else if (proof.result() == Result.CONFIRMED) {
      print(proof, file);
    }
  }

  private void addShownBy(int number, RaceProof proof) throws IOException {
    shownByEarlier++;
    Path file = number <= files.size() ? files.get(number - 1) : null;
    write(
        out -> {
          write(out, proof, file);
          out.writeNumberField("sameOrderAs", number);
        });
    PrintWriter text = console.textOut(json);
    text.printf(
        Locale.ROOT,
        "the order of confirmed race %d also shows %s%n%n",
        number,
        Console.printable(what(proof)));
    text.flush();
  }

  private @Nullable Path write(RaceProof proof) throws IOException {
    Path into = folder;
    if (into == null) {
      return null;
    }
    Files.createDirectories(into);
    int number = count(Result.CONFIRMED);
    String name = PredictedTest.className(proof, number);
    write(into.resolve(name + ".java"), PredictedTest.of(proof, dbms.describe(), name));
    return write(
        into.resolve(String.format(Locale.ROOT, "race-%02d.txt", number)),
        CaseWriter.write(proof.testCase().orElseThrow()));
  }

  /** Both contain values of rows. */
  private static Path write(Path file, String text) throws IOException {
    try (FileChannel channel =
        PrivateFiles.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
      channel.write(StandardCharsets.UTF_8.encode(text));
    }
    return file;
  }

  private void print(RaceProof proof, @Nullable Path file) {
    PrintWriter text = console.textOut(json);
    text.println("CONFIRMED " + Console.printable(what(proof)));
    for (String line : proof.schedule()) {
      text.println("    " + Console.printable(line));
    }
    for (String assumption : proof.assumptions()) {
      text.println("  note: " + Console.printable(assumption));
    }
    AnomalyGroups groups = new AnomalyGroups();
    proof.anomalies().forEach(groups::add);
    if (groups.groups().isEmpty()) {
      text.println("  " + Console.printable(proof.reason()));
    }
    groups.groups().forEach(group -> text.println(Console.printable(TextReport.of(group))));
    for (TriedRepair repair : proof.repairs()) {
      if (repair.removes()) {
        text.println(
            "  prevented by: "
                + Console.printable(
                    repair.advice() + (repair.cost().isEmpty() ? "" : " (" + repair.cost() + ")")));
      }
    }
    if (file != null) {
      String name = PredictedTest.className(proof, count(Result.CONFIRMED));
      text.println("  the case is in " + file + "; beside it " + name + ".java, a test to fill in");
    }
    text.println();
    text.flush();
  }

  private String what(RaceProof proof) {
    return proof.term()
        + ": "
        + proof.candidate().operations().stream()
            .map(OperationTemplate::toString)
            .collect(Collectors.joining(" and "))
        + " on "
        + dbms.describe()
        + " at "
        + levels(proof);
  }

  private static String levels(RaceProof proof) {
    return proof.levels().stream().distinct().map(Enum::name).collect(Collectors.joining(", "));
  }

  private interface Fields {
    void writeTo(JsonGenerator out) throws IOException;
  }

  /** An object, printed and in the file. */
  private void write(Fields fields) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = JsonReport.generator(text)) {
      out.writeStartObject();
      fields.writeTo(out);
      out.writeEndObject();
    }
    if (json) {
      console.out().println(text);
      console.out().flush();
    }
    if (folder != null) {
      append(folder, text + "\n");
    }
  }

  /** The file of an earlier run is replaced: not even its mode is kept. */
  private void append(Path into, String line) throws IOException {
    Path file = Files.createDirectories(into).resolve(PredictionReader.NAME);
    if (!isBegun) {
      Files.deleteIfExists(file);
      isBegun = true;
    }
    try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.APPEND)) {
      channel.write(StandardCharsets.UTF_8.encode(line));
    }
  }

  private void write(JsonGenerator out, RaceProof proof, @Nullable Path file) throws IOException {
    out.writeStringField("type", "prediction");
    out.writeStringField("result", proof.result().name());
    out.writeStringField("phenomenon", proof.phenomenon().map(Enum::name).orElse(null));
    CycleClass cycleClass = proof.candidate().cycleClass();
    out.writeStringField("cycleClass", cycleClass.term());
    out.writeStringField("isolation", levels(proof));
    out.writeStringField("dbms", dbms.describe());
    out.writeArrayFieldStart("operations");
    for (OperationTemplate operation : proof.candidate().operations()) {
      out.writeStartObject();
      out.writeStringField("name", operation.toString());
      out.writeStringField("callSite", CallSite.shown(operation.callSite()));
      out.writeNumberField("seen", operation.seen());
      out.writeEndObject();
    }
    out.writeEndArray();
    writeTexts(out, "keys", proof.candidate().keys().stream().map(KeyEquality::toString).toList());
    out.writeStringField("case", file == null ? null : file.toString());
    writeTexts(out, "schedule", proof.schedule());
    writeOrder(out, proof.schedule());
    writeTexts(out, "assumptions", proof.assumptions());
    out.writeStringField(
        "advice",
        proof.repairs().stream()
            .filter(TriedRepair::removes)
            .map(TriedRepair::advice)
            .findFirst()
            .orElse(null));
    out.writeArrayFieldStart("adviceTried");
    for (TriedRepair repair : proof.repairs()) {
      out.writeStartObject();
      out.writeStringField("advice", repair.advice());
      out.writeBooleanField("removes", repair.removes());
      out.writeStringField("cost", repair.cost());
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeStringField("reason", proof.reason());
    out.writeNumberField("executions", proof.executions());
  }

  /** The schedule for reports, which contain no values of rows. */
  private void writeOrder(JsonGenerator out, List<String> schedule) throws IOException {
    Dialect dialect = DbmsRegistry.dialect(dbms).dialect();
    out.writeArrayFieldStart("order");
    for (String line : schedule) {
      int colon = line.indexOf(": ");
      out.writeStartObject();
      out.writeStringField("session", line.substring(0, colon));
      out.writeStringField("statement", Redactor.redact(line.substring(colon + 2), dialect));
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  private static void writeTexts(JsonGenerator out, String name, List<String> texts)
      throws IOException {
    out.writeArrayFieldStart(name);
    for (String text : texts) {
      out.writeString(text);
    }
    out.writeEndArray();
  }

  private static String oneLine(String text) {
    String line = text.replaceAll("\\s+", " ");
    return line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…";
  }

  /** All candidates were added. */
  void end(double seconds) throws IOException {
    int candidates = counts.values().stream().mapToInt(Integer::intValue).sum() + shownByEarlier;
    write(
        out -> {
          out.writeStringField("type", "predict");
          out.writeNumberField("operations", operations);
          out.writeNumberField("candidates", candidates);
          out.writeNumberField("confirmed", count(Result.CONFIRMED));
          out.writeNumberField("sameOrder", shownByEarlier);
          out.writeNumberField("refuted", count(Result.REFUTED));
          out.writeNumberField("undecided", count(Result.UNDECIDED));
          out.writeNumberField("seconds", Math.round(seconds * 1_000) / 1e3);
        });
    PrintWriter text = console.textOut(json);
    for (RaceProof proof : undecided.subList(0, Math.min(undecided.size(), MAX_UNDECIDED))) {
      text.println("undecided: " + Console.printable(oneLine(what(proof) + ": " + proof.reason())));
    }
    if (undecided.size() > MAX_UNDECIDED) {
      text.println(
          "undecided: " + (undecided.size() - MAX_UNDECIDED) + " more, which --json lists");
    }
    text.printf(
        Locale.ROOT,
        "%d operations, %d candidates: %d confirmed%s, %d refuted, %d undecided in %.1f s%n",
        operations,
        candidates,
        count(Result.CONFIRMED),
        shownByEarlier == 0 ? "" : " (and " + shownByEarlier + " more by the same orders)",
        count(Result.REFUTED),
        count(Result.UNDECIDED),
        seconds);
    text.flush();
  }
}
