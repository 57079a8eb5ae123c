package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.IsolationLevel;
import io.txwatch.plan.TransactionControl;
import io.txwatch.plan.TransactionControl.Begin;
import io.txwatch.plan.TransactionControl.BranchEnd;
import io.txwatch.plan.TransactionControl.BranchOutcome;
import io.txwatch.plan.TransactionControl.BranchStart;
import io.txwatch.plan.TransactionControl.Commit;
import io.txwatch.plan.TransactionControl.ImplicitCommit;
import io.txwatch.plan.TransactionControl.Prepare;
import io.txwatch.plan.TransactionControl.Release;
import io.txwatch.plan.TransactionControl.Rollback;
import io.txwatch.plan.TransactionControl.RollbackTo;
import io.txwatch.plan.TransactionControl.Savepoint;
import io.txwatch.plan.TransactionControl.SetAutocommit;
import io.txwatch.plan.TransactionControl.SetSession;
import io.txwatch.plan.TransactionControl.SetTransaction;
import io.txwatch.plan.TransactionControl.TableLocks;
import io.txwatch.sql.dialect.Grammar;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.Locale;
import java.util.Optional;

/** Reads transaction control from SQL text, in all the spellings that a dialect takes. */
final class TransactionControlReader {

  private final Tokens tokens;
  private final DialectSql sql;
  private final Grammar grammar;
  private final int from;
  private final int to;

  private TransactionControlReader(Tokens tokens, DialectSql sql, int from, int to) {
    this.tokens = tokens;
    this.sql = sql;
    this.grammar = sql.dialect().grammar();
    this.from = from;
    this.to = to;
  }

  /** What one statement does to its transaction. */
  static TransactionControl read(Tokens tokens, DialectSql sql, int from, int to) {
    return new TransactionControlReader(tokens, sql, from, to).read();
  }

  private TransactionControl read() {
    String verb = tokens.is(from, TokenKind.WORD) ? upper(from) : "";
    return switch (verb) {
      case "BEGIN" -> begin();
      case "START" ->
          tokens.isWord(from + 1, "TRANSACTION")
              ? new Begin(levelIn(from + 2))
              : TransactionControl.NONE;
      case "COMMIT" -> commit();
      case "END" -> grammar.has(Syntax.END_COMMITS) ? commit() : none();
      case "ROLLBACK" -> rollback();
      case "ABORT" -> grammar.has(Syntax.ABORT) ? rollback() : none();
      case "SAVEPOINT" -> name(from + 1).<TransactionControl>map(Savepoint::new).orElse(none());
      case "RELEASE" -> {
        int name = tokens.isWord(from + 1, "SAVEPOINT") ? from + 2 : from + 1;
        yield name(name).<TransactionControl>map(Release::new).orElse(none());
      }
      case "PREPARE" ->
          (grammar.has(Syntax.PREPARE_TRANSACTION) && tokens.isWord(from + 1, "TRANSACTION"))
                  || (grammar.has(Syntax.PREPARE_COMMIT) && tokens.isWord(from + 1, "COMMIT"))
              ? new Prepare(restFrom(from + 2))
              : none();
      case "XA" -> xa();
      case "SET" -> set();
      case "RESET" -> none();
      case "PRAGMA" -> pragma();
      default -> commitsImplicitly(verb) ? new ImplicitCommit(locksAfter(verb)) : none();
    };
  }

  /** Where a block of statements may begin with BEGIN, too, only what is no block. */
  private TransactionControl begin() {
    boolean isBlock =
        grammar.has(Syntax.BLOCKS)
            && from + 1 < to
            && !tokens.isAnyWord(from + 1, "TRAN", "TRANSACTION", "WORK");
    return isBlock ? none() : new Begin(levelIn(from + 1));
  }

  private static TransactionControl none() {
    return TransactionControl.NONE;
  }

  private String upper(int i) {
    return tokens.text(i).toUpperCase(Locale.ROOT);
  }

  private TransactionControl commit() {
    if (endsBranch()) {
      return new BranchOutcome(restFrom(from + 2), true);
    }
    return new Commit(chains());
  }

  /** {@code COMMIT PREPARED id}, {@code COMMIT TRANSACTION id}. */
  private boolean endsBranch() {
    return tokens.isWord(from + 1, "PREPARED")
        || (grammar.has(Syntax.PREPARE_COMMIT)
            && tokens.isWord(from + 1, "TRANSACTION")
            && from + 2 < to);
  }

