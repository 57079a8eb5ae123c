package io.txwatch.jdbc.plan;

import io.txwatch.capture.PredicateHash;
import io.txwatch.plan.NewRows;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.SideRead;
import io.txwatch.plan.SideRead.Purpose;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The side reads of a plan, with what is learnt by sending them. Shared by all connections. */
public final class PlannedReads {

  /** A read that failed so often is not tried any more. */
  private static final int MAX_FAILURES = 3;

  /** Stands around a read where an error would abort the transaction. */
  public static final String SAVEPOINT = "txw_side";

  /** For so long a read that brought too many rows is not sent again. */
  private static final long REST_NANOS = 60_000_000_000L;

  /** One side read. */
  public static final class One {
    public final SideRead read;

    /** The text between a savepoint and its release: three statements, one round trip. */
    public final String guardedSql;

    private final AtomicInteger failures = new AtomicInteger();
    private volatile long restsUntil;
    private volatile boolean rests;

    private One(SideRead read) {
      this.read = read;
      this.guardedSql =
          "SAVEPOINT " + SAVEPOINT + "; " + read.sql() + "; RELEASE SAVEPOINT " + SAVEPOINT;
    }

    /** True if it has failed too often. */
    public boolean isGivenUp() {
      return failures.get() >= MAX_FAILURES;
    }

    public void failed() {
      failures.incrementAndGet();
    }

    public void succeeded() {
      if (failures.get() != 0) {
        failures.set(0);
      }
    }

    /** True if it lately brought more rows than are wanted. */
    public boolean rests() {
      if (rests && System.nanoTime() - restsUntil > 0) {
        rests = false;
      }
      return rests;
    }

    public void rest() {
      restsUntil = System.nanoTime() + REST_NANOS;
      rests = true;
    }

    public boolean isVersionSet() {
      return read.purpose() == Purpose.VERSION_SET;
    }

    /**
     * True if what it would return is not missed without it. Of what was written: a version bears
     * its writer, who is known when somebody reads it next; whether an upsert inserted or updated
     * then shows by the row's id if the driver gave it, else it is lost. What a DELETE left shows
     * no access of its own, only what the DELETE saw.
     */
    public boolean isNotMissed(RewritePlan plan) {
      Optional<NewRows> rows = plan.newRows();
      boolean unknownRows =
          rows.filter(given -> given.fate() == NewRows.Fate.MAY_UPDATE_ANOTHER)
              .filter(given -> given.count() == 0)
              .isPresent();
      return switch (read.purpose()) {
        case CONTENDED, SKIPPED_BY_DELETE, MISSED_BY_DELETE -> true;
        case AFTER_WRITE -> !unknownRows;
        case READ, BEFORE_WRITE, VERSION_SET -> false;
      };
    }

    /** True if a text mentions a table of it, as far as the letters show. */
    public boolean isNamedIn(String sql) {
      String text = sql.toLowerCase(Locale.ROOT);
      return read.tables().stream()
          .map(table -> table.substring(table.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT))
          .anyMatch(text::contains);
    }

    public boolean returnsWrites() {
      return read.purpose() == Purpose.BEFORE_WRITE || read.purpose() == Purpose.AFTER_WRITE;
    }

    /** The table that is named when it cannot be observed. */
    public String table() {
      return read.tables().isEmpty() ? "" : read.tables().get(0);
    }
  }

  public final List<One> all;

  /** True if they, and the statement as far as is known, name one table. */
  public final boolean oneTable;

  /** True if one of them returns rows that the statement writes. */
  public final boolean returnWrites;

  /** True if a batch can do without: no contention is known of its items. */
  public final boolean notForBatches;

  /**
   * The hash of the statement's text; 0 if its predicate is none that {@linkplain
   * io.txwatch.history.VersionSet#predicate has a name}.
   */
  public final long predicateText;

  /**
   * True if rows that match may be outside of a LIMIT. A row that does not fit shows nothing, and a
   * change of it changes nothing, unless it takes the place of another one.
   */
  public final boolean isLimited;

