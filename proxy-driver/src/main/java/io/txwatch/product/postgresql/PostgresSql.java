package io.txwatch.product.postgresql;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.PathChange;
import io.txwatch.dialect.PathStatement;
import io.txwatch.dialect.VersionList;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** PostgreSQL. Each name that is added is one of {@code pg_catalog}: {@link PgCatalogNames}. */
public final class PostgresSql extends DialectSql {

  public static final PostgresSql INSTANCE = new PostgresSql();

  private static final DriverTraits DRIVER = new PostgresDriver();

  private static final Set<String> AGGREGATES =
      Set.of("STRING_AGG", "ARRAY_AGG", "JSON_AGG", "JSONB_AGG", "BOOL_AND", "BOOL_OR", "EVERY");

  @Override
  public Dialect dialect() {
    return Dialect.POSTGRESQL;
  }

  @Override
  public DriverTraits driver() {
    return DRIVER;
  }

  @Override
  public Returning returning(StatementKind kind) {
    return Returning.CLAUSE;
  }

  @Override
  public boolean qualifiesReturnedColumns() {
    return true;
  }

  @Override
  public boolean comparesTextAsKeyDoes(boolean isParameter) {
    return true;
  }

  @Override
  public boolean hasWholeRows() {
    return true;
  }

  @Override
  public String nullColumns(String number, String text) {
    return "cast(null as bigint) as " + number + ", cast(null as varchar) as " + text;
  }

  @Override
  public String concatenate(String... texts) {
    return String.join(" operator(pg_catalog.||) ", texts);
  }

  @Override
  public String count(String expression) {
    return "pg_catalog.count(" + expression + ")";
  }

  @Override
  public String isMore(String number, int than) {
    return number + " operator(pg_catalog.>) " + than;
  }

  @Override
  public Optional<String> onAnyPath(String ofView) {
    try {
      return Optional.of(PgCatalogNames.qualify(ofView));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public String containsParameter(String text) {
    return "pg_catalog.strpos(" + text + ", ?) operator(pg_catalog.>) 0";
  }

  @Override
  public Set<String> aggregates() {
    return AGGREGATES;
  }

  @Override
  public boolean hasAuxiliaryColumns() {
    return false;
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

  @Override
  public String orderedList(String text) {
    return "pg_catalog.string_agg(%1$s, ',' order by %1$s)".formatted(text);
  }

  @Override
  public String versionList(VersionList list) {
    return list.filtered(this, "pg_catalog.string_agg(%s, ',')", isSmall(list));
  }

  /** Evaluated once; takes no lock, and none of SSI's either, since it reads the catalog alone. */
  private static String isSmall(VersionList list) {
    return PgCatalogNames.qualify(
        "(select not c.relhassubclass and pg_relation_size(c.oid) <= "
            + list.maxBytes()
            + " from pg_catalog.pg_class c where c.oid = '"
            + list.table().replace("'", "''")
            + "'::regclass)");
  }

  @Override
  public boolean regroupsForAggregate(boolean joins, boolean ordered) {
    return joins && !ordered;
  }

  /** Which it may find by hashing. */
  @Override
  public boolean reordersDistinctRows() {
    return true;
  }

  @Override
  public boolean returnsFromSnapshot() {
    return true;
  }

  @Override
  public boolean returnsEveryWrite() {
    return true;
  }

  @Override
  public boolean stopsTime() {
    return true;
  }

  @Override
  public String savepointName(String name, boolean quoted) {
    return quoted ? name : name.toLowerCase(Locale.ROOT);
  }

  @Override
  public boolean keepsLevelWithinTransaction() {
    return true;
  }

  @Override
  public boolean isLevelOfSession(String name, boolean ofSession) {
    return Identifiers.unquote(name).equals("DEFAULT_TRANSACTION_ISOLATION")
        || name.equals("CHARACTERISTICS");
  }

  @Override
  public PathChange pathChange(PathStatement statement) {
    return new PostgresPath(statement).change();
  }

  @Override
  public boolean isInternalSchema(String schema) {
    return schema.startsWith("pg_");
  }
}
