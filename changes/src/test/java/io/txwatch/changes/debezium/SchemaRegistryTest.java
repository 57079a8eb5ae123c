package io.txwatch.changes.debezium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.txwatch.changes.ChangedRow;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records in Avro are the same as in JSON; their schemas come from a registry. */
class SchemaRegistryTest {

  private static final Pattern LINE =
      Pattern.compile("\\{\"topic\":\"(.*?)\",\"key\":(.*?),\"value\":(.*)}");

  /** Of the answers, by path. */
  private final Map<String, String> answers = new HashMap<>();

  private HttpServer server;
  private String url;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    url = "http://127.0.0.1:" + server.getAddress().getPort() + "/api";
    server.createContext(
        "/",
        exchange -> {
          String answer = answers.get(exchange.getRequestURI().getPath());
          byte[] body = bytes(answer == null ? "{\"error_code\":40403}" : answer);
          exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private DebeziumDecoder decoder() {
    return new DebeziumDecoder(SchemaRegistry.ofUrl(url + "/").orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql-default",
        "mysql-strings",
        "mariadb-default",
        "mariadb-strings",
        "postgresql-default",
        "postgresql-strings"
      })
  void recordsInAvroAreThoseInJson(String name) throws IOException {
    AvroConverter converter = new AvroConverter();
    DebeziumDecoder json = new DebeziumDecoder();
    DebeziumDecoder avro = decoder();
    int changes = 0;
    for (String line : resource(name)) {
      Matcher parts = LINE.matcher(line);
      assertThat(parts.matches()).isTrue();
      byte[] key = bytes(parts.group(2));
      byte[] value = parts.group(3).equals("null") ? null : bytes(parts.group(3));
      byte[] avroKey = converter.convert(key);
      byte[] avroValue = value == null ? null : converter.convert(value);
      List<String> schemas = converter.schemas();
      for (int i = 0; i < schemas.size(); i++) {
        answers.put(
            "/api/schemas/ids/" + (i + 1),
            "{\"schema\":" + AvroConverter.text(schemas.get(i)) + "}");
      }

      DebeziumRecord decoded = avro.decode(parts.group(1), avroKey, avroValue);

      assertThat(text(decoded)).isEqualTo(text(json.decode(parts.group(1), key, value)));
      changes += decoded instanceof DebeziumRecord.Change ? 1 : 0;
    }
    assertThat(changes).isGreaterThan(1);
  }

  private static String text(DebeziumRecord record) {
    if (!(record instanceof DebeziumRecord.Change change)) {
      return record.toString();
    }
    ChangedRow row = change.row();
    return List.of(
            change.transaction(),
            change.source(),
            change.place(),
            change.order(),
            row.kind(),
            row.table().schema(),
            row.table().name(),
            row.table().columns(),
            String.valueOf(row.table().rowKey()),
            Arrays.deepToString(row.before()),
            Arrays.deepToString(row.after()))
        .toString();
  }

  @Test
  void withoutARegistryARecordInAvroIsAGapThatNamesTheOption() {
    assertThat(new DebeziumDecoder().decode("shop.t", null, new byte[] {0, 0, 0, 0, 7, 2}))
        .hasToString(
            new DebeziumRecord.Undecodable(
                    new io.txwatch.changes.ChangeGap(
                        io.txwatch.changes.ChangeGap.Reason.NOT_UNDERSTOOD,
                        "",
                        "",
                        "shop.t: a record in Avro; --schema-registry names the registry of its"
                            + " schema"))
                .toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"schema\":\"{\\\"type\\\":\\\"string\\\"}\"} it is too short",
        "{\"schema\":\"\\\"boolean\\\"\"} no boolean",
        "{\"schema\":\"\\\"null\\\"\"} bytes after its end",
        "{\"schema\":\"{\\\"type\\\":\\\"array\\\",\\\"items\\\":\\\"null\\\"}\"} a length of 1",
        "{\"schema\":\"{\\\"type\\\":\\\"record\\\",\\\"name\\\":\\\"a\\\",\\\"fields\\\":"
            + "[{\\\"name\\\":\\\"a\\\",\\\"type\\\":\\\"a\\\"}]}\"} a record contains itself",
      })
  void whatDoesNotFitItsSchemaIsAGap(String example) {
    int end = example.indexOf("} ") + 1;
    answers.put("/api/schemas/ids/7", example.substring(0, end));
    byte[] value = {0, 0, 0, 0, 7, (byte) (example.contains("short") ? 0x80 : 2)};

    assertThat(decoder().decode("shop.t", null, value).toString())
        .contains("a record in Avro that does not fit its schema 7: " + example.substring(end + 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"schemaType\":\"PROTOBUF\",\"schema\":\"\"} a schema of type PROTOBUF, expected AVRO",
        "{\"schema\":\"{}\"} no schema of Avro: a type is missing",
        "{\"schema\":\"\\\"shop.T\\\"\"} no schema of Avro: the type shop.T is not declared",
        "[] answers with no schema; is it the URL of a schema registry?",
        "<html> answers with no schema; is it the URL of a schema registry?",
      })
  void whatIsNoSchemaOfAvroIsNamed(String example) {
    int end = example.indexOf(' ');
    answers.put("/api/schemas/ids/7", example.substring(0, end));

    failsWith(example.substring(end + 1), false);
  }

  @Test
  void unknownSchemaIsNamed() {
    failsWith("/api/schemas/ids/7: the registry has no such schema", false);
  }

  @Test
  void registryThatDoesNotAnswerIsNamed() {
    server.stop(0);

    failsWith(url + ": no schema registry answers", true);
  }

  private void failsWith(String message, boolean isUnreachable) {
    assertThatThrownBy(() -> decoder().decode("shop.t", null, new byte[] {0, 0, 0, 0, 7, 2}))
        .isInstanceOfSatisfying(
            SchemaRegistryException.class,
            e -> assertThat(e.isUnreachable()).isEqualTo(isUnreachable))
        .hasMessageContaining(message)
        .hasMessageContaining(url);
  }

  @ParameterizedTest
  @ValueSource(strings = {"registry:8081", "ftp://registry", "http://", "http://a:b@registry", "x"})
  void whatIsNoUrlOfARegistryIsNone(String text) {
    assertThat(SchemaRegistry.ofUrl(text)).isEmpty();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> resource(String name) throws IOException {
    try (InputStream in = SchemaRegistryTest.class.getResourceAsStream(name + ".jsonl")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}
