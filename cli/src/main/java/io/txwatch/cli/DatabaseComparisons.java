package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.campaign.DbmsComparison;
import io.txwatch.campaign.OtherDbms;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The DBMSs that {@code --compare} names. */
final class DatabaseComparisons implements AutoCloseable {

  private final List<Compared> all = new ArrayList<>();

  /** A database, and the execution of cases on it. */
  private record Compared(FuzzTarget target, OtherDbms dbms) {}

  /**
   * Connects to the databases.
   *
   * @throws CommandException if one cannot be reached, contains tables, or is not supported
   */
  void open(List<String> urls, DatabaseOptions database, Console console) {
    for (String url : urls) {
      try {
        FuzzTarget target = FuzzTarget.open(url, database, console);
        all.add(new Compared(target, new OtherDbms(target.dbms())));
      } catch (CommandException e) {
        throw e.of(ComparisonOption.NAME);
      }
    }
  }

  /**
   * Executes a case on each database.
   *
   * @param here its execution on the DBMS under test
   */
  List<DbmsComparison> compare(TestCase testCase, CaseExecution here) {
    return all.stream().map(each -> each.dbms().compare(testCase, here)).toList();
  }

  /** Writes a field for comparisons, if there are any. */
  static void writeJson(JsonGenerator json, List<DbmsComparison> comparisons) throws IOException {
    if (comparisons.isEmpty()) {
      return;
    }
    json.writeArrayFieldStart("comparedWith");
    for (DbmsComparison comparison : comparisons) {
      json.writeStartObject();
      json.writeStringField("dbms", comparison.dbms());
      json.writeStringField("isolation", comparison.level().name());
      json.writeStringField("result", comparison.result().name());
      json.writeArrayFieldStart("details");
      for (String detail : comparison.details()) {
        json.writeString(detail);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  @Override
  public void close() {
    for (Compared each : all) {
      each.dbms().close();
      if (each.dbms().isResponsive()) { // closing a connection waits for the server
        each.target().closeQuietly();
      }
    }
  }
}
