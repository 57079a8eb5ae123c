package io.txwatch.oracle.troc;

import io.txwatch.testcase.StatementText;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The form of a statement, as far as its view depends on it.
 *
 * @param kind its kind
 * @param sql its text
 * @param table the table that it writes, or whose rows it locks, as in the text; empty if the text
 *     is not recognized
 */
record StatementForm(Kind kind, String sql, String table) {

  /** The kinds of statements (Troc, Listing 1). */
  enum Kind {
    /** A plain query. */
    READ,
    /** A query that locks the rows it reads. */
    LOCKING_READ,
    /** An INSERT. */
    INSERT,
    /** An INSERT that updates or replaces existing rows. */
    UPSERT,
    /** An UPDATE. */
    UPDATE,
    /** A DELETE. */
    DELETE,
    /** Sets, releases, or rolls back to a savepoint. */
    SAVEPOINT,
    /** Any other statement. */
    OTHER
  }

  /** What a statement does with its savepoint. */
  enum SavepointAction {
    /** Sets it. */
    SET,
    /** Rolls back to it. */
    ROLL_BACK,
    /** Releases it. */
    RELEASE
  }

  private static final int FLAGS = Pattern.CASE_INSENSITIVE | Pattern.DOTALL;
  private static final String NAME = "([\\w.\"`]+)";
  private static final Pattern SAVEPOINT =
      Pattern.compile("\\s*(SAVEPOINT|RELEASE|ROLLBACK\\s+TO)\\b.*", FLAGS);
  private static final Pattern LOCKING =
      Pattern.compile(
          ".*\\b(FOR\\s+(NO\\s+KEY\\s+|KEY\\s+)?(UPDATE|SHARE)|LOCK\\s+IN\\s+SHARE\\s+MODE)\\s*$",
          FLAGS);
  private static final Pattern SHARED = Pattern.compile("\\bSHARE(\\s+MODE)?\\s*$", FLAGS);
  private static final Pattern LOCKING_OF_ONE_TABLE =
      Pattern.compile(
          "\\s*SELECT\\s+(?:(?!\\bFROM\\b|\\bDISTINCT\\b|\\().)*\\s+FROM\\s+"
              + NAME
              + "(\\s+WHERE\\b(?:(?!\\bSELECT\\b|\\bGROUP\\b|\\bLIMIT\\b).)*|\\s+)"
              + "(FOR\\s+.*|LOCK\\s+.*)",
          FLAGS);
  private static final Pattern INSERT =
      Pattern.compile("\\s*INSERT\\s+(IGNORE\\s+|OR\\s+IGNORE\\s+)?INTO\\s+" + NAME + ".*", FLAGS);
  private static final Pattern REPLACE =
      Pattern.compile(
          "\\s*(REPLACE|INSERT\\s+OR\\s+REPLACE|MERGE)\\s+INTO\\s+" + NAME + ".*", FLAGS);
  private static final Pattern ON_CONFLICT =
      Pattern.compile(
          "(.*\\b(?:ON\\s+DUPLICATE\\s+KEY\\s+UPDATE|DO\\s+UPDATE\\s+SET)\\s)(.*)", FLAGS);
  private static final Pattern MERGE_UPDATE =
      Pattern.compile("(\\bWHEN\\s+MATCHED\\b[^']*?\\bTHEN\\s+UPDATE\\s+SET\\s)", FLAGS);
  private static final Pattern CONFLICT =
      Pattern.compile("^\\s*INSERT\\s+(OR\\s+)?IGNORE\\b|\\bON\\s+CONFLICT\\b", FLAGS);
  private static final Pattern UPDATE =
      Pattern.compile("(\\s*UPDATE\\s+(?:IGNORE\\s+)?" + NAME + "\\s+SET\\s)(.*)", FLAGS);
  private static final Pattern DELETE =
      Pattern.compile("\\s*DELETE\\s+FROM\\s+" + NAME + ".*", FLAGS);
  private static final Pattern OTHER_TABLE =
      Pattern.compile(
          "\\s*(UPDATE\\s(?:(?!\\bSELECT\\b).)*\\bFROM|DELETE\\s+FROM\\s+"
              + NAME
              + "\\s+USING)\\b.*",
          FLAGS);
  private static final Pattern WHOLE_TABLE =
      Pattern.compile("\\s*SELECT\\s+\\*\\s+FROM\\s+" + NAME + "\\s*", FLAGS);
  private static final Pattern SUBQUERY = Pattern.compile("\\bSELECT\\b", FLAGS);
  private static final Pattern INSERT_WITHOUT_COLUMNS =
      Pattern.compile(
          "(\\s*(?:INSERT|REPLACE)\\b[^(]*?\\bINTO\\s+" + NAME + ")(\\s+(?:VALUES|SELECT)\\b.*)",
          FLAGS);

