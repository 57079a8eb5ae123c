package io.txwatch.dbms.mariadb;

import io.txwatch.dbms.SqlFeature;
import io.txwatch.dbms.mysql.MySqlGeneratedDialect;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Set;

/** The SQL that is generated for MariaDB. */
public final class MariaDbGeneratedDialect extends MySqlGeneratedDialect {

  /** The SQL of a server that lacks nothing. */
  public MariaDbGeneratedDialect() {
    this(Set.of());
  }

  /**
   * The SQL of a server.
   *
   * @param missing what it lacks
   */
  public MariaDbGeneratedDialect(Set<SqlFeature> missing) {
    super(missing);
  }

  @Override
  public String name() {
    return "MARIADB";
  }

  @Override
  public Dialect dialect() {
    return Dialect.MARIADB;
  }

  @Override
  public List<String> locks() {
    return List.of(" FOR UPDATE", " LOCK IN SHARE MODE");
  }

  @Override
  public boolean allowsWithBeforeWrite() {
    return false;
  }

  @Override
  public boolean supportsReturning(String kind) {
    return switch (kind) {
      case "UPDATE" -> false;
      case "DELETE" -> has(SqlFeature.RETURNING_OF_DELETE);
      default -> has(SqlFeature.RETURNING_OF_INSERT);
    };
  }
}
