package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.anomaly.Confidence;
import io.txwatch.baseline.Baseline;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.comparison.ObservedRun;
import io.txwatch.comparison.RunKind;
import io.txwatch.comparison.Traffic;
import io.txwatch.coverage.Coverage;
import io.txwatch.history.GapReason;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.AnomalyTitle;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a run found: from its history, from the JSON of {@code check}, {@code txwatch.report}
 * or the API, or from the HTML page of {@code report}.
 */
final class RunReader {

  private static final Pattern DATA =
      Pattern.compile(
          "<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

  private final Map<Fingerprint, RunKind> kinds = new LinkedHashMap<>();
  private @Nullable Traffic traffic;
  private boolean isEmpty = true;

  private RunReader() {}

  /** Reads a file. */
  static ObservedRun read(Path file, Console console) throws IOException {
    if (Files.isDirectory(file)) {
      throw CommandException.badInput(file + " is a directory, expected a file");
    }
    String name = String.valueOf(file.getFileName());
    RunReader run = new RunReader();
    switch (firstCharacter(file)) {
      case '{' -> run.readJson(file, Files.readString(file));
      case '<' -> run.readPage(file, Files.readString(file));
      default -> run.readHistory(file, console);
    }
    return new ObservedRun(name, run.kinds, Optional.ofNullable(run.traffic));
  }

  /**
   * The first character that is no blank; 0 if there is none, as of a history that has only parts.
   */
  private static char firstCharacter(Path file) throws IOException {
    if (!Files.exists(file)) {
      return 0;
    }
    try (InputStream in = Files.newInputStream(file)) {
      int c = in.read();
      while (c >= 0 && Character.isWhitespace(c)) {
        c = in.read();
      }
      return c < 0 ? 0 : (char) c;
    }
  }

  private void readHistory(Path file, Console console) throws IOException {
    AnalyzedHistories analyzed =
        AnalyzedHistories.read(
            List.of(file), AnalyzedHistories.Options.DEFAULT, Baseline.NONE, console);
    for (Group group : analyzed.groups().groups()) {
      if (group.first().confidence() == Confidence.CONFIRMED) {
        add(
            new RunKind(
                group.id(),
                AnomalyTitle.of(group.first()),
                group.count(),
                json(generator -> JsonReport.write(generator, group))));
      }
    }
    Coverage coverage = analyzed.coverage();
    traffic =
        new Traffic(
            coverage.transactions(),
            coverage.executed(),
            coverage.instrumented(),
            coverage.dropped());
  }

  private void readPage(Path file, String text) throws IOException {
    Matcher data = DATA.matcher(text);
    if (!data.find()) {
      throw unknown(file);
    }
    readJson(file, data.group(1));
  }

  private void readJson(Path file, String text) throws IOException {
    try {
      JsonObject.read(new StringReader(text), this::accept);
    } catch (IOException | IllegalArgumentException e) {
      throw unknown(file);
    }
    if (isEmpty) {
      throw unknown(file);
    }
  }

  private static CommandException unknown(Path file) {
    return CommandException.badInput(
        file + ": expected a history, or the JSON or the page of a report that txwatch wrote");
  }

  /** An anomaly, a coverage, or what contains them. */
  private void accept(JsonObject object) {
    String type = object.optionalText("type").orElse("");
    if (type.equals("anomaly")) {
      acceptAnomaly(object);
    } else if (type.equals("coverage")) {
      acceptCoverage(object);
    } else {
      if (object.has("anomalies")) {
        isEmpty = false;
        object.objects("anomalies").forEach(this::accept);
      }
      for (String field : List.of("anomaly", "coverage")) {
        if (object.has(field)) {
          accept(object.object(field));
        }
      }
    }
  }

  private void acceptAnomaly(JsonObject object) {
    isEmpty = false;
    if (object.text("confidence").equals(Confidence.CONFIRMED.name())) {
      add(
          new RunKind(
              Fingerprint.parse(object.text("fingerprint"))
                  .orElseThrow(IllegalArgumentException::new),
              object.text("title"),
              object.number("count"),
              json(object::write)));
    }
  }

  private void acceptCoverage(JsonObject object) {
    isEmpty = false;
    JsonObject gaps = object.object("gaps");
    long lost = 0;
    for (GapReason reason : Coverage.DROPPED) {
      lost += gaps.has(reason.name()) ? gaps.number(reason.name()) : 0;
    }
    Traffic more =
        new Traffic(
            object.number("transactions"),
            object.number("executed"),
            object.number("instrumented"),
            lost);
    traffic = traffic == null ? more : traffic.plus(more);
  }

  private void add(RunKind kind) {
    kinds.merge(kind.id(), kind, RunKind::plus);
  }

  private interface Body {
    void writeTo(JsonGenerator json) throws IOException;
  }

  private static String json(Body body) {
    StringWriter out = new StringWriter();
    try (var json = JsonReport.generator(out)) {
      body.writeTo(json);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return out.toString();
  }
}
