package io.txwatch.settings;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The settings' keys and their documentation ({@code --help} and {@code docs/settings.md} print
 * it).
 *
 * <p>Sources, in order of precedence: agent arguments or URL properties {@code txwatch.*}, {@code
 * -Dtxwatch.*}, {@code TXWATCH_*} in the environment, a file {@code txwatch.properties} in the
 * working directory. Agent arguments may omit the prefix.
 */
public enum Setting {
  INSTRUMENT("txwatch.instrument", "inline", "inline|items|predicates|off", "how much is observed"),
  VERSION_SET_ROWS(
      "txwatch.version-set-rows",
      "10000",
      "N",
      "at level predicates: rows of a table above which its version set is not read"),
  CALL_SITES(
      "txwatch.call-sites",
      "usual",
      "usual|exact",
      "lines of the application: exact looks each one up; usual looks up one in 256 of a text"
          + " that ran a thousand times from one line, and marks the others (usually)"),
  PACKAGES(
      "txwatch.packages",
      "",
      "PREFIX,PREFIX",
      "the application's packages: the nearest line within them is named; empty: found by where"
          + " classes were loaded from"),
  INCLUDE(
      "txwatch.include",
      "",
      "TEXT,TEXT",
      "watch only connections whose URL, without its parameters, contains one of these; * stands"
          + " for any text; empty: all"),
  EXCLUDE(
      "txwatch.exclude",
      "",
      "TEXT,TEXT",
      "do not watch connections whose URL contains one of these, even if txwatch.include lists"
          + " them"),
  ANALYZER(
      "txwatch.analyzer",
      "inprocess",
      "inprocess|none|tcp://HOST:PORT|tls://HOST:PORT|kafka://HOST:PORT/TOPIC",
      "where events are analysed, or written for txwatch check and serve"),
  TOKEN(
      "txwatch.token",
      "",
      "SECRET",
      "the token of the analyzer at tcp:// or tls://, and of txwatch.gate; best given as"
          + " TXWATCH_TOKEN"),
  TLS_TRUST(
      "txwatch.tls-trust",
      "",
      "FILE",
      "at tls://: certificates (PEM) to trust, the analyzer's own or its authority's, instead of"
          + " the JVM's"),
  KAFKA_JAR(
      "txwatch.kafka-jar",
      "",
      "FILE",
      "at kafka://: txwatch-kafka.jar, if it is not in the folder of txwatch.jar"),
  KAFKA_CONFIG(
      "txwatch.kafka-config",
      "",
      "FILE",
      "at kafka://: a file with further settings of Kafka's client, as for SASL and TLS"),
  SERVICE(
      "txwatch.service",
      "",
      "NAME",
      "the name of this process in the reports of a shared analyzer"),
  BUFFER(
      "txwatch.buffer",
      "16",
      "N",
      "at tcp://, tls:// or kafka://: MiB that may wait for the analyzer, or the broker, before"
          + " events are dropped and counted"),
  HISTORY("txwatch.history", "", "FILE", "append the history to this file, also after a restart"),
  HISTORY_MAX(
      "txwatch.history-max",
      "1024",
      "N",
      "MiB after which the history file is renamed to FILE.1, FILE.2, … and a new one is started"),
  REPORT("txwatch.report", "", "FILE", "append each anomaly to this file as one line of JSON"),
  BASELINE(
      "txwatch.baseline",
      "",
      "FILE|none",
      "kinds of anomalies that are accepted; default: txwatch-baseline.yaml in the working"
          + " directory, if there is one"),
  HTTP(
      "txwatch.http",
      "",
      "PORT|HOST:PORT",
      "serve the live page of this process there, on this machine only; its /metrics are for"
          + " Prometheus"),
  GATE(
      "txwatch.gate",
      "",
      "PORT",
      "under the agent: listen on this port of 127.0.0.1 for txwatch interleave --service, which"
          + " holds the calls of requests; for tests only; needs the token of txwatch.token, or prints"
          + " one"),
  STRICT(
      "txwatch.strict",
      "off",
      "off|on",
      "for CI: under the agent, a setting that is not valid ends the JVM at its start with exit"
          + " code 2, instead of a run without observation"),
  PREDICT(
      "txwatch.predict",
      "off",
      "off|on",
      "record parameters and values of statements for txwatch predict: the history file then"
          + " contains them in clear text, whatever txwatch.redact is"),
  PROVOKE(
      "txwatch.provoke",
      "off",
      "off|on",
      "hold calls of concurrent transactions, 200 ms each at most, so that predicted races happen;"
          + " for tests only: needs a database that is on this machine, is named test, or is listed"
          + " in txwatch.test-database"),
  JMX("txwatch.jmx", "off", "off|on", "register a bean with the figures of the analyzer"),
  LOG(
      "txwatch.log",
      "stderr",
      "stderr|slf4j|none",
      "where anomalies are printed; slf4j: the application's, or java.util.logging if it"
          + " has none"),
  PREPARE(
      "txwatch.prepare",
      "off",
      "off|auto",
      "add the auxiliary columns to tables when they are first used"),
  VERSIONS(
      "txwatch.versions",
      "auto",
      "auto|columns|system|log|triggers|statements",
      "where row versions come from; see versions.md"),
  LOG_USER(
      "txwatch.log-user",
      "",
      "NAME",
      "at versions log: the user who reads the server's binary log; empty: the application's own"),
  LOG_PASSWORD(
      "txwatch.log-password",
      "",
      "SECRET",
      "that user's password; best given as TXWATCH_LOG_PASSWORD"),
  VALUE_KEY(
      "txwatch.value-key",
      "",
      "SECRET",
      "the key of the hashes of values in a history, the same in all processes whose histories are"
          + " joined with Debezium's topics; at least 16 characters; best given as"
          + " TXWATCH_VALUE_KEY; empty: a random one"),
  REDACT(
      "txwatch.redact",
      "true",
      "true|false",
      "replace literals in reported SQL by ?, text in keys by digests"),
  QUEUE(
      "txwatch.queue",
      "65536",
      "N",
      "events that may wait for the analyzer; if more arise, a share of the rows is observed"),
  JUDGE_BY(
      "txwatch.judge-by",
      "dbms",
      "dbms|adya",
      "the standard for a level: the DBMS's documentation, or Adya's definition"),
  GRANULARITY(
      "txwatch.granularity",
      "column",
      "column|row",
      "what two statements must share to depend on each other: a column of a row, or the row"),
  ACROSS(
      "txwatch.across",
      "off",
      "off|trace|session",
      "also report stale writes: an UPDATE of what an earlier transaction of the same trace, or of"
          + " the same physical connection, had read, and another one changed meanwhile"),
  WAITS(
      "txwatch.waits",
      "off",
      "off|on",
      "waits for locks: while a watched statement runs for more than 50 ms, the DBMS's list of waits"
          + " is read on txwatch's own connection"),
  TEST_DATABASE(
      "txwatch.test-database",
      "",
      "TEXT,TEXT",
      "databases for tests: URLs contain one of these. Interleaving changes their rows; it needs"
          + " this for a database that is neither on this machine nor named test");

