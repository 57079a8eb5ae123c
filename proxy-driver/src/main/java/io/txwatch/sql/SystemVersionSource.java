package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PostgreSQL's own columns: a row is identified by its key, and its version by {@code xmin}, the id
 * of the transaction, or of the part of it that began with a savepoint, which wrote it. The table
 * is not changed.
 *
 * <p>A version is the text of an {@code xmin}. A write that replaces a version returns more, as far
 * as the DBMS can (PostgreSQL 18):
 *
 * <pre>
 *   731              the xmin of the version
 *   730~731          the xmin of the version that was replaced, and of the new one;
 *                    0 in the first place if it is not known
 *   17@730~731       the same, with the id of the replaced version's place: in a table without key
 *   !17@730~731      the same, with the id of the row before: an UPDATE of the key
 * </pre>
 *
 * @param key what identifies the row
 */
record SystemVersionSource(RowKey key) implements VersionSource {

  private static final String TEXT = "::pg_catalog.text";

  @Override
  public String row(String qualifier) {
    if (key.isInteger()) {
      return column(qualifier, key.columns().get(0));
    }
    if (!key.exists()) {
      return "pg_catalog.hashtextextended("
          + Stream.of("tableoid", "ctid", "xmin")
              .map(column -> qualifier + column + TEXT)
              .collect(Collectors.joining(" || "))
          + ", 0)";
    }
    String hash = "0";
    for (String column : key.columns()) {
      hash =
          "pg_catalog.hashtextextended(%s%s collate \"C\", %s)"
              .formatted(column(qualifier, column), TEXT, hash);
    }
    return hash;
  }

  private static String column(String qualifier, String name) {
    return qualifier + Auxiliary.quote(Dialect.POSTGRESQL, name);
  }

  @Override
  public String version(String qualifier) {
    return qualifier + "xmin" + TEXT;
  }

  @Override
  public String written(StatementKind kind, String qualifier, Written how) {
    String own = version(qualifier);
    boolean returnsOld = key.returnsOld() && !how.hidesOld();
    String both = version("old.") + " || '~' || " + version("new.");
    String before = "(" + row("old.") + ")" + TEXT + " || '@' || ";
    String replaced =
        how.mayChangeKey() ? "'!' || " + before + both : key.exists() ? both : before + both;
    return switch (kind) {
      case UPDATE -> returnsOld ? replaced : own;
      case INSERT -> {
        if (!how.mayUpdate()) {
          yield own;
        }
        // Without old, xmax shows that the row was there: the statement has locked it.
        yield returnsOld
            ? "coalesce(" + replaced + ", " + version("new.") + ")"
            : "case when %sxmax%s = '0' then '' else '0~' end || %s"
                .formatted(qualifier, TEXT, own);
      }
      default -> own;
    };
  }

  @Override
  public boolean returnsChangedKeys() {
    return key.returnsOld();
  }

  @Override
  public boolean marksWrites() {
    return false;
  }
}
