package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.TracedVersion.Row;
import io.txwatch.schedule.StatementProbe;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.Step;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends and records the reads around the statements of one execution (TxCheck, section 3.2): the
 * version sets before each statement (VSR), which contain the rows that it is about to write (BWR),
 * and the versions after a write (AWR). What differs before and after is what it wrote, whatever
 * the form of the statement, with the effects of foreign keys and triggers.
 */
final class SideReadProbe implements StatementProbe {

  private final Instrumentation instrumentation;
  private final ReadPolicy policy;
  private final List<String> tables;

  private volatile Map<String, Map<Row, TracedVersion>> initial = Map.of();
  private final Map<Integer, Map<String, Map<Row, TracedVersion>>> seen = new ConcurrentHashMap<>();
  private final Map<Integer, Map<String, Map<Row, TracedVersion>>> before =
      new ConcurrentHashMap<>();
  private final Map<Integer, Map<String, Map<Row, TracedVersion>>> after =
      new ConcurrentHashMap<>();

  /** The sessions whose transaction has executed a plain query. */
  private final Set<String> withSnapshot = ConcurrentHashMap.newKeySet();

  SideReadProbe(Instrumentation instrumentation, ReadPolicy policy) {
    this.instrumentation = instrumentation;
    this.policy = policy;
    this.tables = List.copyOf(instrumentation.tables());
  }

  @Override
  public void begin(Reader observer) throws SQLException {
    initial = versions(observer);
  }

  @Override
  public void before(Step step, Reader session, Reader observer) throws SQLException {
    if (step.role() != Step.Role.WORK) {
      withSnapshot.remove(step.session());
      return;
    }
    ParsedStatement statement = ParsedStatement.of(step.sql());
    if (statement.isSavepoint() || statement.form().isEmpty()) {
      return;
    }
    if (policy.readsInTransaction(statement, withSnapshot.contains(step.session()))) {
      seen.put(step.id(), versions(session));
    }
    if (statement.isWrite()) {
      Map<String, Map<Row, TracedVersion>> own = seen.get(step.id());
      before.put(step.id(), policy.observesWrites() || own == null ? versions(observer) : own);
    } else if (statement.isPlainQuery()) {
      withSnapshot.add(step.session());
    }
  }

  @Override
  public void after(StepOutcome outcome, Reader session, Reader observer) throws SQLException {
    int id = outcome.step().id();
    if (before.containsKey(id)) {
      after.put(id, versions(policy.observesWrites() ? observer : session));
    }
  }

  private Map<String, Map<Row, TracedVersion>> versions(Reader reader) throws SQLException {
    List<StepOutcome> results = reader.read(instrumentation.versionQueries(tables));
    Map<String, Map<Row, TracedVersion>> versions = new HashMap<>();
    for (int i = 0; i < tables.size(); i++) {
      Map<Row, TracedVersion> rows = new HashMap<>();
      for (TracedVersion version : versionsOf(tables.get(i), results.get(i))) {
        rows.put(version.row(), version);
      }
      versions.put(tables.get(i), rows);
    }
    return versions;
  }

  /** The versions in a result that has the keys among its columns. */
  static List<TracedVersion> versionsOf(String table, StepOutcome result) {
    List<TracedVersion> versions = new ArrayList<>();
    for (List<@Nullable Object> row : result.rows()) {
      String key = "";
      String writer = "";
      List<@Nullable Object> values = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        String column = result.columns().get(i);
        if (column.equalsIgnoreCase(Instrumentation.PRIMARY_KEY)) {
          key = Values.text(row.get(i));
        } else if (column.equalsIgnoreCase(Instrumentation.VERSION_KEY)) {
          writer = Values.text(row.get(i));
        } else {
          values.add(row.get(i));
        }
      }
      versions.add(new TracedVersion(new Row(table, key), writer + ": " + Values.line(values)));
    }
    return versions;
  }

  /** The versions before the first step. */
  Map<String, Map<Row, TracedVersion>> initial() {
    return initial;
  }

  /** What a query of the statement's transaction returned just before it, if one was sent. */
  Optional<Map<String, Map<Row, TracedVersion>>> seen(int step) {
    return Optional.ofNullable(seen.get(step));
  }

  /** What a write changed; nothing if it failed. */
  List<RowWrite> writes(int step) {
    Map<String, Map<Row, TracedVersion>> earlier = before.get(step);
    Map<String, Map<Row, TracedVersion>> later = after.get(step);
    List<RowWrite> writes = new ArrayList<>();
    if (earlier != null && later != null) {
      for (String table : tables) {
        addWrites(
            earlier.getOrDefault(table, Map.of()), later.getOrDefault(table, Map.of()), writes);
      }
    }
    return writes;
  }

  private static void addWrites(
      Map<Row, TracedVersion> earlier, Map<Row, TracedVersion> later, List<RowWrite> writes) {
    earlier.forEach(
        (row, version) -> {
          if (!version.equals(later.get(row))) {
            writes.add(
                new RowWrite(row, Optional.of(version), Optional.ofNullable(later.get(row))));
          }
        });
    later.forEach(
        (row, version) -> {
          if (!earlier.containsKey(row)) {
            writes.add(new RowWrite(row, Optional.empty(), Optional.of(version)));
          }
        });
  }
}
