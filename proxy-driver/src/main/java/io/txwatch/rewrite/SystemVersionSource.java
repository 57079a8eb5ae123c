package io.txwatch.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.plan.SystemColumnKey;
import io.txwatch.plan.SystemColumnKey.Replaced;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PostgreSQL's own columns: a row is identified by its key, and its version by {@code xmin}, the id
 * of the transaction, or of the part of it that began with a savepoint, which wrote it. The table
 * is not changed.
 *
 * <p>A version is the text of an {@code xmin}. A write that replaces a version returns more:
 *
 * <pre>
 *   731              the xmin of the version
 *   730~731          the xmin of the version that was replaced, and of the new one;
 *                    0 in the first place if it is not known
 *   17@730~731       the same, with the id of the replaced version's place: in a table without key
 *   !17@730~731      the same, with the id of the row before: an UPDATE of the key
 *   -730             the xmin of the version that a MERGE has deleted
 * </pre>
 *
 * <p>PostgreSQL 18 returns the replaced row. Earlier versions do not, but evaluate the condition of
 * an UPDATE on the very version that it replaces: if another transaction has replaced the one that
 * the statement found, once more on the newer one. So a condition that is always true keeps {@code
 * 17@730}, row and version, in a setting of the transaction, and RETURNING reads it: a row is
 * updated and returned before the next one is found, as long as the statement joins nothing.
 *
 * <p>In a table without key, a place is one of a file: {@code VACUUM FULL}, {@code CLUSTER} and
 * {@code TRUNCATE} give the table another file, in which the same place, with the same {@code
 * xmin}, may be that of another row. So the upper 16 bits of its id are the last ones of the file's
 * number ({@link io.txwatch.history.VersionSet#file}).
 *
 * @param key what identifies the row
 */
record SystemVersionSource(SystemColumnKey key) implements VersionSource {

  /** That of a row and two versions. */
  private static final int MAX_LENGTH =
      "!@~".length() + "-9223372036854775808".length() + 2 * "4294967295".length();

  private static final String TEXT = "::pg_catalog.text";

  /** Joins texts. */
  private static final String THEN = " operator(pg_catalog.||) ";

  private static final String SETTING = "txwatch.replaced";
  private static final String KEPT = "pg_catalog.current_setting('" + SETTING + "', true)";

  @Override
  public String row(String qualifier) {
    if (key.isInteger()) {
      return column(qualifier, key.columns().get(0));
    }
    if (!key.exists()) {
      return "(pg_catalog.hashtextextended("
          + Stream.of("tableoid", "ctid", "xmin")
              .map(column -> qualifier + column + TEXT)
              .collect(Collectors.joining(THEN))
          + ", 0) operator(pg_catalog.&) 281474976710655) operator(pg_catalog.|)"
          + " (pg_catalog.pg_relation_filenode(%stableoid)::pg_catalog.int8".formatted(qualifier)
          + " operator(pg_catalog.<<) 48)";
    }
    String hash = "0";
    for (String column : key.columns()) {
      hash =
          "pg_catalog.hashtextextended(%s%s collate pg_catalog.\"C\", %s)"
              .formatted(column(qualifier, column), TEXT, hash);
    }
    return hash;
  }

  private static String join(String... texts) {
    return String.join(THEN, texts);
  }

  private static String column(String qualifier, String name) {
    return qualifier + '"' + name.replace("\"", "\"\"") + '"';
  }

  @Override
  public String version(String qualifier) {
    return qualifier + "xmin" + TEXT;
  }

  /**
   * Of a type with a maximal length: the driver sends the items of a batch one by one if it cannot
   * estimate how much they return.
   */
  @Override
  public String written(StatementKind kind, String qualifier, Written how) {
    return "cast(%s as varchar(%d))".formatted(unbounded(kind, qualifier, how), MAX_LENGTH);
  }

  private String unbounded(StatementKind kind, String qualifier, Written how) {
    String own = version(qualifier);
    boolean isUpsert = kind == StatementKind.INSERT && how.mayUpdate();
    boolean isMerge = kind == StatementKind.MERGE;
    if (kind != StatementKind.UPDATE && !isUpsert && !isMerge) {
      return own;
    }
    if (!how.replaced().isPresent()) {
      return isUpsert ? ifUpdated(qualifier, "'0'") + own : own;
    }
    if (how.replaced().get() == Replaced.KEPT) {
      String before = before(how, KEPT, keptVersion(qualifier));
      return isUpsert ? ifUpdated(qualifier, before) + own : join(before, "'~'", own);
    }
    String old = version("old.");
    String rowAndVersion = join("(" + row("old.") + ")" + TEXT, "'@'", old);
    String replaced = join(before(how, rowAndVersion, old), "'~'", version("new."));
    if (isMerge) {
      return "coalesce(%s, %s, %s)".formatted(replaced, version("new."), join("'-'", old));
    }
    return isUpsert ? "coalesce(" + replaced + ", " + version("new.") + ")" : replaced;
  }

  /** The replaced version; with the row before where that may be another one. */
  private String before(Written how, String rowAndVersion, String version) {
    if (how.mayChangeKey()) {
      return join("'!'", rowAndVersion);
    }
    return key.exists() ? version : rowAndVersion;
  }

  /** The kept version if it is of this row; else 0: a trigger has changed the key. */
  private String keptVersion(String qualifier) {
    return "case when pg_catalog.split_part(%s, '@', 1) operator(pg_catalog.=) (%s)%s"
            .formatted(KEPT, row(qualifier), TEXT)
        + " then pg_catalog.split_part(%s, '@', 2) else '0' end".formatted(KEPT);
  }

  /** Of a row that an INSERT has updated, {@code xmax} shows it: the statement has locked it. */
  private static String ifUpdated(String qualifier, String before) {
    return "case when %sxmax%s operator(pg_catalog.=) '0' then '' else %s end"
            .formatted(qualifier, TEXT, join(before, "'~'"))
        + THEN;
  }

  @Override
  public Set<Replaced> replaced() {
    return key.replaced();
  }

  @Override
  public String keepsReplaced(String qualifier) {
    String rowAndVersion = join("(" + row(qualifier) + ")" + TEXT, "'@'", version(qualifier));
    return "pg_catalog.set_config('%s', %s, true) is not null".formatted(SETTING, rowAndVersion);
  }

  @Override
  public boolean identifiesByPlace() {
    return !key.exists();
  }

  @Override
  public boolean marksWrites() {
    return false;
  }
}
