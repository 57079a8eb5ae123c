package io.txwatch.corpus.sent;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What drivers send to real servers, as a relay records it, is split into commands. */
class SentCommandsTest {

  static Stream<ServerKind> servers() {
    return TestServers.kinds().filter(kind -> kind != ServerKind.H2 && kind != ServerKind.SQLITE);
  }

  static Stream<ServerKind> serversOfPackets() {
    return servers().filter(kind -> kind != ServerKind.POSTGRESQL);
  }

  @ParameterizedTest
  @EnumSource(names = "POSTGRESQL")
  void aConnectionToPostgresIsSplitIntoMessages(ServerKind kind) throws Exception {
    assertThat(sent(kind, "", 7))
        .contains("Parse \0SELECT 'a; b'\0\0\0", "Parse \0SELECT $1\0\0\1\0\0\0\27")
        .endsWith("Terminate");
    assertThat(sent(kind, "&preferQueryMode=simple", 7)).contains("Query SELECT 'a; b'\0");
  }

  @ParameterizedTest
  @MethodSource("serversOfPackets")
  void preparedStatementsAreNumberedInTheOrderOfTheirUse(ServerKind kind) throws Exception {
    List<String> sent = sent(kind, "&useServerPrepStmts=true&cachePrepStmts=false", 7);
    assertThat(sent).contains("Query SELECT 'a; b'", "Prepare SELECT ?", "Prepare SELECT ? + 0");
    assertThat(sent.stream().filter(c -> c.matches("(?s)Execute.*|Close stmt.*")))
        .extracting(command -> command.substring(0, command.indexOf('#') + 2))
        .containsExactlyElementsOf(
            kind == ServerKind.MARIADB // sends each first execution before it knows the number
                ? List.of(
                    "Execute #l", "Execute #l", "Execute #1", "Close stmt #2", "Close stmt #1")
                : List.of(
                    "Execute #1", "Execute #2", "Execute #1", "Close stmt #2", "Close stmt #1"));
    assertThat(sent).endsWith("Quit");
  }

  @ParameterizedTest
  @MethodSource("servers")
  void equalConnectionsAreEqualAndAnotherValueIsADifference(ServerKind kind) throws Exception {
    for (String options : List.of("", "&useServerPrepStmts=true")) {
      List<String> raw = sent(kind, options, 7);
      SentDifferences equal = SentDifferences.ofRuns(List.of(raw), List.of(sent(kind, options, 7)));
      assertThat(equal.differences()).isEmpty();
      assertThat(equal.connections()).isEqualTo(1);
      assertThat(
              SentDifferences.ofRuns(List.of(raw), List.of(sent(kind, options, 8))).differences())
          .singleElement()
          .asString()
          .contains(" of " + raw.size() + " raw, " + raw.size() + " watched");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void theEndOfALongCommandIsCompared(ServerKind kind) throws Exception {
    String before = "SELECT '" + "x".repeat(5_000);
    List<String> one = sent(kind, "", statement -> statement.execute(before + "1'"));
    List<String> other = sent(kind, "", statement -> statement.execute(before + "2'"));
    assertThat(SentDifferences.ofConnection(one, other).differences()).hasSize(1);
    assertThat(one).allMatch(command -> command.length() < 3_000);
  }

  @Test
  void contentsOfTheMaximalLengthGoOnInTheNextPacket() {
    byte[] sent = new byte[4 + 0xFF_FF_FF + 4 + 1 + 4 + 1];
    Arrays.fill(sent, 0, 3, (byte) 0xFF);
    Arrays.fill(sent, 4, 4 + 0xFF_FF_FF, (byte) 3);
    int next = 4 + 0xFF_FF_FF;
    sent[next] = 1;
    sent[next + 3] = 1;
    sent[next + 5] = 1;
    sent[next + 9] = 1; // Quit
    assertThat(SentCommands.of(ServerKind.MYSQL, sent).orElseThrow())
        .hasSize(2)
        .endsWith("Quit")
        .first()
        .asString()
        .contains(" 16777221 bytes, SHA-256 ");
  }

  @ParameterizedTest
  @EnumSource(names = "MARIADB")
  void compressedCommandsAreNotCompared(ServerKind kind) throws Exception {
    assertThat(sentBytes(kind, "&useCompression=true", s -> s.execute("SELECT 1"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = "MYSQL")
  void encryptedCommandsAreNotCompared(ServerKind kind) throws Exception {
    if (TestServers.kinds().anyMatch(kind::equals)) {
      assertThat(sentBytes(kind, "&sslMode=REQUIRED", s -> s.execute("SELECT 1"))).isEmpty();
    }
  }

  private interface Work {
    void on(Statement statement) throws SQLException;
  }

  private static List<String> sent(ServerKind kind, String options, int value) throws Exception {
    return sent(kind, options, statement -> work(statement, value));
  }

  private static List<String> sent(ServerKind kind, String options, Work work) throws Exception {
    return sentBytes(kind, options, work).orElseThrow();
  }

  private static Optional<List<String>> sentBytes(ServerKind kind, String options, Work work)
      throws Exception {
    String url = TestServers.of(kind).url();
    int port = URI.create(url.substring("jdbc:".length())).getPort();
    try (SentBytes relay = SentBytes.to("127.0.0.1", port)) {
      String relayed = url.replace(":" + port + "/", ":" + relay.port() + "/");
      if (options.contains("sslMode")) {
        relayed = relayed.replaceAll("&sslMode=\\w+", "");
      }
      try (Connection connection = DriverManager.getConnection(relayed + options);
          Statement statement = connection.createStatement()) {
        work.on(statement);
      }
      SentBytes.OfClient client = relay.clients().get(0);
      client.awaitEnd();
      return SentCommands.of(kind, client.bytes());
    }
  }

  private static void work(Statement statement, int value) throws SQLException {
    statement.execute("SELECT 'a; b'");
    try (PreparedStatement one = statement.getConnection().prepareStatement("SELECT ?");
        PreparedStatement other = statement.getConnection().prepareStatement("SELECT ? + 0")) {
      for (PreparedStatement prepared : List.of(one, other, one)) {
        prepared.setInt(1, value);
        prepared.execute();
      }
    }
  }
}
