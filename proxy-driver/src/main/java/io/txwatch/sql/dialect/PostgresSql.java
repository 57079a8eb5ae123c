package io.txwatch.sql.dialect;

import io.txwatch.history.StatementKind;
import java.util.Set;

final class PostgresSql extends DialectSql {

  private static final Set<String> AGGREGATES =
      Set.of("STRING_AGG", "ARRAY_AGG", "JSON_AGG", "JSONB_AGG", "BOOL_AND", "BOOL_OR", "EVERY");

  @Override
  public Returning returning(StatementKind kind) {
    return Returning.CLAUSE;
  }

  @Override
  public boolean qualifiesReturnedColumns() {
    return true;
  }

  @Override
  public boolean hasInvisibleColumns() {
    return false;
  }

  @Override
  public boolean hasEmptyRows() {
    return false;
  }

  @Override
  public boolean fillsMissingColumns() {
    return true;
  }

  @Override
  public boolean hasWholeRows() {
    return true;
  }

  @Override
  public String textValue(String value) {
    return "cast(" + value + " as varchar)";
  }

  @Override
  public String nullColumns(String number, String text) {
    return "cast(null as bigint) as " + number + ", cast(null as varchar) as " + text;
  }

  @Override
  public String containsParameter(String text) {
    return "strpos(" + text + ", ?) > 0";
  }

  @Override
  public Set<String> aggregates() {
    return AGGREGATES;
  }

  @Override
  public boolean hasSystemVersions() {
    return true;
  }

  @Override
  public boolean mayLeaveOutRows() {
    return true;
  }

  @Override
  public boolean rollbackRestoresPath() {
    return true;
  }
}
