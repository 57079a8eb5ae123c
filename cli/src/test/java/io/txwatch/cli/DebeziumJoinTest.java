package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.HistoryWriter;
import io.txwatch.link.KafkaProvider;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code check --changes}: two clients at REPEATABLE READ, recorded with {@code
 * txwatch.versions=statements} and a key of the hashes, while Debezium's connector read the log.
 * They lost an update, had a write skew, and then ran one after the other. On MySQL each UPDATE has
 * BETWEEN, so that its text states no row. On MariaDB, whose log names no connection, it states it,
 * and before the lost update the row was written by a client that is not watched.
 */
class DebeziumJoinTest {

  private static final String KEY = "key-of-the-recording";

  @TempDir private Path directory = Path.of("");

  private static Path resource(String name) throws Exception {
    return Path.of(DebeziumJoinTest.class.getResource(name).toURI());
  }

  private static String history(String dbms) throws Exception {
    return resource("debezium-" + dbms + ".history").toString();
  }

  private static List<String> records(String dbms) throws Exception {
    return Files.readAllLines(resource("debezium-" + dbms + ".jsonl"));
  }

  private String file(String name, List<String> lines) throws Exception {
    return Files.write(directory.resolve(name), lines).toString();
  }

  private Invocation check(String dbms, String changes, String key) throws Exception {
    return checkFile(history(dbms), changes, key);
  }

  private Invocation checkFile(String history, String changes, String key) throws Exception {
    return Invocation.of(
        "check", history, "--changes", changes, "--value-key-file", file("key", List.of(key)));
  }

  private Invocation checkWith(UnaryOperator<Stream<String>> altered) throws Exception {
    return check("mysql", file("records", altered.apply(records("mysql").stream()).toList()), KEY);
  }

  private static List<String> kinds(Invocation check) {
    return check
        .out()
        .lines()
        .filter(line -> line.matches(".*\\b(HAZARD|VIOLATION)\\b.*"))
        .toList();
  }

  @Test
  void withoutTheTopicsLessIsFound() throws Exception {
    assertThat(kinds(Invocation.of("check", history("mysql")))).isEmpty();
    assertThat(kinds(Invocation.of("check", history("mariadb"))))
        .singleElement()
        .asString()
        .contains("WRITE_SKEW");
  }

  /** As with the binary log in the process: {@code txwatch.versions=log}. */
  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void lostUpdateAndWriteSkewAreFound(String dbms) throws Exception {
    Invocation check = check(dbms, resource("debezium-" + dbms + ".jsonl").toString(), KEY);
    assertThat(kinds(check))
        .satisfiesExactly(
            line -> assertThat(line).contains("LOST_UPDATE", "HAZARD"),
            line -> assertThat(line).contains("WRITE_SKEW", "HAZARD"));
    assertThat(check.out() + check.err()).doesNotContain(KEY);
  }

  /**
   * The client that wrote first is not watched: of its UPDATE the topics alone have the version
   * that the other one replaced without having read it.
   */
  @Test
  void lostUpdateOfAWriterThatIsNotWatchedIsFound() throws Exception {
    Path watched = directory.resolve("one.history");
    try (HistoryReader reader = HistoryReader.open(Path.of(history("mysql")));
        HistoryWriter writer = HistoryWriter.open(watched)) {
      Set<Long> opened = new LinkedHashSet<>();
      reader.forEach(
          event -> {
            if (event instanceof Event.SessionOpened) {
              opened.add(event.session());
            }
            if (event.session() != opened.iterator().next()) {
              writer.accept(event);
            }
          });
    }
    String history = watched.toString();
    assertThat(kinds(Invocation.of("check", history))).isEmpty();
    assertThat(kinds(checkFile(history, resource("debezium-mysql.jsonl").toString(), KEY)))
        .singleElement()
        .asString()
        .contains("LOST_UPDATE", "HAZARD");
  }

  /** The order of the records is the same, as of several topics, and in several files. */
  @Test
  void recordsMayBeInSeveralFilesInAnyOrder() throws Exception {
    Path folder = Files.createDirectory(directory.resolve("topics"));
    List<String> records = records("mysql");
    List<String> rows = records.stream().filter(line -> line.contains("\"op\":")).toList();
    Files.write(folder.resolve("b"), rows);
    Files.write(folder.resolve("a"), records.stream().filter(l -> !rows.contains(l)).toList());
    assertThat(kinds(check("mysql", folder.toString(), KEY))).hasSize(2);
  }

  /** The connector's topics, and a history in a file and in a topic. */
  @Test
  void topicsOfABrokerAreJoined() throws Exception {
    System.setProperty(Setting.KAFKA_JAR.key(), KafkaBroker.jar());
    try (KafkaBroker broker = KafkaBroker.start(directory)) {
      broker.send(records("mysql").stream().map(line -> topic(line) + "\t" + line).toList());
      String changes = broker.url("shop");
      assertThat(kinds(checkFile(history("mysql"), changes, KEY))).hasSize(2);

      String histories = broker.url("txwatch");
      Settings settings =
          Settings.of(Map.of(Setting.ANALYZER, histories, Setting.KAFKA_JAR, KafkaBroker.jar()));
      try (HistoryReader reader = HistoryReader.open(Path.of(history("mysql")));
          EventSink topic = new KafkaProvider().open(settings)) {
        reader.forEach(topic::accept);
        await()
            .atMost(Duration.ofMinutes(2))
            .until(() -> Invocation.of("check", histories).code() != ExitCode.UNREACHABLE);
      }
      assertThat(kinds(Invocation.of("check", histories))).isEmpty();
      assertThat(kinds(checkFile(histories, changes, KEY))).hasSize(2);
    } finally {
      System.clearProperty(Setting.KAFKA_JAR.key());
    }
  }

