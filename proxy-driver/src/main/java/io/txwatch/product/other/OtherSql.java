package io.txwatch.product.other;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.PathChange;
import io.txwatch.dialect.PathStatement;
import io.txwatch.dialect.VersionList;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokens;
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
  public String orderedList(String text) {
    throw notRewritten();
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

  @Override
  public PathChange pathChange(PathStatement statement) {
    Tokens tokens = statement.tokens();
    int from = statement.from();
    int to = statement.to();
    boolean isSet = tokens.isWord(from, "SET");
    int what = tokens.isWord(from + 1, "CURRENT") ? from + 2 : from + 1;
    if (isSet && tokens.isWord(what, "SCHEMA")) {
      int value = tokens.isOperator(what + 1, '=') ? what + 2 : what + 1;
      return value + 1 == to && tokens.isName(value)
          ? statement.to(statement.names(value), false)
          : PathChange.unknown(false);
    }
    boolean mayChange =
        tokens.isAnyWord(from, "USE", "CONNECT")
            || (isSet || tokens.isWord(from, "ALTER") && tokens.isWord(from + 1, "SESSION"))
                && tokens.hasAnyWord(
                    from,
                    to,
                    "SCHEMA",
                    "CURRENT_SCHEMA",
                    "SQLID",
                    "CURRENT_SQLID",
                    "PATH",
                    "CATALOG",
                    "AUTHORIZATION",
                    "ROLE",
                    "USER");
    return mayChange ? PathChange.unknown(false) : PathChange.NONE;
  }
}
