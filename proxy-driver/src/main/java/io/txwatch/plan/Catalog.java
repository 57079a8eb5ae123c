package io.txwatch.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the planner asks about tables. Answers come from a cache; the first question about a table
 * may cost a round trip.
 */
public interface Catalog {

  /**
   * Looks a name up as the DBMS would.
   *
   * @param nameParts the identifier's parts as they stand in the SQL, quotes included, outermost
   *     first: {@code ["public", "\"Account\""]}
   * @return empty if there is no such table or view (for example, it is a CTE's name)
   */
  Optional<Table> find(List<String> nameParts);

  /**
   * True if a table is known to be small: no more rows than {@value #SMALL_TABLE_ROWS}, by what the
   * DBMS can answer at no cost (its statistics, a file's size). False if it is not known. Evaluated
   * when a plan is made, so the table may have grown since.
   */
  default boolean isSmall(List<String> nameParts) {
    return false;
  }

  /**
   * True if this session's DBMS refuses a value that does not fit a column instead of making it
   * fit, and takes texts in a character set whose ASCII letters are bytes. False if it is not
   * known. Evaluated when a plan is made.
   */
  default boolean storesAsGiven() {
    return false;
  }

  /** The auxiliary column that identifies a row. */
  String ROW_ID_COLUMN = "txw_rid";

  /** The auxiliary column that lists the newest writers of a row. */
  String WRITERS_COLUMN = "txw_wl";

  /** What counts as a small table. */
  int SMALL_TABLE_ROWS = 500;

  /** What counts as a small table where rows cannot be counted cheaply: PostgreSQL's heap. */
  int SMALL_HEAP_BYTES = 128 * 1024;

  /**
   * A table or view.
   *
   * @param name the name that histories show
   * @param status whether it carries the auxiliary columns
   * @param columns the application's columns in their order, as the DBMS stores the names, the
   *     auxiliary ones left out
   * @param traits what a write must know besides
   * @param storedName its schema and its name, as stored; empty if they are not known
   * @param starColumns the columns that {@code *} shows, the auxiliary ones left out: {@code
   *     columns}, and on SQLite the generated ones, which take no value
   * @param key what identifies its rows, if its versions are in {@linkplain Status#SYSTEM_COLUMNS
   *     system columns}
   */
  record Table(
      String name,
      Status status,
      List<String> columns,
      Traits traits,
      List<String> storedName,
      List<String> starColumns,
      Optional<SystemColumnKey> key) {

    /** A table of which no more is known. */
    public Table(String name, Status status, List<String> columns) {
      this(name, status, columns, Traits.UNKNOWN);
    }

    /** A table whose schema is not known, and whose columns all take values. */
    public Table(String name, Status status, List<String> columns, Traits traits) {
      this(name, status, columns, traits, List.of(), columns, Optional.empty());
    }

    /**
     * True if no two columns differ in case only, so that a name in lower case is of one column.
     */
    public boolean hasDistinctNames() {
      Set<String> names = new HashSet<>();
      for (String column : columns) {
        if (!names.add(column.toLowerCase(Locale.ROOT))) {
          return false;
        }
      }
      return true;
    }

    /**
     * The column, in lower case, whose value is the id of its row: a primary key of one integer of
     * a table whose versions are in system columns. Empty if columns differ in case only.
     */
    public Optional<String> integerId() {
      return key.filter(SystemColumnKey::isInteger)
          .map(id -> id.columns().get(0).toLowerCase(Locale.ROOT))
          .filter(id -> traits.primaryKey().equals(Set.of(id)));
    }
  }

