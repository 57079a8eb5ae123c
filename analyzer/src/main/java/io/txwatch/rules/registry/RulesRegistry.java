package io.txwatch.rules.registry;

import io.txwatch.history.Product;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.cockroachdb.CockroachDbRules;
import io.txwatch.rules.h2.H2Rules;
import io.txwatch.rules.hsqldb.HsqldbRules;
import io.txwatch.rules.mariadb.MariaDbRules;
import io.txwatch.rules.mysql.MySqlRules;
import io.txwatch.rules.oceanbase.OceanBaseRules;
import io.txwatch.rules.opengauss.OpenGaussRules;
import io.txwatch.rules.postgresql.PostgresRules;
import io.txwatch.rules.sqlite.SqliteRules;
import io.txwatch.rules.tidb.TiDbRules;
import java.util.List;

/** The rules of each DBMS. */
public final class RulesRegistry {

  /** Those that are known, one line for each. */
  public static final List<DbmsRules> KNOWN =
      List.of(
          new PostgresRules(),
          new CockroachDbRules(),
          new OpenGaussRules(),
          new MySqlRules(),
          new MariaDbRules(),
          new H2Rules(),
          new SqliteRules(),
          new HsqldbRules(),
          new TiDbRules(),
          new OceanBaseRules());

  private static final DbmsRules UNKNOWN = () -> "";

  private RulesRegistry() {}

  /** The rules of that DBMS; those of an unknown one if it is none of the known. */
  public static DbmsRules of(Product product) {
    for (DbmsRules rules : KNOWN) {
      if (rules.product().equalsIgnoreCase(product.name())) {
        return rules;
      }
    }
    return UNKNOWN;
  }
}
