package io.txwatch.dialect;

/**
 * What an aggregate lists of a table: {@code <row>:<version>} of each of its rows, as long as the
 * table is small.
 *
 * @param row the expression of a row's id
 * @param version that of its version
 * @param distinct true if a row may come up several times
 * @param table the table's name as it stands
 * @param maxRows the rows of a small table
 * @param maxBytes its size, where rows are not counted
 */
public record VersionList(
    String row, String version, boolean distinct, String table, int maxRows, int maxBytes) {

  /** {@code distinct}, or nothing. */
  public String modifier() {
    return distinct ? "distinct " : "";
  }

  /** {@code <count>;<list>} where operators join texts, and a condition bounds the list. */
  public String filtered(DialectSql sql, String aggregate, String isSmall) {
    String entry = modifier() + sql.concatenate(row, "':'", version);
    String list =
        "coalesce(%s filter (where %s), '')".formatted(aggregate.formatted(entry), isSmall);
    return sql.concatenate(sql.count(modifier() + row), "';'", list);
  }

  /** {@code <count>;<list>} by MySQL's and MariaDB's functions. */
  public String concatenated(String bound) {
    return "concat(%s, ';', coalesce(group_concat(%sconcat(%s, ':', %s) separator ','%s), ''))"
        .formatted("count(" + modifier() + row + ")", modifier(), row, version, bound);
  }

  /** Evaluated once: it reads at most one row more than the bound. */
  public String isSmallByCounting() {
    return "(select count(*) from (select 1 from %s limit %d) txw) <= %d"
        .formatted(table, maxRows + 1, maxRows);
  }
}
