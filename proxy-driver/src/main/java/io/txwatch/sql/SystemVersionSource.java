package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import java.util.List;

/**
 * PostgreSQL's own columns: a row is identified by its key, and its version by {@code xmin}, the id
 * of the transaction, or of the part of it that began with a savepoint, which wrote it. The table
 * is not changed.
 *
 * <p>A version is the text of an {@code xmin}. From PostgreSQL 18 on a write also returns the
 * {@code xmin} that it replaced, and a tilde, in front of its own. Where it is known that a version
 * was replaced, but not which, a 0 stands in its place.
 *
 * @param key the columns of the row's key, as stored
 * @param isInteger true if the key is one integer, which then is the row's id; otherwise the id is
 *     a hash of the key with 64 bits
 * @param returnsOld true if RETURNING can return the replaced version
 */
record SystemVersionSource(List<String> key, boolean isInteger, boolean returnsOld)
    implements VersionSource {

  private static final String TEXT = "::pg_catalog.text";

  @Override
  public String row(String qualifier) {
    if (isInteger) {
      return column(qualifier, key.get(0));
    }
    String hash = "0";
    for (String column : key) {
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
  public String written(StatementKind kind, String qualifier, boolean upsert) {
    String own = version(qualifier);
    if (kind == StatementKind.UPDATE && returnsOld) {
      return "old.xmin" + TEXT + " || '~' || new.xmin" + TEXT;
    }
    if (kind != StatementKind.INSERT || !upsert) {
      return own;
    }
    // Without old, xmax shows that the row was there: the statement has locked it.
    return returnsOld
        ? "coalesce(old.xmin" + TEXT + " || '~', '') || new.xmin" + TEXT
        : "case when %sxmax%s = '0' then '' else '0~' end || %s".formatted(qualifier, TEXT, own);
  }

  @Override
  public boolean marksWrites() {
    return false;
  }
}
