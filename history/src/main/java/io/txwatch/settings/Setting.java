package io.txwatch.settings;

/**
 * The keys that users may set, which are also their documentation ({@code --help} and the README
 * print it).
 *
 * <p>Read from, strongest first: agent arguments or URL properties {@code txwatch.*}, {@code
 * -Dtxwatch.*}, {@code TXWATCH_*} in the environment, a file {@code txwatch.properties} in the
 * working directory. As an agent's argument the prefix may be left out.
 */
public enum Setting {
  /** How much is observed. */
  INSTRUMENT("txwatch.instrument", "inline", "inline|off", "how much is observed"),
  /** Who analyses. */
  ANALYZER("txwatch.analyzer", "inprocess", "inprocess|none", "who analyses the history"),
  /** The history's file. */
  HISTORY("txwatch.history", "", "FILE", "append the history to this file"),
  /** The anomalies' file. */
  REPORT("txwatch.report", "", "FILE", "append each anomaly to this file as one line of JSON"),
  /** Blocks for people. */
  LOG("txwatch.log", "stderr", "stderr|none", "where anomalies are told to people"),
  /** Preparing tables. */
  PREPARE(
      "txwatch.prepare", "off", "off|auto", "add the auxiliary columns to tables at first sight"),
  /** Hiding literals. */
  REDACT("txwatch.redact", "true", "true|false", "replace literals in reported SQL by ?"),
  /** The queue. */
  QUEUE(
      "txwatch.queue",
      "65536",
      "N",
      "events that may wait for the analyzer before they are dropped and counted"),
  /** The judge. */
  JUDGE_BY(
      "txwatch.judge-by",
      "dbms",
      "dbms|adya",
      "what a level is held to: the DBMS's promise, or Adya's definition");

  private final String key;
  private final String defaultValue;
  private final String accepted;
  private final String help;

  Setting(String key, String defaultValue, String accepted, String help) {
    this.key = key;
    this.defaultValue = defaultValue;
    this.accepted = accepted;
    this.help = help;
  }

  /** The key as users type it: {@code txwatch.instrument}. */
  public String key() {
    return key;
  }

  /** What holds if nobody set it; empty for "nothing". */
  public String defaultValue() {
    return defaultValue;
  }

  /** The values that it takes, separated by bars, or a word in capitals for a free one. */
  public String accepted() {
    return accepted;
  }

  /** What it does, in one line. */
  public String help() {
    return help;
  }
}
