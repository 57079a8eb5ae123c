package io.txwatch.format;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.IsolationLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A whole history on a line, in the notation of Elle's own tests: {@code ax1ry12} appends 1 to x
 * and reads [1 2] from y; transactions are separated by blanks, each of its own process. {@code
 * wx1} writes a register, {@code rx_} reads nothing. A mark behind a transaction is its outcome:
 * {@code !} failed, {@code ?} unknown.
 */
final class ElleNotation {

  private static final Pattern MOP = Pattern.compile("([arw])([a-z])(_|[0-9]*)");

  private final boolean registers;
  private final boolean json;
  private final boolean invocations;
  private final List<String> lines = new ArrayList<>();

  private ElleNotation(boolean registers, boolean json, boolean invocations) {
    this.registers = registers;
    this.json = json;
    this.invocations = invocations;
  }

  /** The file's text, in EDN. */
  static String edn(String history, boolean registers, boolean invocations) {
    return new ElleNotation(registers, false, invocations).text(history);
  }

  /** The file's text, in JSON. */
  static String json(String history, boolean registers, boolean invocations) {
    return new ElleNotation(registers, true, invocations).text(history);
  }

  private String text(String history) {
    String[] transactions = history.strip().split("\\s+");
    for (int i = 0; invocations && i < transactions.length; i++) {
      line("invoke", i, transactions[i], false);
    }
    for (int i = 0; i < transactions.length; i++) {
      String transaction = transactions[i];
      String type = transaction.endsWith("!") ? "fail" : transaction.endsWith("?") ? "info" : "ok";
      line(type, i, transaction, type.equals("ok"));
    }
    return json ? "[" + String.join(",\n ", lines) + "]\n" : String.join("\n", lines) + "\n";
  }

  private void line(String type, int process, String transaction, boolean known) {
    List<String> mops = new ArrayList<>();
    Matcher matcher = MOP.matcher(transaction);
    while (matcher.find()) {
      String values = matcher.group(3);
      String value =
          !matcher.group(1).equals("r")
              ? values
              : !known || values.equals("_")
                  ? json ? "null" : "nil"
                  : registers ? values : list(values);
      String function = matcher.group(1).equals("a") ? "append" : matcher.group(1);
      mops.add(
          json
              ? "[\"" + function + "\",\"" + matcher.group(2) + "\"," + value + "]"
              : "[:" + function + " :" + matcher.group(2) + " " + value + "]");
    }
    lines.add(
        json
            ? "{\"index\":%d,\"process\":%d,\"type\":\"%s\",\"f\":\"txn\",\"value\":[%s]}"
                .formatted(lines.size(), process, type, String.join(",", mops))
            : "{:type :%s, :f :txn, :value [%s], :time %d, :process %d, :index %d}"
                .formatted(
                    type, String.join(" ", mops), 1000 + lines.size(), process, lines.size()));
  }

  private String list(String values) {
    return "[" + String.join(json ? "," : " ", values.split("")) + "]";
  }

  /** What is demanded of a history in tests. */
  static ForeignHistory.CheckOptions demand(IsolationLevel level) {
    return new ForeignHistory.CheckOptions(
        level, Optional.empty(), false, OptionalLong.empty(), Set.of(), Duration.ofSeconds(20));
  }

  /** The anomalies of a text, as {@code LOST_UPDATE 1>0}, and the verdict last. */
  static List<String> check(Path directory, String text, IsolationLevel level) throws IOException {
    return check(Files.writeString(directory.resolve("history"), text), level);
  }

  /** The anomalies of a file, and the verdict last. */
  static List<String> check(Path file, IsolationLevel level) throws IOException {
    List<String> found = new ArrayList<>();
    ForeignHistory.Verdict verdict =
        ForeignHistory.check(
            file,
            ForeignFormat.of(file).orElseThrow(),
            ElleNotation.demand(level),
            anomaly -> found.add(name(anomaly)));
    found.sort(null);
    found.add(verdict.valid().map(String::valueOf).orElse("unknown"));
    return found;
  }

  private static String name(Anomaly anomaly) {
    return anomaly.phenomenon().name();
  }
}
