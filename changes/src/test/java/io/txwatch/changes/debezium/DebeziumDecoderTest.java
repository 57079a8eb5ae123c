package io.txwatch.changes.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The resources were written by real connectors of Debezium (3.6.1; MariaDB's 3.5.0) on real
 * servers: module {@code debezium}.
 */
class DebeziumDecoderTest {

  private static final String KEY =
      """
      {"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}]},\
      "payload":{"id":1}}""";

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void typesAsTheLogHasThem(String dbms) {
    String json = json(dbms);

    assertThat(lines(read(dbms + "-default"), "types"))
        .containsExactly(
            "0 INSERT types [1, -7, 300, 1, 9223372036854775807, 12.5, NOT_COMPARABLE,"
                + " NOT_COMPARABLE, Grün, ab, [0, -1], 5, 2026-02-28, PT10H11M12.000013S,"
                + " 2026-02-28T10:11:12, 2026-02-28T10:11:12.123456, 2026-02-28T10:11:12.123Z,"
                + " 2026, old, x,y, "
                + json
                + "]",
            "1 UPDATE types [1, -7, 300, 1, 9223372036854775807, 12.5, NOT_COMPARABLE,"
                + " NOT_COMPARABLE, Grün, ab, [0, -1], 5, 2026-02-28, PT10H11M12.000013S,"
                + " 2026-02-28T10:11:12, 2026-02-28T10:11:12.123456, 2026-02-28T10:11:12.123Z,"
                + " 2026, old, x,y, "
                + json
                + "]"
                + " [1, 8, 300, 1, 9223372036854775807, -0.05, NOT_COMPARABLE,"
                + " NOT_COMPARABLE, null, ab, [0, -1], 5, 2026-02-28, PT10H11M12.000013S,"
                + " 2026-02-28T10:11:12, 2026-02-28T10:11:12.123456, 2026-02-28T10:11:12.123Z,"
                + " 2026, old, x,y, "
                + json
                + "]",
            "6 DELETE types [1, 8, 300, 1, 9223372036854775807, -0.05, NOT_COMPARABLE,"
                + " NOT_COMPARABLE, null, ab, [0, -1], 5, 2026-02-28, PT10H11M12.000013S,"
                + " 2026-02-28T10:11:12, 2026-02-28T10:11:12.123456, 2026-02-28T10:11:12.123Z,"
                + " 2026, old, x,y, "
                + json
                + "]");
  }

  /** MariaDB's JSON is a text. */
  private static String json(String dbms) {
    return dbms.equals("mysql") ? "NOT_COMPARABLE" : "{\"k\": 1}";
  }

  /** Of an old row, PostgreSQL's log has the key alone, unless the table has another identity. */
  @Test
  void typesOfPostgres() {
    assertThat(lines(read("postgresql-default"), "types"))
        .containsExactly(
            "0 INSERT types [1, -7, 300, 1, 12.5, 1.25, 1.5, NOT_COMPARABLE, Grün, ab   ,"
                + " [0, -1], 2026-02-28, PT10H11M12.000013S, 2026-02-28T10:11:12.123456,"
                + " 2026-02-28T10:11:12.123456Z, NOT_COMPARABLE, NOT_COMPARABLE]",
            "1 UPDATE types [1, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT,"
                + " ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT]"
                + " [1, 8, 300, 1, -0.05, 1.25, 1.5, NOT_COMPARABLE, null, ab   ,"
                + " [0, -1], 2026-02-28, PT10H11M12.000013S, 2026-02-28T10:11:12.123456,"
                + " 2026-02-28T10:11:12.123456Z, NOT_COMPARABLE, NOT_COMPARABLE]",
            "8 DELETE types [1, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT,"
                + " ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT]");
  }

  /** A row of one event has its statement; a change of the key becomes two records. */
  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void transactionOfSeveralTopicsIsInOrder(String dbms) {
    DebeziumTransactions read = read(dbms + "-default");

    assertThat(lines(read, "pair"))
        .containsExactly(
            "2 INSERT pair [1, x, 5]",
            "2 INSERT pair [2, y, 6]",
            "3 UPDATE pair [1, x, 5] [1, x, 6]",
            "3 UPDATE pair [2, y, 6] [2, y, 7]",
            "4 DELETE pair [2, y, 7]",
            "4 INSERT pair [3, y, 7]",
            "5 DELETE pair [1, x, 6]");
    assertThat(read.transactions()).hasSize(2);
    assertThat(read.transactions().get(0).transaction().isComplete()).isTrue();
    assertThat(read.transactions().get(0).transaction().connectionId())
        .matches(id -> dbms.equals("mysql") == id > 0);
    ChangedTable table = read.transactions().get(0).transaction().changes().get(2).table();
    assertThat(Objects.requireNonNull(table.rowKey()).columns()).containsExactly(0, 1);
  }

  /** The capture left out a change of the last transaction. */
  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb", "postgresql"})
  void missingChangeIsAGap(String dbms) {
    DebeziumTransactions read = read(dbms + "-default");

    assertThat(read.transactions().get(1).transaction().isComplete()).isFalse();
    assertThat(read.gaps())
        .filteredOn(gap -> gap.detail().contains("has 2 changes, and the topics contain 1"))
        .singleElement()
        .extracting(ChangeGap::reason)
        .isEqualTo(ChangeGap.Reason.RECORD_LOST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb", "postgresql"})
  void recordsInAnyOrderAndTwiceAreTheSame(String dbms) {
    List<String> records = resource(dbms + "-default");
    List<String> reversed = new ArrayList<>(records);
    Collections.reverse(reversed);
    reversed.addAll(records);

    assertThat(lines(read(reversed), "pair")).isEqualTo(lines(read(records), "pair")).hasSize(7);
  }

  /** Decimals as texts, and times of Kafka Connect, which are cut to milliseconds. */
  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void whatAnotherTypeMayBeIsNotComparable(String dbms) {
    assertThat(lines(read(dbms + "-strings"), "types").get(0))
        .isEqualTo(
            "0 INSERT types [1, -7, 300, 1, 9223372036854775807, NOT_COMPARABLE, NOT_COMPARABLE,"
                + " NOT_COMPARABLE, Grün, ab, [0, -1], 5, 2026-02-28, NOT_COMPARABLE,"
                + " NOT_COMPARABLE, NOT_COMPARABLE, 2026-02-28T10:11:12.123Z, 2026, old, x,y,"
                + " "
                + json(dbms)
                + "]");
  }

  @Test
  void envelopeWithoutSchemaIsAGap() {
    DebeziumTransactions read = read("mysql-plain");

    assertThat(read.transactions()).isEmpty();
    assertThat(read.gaps())
        .filteredOn(gap -> gap.table().equals("types"))
        .singleElement()
        .satisfies(
            gap -> {
              assertThat(gap.reason()).isEqualTo(ChangeGap.Reason.TABLE_UNKNOWN);
              assertThat(gap.detail()).startsWith("an envelope without its schema; set key");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"no JSON", "[]", "{\"source\":{\"connector\":\"oracle\"}}", "{} {}"})
  void whatIsNotUnderstoodIsAGap(String value) {
    assertThat(new DebeziumDecoder().decode("shop.t", null, bytes(value)))
        .isInstanceOfSatisfying(
            DebeziumRecord.Undecodable.class,
            gap -> assertThat(gap.gap().reason()).isEqualTo(ChangeGap.Reason.NOT_UNDERSTOOD));
  }

  /** TINYINT(1) and SMALLINT, BIGINT with and without sign, DECIMAL and texts. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "int16 1 1",
        "int16 2 NOT_COMPARABLE",
        "int16 256 256",
        "int32 2 2",
        "int64 -1 NOT_COMPARABLE",
        "string \"1.50\" NOT_COMPARABLE",
        "string \"a\" a",
        "string \"__debezium_unavailable_value\" ABSENT",
        "boolean true NOT_COMPARABLE",
        "boolean false 0",
        "io.debezium.time.Date null NOT_COMPARABLE",
        "io.debezium.time.Date 4000000 NOT_COMPARABLE"
      })
  void valueOfAType(String example) {
    String[] parts = example.split(" ");

    assertThat(value(parts[0], "", parts[1])).hasToString(parts[2]);
  }

  /** {@code column.propagate.source.type} states the column's type. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "int16 SMALLINT 2 2",
        "int16 TINYINT 2 NOT_COMPARABLE",
        "int64 BIGINT -1 -1",
        "string DECIMAL \"1.50\" 1.5",
        "string VARCHAR \"1.50\" 1.50",
        "double DOUBLE 1.5 1.5"
      })
  void valueOfAStatedType(String example) {
    String[] parts = example.split(" ");

    assertThat(value(parts[0], parts[1], parts[2])).hasToString(parts[3]);
  }

  private static Object value(String type, String declared, String json) {
    boolean isSemantic = type.startsWith("io.");
    String field =
        """
        {"type":"%s","optional":true,%s"parameters":{%s},"field":"v"}"""
            .formatted(
                isSemantic ? "int32" : type,
                isSemantic ? "\"name\":\"" + type + "\"," : "",
                declared.isEmpty() ? "" : "\"__debezium.source.column.type\":\"" + declared + "\"");
    String envelope =
        """
        {"schema":{"type":"struct","fields":[{"field":"after","fields":[\
        {"type":"int32","optional":false,"field":"id"},%s]}]},\
        "payload":{"before":null,"after":{"id":1,"v":%s},"source":{"connector":"mysql","db":"shop",\
        "table":"t","gtid":"a:1","file":"binlog.1","pos":4},"op":"c"}}"""
            .formatted(field, json);
    DebeziumRecord decoded = new DebeziumDecoder().decode("shop.t", bytes(KEY), bytes(envelope));
    return Objects.requireNonNull(((DebeziumRecord.Change) decoded).row().after())[1];
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static DebeziumTransactions read(String name) {
    return read(resource(name));
  }

  /** Each line is an object of topic, key and value, as the capture wrote them. */
  private static DebeziumTransactions read(List<String> lines) {
    DebeziumDecoder decoder = new DebeziumDecoder();
    DebeziumTransactions transactions = new DebeziumTransactions();
    for (String line : lines) {
      int key = line.indexOf(",\"key\":");
      int value = line.indexOf(",\"value\":");
      String payload = line.substring(value + ",\"value\":".length(), line.length() - 1);
      transactions.add(
          decoder.decode(
              line.substring("{\"topic\":\"".length(), key - 1),
              bytes(line.substring(key + ",\"key\":".length(), value)),
              payload.equals("null") ? null : bytes(payload)));
    }
    return transactions;
  }

  private static List<String> resource(String name) {
    try (InputStream in = DebeziumDecoderTest.class.getResourceAsStream(name + ".jsonl")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(DebeziumTransactions read, String table) {
    return read.transactions().stream()
        .flatMap(each -> each.transaction().changes().stream())
        .filter(row -> row.table().name().equals(table))
        .map(DebeziumDecoderTest::line)
        .toList();
  }

  private static String line(ChangedRow row) {
    return row.statement()
        + " "
        + row.kind()
        + " "
        + row.table().name()
        + (row.before() == null ? "" : " " + text(row.before()))
        + (row.after() == null ? "" : " " + text(row.after()));
  }

  private static String text(Object[] image) {
    return Arrays.deepToString(image);
  }
}