  static StatementForm of(String sql) {
    Matcher matcher = SAVEPOINT.matcher(sql);
    if (matcher.matches()) {
      return new StatementForm(Kind.SAVEPOINT, sql, "");
    }
    if (StatementText.isQuery(sql)) {
      if (!LOCKING.matcher(sql).matches()) {
        return new StatementForm(Kind.READ, sql, "");
      }
      matcher = LOCKING_OF_ONE_TABLE.matcher(sql);
      return new StatementForm(Kind.LOCKING_READ, sql, matcher.matches() ? matcher.group(1) : "");
    }
    matcher = INSERT.matcher(sql);
    if (matcher.matches()) {
      Kind kind = ON_CONFLICT.matcher(sql).matches() ? Kind.UPSERT : Kind.INSERT;
      return new StatementForm(kind, sql, matcher.group(2));
    }
    matcher = REPLACE.matcher(sql);
    if (matcher.matches()) {
      return new StatementForm(Kind.UPSERT, sql, matcher.group(2));
    }
    matcher = UPDATE.matcher(sql);
    if (matcher.matches()) {
      return new StatementForm(Kind.UPDATE, sql, matcher.group(2));
    }
    matcher = DELETE.matcher(sql);
    return matcher.matches()
        ? new StatementForm(Kind.DELETE, sql, matcher.group(1))
        : new StatementForm(Kind.OTHER, sql, "");
  }

  /** For a savepoint statement: what it does. */
  SavepointAction savepointAction() {
    return switch (sql.strip().split("\\s+", 2)[0].toUpperCase(Locale.ROOT)) {
      case "SAVEPOINT" -> SavepointAction.SET;
      case "ROLLBACK" -> SavepointAction.ROLL_BACK;
      default -> SavepointAction.RELEASE;
    };
  }

  /** For a savepoint statement: the savepoint's name, in upper case. */
  String savepointName() {
    String[] words = sql.strip().toUpperCase(Locale.ROOT).split("\\s+");
    return words[words.length - 1];
  }

  /** The table of which it returns all rows and columns, if it does nothing else. */
  Optional<String> wholeTable() {
    Matcher matcher = WHOLE_TABLE.matcher(sql);
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** True if it handles duplicate keys. */
  boolean resolvesConflicts() {
    return kind == Kind.UPSERT || (kind == Kind.INSERT && CONFLICT.matcher(sql).find());
  }

  boolean isWrite() {
    return kind == Kind.INSERT || kind == Kind.UPSERT || kind == Kind.UPDATE || kind == Kind.DELETE;
  }

  /** True if it contains a query: in a write, or in another query. */
  boolean hasSubquery() {
    Matcher select = SUBQUERY.matcher(sql);
    boolean first = select.find();
    return first && (isWrite() || select.find());
  }

  /** True if it joins its table with others: an UPDATE … FROM, a DELETE … USING. */
  boolean joins() {
    return OTHER_TABLE.matcher(sql).matches();
  }

  /** True if a query takes shared locks. */
  boolean locksShared() {
    return SHARED.matcher(sql).find();
  }

  /** True if its effect depends on the order of rows. */
  boolean dependsOnRowOrder() {
    return StatementText.dependsOnRowOrder(sql);
  }

  /** True if an additional column of its tables would change its meaning. */
  boolean dependsOnColumnCount() {
    return StatementText.dependsOnColumnCount(sql);
  }

  /**
   * Its text, changed to mark in {@code column} the rows it updates, even if their values stay
   * equal.
   */
  String withTouchedMark(String column) {
    Matcher merge = MERGE_UPDATE.matcher(sql);
    if (kind == Kind.UPSERT && merge.find()) {
      return merge.replaceAll("$1" + column + " = 1, ");
    }
    if (kind == Kind.UPDATE || kind == Kind.UPSERT) {
      Matcher update = (kind == Kind.UPDATE ? UPDATE : ON_CONFLICT).matcher(sql);
      if (update.matches()) {
        return update.group(1) + column + " = 1, " + update.group(update.groupCount());
      }
    }
    return sql;
  }

  /** The text of an INSERT with the column list added, unless it has one. */
  static String withColumnNames(String columns, String sql) {
    Matcher insert = INSERT_WITHOUT_COLUMNS.matcher(sql);
    return insert.matches()
        ? insert.group(1) + " (" + columns + ")" + insert.group(insert.groupCount())
        : sql;
  }

  /** For a locking query: a query for {@code column} of the rows it locks. */
  Optional<String> lockedRowsQuery(String column) {
    Matcher locking = LOCKING_OF_ONE_TABLE.matcher(sql);
    return locking.matches()
        ? Optional.of("SELECT " + column + " FROM " + locking.group(1) + " " + locking.group(2))
        : Optional.empty();
  }
}
