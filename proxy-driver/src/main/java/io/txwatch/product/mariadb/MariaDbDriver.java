package io.txwatch.product.mariadb;

import io.txwatch.dialect.CallChain;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.LevelQuery;
import io.txwatch.dialect.NameBinding;

/** MariaDB Connector/J. */
public final class MariaDbDriver extends DriverTraits {

  private static final CallChain NUMBER =
      CallChain.of("org.mariadb.jdbc.Connection", "getThreadId");

  @Override
  public boolean sendsBatchesInBulk() {
    return true;
  }

  @Override
  public boolean splitsTexts() {
    return true;
  }

  /** What is prepared at the server is so when it is first executed. */
  @Override
  public NameBinding bindsNames(String statement) {
    return statement.equals("ServerPreparedStatement")
        ? NameBinding.FIRST_EXECUTION
        : NameBinding.EXECUTION;
  }

  @Override
  public boolean copiesWhenSet(Object value) {
    return false;
  }

  /** Where a WHERE can never be true. */
  @Override
  public boolean mayReturnNoResult() {
    return true;
  }

  /** A query of variables begins no transaction. */
  @Override
  public LevelQuery queriesLevel() {
    return LevelQuery.BETWEEN_TRANSACTIONS;
  }

  @Override
  public CallChain connectionNumber() {
    return NUMBER;
  }
}