  /** The value of {@link #INSTRUMENT} with which nothing is observed. */
  public static final String OFF = "off";

  /** A shorter key can be found from the hashes, and with it the values. */
  private static final int MIN_KEY_LENGTH = 16;

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

  /** The default value; empty for "nothing". */
  public String defaultValue() {
    return defaultValue;
  }

  /** The accepted values, separated by bars, or a word in capitals for a free value. */
  public String accepted() {
    return accepted;
  }

  public String help() {
    return help;
  }

  /** True if its value must not be shown. */
  boolean isSecret() {
    return this == TOKEN || this == LOG_PASSWORD || this == VALUE_KEY;
  }

  /** Returns the setting with that key, if there is one. */
  public static Optional<Setting> find(String key) {
    return Arrays.stream(values()).filter(setting -> setting.key.equals(key)).findFirst();
  }

  /** The setting with that key, or with the one that is most like it; empty if several are. */
  static Optional<Setting> closest(String key) {
    return find(key).or(() -> closestKeys(key).flatMap(Setting::find));
  }

  private static Optional<String> closestKeys(String key) {
    return ClosestMatch.find(key, Arrays.stream(values()).map(Setting::key).toList());
  }

  static Setting ofKey(String key, String from) {
    return find(key)
        .orElseThrow(
            () ->
                new SettingException(
                    "unknown setting "
                        + quote(key)
                        + " ("
                        + from
                        + ")"
                        + closestKeys(key).map(near -> ": did you mean " + near + "?").orElse("")));
  }

  /**
   * Validates a value and returns it in canonical spelling. An empty value is accepted only if the
   * default is empty.
   */
  String check(String value, String from) {
    if (value.isEmpty() && defaultValue.isEmpty()) {
      return value;
    }
    if (this == VALUE_KEY && value.length() < MIN_KEY_LENGTH) {
      throw new SettingException(
          key + " (" + from + "): expected at least " + MIN_KEY_LENGTH + " characters");
    }
    List<String> alternatives = List.of(accepted.split("\\|"));
    for (String alternative : alternatives) {
      if (alternative.equalsIgnoreCase(value) && !isPlaceholder(alternative)) {
        return alternative;
      }
      if (isPlaceholder(alternative) && fits(value, alternative)) {
        return value;
      }
    }
    throw new SettingException(
        key
            + "="
            + oneLine(value)
            + " ("
            + from
            + "): expected "
            + accepted
            + ClosestMatch.find(
                    value, alternatives.stream().filter(a -> !isPlaceholder(a)).toList())
                .map(near -> "; did you mean " + near + "?")
                .orElse(""));
  }

  /** True for a placeholder in capitals that the user replaces: {@code tcp://HOST:PORT}. */
  private static boolean isPlaceholder(String alternative) {
    return !alternative.equals(alternative.toLowerCase(Locale.ROOT));
  }

  private static boolean fits(String value, String placeholder) {
    if (placeholder.equals("N")) {
      return value.matches("[1-9][0-9]{0,8}");
    }
    int fixed = 0;
    while (!Character.isUpperCase(placeholder.charAt(fixed))) {
      fixed++;
    }
    return value.length() > fixed && value.startsWith(placeholder.substring(0, fixed));
  }

  /** Quotes a text for a message, on one line and shortened. */
  static String quote(String text) {
    return '"' + oneLine(text) + '"';
  }

  /** Replaces control characters, so that an external text fits in a one-line message. */
  static String oneLine(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ");
    return line.length() <= 120 ? line : line.substring(0, 120) + "…";
  }
}
