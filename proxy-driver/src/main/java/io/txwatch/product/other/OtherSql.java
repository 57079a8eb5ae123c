package io.txwatch.product.other;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.VersionList;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import java.util.Set;

/** Standard SQL, to which nothing is added. */
public final class OtherSql extends DialectSql {

  public static final OtherSql INSTANCE = new OtherSql();

  private static final DriverTraits DRIVER = new OtherDriver();

  private static final Set<String> AGGREGATES = Set.of("LISTAGG", "EVERY");

  @Override
  public Dialect dialect() {
    return Dialect.OTHER;
  }

  @Override
  public DriverTraits driver() {
    return DRIVER;
  }

  @Override
  public Returning returning(StatementKind kind) {
    return Returning.NONE;
  }

  @Override
  public boolean comparesTextAsKeyDoes(boolean isParameter) {
    return false;
  }

  /** Informix gives the next number of a sequence. */
  @Override
  public boolean generatesForZero() {
    return true;
  }

  @Override
  public boolean mayMakeValuesFit() {
    return true;
  }

  @Override
  public String versionList(VersionList list) {
    throw notRewritten();
  }

  @Override
  public String containsParameter(String text) {
    throw notRewritten();
  }

  @Override
  public Set<String> aggregates() {
    return AGGREGATES;
  }

  public static UnsupportedOperationException notRewritten() {
    return new UnsupportedOperationException("statements of this DBMS are not rewritten");
  }
}
