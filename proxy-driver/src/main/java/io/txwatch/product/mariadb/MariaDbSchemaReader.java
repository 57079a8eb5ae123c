package io.txwatch.product.mariadb;

import static io.txwatch.catalog.CatalogQueries.query;

import io.txwatch.catalog.TableInfo;
import io.txwatch.history.Database;
import io.txwatch.history.WriterList;
import io.txwatch.plan.Catalog;
import io.txwatch.product.mysql.MySqlSchemaReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** In what MariaDB's catalog differs from MySQL's. */
public final class MariaDbSchemaReader extends MySqlSchemaReader {

  public MariaDbSchemaReader(Database database) {
    super(MariaDbSql.INSTANCE, database);
  }

  /** The list of row versions must fit in GROUP_CONCAT, or the application gets a warning. */
  @Override
  public boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    int characters = Catalog.SMALL_TABLE_ROWS * (WriterList.WINDOW_LENGTH + 50);
    boolean fits =
        query(
                connection,
                "SELECT @@GLOBAL.group_concat_max_len >= " + characters + ONE_ROW,
                row -> row.getBoolean(1))
            .get(0);
    return fits && super.isSmall(connection, table);
  }

  @Override
  public String withoutWaiting(String query) {
    return "SET STATEMENT lock_wait_timeout = 0, innodb_lock_wait_timeout = 0 FOR " + query;
  }

  @Override
  public List<String> bounds(Duration lock, Duration work) {
    String time = "SET SESSION max_statement_time = " + work.toSeconds();
    return Stream.concat(super.bounds(lock, work).stream(), Stream.of(time)).toList();
  }
}
