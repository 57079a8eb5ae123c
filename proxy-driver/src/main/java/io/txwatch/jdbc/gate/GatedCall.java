package io.txwatch.jdbc.gate;

import io.txwatch.history.AccessedColumns;
import io.txwatch.history.KeyValues;
import io.txwatch.history.StatementKind;
import java.util.List;
import java.util.Set;

/**
 * A call to the DBMS that an application is about to make.
 *
 * @param connection on which it is made
 * @param type what it does to the transaction
 * @param isAutocommit true if each statement is a transaction now
 * @param keepsSnapshot true if its transaction reads from one snapshot until it ends
 * @param statements what it executes: one statement, or the texts of a batch, each once; empty for
 *     a call without a text, such as {@link java.sql.Connection#commit}
 * @param callSite the place in the application that makes it; empty if unknown
 */
public record GatedCall(
    GatedConnection connection,
    Type type,
    boolean isAutocommit,
    boolean keepsSnapshot,
    List<Statement> statements,
    String callSite) {

  /** What a call does to the transaction. */
  public enum Type {
    /** It is a part of the transaction. */
    STATEMENT,
    /** It commits, among other things perhaps. */
    COMMIT,
    /** It rolls back. */
    ROLLBACK
  }

  /**
   * A statement.
   *
   * @param sql its text as histories show it
   * @param columns what it reads and writes: {@link AccessedColumns#text}
   * @param keys the values of keys in the rows that it chooses or inserts; empty if unknown
   * @param verb its first word, in lower case
   * @param functions the names in front of an opening bracket, in lower case: functions, and words
   *     such as {@code values}
   */
  public record Statement(
      StatementKind kind,
      String sql,
      String columns,
      List<KeyValues> keys,
      String verb,
      Set<String> functions) {}

  /** A call on a connection as it is now. */
  public static GatedCall on(
      GatedConnection connection, Type type, List<Statement> statements, String callSite) {
    return new GatedCall(
        connection,
        type,
        connection.isAutocommit(),
        connection.keepsSnapshot(),
        statements,
        callSite);
  }

  public GatedCall {
    statements = List.copyOf(statements);
  }
}