  private TransactionControl rollback() {
    if (endsBranch()) {
      return new BranchOutcome(restFrom(from + 2), false);
    }
    for (int i = from + 1; i < to; i++) {
      if (tokens.isWord(i, "TO")) {
        int name = tokens.isWord(i + 1, "SAVEPOINT") && i + 2 < to ? i + 2 : i + 1;
        return name(name).<TransactionControl>map(RollbackTo::new).orElse(none());
      }
    }
    int next = tokens.isAnyWord(from + 1, "TRAN", "TRANSACTION", "WORK") ? from + 2 : from + 1;
    if (grammar.has(Syntax.BLOCKS) && next < to && !tokens.isWord(next, "AND")) {
      // Transact-SQL: the name of a savepoint, or of the transaction
      return name(next).<TransactionControl>map(RollbackTo::new).orElse(none());
    }
    return new Rollback(chains());
  }

  /** MySQL's and MariaDB's statements for branches of distributed transactions. */
  private TransactionControl xa() {
    boolean onePhase = tokens.areWords(to - 2, "ONE", "PHASE");
    boolean joins = tokens.isAnyWord(to - 1, "JOIN", "RESUME", "SUSPEND");
    String id = ids(from + 2, to - (onePhase ? 2 : joins ? 1 : 0));
    return switch (from + 1 < to ? upper(from + 1) : "") {
      case "START", "BEGIN" -> new BranchStart(id);
      case "END" -> new BranchEnd();
      case "PREPARE" -> new Prepare(id);
      case "COMMIT" -> new BranchOutcome(id, true);
      case "ROLLBACK" -> new BranchOutcome(id, false);
      default -> none();
    };
  }

  private String restFrom(int token) {
    return ids(token, to);
  }

  /** An id as it is written, which is how the next statement must write it. */
  private String ids(int first, int end) {
    StringBuilder id = new StringBuilder();
    for (int i = first; i < end; i++) {
      id.append(tokens.text(i));
    }
    return id.toString();
  }

  private boolean chains() {
    for (int i = from + 1; i + 1 < to; i++) {
      if (tokens.areWords(i, "AND", "CHAIN")) {
        return true;
      }
    }
    return false;
  }

  private Optional<String> name(int i) {
    if (i >= to || !(tokens.isName(i) || tokens.is(i, TokenKind.STRING))) {
      return Optional.empty();
    }
    String text = tokens.text(i);
    boolean quoted = tokens.is(i, TokenKind.QUOTED) || tokens.is(i, TokenKind.STRING);
    String bare = quoted ? Identifiers.unquote(text.replace('\'', '"')) : text;
    return Optional.of(sql.savepointName(bare, quoted));
  }

  private TransactionControl set() {
    int i = from + 1;
    boolean session = false;
    boolean global = false;
    if (tokens.isWord(i, "GLOBAL")) {
      global = true;
      i++;
    } else if (tokens.isAnyWord(i, "SESSION", "LOCAL")) {
      session = tokens.isWord(i, "SESSION");
      i++;
      if (tokens.isWord(i, "CHARACTERISTICS") && tokens.isWord(i + 1, "AS")) {
        return level(i + 3).<TransactionControl>map(SetSession::new).orElse(none());
      }
    }
    if (global) {
      return none();
    }
    if (tokens.isWord(i, "TRANSACTION")) {
      Optional<IsolationLevel> level = levelIn(i + 1);
      if (session && !grammar.has(Syntax.SET_OF_TRANSACTION)) {
        return level.<TransactionControl>map(SetSession::new).orElse(none());
      }
      return level.<TransactionControl>map(SetTransaction::new).orElse(none());
    }
    return setVariables(from + 1);
  }

  /** SQLite's {@code PRAGMA read_uncommitted = 1}. */
  private TransactionControl pragma() {
    boolean isLevel = tokens.isWord(from + 1, "READ_UNCOMMITTED") && from + 4 <= to;
    return isLevel && tokens.isOperator(from + 2, '=') && from + 4 == to
        ? onOff(from + 3)
            .<TransactionControl>map(
                on ->
                    new SetSession(
                        on ? IsolationLevel.READ_UNCOMMITTED : IsolationLevel.SERIALIZABLE))
            .orElse(none())
        : none();
  }

  /** MySQL's {@code SET a = 1, b = 2}, PostgreSQL's {@code SET a TO b}, H2's {@code SET a b}. */
  private TransactionControl setVariables(int first) {
    TransactionControl found = none();
    for (Span assignment : tokens.items(first, to)) {
      TransactionControl one = setVariable(assignment.from(), assignment.to());
      if (one != TransactionControl.NONE) {
        found = found == TransactionControl.NONE ? one : both(found, one);
      }
    }
    return found;
  }

  private static TransactionControl both(TransactionControl a, TransactionControl b) {
    return new TransactionControl.Several(java.util.List.of(a, b));
  }

