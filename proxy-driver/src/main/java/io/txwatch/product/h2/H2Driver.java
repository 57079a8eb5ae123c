package io.txwatch.product.h2;

import io.txwatch.dialect.CallChain;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.LevelQuery;
import io.txwatch.dialect.NameBinding;

/** H2's driver, which is a part of the DBMS. */
public final class H2Driver extends DriverTraits {

  private static final CallChain NUMBER =
      CallChain.of("org.h2.jdbc.JdbcConnection", "getSession")
          .then("org.h2.engine.SessionLocal", "getId");

  @Override
  public boolean ignoresCatalog() {
    return true;
  }

  @Override
  public boolean isEmbedded() {
    return true;
  }

  /** {@code Connection.setSchema} is no change after which statements are compiled again. */
  @Override
  public NameBinding bindsNames(String statement) {
    return statement.equals("JdbcStatement") ? NameBinding.EXECUTION : NameBinding.COMPILATION;
  }

  @Override
  public boolean compilesStatements() {
    return true;
  }

  /** For the name of the database. */
  @Override
  public boolean asksForColumns() {
    return true;
  }

  @Override
  public boolean sharesQueryTimeout() {
    return true;
  }

  /** {@code JdbcResultSet.isLast}; a lazy result has no answer. */
  @Override
  public boolean showsLastRow() {
    return true;
  }

  @Override
  public LevelQuery queriesLevel() {
    return LevelQuery.ANY_TIME;
  }

  /** Of a database in this process. */
  @Override
  public CallChain connectionNumber() {
    return NUMBER;
  }
}
