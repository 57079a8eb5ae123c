package io.txwatch.catalog;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.SystemColumnKey;
import java.util.List;
import java.util.Optional;

/**
 * A table as the DBMS's own catalog describes it.
 *
 * @param schema its schema (MySQL, MariaDB: its database), as stored
 * @param name its name, as stored
 * @param kind what it is
 * @param columns all of its columns, the auxiliary ones included, in their order
 * @param traits what else the planner must know
 * @param systemVersions how its versions are identified without auxiliary columns; empty if that
 *     does not matter
 */
public record TableInfo(
    String schema,
    String name,
    Kind kind,
    List<Column> columns,
    Catalog.Traits traits,
    Optional<SystemVersions> systemVersions) {

  /**
   * How the versions of a table are identified by the DBMS's system columns.
   *
   * @param status whether they can be read
   * @param key what identifies a row
   */
  public record SystemVersions(Catalog.Status status, Optional<SystemColumnKey> key) {}

  /** A table whose versions are identified by its auxiliary columns, if at all. */
  public TableInfo(
      String schema, String name, Kind kind, List<Column> columns, Catalog.Traits traits) {
    this(schema, name, kind, columns, traits, Optional.empty());
  }

  /** A table of which the planner must know no more. */
  public TableInfo(String schema, String name, Kind kind, List<Column> columns) {
    this(schema, name, kind, columns, Catalog.Traits.UNKNOWN);
  }

  /** What a name of a table can stand for. */
  public enum Kind {
    /** An ordinary table. */
    TABLE("a table"),
    /** A view, materialized or not. */
    VIEW("a view"),
    /** A temporary table. */
    TEMPORARY("a temporary table"),
    /** Something whose rows are not this DBMS's own: foreign, linked, virtual, sequence. */
    FOREIGN("not a table of this DBMS's own"),
    /** Part of the DBMS. */
    SYSTEM("a system table");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    /** For people. */
    public String words() {
      return words;
    }
  }

  /**
   * A column.
   *
   * @param name as stored
   * @param type as the DBMS states it
   * @param defaultValue the default's expression as the DBMS states it, "" if none
   * @param shown true if {@code *} shows it
   * @param given true if an INSERT without a column list gives it a value
   * @param readable true if this user may SELECT it
   * @param insertable true if this user may INSERT it
   * @param updatable true if this user may UPDATE it
   * @param comment what the DBMS has noted of it, "" if nothing or not read
   */
  public record Column(
      String name,
      String type,
      String defaultValue,
      boolean shown,
      boolean given,
      boolean readable,
      boolean insertable,
      boolean updatable,
      String comment) {

    /** A column that takes a value wherever {@code *} shows it. */
    public Column(
        String name,
        String type,
        String defaultValue,
        boolean shown,
        boolean readable,
        boolean insertable,
        boolean updatable,
        String comment) {
      this(name, type, defaultValue, shown, shown, readable, insertable, updatable, comment);
    }

    /** A column that this user may do everything with. */
    public static Column of(String name, String type, String defaultValue, boolean shown) {
      return new Column(name, type, defaultValue, shown, true, true, true, "");
    }
  }

  /** The column of that name, in any case. */
  public Optional<Column> column(String wanted) {
    return columns.stream().filter(c -> c.name().equalsIgnoreCase(wanted)).findFirst();
  }

  /** True if it has a column named like one of ours, regardless of who made it. */
  public boolean hasAuxiliaryName() {
    return columns.stream().anyMatch(c -> AuxiliaryColumns.isAuxiliary(c.name()));
  }

  /**
   * The application's columns to which an INSERT without a column list gives values.
   *
   * @param hidesAuxiliary false if columns of our names are the application's, too
   */
  List<String> applicationColumns(boolean hidesAuxiliary) {
    return columns.stream()
        .filter(c -> c.given() && !(hidesAuxiliary && AuxiliaryColumns.isAuxiliary(c.name())))
        .map(Column::name)
        .toList();
  }

  /** The application's columns that {@code *} shows. */
  List<String> starColumns(boolean hidesAuxiliary) {
    return columns.stream()
        .filter(c -> c.shown() && !(hidesAuxiliary && AuxiliaryColumns.isAuxiliary(c.name())))
        .map(Column::name)
        .toList();
  }

  /**
   * What the planner may do with it, given that its auxiliary columns are ours or not. This user
   * must be able to read both, and to write them wherever he may write anything.
   */
  public Catalog.Status status(boolean prepared) {
    if (kind != Kind.TABLE) {
      return Catalog.Status.NOT_A_BASE_TABLE;
    }
    if (systemVersions.isPresent()) {
      return systemVersions.get().status();
    }
    Optional<Column> row = column(AuxiliaryColumns.ROW_ID);
    Optional<Column> writers = column(AuxiliaryColumns.WRITERS);
    if (!prepared || row.isEmpty() || writers.isEmpty()) {
      return Catalog.Status.NOT_PREPARED;
    }
    boolean updates = columns.stream().anyMatch(Column::updatable);
    boolean inserts = columns.stream().anyMatch(Column::insertable);
    boolean enough =
        row.get().readable()
            && writers.get().readable()
            && (!updates || writers.get().updatable())
            && (!inserts || (writers.get().insertable() && row.get().insertable()));
    return enough ? Catalog.Status.PREPARED : Catalog.Status.NO_RIGHTS;
  }
}
