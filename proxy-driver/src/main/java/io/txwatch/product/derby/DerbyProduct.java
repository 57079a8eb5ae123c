package io.txwatch.product.derby;

import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.product.other.GenericProduct;
import io.txwatch.product.other.OtherTransactionRules;
import java.util.Optional;

/**
 * Apache Derby. Its tables are read as JDBC describes them, and its statements are never rewritten.
 */
public final class DerbyProduct extends GenericProduct {

  private static final String NAME = "Apache Derby";

  @Override
  public boolean isDriverName(String name) {
    return name.equalsIgnoreCase(NAME);
  }

  @Override
  public boolean includes(Product product) {
    return product.is(NAME);
  }

  /** A change of the level commits. */
  @Override
  public TransactionRules transactionRules(Database database) {
    return new OtherTransactionRules(dialect(), true);
  }

  @Override
  public Optional<String> triggerCount() {
    return Optional.of(
        "SELECT COUNT(*) FROM SYS.SYSTRIGGERS g JOIN SYS.SYSTABLES t ON t.TABLEID = g.TABLEID"
            + " JOIN SYS.SYSSCHEMAS s ON s.SCHEMAID = t.SCHEMAID"
            + " WHERE s.SCHEMANAME = ? AND t.TABLENAME = ?");
  }
}