  /** Debezium's name for the topic of a record. */
  private static String topic(String line) {
    Matcher table = Pattern.compile("\"name\":\"(shop[.][^\"]*)[.]Key\"").matcher(line);
    return table.find() ? table.group(1) : "shop.transaction";
  }

  @Test
  void nothingIsJoinedWithAnotherKey() throws Exception {
    Invocation check =
        check("mysql", resource("debezium-mysql.jsonl").toString(), "another-key-of-20-ch");
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err()).contains("no row of the history is among the changes");
  }

  @Test
  void nothingIsJoinedIfAChangeIsMissing() throws Exception {
    Invocation check = checkWith(all -> all.filter(line -> !line.contains("\"balance\":90}")));
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.out()).isEmpty();
    assertThat(check.err())
        .containsPattern("changes are missing: transaction .* has 1 changes, and the topics none")
        .hasLineCount(1);
  }

  @Test
  void nothingIsJoinedWithoutTheEndsOfTransactions() throws Exception {
    Invocation check = checkWith(all -> all.filter(line -> !line.contains("\"END\"")));
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err())
        .contains("no transaction ends in the topics; set provide.transaction.metadata=true");
  }

  @Test
  void nothingIsJoinedIfATransactionInTheMiddleHasNoEnd() throws Exception {
    List<String> records = records("mysql");
    String end =
        records.stream().filter(line -> line.contains("\"END\"")).skip(3).findFirst().get();
    Invocation check = checkWith(all -> all.filter(line -> !line.equals(end)));
    assertThat(check.err()).contains("has no end, and a later one has");
    assertThat(check.code()).isEqualTo(2);
  }

  /** The connector has not written it yet. */
  @Test
  void theLastTransactionMayHaveNoEnd() throws Exception {
    List<String> records = records("mysql");
    String end =
        records.stream().filter(line -> line.contains("\"END\"")).reduce((a, b) -> b).get();
    assertThat(kinds(checkWith(all -> all.filter(line -> !line.equals(end))))).hasSize(2);
  }

  /** There statements return the versions of rows. */
  @Test
  void changesOfPostgresAreNotJoined() throws Exception {
    List<String> captured =
        Files.readAllLines(
            Path.of("../changes/src/test/resources/io/txwatch/changes/debezium")
                .resolve("postgresql-default.jsonl"));
    Invocation check =
        checkWith(
            all ->
                captured.stream()
                    .map(
                        line -> line.replaceFirst("^.*?,\"key\":(.*),\"value\":(.*)}$", "$1\t$2")));
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err()).contains("changes of PostgreSQL are not joined").hasLineCount(1);
  }

  @Test
  void recordsNeedTheirKeys() throws Exception {
    Invocation check = checkWith(all -> all.map(line -> line.replaceFirst("^.*\t", "")));
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err()).contains("records, line 1: expected a record's key, a tab and its");
  }

  /** A file without line ends would be read into memory as a whole. */
  @Test
  void recordsAreNoLongerThanThoseOfATopic() throws Exception {
    Invocation check = checkWith(all -> Stream.of("k\t{}", "x".repeat((16 << 20) + 1)));
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err()).contains("records, line 2: it has more than 16777216 characters");
  }

  /** Each record begins with a byte 0 and the number of its schema. */
  @Test
  void recordsInAvroNeedTheirRegistry() throws Exception {
    String avro = "\0\0\0\0\7\2";
    String changes = file("records", List.of(avro + "\t" + avro));
    Invocation check = check("mysql", changes, KEY);
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err())
        .contains("a record in Avro; --schema-registry names the registry of its schema")
        .hasLineCount(1);
    check = checkWithRegistry(changes, "http://127.0.0.1:1");
    assertThat(check.code()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(check.err())
        .contains("http://127.0.0.1:1: no schema registry answers")
        .hasLineCount(1);
    check = checkWithRegistry(changes, "registry:8081");
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err()).contains("--schema-registry: expected http://HOST:PORT");
    check = Invocation.of("check", history("mysql"), "--schema-registry", "http://127.0.0.1:1");
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err()).contains("--schema-registry is for --changes, which is missing");
  }

  private Invocation checkWithRegistry(String changes, String registry) throws Exception {
    return Invocation.of(
        "check",
        history("mysql"),
        "--changes",
        changes,
        "--value-key-file",
        file("key", List.of(KEY)),
        "--schema-registry",
        registry);
  }

  @Test
  void changesNeedTheKeyOfTheHashes() throws Exception {
    String records = resource("debezium-mysql.jsonl").toString();
    Invocation check = Invocation.of("check", history("mysql"), "--changes", records);
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err()).contains("TXWATCH_VALUE_KEY").hasLineCount(1);
    check = check("mysql", records, "short4711");
    assertThat(check.code()).isEqualTo(2);
    assertThat(check.err()).contains("at least 16 characters").doesNotContain("4711");
  }
}
