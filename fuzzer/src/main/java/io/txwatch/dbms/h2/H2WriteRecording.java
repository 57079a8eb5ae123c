package io.txwatch.dbms.h2;

import io.txwatch.dbms.WriteRecording;
import io.txwatch.testcase.SqlText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Records writes with data change delta tables. */
final class H2WriteRecording extends WriteRecording {

  @Override
  public List<String> definitions(List<String> tables) {
    List<String> sql = new ArrayList<>();
    for (String table : tables) {
      sql.add(
          "ALTER TABLE %s ADD COLUMN %s UUID INVISIBLE DEFAULT RANDOM_UUID()"
              .formatted(table, ROW));
      sql.add(
          "ALTER TABLE %s ADD COLUMN %s INT INVISIBLE DEFAULT COALESCE(@AP_STEP, 0)"
              .formatted(table, VERSION));
    }
    return sql;
  }

  @Override
  public String marker(int step) {
    return "SELECT SET(@AP_STEP, " + step + ")";
  }

  @Override
  public boolean takesSnapshotAtFirstStatement() {
    return true;
  }

  /** A column with ON UPDATE would keep its value if no other one changes. */
  @Override
  public Optional<String> wrap(String write, WriteForm form, int step) {
    return switch (form) {
      case INSERT -> Optional.of("SELECT %s FROM FINAL TABLE (%s)".formatted(ROW, write));
      case UPDATE -> Optional.of(replaced(assigning(write, VERSION + " = " + step + ", ")));
      case DELETE -> Optional.of(replaced(write));
      case OTHER -> Optional.empty();
    };
  }

  private String assigning(String update, String assignment) {
    SqlText text = SqlText.of(update);
    return text.withBefore(text.assignments().subList(0, 1), assignment);
  }

  private String replaced(String write) {
    return "SELECT %s, %s FROM OLD TABLE (%s)".formatted(ROW, VERSION, write);
  }

  @Override
  public List<String> log(boolean requiresPrimaryKey) {
    return List.of();
  }

  @Override
  public boolean hasLog() {
    return false;
  }

  /**
   * H2 (2.5.252) keeps the rows that a failed data change delta table has changed so far, and their
   * index entries may be missing: a later DELETE retries forever. So its tables are defined again
   * for each case.
   */
  @Override
  public boolean undoesFailedWrites() {
    return false;
  }

  @Override
  public List<String> definitionsAfterRows(List<String> tables) {
    return List.of("COMMENT ON TABLE " + tables.get(0) + " IS 'recorded'");
  }
}
