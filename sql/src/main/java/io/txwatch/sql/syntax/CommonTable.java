package io.txwatch.sql.syntax;

import java.util.List;

/**
 * A common table: {@code name (columns) AS (…)}.
 *
 * @param name as it stands
 * @param renamed true if its columns are named
 * @param body a query, or on PostgreSQL a write
 */
public record CommonTable(Span span, String name, boolean renamed, Statement body) implements Node {
  @Override
  public List<Node> children() {
    return List.of(body);
  }
}