  /**
   * What a write must know of a table, as far as its DBMS needs it.
   *
   * @param types the type of each column, by its name in lower case, as the DBMS returns it, in
   *     lower case (MySQL, MariaDB), with its character set if ASCII letters may be other bytes
   *     there
   * @param changing the columns, in lower case, that an UPDATE changes without assigning them:
   *     generated ones, those with ON UPDATE (MySQL, MariaDB, PostgreSQL, H2); all columns if a
   *     trigger may (PostgreSQL, H2)
   * @param beforeUpdate true if something of the table's own may change a row that is being updated
   *     once the statement's assignments are done: a trigger
   * @param keys the columns, in lower case, of each unique key without a nullable column, the
   *     primary key first (MySQL, MariaDB); of every unique key, or none if one is over expressions
   *     or some of the rows (SQLite)
   * @param query the query of a view, as the DBMS returns it; empty if it is none, or not known
   * @param nullOverDefault the nullable columns, in lower case, whose default is neither NULL nor
   *     zero nor empty (MySQL)
   * @param writtenAnewUnseen true if nothing of the table's own distinguishes a row that was left
   *     as it was from one that was rewritten with the same values: an InnoDB table without ON
   *     UPDATE, triggers of UPDATE, or a history of its rows (MySQL, MariaDB)
   * @param primaryKey the columns, in lower case, of the primary key (PostgreSQL, H2)
   * @param nameColumns the columns, in the key's order, of the key that reports name a row by: the
   *     primary key, or else another one without nulls; empty if there is none, if a column of it
   *     has a type whose text may depend on the session, or if something of the table's own may
   *     change it
   * @param deletesAllMatches true if a DELETE deletes each row that it matches: no trigger, rule or
   *     policy of the table's own may keep one (PostgreSQL, H2)
   */
  record Traits(
      Map<String, String> types,
      Set<String> changing,
      boolean beforeUpdate,
      List<List<String>> keys,
      String query,
      Set<String> nullOverDefault,
      boolean writtenAnewUnseen,
      Set<String> primaryKey,
      List<KeyColumn> nameColumns,
      boolean deletesAllMatches) {
    /** Nothing is known. */
    public static final Traits UNKNOWN = ofView("");

    /** Those of a table. */
    public Traits(
        Map<String, String> types,
        Set<String> changing,
        boolean beforeUpdate,
        List<List<String>> keys) {
      this(types, changing, beforeUpdate, keys, Set.of());
    }

    /** Those of a table whose primary key is known apart from the other keys. */
    public Traits(
        Map<String, String> types,
        Set<String> changing,
        boolean beforeUpdate,
        List<List<String>> keys,
        Set<String> primaryKey) {
      this(types, changing, beforeUpdate, keys, "", Set.of(), false, primaryKey, List.of(), false);
    }

    /** The columns, in lower case, of the key that identifies a row; none if that is not known. */
    public Set<String> identity() {
      return primaryKey.isEmpty() && !keys.isEmpty() ? Set.copyOf(keys.get(0)) : primaryKey;
    }

    /** Those of a view. */
    public static Traits ofView(String query) {
      return new Traits(
          Map.of(), Set.of(), false, List.of(), query, Set.of(), false, Set.of(), List.of(), false);
    }

    /** The same of a table whose rows are named by a key. */
    public Traits namedBy(List<KeyColumn> key) {
      return new Traits(
          types,
          changing,
          beforeUpdate,
          keys,
          query,
          nullOverDefault,
          writtenAnewUnseen,
          primaryKey,
          key,
          deletesAllMatches);
    }

    /** The same of a table of which a DELETE deletes each row that it matches, or may not. */
    public Traits deletingAllMatches(boolean all) {
      return new Traits(
          types,
          changing,
          beforeUpdate,
          keys,
          query,
          nullOverDefault,
          writtenAnewUnseen,
          primaryKey,
          nameColumns,
          all);
    }
  }

  /** Whether a table carries the auxiliary columns. */
  enum Status {
    /** It does, and this user may read and write them. */
    PREPARED,
    /** It does not need them: the DBMS's own columns identify each version (PostgreSQL). */
    SYSTEM_COLUMNS,
    /** It does not. */
    NOT_PREPARED,
    /** It does, but this user may not read or write them. */
    NO_RIGHTS,
    /** A view, a foreign or a system table. */
    NOT_A_BASE_TABLE,
    /** The DBMS did not answer: nothing is known of it, not even whether it has the columns. */
    LOOKUP_FAILED
  }
}
