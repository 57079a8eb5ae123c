package io.txwatch.product.h2;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.PathChange;
import io.txwatch.dialect.PathStatement;
import io.txwatch.dialect.VersionList;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokens;
import java.util.Locale;
import java.util.Set;

public final class H2Sql extends DialectSql {

  public static final H2Sql INSTANCE = new H2Sql();

  private static final DriverTraits DRIVER = new H2Driver();

  private static final Set<String> AGGREGATES =
      Set.of("LISTAGG", "ARRAY_AGG", "GROUP_CONCAT", "EVERY");

  private static final Set<String> COMMITTING =
      Set.of(
          "CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "GRANT", "REVOKE", "ANALYZE", "COMMENT");

  /** Constants.MAX_PARAMETER_INDEX. */
  private static final int MAX_PARAMETERS = 100_000;

  private static final int NO_RIGHTS = 90096;

  @Override
  public Dialect dialect() {
    return Dialect.H2;
  }

  @Override
  public DriverTraits driver() {
    return DRIVER;
  }

  @Override
  public Returning returning(StatementKind kind) {
    return Returning.DELTA_TABLE;
  }

  @Override
  public boolean joinsInvisibleColumns() {
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

  @Override
  public boolean mayRefuseText(int vendorCode) {
    return vendorCode == NO_RIGHTS;
  }

  @Override
  public String orderedList(String text) {
    return "listagg(%1$s, ',') within group (order by %1$s)".formatted(text);
  }

  @Override
  public String versionList(VersionList list) {
    return list.filtered(this, "listagg(%s, ',')", list.isSmallByCounting());
  }

  @Override
  public String savepointName(String name, boolean quoted) {
    return quoted ? name : name.toUpperCase(Locale.ROOT);
  }

  @Override
  public boolean commitsImplicitly(String verb, boolean ofTemporaryTable) {
    return !ofTemporaryTable && COMMITTING.contains(verb);
  }

  /** The parser does not come to an end. */
  @Override
  public boolean takesSameWithInside() {
    return false;
  }

  @Override
  public boolean recordsTriggersOnTheirTable() {
    return true;
  }

  @Override
  public boolean evaluatesBy(String verb) {
    return verb.equals("call");
  }

  @Override
  public PathChange pathChange(PathStatement statement) {
    Tokens tokens = statement.tokens();
    int from = statement.from();
    if (tokens.isWord(from, "USE")) {
      return statement.to(statement.names(from + 1), false);
    }
    if (!tokens.areWords(from, "SET", "SCHEMA")) {
      return PathChange.NONE; // SCHEMA_SEARCH_PATH comes after the schema
    }
    int value = from + 2;
    boolean isAssigned = tokens.isOperator(value, '=') || tokens.isWord(value, "TO");
    return statement.to(statement.names(isAssigned ? value + 1 : value), false);
  }
}
