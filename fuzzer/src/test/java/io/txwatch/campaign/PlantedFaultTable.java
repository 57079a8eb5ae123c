package io.txwatch.campaign;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.log.LogCheck;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseWriter;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Prints the rows of docs/measurements/planted.md: for each fault and each seed the findings of a
 * campaign of 200 cases. Arguments are the seeds, and after them names of faults; none for all.
 */
final class PlantedFaultTable {

  private static final int CASES = 200;

  private PlantedFaultTable() {}

  public static void main(String[] arguments) throws Exception {
    List<String> seeds = Arrays.stream(arguments).filter(text -> text.matches("\\d+")).toList();
    List<String> names = Arrays.stream(arguments).filter(text -> !seeds.contains(text)).toList();
    for (FaultyConnector fault : FaultyConnector.values()) {
      for (String seed : seeds) {
        if (names.isEmpty() || names.contains(fault.name())) {
          print(fault, Long.parseLong(seed));
        }
      }
    }
  }

  private static void print(FaultyConnector fault, long seed) throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(fault.kind()), fault);
    CollectedFindings found = new CollectedFindings();
    Campaign.Plan plan =
        new Campaign.Plan(
            seed,
            dbms.levels(),
            List.of(
                new WriteCheck(),
                new Troc(),
                new IsoRel(),
                new ApTrans(Judge.DBMS),
                new TxCheck(),
                new LogCheck()),
            CASES,
            Duration.ofMinutes(5),
            1);
    Summary summary = new Campaign(dbms, plan, found).run();

    String findings =
        found.findings.stream()
            .map(PlantedFaultTable::describe)
            .collect(Collectors.joining("<br>"));
    System.out.printf(
        "| %s | %s | %d | %d | %.0f | %d | %d | %d | %s |%n",
        fault,
        dbms.describe(),
        seed,
        summary.cases().executed(),
        summary.seconds(),
        found.findings.stream().filter(one -> one.findingClass() == FindingClass.NEW).count(),
        found.again.size(),
        found.notReproduced.size(),
        findings);
    print(fault, seed, "finding", found.findings);
    print(fault, seed, "again", found.again);
    found.notReproduced.forEach(
        text -> System.err.printf("%s seed %d not reproduced: %s%n", fault, seed, text));
  }

  private static void print(
      FaultyConnector fault, long seed, String what, List<CampaignFinding> findings) {
    for (CampaignFinding finding : findings) {
      System.err.printf(
          "%s seed %d, %s: %s %s at %s: %s%n%s%n%s%n",
          fault,
          seed,
          what,
          finding.findingClass(),
          finding.oracle(),
          finding.level(),
          finding.reason(),
          CaseWriter.write(finding.reduced()),
          SessionRoles.of(finding));
    }
  }

  /** Its case, class, oracle and level, and the size of the reduced case. */
  private static String describe(CampaignFinding finding) {
    TestCase reduced = finding.reduced();
    long tables = reduced.setup().stream().filter(sql -> sql.startsWith("CREATE TABLE")).count();
    String statements =
        reduced.sessions().stream()
            .map(
                session ->
                    reduced.steps().stream()
                        .filter(step -> step.session().equals(session))
                        .filter(step -> step.role() == Step.Role.WORK)
                        .count())
            .map(String::valueOf)
            .collect(Collectors.joining("+"));
    return "%s %s%s, %s, %s%s: %s statements, %d table%s"
        .formatted(
            finding.original().name(),
            finding.findingClass(),
            finding.known().map(known -> " " + known.id()).orElse(""),
            finding.oracle(),
            finding.level().shortName(),
            finding.behavesLike().map(level -> " as " + level.shortName()).orElse(""),
            statements,
            tables,
            tables == 1 ? "" : "s");
  }
}