  private PlannedReads(RewritePlan plan) {
    this.isLimited = LIMITED.matcher(plan.original()).find();
    this.all = plan.sideReads().stream().map(One::new).toList();
    Set<String> tables = new HashSet<>(plan.appended());
    for (One one : all) {
      tables.addAll(one.read.tables());
    }
    this.oneTable = tables.size() <= 1;
    this.notForBatches =
        all.stream().allMatch(one -> one.read.purpose() == SideRead.Purpose.CONTENDED);
    this.returnWrites = all.stream().anyMatch(One::returnsWrites);
    this.predicateText =
        isRowWise(plan) && meansTheSame(plan.original())
            ? PredicateHash.value(0, plan.original())
            : 0;
  }

  static @Nullable PlannedReads of(RewritePlan plan) {
    return plan.sideReads().isEmpty() ? null : new PlannedReads(plan);
  }

  // ---------------------------------------------------------------- texts that can be compared

  private static final Pattern LIMITED =
      Pattern.compile(
          "\\b(limit|offset|fetch\\s+(first|next)|top|rownum)\\b", Pattern.CASE_INSENSITIVE);

  /** What makes a row's place in the result hang on other rows, even of one table. */
  private static final Pattern BEYOND_THE_ROW =
      Pattern.compile(
          "\\bselect\\b.*\\bselect\\b"
              + "|\\b(distinct|group|having|limit|offset|fetch|top|over|union|intersect|except"
              + "|minus|with|skip|tablesample|sample|partition)\\b",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /**
   * Whether a query returns a row of one table for each row that matches, and whether it matches
   * hangs on that row alone.
   */
  private static boolean isRowWise(RewritePlan plan) {
    return plan.returns() == RewritePlan.Returns.APPENDED_TO_RESULT
        && plan.appended().size() == 1
        && plan.sideReads().size() == 1
        && plan.sideReads().get(0).purpose() == SideRead.Purpose.VERSION_SET
        && plan.passThrough().isEmpty()
        && !BEYOND_THE_ROW.matcher(plan.original()).find();
  }

  private static final Pattern CALL = Pattern.compile("([\\w$]+)\\s*\\(");

  private static final Pattern CHANGING =
      Pattern.compile(
          "@|\\b(current_\\w+|local_?time\\w*|sys(date|timestamp)|(session_|system_)?user|rownum"
              + "|now|today)\\b",
          Pattern.CASE_INSENSITIVE);

  /** What may stand before a parenthesis in a text whose meaning hangs on its parameters alone. */
  private static final Set<String> STEADY =
      Set.of(
          """
          count sum min max avg abs coalesce nullif ifnull nvl lower upper length char_length
          octet_length concat concat_ws substring substr trim ltrim rtrim lpad rpad left right
          replace mod floor ceil ceiling round trunc sign sqrt power greatest least cast convert
          extract year month day date any all some in exists values and or not on using from join
          where select as union except intersect having by when then else like between if case
          over partition group_concat string_agg listagg array_agg json_arrayagg distinct row
          limit offset filter within interval set insert into update delete is varchar char
          decimal numeric int integer bigint text returning with recursive xor div
          """
              .strip()
              .split("\\s+"));

  /** False for a text with a function or a word that may mean something else the next time. */
  static boolean meansTheSame(String sql) {
    if (CHANGING.matcher(sql).find()) {
      return false;
    }
    Matcher call = CALL.matcher(sql);
    while (call.find()) {
      boolean table = isTable(sql, call.start());
      if (!table && !STEADY.contains(call.group(1).toLowerCase(Locale.ROOT))) {
        return false;
      }
    }
    return true;
  }

  /** {@code INSERT INTO t (a, b)}. */
  private static boolean isTable(String sql, int at) {
    return sql.substring(0, at).stripTrailing().toLowerCase(Locale.ROOT).endsWith("into");
  }
}
