package io.txwatch.product.mysql;

import io.txwatch.dialect.CallChain;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.LevelQuery;
import io.txwatch.dialect.NameBinding;
import java.util.Calendar;

/** Connector/J. */
public final class MySqlDriver extends DriverTraits {

  private static final CallChain NUMBER =
      CallChain.of("com.mysql.cj.MysqlConnection", "getSession")
          .then("com.mysql.cj.Session", "getThreadId");

  @Override
  public boolean splitsTexts() {
    return true;
  }

  /** A statement returns to the database where it was made, unless it is prepared at the server. */
  @Override
  public NameBinding bindsNames(String statement) {
    return statement.equals("ServerPreparedStatement") ? NameBinding.PREPARATION : NameBinding.CALL;
  }

  @Override
  public boolean copiesWhenSet(Object value) {
    return value instanceof Calendar;
  }

  @Override
  public boolean copiesWhenAdded(Object value) {
    return value instanceof byte[];
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
