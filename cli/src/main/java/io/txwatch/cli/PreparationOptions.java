package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.catalog.UnsupportedDatabaseException;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationPlan;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.prepare.TablePlan;
import io.txwatch.prepare.TerminalEscaping;
import io.txwatch.product.registry.Products;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options and the procedure that {@code prepare} and {@code unprepare} share. */
final class PreparationOptions {

  /** How long a statement may wait for locks while others queue behind it. */
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(300);

  @Option(
      names = "--url",
      required = true,
      paramLabel = "URL",
      description = "the database, such as jdbc:mariadb://localhost/shop")
  private String url = "";

  @Mixin private DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--tables",
      paramLabel = "TABLE",
      description = "the tables, separated by commas (default: all of the default schema)")
  private List<String> tables = new ArrayList<>();

  @Option(
      names = "--max-wait",
      paramLabel = "SECONDS",
      description = {
        "for how long to retry a table that another transaction has locked (default: 30);",
        "each attempt waits at most 0.3 s (MariaDB: 1 s), so that no other statement queues",
        "behind it for longer"
      })
  private int maxWaitSeconds = 30;

  @Option(names = "--dry-run", description = "print the plan and change nothing")
  private boolean dryRun;

  @Mixin private JsonOption output = new JsonOption();

  /**
   * Makes the plan, prints it, and executes it unless it is a dry run.
   *
   * @param how applies the options of the one command
   */
  int run(PreparationPlan.Action action, UnaryOperator<Preparation> how, Console console)
      throws IOException {
    String real = Drivers.unwatched(url);
    String existing = CommandDbms.of(real).map(dbms -> dbms.existing(real)).orElse(real);
    try (Connection connection = Drivers.connect(existing, database)) {
      PrintWriter textOut = console.textOut(output.json);
      Preparation preparation =
          how.apply(
              Products.preparation(connection, real, LOCK_TIMEOUT)
                  .retryingFor(
                      Duration.ofSeconds(maxWaitSeconds),
                      line -> {
                        textOut.println("  " + TerminalEscaping.escape(line));
                        textOut.flush();
                      }));
      PreparationPlan plan = plan(preparation, action);
      textOut.println(plan.describe());
      textOut.flush();
      if (!plan.missing().isEmpty()) {
        throw CommandException.badInput(
            TerminalEscaping.escape(
                "no such table: " + String.join(", ", plan.missing()) + "; nothing was changed"));
      }
      PreparationResult result =
          dryRun
              ? new PreparationResult(List.of(), List.of())
              : execute(preparation, plan, console);
      print(textOut, result);
      if (output.json) {
        writeJson(console.out(), action, plan, result);
      }
      result.failed().forEach(failure -> console.note(describe(failure)));
      return result.complete() ? ExitCode.CLEAN : ExitCode.BAD_INPUT;
    } catch (UnsupportedDatabaseException e) {
      throw CommandException.badInput(String.valueOf(e.getMessage()));
    } catch (SQLException e) {
      String state = e.getSQLState() == null ? "" : e.getSQLState();
      String message = Drivers.shown(real) + ": " + ConnectFailure.message(real, e);
      throw state.startsWith("08")
          ? CommandException.unreachable(message)
          : CommandException.badInput(message);
    }
  }

  private static PreparationResult execute(
      Preparation preparation, PreparationPlan plan, Console console) throws SQLException {
    long tables = plan.tables().stream().filter(table -> !table.statements().isEmpty()).count();
    double seconds = plan.tables().stream().mapToDouble(TablePlan::seconds).sum();
    try (Progress progress =
        Progress.ofEstimate(console, "changing " + tables + " tables", seconds)) {
      return preparation.execute(plan);
    }
  }

  private PreparationPlan plan(Preparation preparation, PreparationPlan.Action action)
      throws SQLException {
    List<String> names = tables.stream().flatMap(list -> Preparation.names(list).stream()).toList();
    return switch (action) {
      case PREPARE -> preparation.planPrepare(names);
      case UNPREPARE -> preparation.planUnprepare(names);
    };
  }

  private static String describe(PreparationResult.Failure failure) {
    return TerminalEscaping.escape(
        "txwatch: " + failure.table() + " " + failure.left().words() + ": " + failure.reason());
  }

  private void print(PrintWriter textOut, PreparationResult result) {
    if (dryRun) {
      textOut.println("dry run: nothing was changed");
    } else {
      textOut.println(
          result.changed().isEmpty()
              ? "nothing was changed"
              : "changed: " + TerminalEscaping.escape(String.join(", ", result.changed())));
    }
    textOut.flush();
  }

  private void writeJson(
      PrintWriter out,
      PreparationPlan.Action action,
      PreparationPlan plan,
      PreparationResult result)
      throws IOException {
    try (JsonGenerator generator = JsonReport.generator(out)) {
      generator.writeStartObject();
      generator.writeStringField(
          "type", action == PreparationPlan.Action.PREPARE ? "prepare" : "unprepare");
      generator.writeStringField("dbms", plan.database());
      generator.writeBooleanField("dryRun", dryRun);
      generator.writeArrayFieldStart("tables");
      for (TablePlan table : plan.tables()) {
        write(generator, table);
      }
      generator.writeEndArray();
      writeStrings(generator, "cleanUp", plan.atTheEnd());
      writeStrings(generator, "warnings", plan.warnings());
      writeStrings(generator, "changed", result.changed());
      generator.writeArrayFieldStart("failed");
      for (PreparationResult.Failure failure : result.failed()) {
        generator.writeStartObject();
        generator.writeStringField("table", failure.table());
        generator.writeStringField("reason", failure.reason());
        generator.writeStringField("left", failure.left().name());
        generator.writeEndObject();
      }
      generator.writeEndArray();
      generator.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private static void write(JsonGenerator generator, TablePlan table) throws IOException {
    generator.writeStartObject();
    generator.writeStringField("schema", table.schema());
    generator.writeStringField("table", table.table());
    generator.writeStringField("decision", table.decision().name());
    writeStrings(generator, "statements", table.statements());
    writeStrings(
        generator, "work", table.steps().stream().map(step -> step.work().name()).toList());
    generator.writeNumberField("rows", table.rows());
    generator.writeNumberField("seconds", table.seconds());
    generator.writeStringField("note", table.note());
    generator.writeEndObject();
  }

  private static void writeStrings(JsonGenerator generator, String field, List<String> values)
      throws IOException {
    generator.writeArrayFieldStart(field);
    for (String value : values) {
      generator.writeString(value);
    }
    generator.writeEndArray();
  }
}
