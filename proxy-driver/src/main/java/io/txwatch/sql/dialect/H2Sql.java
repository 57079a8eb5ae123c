package io.txwatch.sql.dialect;

import io.txwatch.history.StatementKind;
import java.util.Set;

final class H2Sql extends DialectSql {

  private static final Set<String> AGGREGATES =
      Set.of("LISTAGG", "ARRAY_AGG", "GROUP_CONCAT", "EVERY");

  /** Constants.MAX_PARAMETER_INDEX. */
  private static final int MAX_PARAMETERS = 100_000;

  private static final int NO_RIGHTS = 90096;

  @Override
  public Returning returning(StatementKind kind) {
    return Returning.DELTA_TABLE;
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
    return "locate(?, " + text + ") > 0";
  }

  @Override
  public Set<String> aggregates() {
    return AGGREGATES;
  }

  @Override
  public int maxParameters() {
    return MAX_PARAMETERS;
  }

  /** Rights may have been taken away since the text was executed. */
  @Override
  public boolean mayRefuseText(int vendorCode, boolean proven) {
    return vendorCode == NO_RIGHTS;
  }
}
