package io.txwatch.plan;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A text as it is sent.
 *
 * @param preparedSql the text for a PreparedStatement: every writer token and every row id is a
 *     {@code ?}; the application's text if nothing is added
 * @param immediatePieces the text for a plain Statement, cut where the token literal (quotes are
 *     ours to add) or a row's id goes; one piece if it has none
 * @param immediateGaps what goes between two of them: 0 for the token, else the row, from 1, whose
 *     id it is
 * @param origins where the characters of the pieces come from
 * @param parameterCount how many {@code ?} the application's text has
 * @param parameterIndex (the identity if nothing was added) {@code parameterIndex[i]} is the place,
 *     from 1, in {@code preparedSql} of the application's {@code i+1}-th parameter
 * @param tokenParameters the places, from 1, in {@code preparedSql} of the writer token
 * @param rowIdParameters the places, from 1, in {@code preparedSql} of the ids of the new rows, in
 *     the rows' order: each gets an id of its own, of 64 bits
 */
public record RewrittenText(
    String preparedSql,
    List<String> immediatePieces,
    int[] immediateGaps,
    Origins origins,
    int parameterCount,
    int[] parameterIndex,
    int[] tokenParameters,
    int[] rowIdParameters) {

  /** The application's own text. */
  static RewrittenText plain(String sql, int parameterCount) {
    return new RewrittenText(
        sql,
        List.of(sql),
        new int[0],
        Origins.SAME,
        parameterCount,
        IntStream.rangeClosed(1, parameterCount).toArray(),
        new int[0],
        new int[0]);
  }

  /** Another text without anything of ours, which has as many parameters. */
  RewrittenText unchanged(String sql) {
    return new RewrittenText(
        sql,
        List.of(sql),
        immediateGaps,
        origins,
        parameterCount,
        parameterIndex,
        tokenParameters,
        rowIdParameters);
  }

  /**
   * The text for a plain Statement.
   *
   * @param firstRow the id of the first new row; those after it get the numbers after it
   */
  String immediateSql(String token, long firstRow) {
    if (immediatePieces.size() == 1) {
      return immediatePieces.get(0);
    }
    StringBuilder sql = new StringBuilder(preparedSql.length() + 20 * immediateGaps.length);
    sql.append(immediatePieces.get(0));
    for (int i = 0; i < immediateGaps.length; i++) {
      if (immediateGaps[i] == 0) {
        sql.append('\'').append(token).append('\'');
      } else {
        sql.append(firstRow + immediateGaps[i] - 1);
      }
      sql.append(immediatePieces.get(i + 1));
    }
    return sql.toString();
  }
}
