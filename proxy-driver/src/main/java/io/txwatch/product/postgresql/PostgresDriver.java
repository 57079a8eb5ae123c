package io.txwatch.product.postgresql;

import io.txwatch.dialect.CallChain;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.ErrorChange;
import io.txwatch.dialect.LevelQuery;
import java.sql.SQLException;
import java.util.Optional;

/** pgjdbc. */
public final class PostgresDriver extends DriverTraits {

  private static final CallChain NUMBER =
      CallChain.of("org.postgresql.PGConnection", "getBackendPID");

  @Override
  public boolean ignoresCatalog() {
    return true;
  }

  @Override
  public boolean readsDescribedInBinary() {
    return true;
  }

  @Override
  public boolean asksForColumns() {
    return true;
  }

  /** The driver asks without beginning a transaction. */
  @Override
  public LevelQuery queriesLevel() {
    return LevelQuery.BETWEEN_TRANSACTIONS;
  }

  @Override
  public Optional<SQLException> shown(SQLException error, ErrorChange change)
      throws ReflectiveOperationException {
    return error.getClass().getName().equals("org.postgresql.util.PSQLException")
        ? Optional.of(PostgresErrors.make(error, change))
        : Optional.empty();
  }

  @Override
  public CallChain connectionNumber() {
    return NUMBER;
  }
}
