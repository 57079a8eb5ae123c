package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.txwatch.campaign.CampaignFinding;
import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.OperationWaits;
import io.txwatch.coverage.PossibleDeadlock;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.HistoryWriter;
import io.txwatch.report.JsonReport;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What commands write with {@code --json} is what docs/schemas/txwatch.schema.json states, and
 * nothing beside it.
 */
class JsonSchemaTest {

  private static final Path FILE = Path.of("../docs/schemas/txwatch.schema.json");
  private static final Schema STRICT = strict();

  @TempDir private Path directory = Path.of("");

  /** The schema, with which an object has no field beside those that are described. */
  private static Schema strict() {
    try {
      JsonNode schema = new ObjectMapper().readTree(Files.readString(FILE));
      schema.findParents("properties").stream()
          .filter(object -> object.path("type").asText().equals("object"))
          .forEach(object -> ((ObjectNode) object).put("additionalProperties", false));
      schema.get("$defs").forEach(JsonSchemaTest::forbidOthers);
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(schema.toString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void forbidOthers(JsonNode node) {
    if (node instanceof ObjectNode object && object.path("properties").isObject()) {
      object.put("additionalProperties", false);
    }
    node.forEach(JsonSchemaTest::forbidOthers);
  }

  /** Runs a command, and expects lines of these types, all of which conform. */
  private static void expect(List<String> types, String... arguments) throws IOException {
    Invocation invocation = Invocation.of(arguments);
    assertThat(invocation.out()).as(invocation.err()).isNotEmpty();
    for (String line : invocation.out().lines().toList()) {
      assertThat(types).contains(new ObjectMapper().readTree(line).get("type").asText());
      assertConforms(line);
    }
    for (String type : types) {
      assertThat(invocation.out()).contains("\"type\":\"" + type + "\"");
    }
  }

  private static void assertConforms(String line) {
    assertThat(STRICT.validate(line, InputFormat.JSON)).as(line).isEmpty();
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  private String history(String name, String... tables) throws IOException {
    Path file = directory.resolve(name);
    try (HistoryWriter history = HistoryWriter.open(file)) {
      RecordedRaces races = new RecordedRaces(history);
      for (String table : tables) {
        races.lostUpdate(table, "n", "Shop.buy", 7);
      }
    }
    return file.toString();
  }

  @Test
  void anotherFieldDoesNotConform() {
    assertConforms(
        """
        {"type":"predict","operations":1,"candidates":0,"confirmed":0,"sameOrder":0,"refuted":0,\
        "undecided":0,"seconds":0.1}""");
    assertThat(
            STRICT.validate(
                """
                {"type":"predict","operations":1,"candidates":0,"confirmed":0,"sameOrder":0,\
                "refuted":0,"undecided":0,"seconds":0.1,"more":1}""",
                InputFormat.JSON))
        .isNotEmpty();
  }

  @Test
  void checkAndDiff() throws IOException {
    String before = history("before.history", "stock");
    String after = history("after.history", "stock", "account");
    String append =
        file(
            "append.edn",
            """
            {:type :ok, :process 0, :value [[:append 1 1]], :index 0}
            {:type :ok, :process 1, :value [[:r 1 [1]]], :index 1}
            """);
    expect(List.of("check"), "check", "--json", after);
    expect(List.of("check"), "check", "--json", append);
    expect(List.of("diff"), "diff", "--json", before, after);
    Path baseline = directory.resolve("baseline.yaml");
    Invocation.of(
        "baseline",
        "add",
        "--file=" + baseline,
        "--reason=known",
        "--who=ann",
        "--until=2999-01-01",
        "--all",
        before);
    expect(List.of("check"), "check", "--json", "--baseline=" + baseline, before);
  }

  @Test
  void coverageIsAnObjectOfItsOwn() {
    assertConforms(JsonReport.coverage(Coverage.NONE));
    OperationWaits.Pair pair =
        new OperationWaits.Pair("Shop.buy", "Shop.sell", 2, 9, 5, "A.java:1");
    assertConforms(JsonReport.coverage(Coverage.NONE.with(new OperationWaits(List.of(pair), 1))));
    PossibleDeadlock.Side side =
        new PossibleDeadlock.Side(
            "Bank.transfer",
            new PossibleDeadlock.Lock("account", "1", "A.java:1", "UPDATE"),
            new PossibleDeadlock.Lock("account", "2", "A.java:2", "UPDATE"));
    assertConforms(
        JsonReport.coverage(Coverage.NONE.with(List.of(new PossibleDeadlock(side, side, 3)))));
  }

  @Test
  void interleaveAndReplay() throws Exception {
    String racy =
        file(
            "racy.txt",
            """
            I: CREATE TABLE t (id INT PRIMARY KEY, n INT)
            I: INSERT INTO t VALUES (1, 1)
            T1: SELECT n FROM t WHERE id = 1
            T1: UPDATE t SET n = 2 WHERE id = 1
            T2: SELECT n FROM t WHERE id = 1
            T2: UPDATE t SET n = 3 WHERE id = 1
            T2: INSERT INTO t VALUES (1, 1)
            F: SELECT n FROM t
            """);
    String url = TestServers.freshDatabase(ServerKind.H2);
    expect(List.of("interleave"), "interleave", "--json", racy, "--isolation=RC", "--url=" + url);
    expect(
        List.of("replay", "interleave"),
        "replay",
        "--json",
        "--exhaustive",
        racy,
        "--isolation=RC",
        "--oracle=writecheck,isorel",
        "--url=" + url);
  }

  @Test
  void predictWithLevels() throws Exception {
    Path history = directory.resolve("bank.history");
    String url = "jdbc:h2:mem:schema" + System.nanoTime();
    String watched =
        url.replace("jdbc:", "jdbc:txwatch:")
            + ";txwatch.predict=on;txwatch.log=none;txwatch.history="
            + history;
    try (Connection keep = DriverManager.getConnection(url);
        Connection bank = DriverManager.getConnection(watched)) {
      keep.createStatement().execute("CREATE TABLE account (id INT PRIMARY KEY, n INT)");
      keep.createStatement().execute("INSERT INTO account VALUES (1, 100), (2, 100)");
      bank.setAutoCommit(false);
      for (int id = 1; id <= 2; id++) {
        try (var read = bank.prepareStatement("SELECT n FROM account WHERE id = ?");
            var write = bank.prepareStatement("UPDATE account SET n = ? WHERE id = ?")) {
          read.setInt(1, id);
          ResultSet rows = read.executeQuery();
          rows.next();
          write.setInt(1, rows.getInt(1) - 10);
          write.setInt(2, id);
          write.executeUpdate();
        }
        bank.commit();
      }
      bank.close();
      await().until(() -> committed(history) == 2); // another thread writes the file
      expect(
          List.of("prediction", "level", "predict"),
          "predict",
          "--json",
          "--levels",
          "--url=" + url,
          history.toString());
    }
  }

  private static long committed(Path history) throws IOException {
    AtomicLong count = new AtomicLong();
    if (Files.exists(history)) {
      try (HistoryReader reader = HistoryReader.open(history)) {
        reader.forEach(
            event -> {
              if (event instanceof Event.TransactionEnded) {
                count.incrementAndGet();
              }
            });
      }
    }
    return count.get();
  }

  @Test
  void prepareAndUnprepare() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.H2);
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.createStatement().execute("CREATE TABLE t (id INT PRIMARY KEY)");
      expect(List.of("prepare"), "prepare", "--json", "--url=" + url);
      expect(List.of("unprepare"), "unprepare", "--json", "--url=" + url);
    }
  }

  @Test
  void fuzz() throws Exception {
    expect(List.of("summary"), "fuzz", "--json", "--cases=20", "--seed=1", "--workers=1");

    Dbms dbms = DbmsRegistry.connect("jdbc:h2:mem:finding", DriverManager::getConnection);
    CampaignFinding finding = FindingFolderTest.writeSkew(dbms);
    StringWriter line = new StringWriter();
    FuzzOutput.writeJson(new PrintWriter(line), dbms.describe(), finding, "case.txt");
    assertThat(line.toString()).contains("\"type\":\"finding\"");
    assertConforms(line.toString());

    StringWriter further = new StringWriter();
    FuzzOutput.writeJson(new PrintWriter(further), dbms.describe(), finding, finding, "also.txt");
    assertThat(further.toString()).contains("\"type\":\"alsoSeen\"");
    assertConforms(further.toString());
  }
}