  private TransactionControl setVariable(int start, int end) {
    int i = start;
    boolean nextOnly = false;
    String variable;
    if (tokens.is(i, TokenKind.VARIABLE)) {
      variable = upper(i);
      if (!variable.startsWith("@@")) {
        return none();
      }
      variable = variable.substring(2);
      nextOnly = variable.indexOf('.') < 0;
      if (variable.startsWith("GLOBAL.") || variable.startsWith("PERSIST")) {
        return none();
      }
      variable = variable.substring(variable.lastIndexOf('.') + 1);
      i++;
    } else {
      if (tokens.isAnyWord(i, "GLOBAL", "PERSIST")) {
        return none();
      }
      boolean local = tokens.isWord(i, "LOCAL") && grammar.has(Syntax.SET_OF_TRANSACTION);
      if (tokens.isAnyWord(i, "SESSION", "LOCAL")) {
        i++;
      }
      if (!tokens.isName(i)) {
        return none();
      }
      variable = Identifiers.unquote(tokens.text(i)).toUpperCase(Locale.ROOT);
      i++;
      nextOnly = local;
    }
    if (tokens.isOperator(i, '=') || tokens.isWord(i, "TO") || tokens.is(i, TokenKind.OPERATOR)) {
      i++;
    }
    if (i >= end) {
      return none();
    }
    return switch (variable) {
      case "AUTOCOMMIT" -> onOff(i).<TransactionControl>map(SetAutocommit::new).orElse(none());
      case "DEFAULT_TRANSACTION_ISOLATION" ->
          nextOnly
              ? none()
              : levelText(i, end).<TransactionControl>map(SetSession::new).orElse(none());
      case "TRANSACTION_ISOLATION", "TX_ISOLATION" -> {
        Optional<IsolationLevel> level = levelText(i, end);
        yield nextOnly || grammar.has(Syntax.SET_OF_TRANSACTION)
            ? level.<TransactionControl>map(SetTransaction::new).orElse(none())
            : level.<TransactionControl>map(SetSession::new).orElse(none());
      }
      case "IMPLICIT_TRANSACTIONS" ->
          onOff(i).<TransactionControl>map(on -> new SetAutocommit(!on)).orElse(none());
      default -> none();
    };
  }

  private Optional<Boolean> onOff(int i) {
    String value = tokens.text(i).replace("'", "").replace("\"", "").toUpperCase(Locale.ROOT);
    return switch (value) {
      case "1", "ON", "TRUE" -> Optional.of(true);
      case "0", "OFF", "FALSE" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  private Optional<IsolationLevel> levelText(int start, int end) {
    StringBuilder text = new StringBuilder();
    for (int i = start; i < end; i++) {
      text.append(text.isEmpty() || tokens.is(i, TokenKind.OPERATOR) ? "" : " ");
      text.append(tokens.text(i));
    }
    String bare = text.toString().replace("'", "").replace("\"", "").replace("- ", "-");
    return IsolationLevel.parse(bare);
  }

  /** The level behind ISOLATION LEVEL, anywhere among the modes. */
  private Optional<IsolationLevel> levelIn(int start) {
    return level(start);
  }

  private Optional<IsolationLevel> level(int start) {
    for (int i = start; i + 2 < to + 1; i++) {
      if (tokens.areWords(i, "ISOLATION", "LEVEL") && i + 2 < to) {
        if (tokens.isWord(i + 2, "READ") || tokens.isWord(i + 2, "REPEATABLE")) {
          return IsolationLevel.parse(tokens.text(i + 2) + " " + tokens.text(i + 3));
        }
        return IsolationLevel.parse(tokens.text(i + 2));
      }
    }
    return Optional.empty();
  }

  private boolean commitsImplicitly(String verb) {
    boolean tables = tokens.isAnyWord(from + 1, "TABLE", "TABLES");
    boolean locks = verb.equals("LOCK") || verb.equals("UNLOCK");
    return sql.commitsImplicitly(locks && tables ? verb + " TABLES" : verb, isTemporaryTable());
  }

  private TableLocks locksAfter(String verb) {
    return switch (verb) {
      case "LOCK" -> TableLocks.HELD;
      case "UNLOCK" -> TableLocks.RELEASED;
      case "FLUSH" ->
          tokens.areWords(to - 2, "READ", "LOCK") || tokens.areWords(to - 2, "FOR", "EXPORT")
              ? TableLocks.HELD
              : TableLocks.AS_BEFORE;
      default -> TableLocks.AS_BEFORE;
    };
  }

  private boolean isTemporaryTable() {
    for (int i = from + 1; i < Math.min(to, from + 5); i++) {
      if (tokens.isAnyWord(i, "TEMPORARY", "TEMP")) {
        return true;
      }
    }
    return false;
  }
}
