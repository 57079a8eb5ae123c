package io.txwatch.product.other;

import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Any other DBMS: what an error, a definition or the end of a connection does to a transaction is
 * taken for unknown. SQL Server rolls back after some errors, and not after others; Oracle commits
 * before and after DDL, and when a connection is closed.
 */
public final class OtherTransactionRules extends TransactionRules {

  private static final Pattern FIRST_WORD = Pattern.compile("\\s*([A-Za-z]+)\\b");

  /** First words of statements that are no definition and call no procedure. */
  private static final Set<String> NEVER_COMMIT = Set.of("SET", "VALUES", "LOCK", "WITH");

  private final boolean levelCommits;

  /**
   * The rules.
   *
   * @param levelCommits whether a change of the level commits; otherwise it may
   */
  public OtherTransactionRules(Dialect dialect, boolean levelCommits) {
    super(dialect);
    this.levelCommits = levelCommits;
  }

  @Override
  public AfterError afterServersError(SQLException error) {
    return AfterError.MAY_BE_ROLLED_BACK;
  }

  @Override
  public Optional<Outcome> afterRefusedCommit(SQLException error) {
    return Optional.of(Outcome.UNKNOWN);
  }

  @Override
  public Outcome afterClose() {
    return Outcome.UNKNOWN;
  }

  @Override
  public boolean levelCommits() {
    return levelCommits;
  }

  @Override
  public boolean levelMayCommit() {
    return !levelCommits;
  }

  @Override
  public boolean mayCommit(StatementKind kind, String text) {
    return switch (kind) {
      case SELECT, LOCKING_SELECT, INSERT, REPLACE, UPDATE, DELETE, MERGE -> false;
      case DDL, OTHER -> !neverCommits(text);
    };
  }

  private static boolean neverCommits(String text) {
    Matcher first = FIRST_WORD.matcher(text);
    return first.lookingAt()
        && NEVER_COMMIT.contains(first.group(1).toUpperCase(Locale.ROOT))
        && text.indexOf(';') < 0;
  }
}
