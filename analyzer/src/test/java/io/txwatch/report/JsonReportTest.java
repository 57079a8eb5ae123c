package io.txwatch.report;

import static io.txwatch.report.AnomalyBuilder.anomaly;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.coverage.Coverage;
import io.txwatch.history.GapReason;
import io.txwatch.history.Outcome;
import java.io.StringWriter;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JsonReportTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void anomalyIsOneLineWithTheDocumentedFields() throws Exception {
    String line =
        JsonReport.anomaly(
            anomaly(Phenomenon.LOST_UPDATE)
                .cycle(CycleClass.G_SINGLE)
                .t("1 SELECT v @ shop.A.buy (A.java:1) (usually)", "2 UPDATE t @ A.java:2")
                .t(Optional.empty(), "pool-2", "3 UPDATE t @ B.java:7")
                .context("1 SELECT v @ B.java:6", 3, "t 9223372036854775807")
                .edge("1.1 rw 2.3 t 9223372036854775807")
                .edge("2.3 ww 1.2 t 9223372036854775807")
                .advice("Lock it.")
                .anomaly());
    assertThat(line).doesNotContain("\n");
    assertThat(JSON.readTree(line.replaceFirst("\"id\":\"[0-9a-f]{16}\"", "\"id\":\"ID\"")))
        .isEqualTo(
            JSON.readTree(
                """
                {"type":"anomaly","id":"ID","phenomenon":"LOST_UPDATE","cycleClass":"G-single",
                 "verdict":"HAZARD","confidence":"CONFIRMED","possible":false,
                 "fingerprint":"a659728b-58bd",
                 "title":"LOST_UPDATE of A.buy+A.java, B.java on t",
                 "dbms":"PostgreSQL 18.6","isolation":"READ_COMMITTED","count":1,
                 "transactions":[
                   {"id":"1b.1","session":"pool-1","isolation":"READ_COMMITTED","outcome":"COMMITTED",
                    "statements":[
                      {"seq":1,"kind":"SELECT","sql":"SELECT v","callSite":"A.java:1 (usually)",
                       "method":"shop.A.buy"},
                      {"seq":2,"kind":"UPDATE","sql":"UPDATE t","callSite":"A.java:2"}]},
                   {"id":"1b.2","session":"pool-2","isolation":"READ_COMMITTED","outcome":null,
                    "statements":[
                      {"seq":3,"kind":"UPDATE","sql":"UPDATE t","callSite":"B.java:7"}],
                    "context":[
                      {"seq":1,"kind":"SELECT","sql":"SELECT v","callSite":"B.java:6",
                       "table":"t","row":"9223372036854775807","write":3}]}],
                 "cycle":[
                   {"from":"1b.1","to":"1b.2","kind":"rw","table":"t","row":"9223372036854775807",
                    "rowName":"t row ..775807","fromStatement":1,"toStatement":3},
                   {"from":"1b.2","to":"1b.1","kind":"ww","table":"t","row":"9223372036854775807",
                    "rowName":"t row ..775807","fromStatement":3,"toStatement":2}],
                 "schedule":[
                   {"transaction":0,"seq":1,"effects":["reads t row ..775807"]},
                   {"transaction":1,"seq":1,"effects":["reads t row ..775807 (context)"],
                    "context":true},
                   {"transaction":1,"seq":3,"effects":["writes t row ..775807"]},
                   {"transaction":0,"seq":2,"effects":["writes t row ..775807"]}],
                 "explanation":[
                   "T1 < T2 because T1 did not see T2's write of t row ..775807;",
                   "but T2 < T1 because T1 overwrote T2's write of t row ..775807: a contradiction."],
                 "advice":"Lock it."}
                """));
  }

  @Test
  void wrongReadHasNoCycleClass() throws Exception {
    JsonNode json =
        JSON.readTree(
            JsonReport.anomaly(
                anomaly(Phenomenon.ABORTED_READ)
                    .t(Optional.of(Outcome.ABORTED), "s", "1 UPDATE t")
                    .t("1 SELECT t")
                    .edge("1.1 wr 2.1 t 3")
                    .anomaly()));
    assertThat(json.has("cycleClass")).isTrue();
    assertThat(json.get("cycleClass").isNull()).isTrue();
  }

  @Test
  void anySqlRoundTripsThroughAsciiWithoutMarkup() throws Exception {
    String sql =
        "UPDATE \"t\" SET v = 'a\\b\r\n\t\u0000\u001b[31m\u007f\u009b\u2028</script><!--&amp;"
            + "\u6f22\uD83D\uDE00' "
            + "x".repeat(10_000);
    String line = JsonReport.anomaly(anomaly(Phenomenon.DIRTY_WRITE).t("1 " + sql).anomaly());
    assertThat(line.chars().filter(c -> c < ' ' || c > '~')).isEmpty();
    assertThat(line).doesNotContain("<", ">", "&");
    assertThat(JSON.readTree(line).at("/transactions/0/statements/0/sql").asText()).isEqualTo(sql);
  }

  @Test
  void groupHasItsCount() throws Exception {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonReport.generator(out)) {
      JsonReport.write(
          json, new AnomalyGroups.Group(anomaly(Phenomenon.DIRTY_WRITE).anomaly(), 1200, 0, 0));
    }
    assertThat(JSON.readTree(out.toString()).get("count").asLong()).isEqualTo(1200);
  }

  @Test
  void coverage() throws Exception {
    assertThat(
            JSON.readTree(
                JsonReport.coverage(
                    new Coverage(
                        1,
                        2,
                        3,
                        4,
                        5,
                        6,
                        7,
                        8,
                        9,
                        0,
                        Map.of(GapReason.SHAPE, 8L, GapReason.FAULT, 9L)))))
        .isEqualTo(
            JSON.readTree(
                """
                {"type":"coverage","sessions":1,"transactions":2,"committed":3,"statements":4,
                 "executed":4,"instrumented":5,"rowsRead":6,"rowsWritten":7,"uncertain":8,"forbidden":9,
                 "rowLevel":0,"share":1.0,"smallestShare":1.0,"shedTransactions":0,
                 "repeatedTransactions":0,"waits":[],"possibleDeadlocks":[],
                 "gaps":{"SHAPE":8,"FAULT":9}}
                """));
  }
}
