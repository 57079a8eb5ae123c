package io.txwatch.prepare;

import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.PostgresQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What handles rows of a PostgreSQL table as a whole, and so would see columns that are added.
 *
 * <p>The catalog answers where it can: what depends on the table's row type ({@code pg_depend}),
 * and the expressions that are stored parsed (views, rules, WHEN of triggers, policies,
 * constraints, indexes, SQL-standard bodies), in which a whole row has that type. Bodies that are
 * stored as text are {@linkplain StoredCode searched}. Names that are put together at run time are
 * not seen.
 */
final class PostgresDependents {

  /**
   * The table with what inherits from it, for the columns are added to all of them; their types.
   */
  private static final String FAMILY =
      "WITH RECURSIVE family(oid) AS (SELECT ?::regclass::oid"
          + " UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i"
          + " JOIN family f ON i.inhparent = f.oid),"
          + " types(oid) AS (SELECT c.reltype FROM pg_catalog.pg_class c JOIN family f ON f.oid = c.oid"
          + " UNION SELECT t.oid FROM pg_catalog.pg_type t JOIN types ON t.typbasetype = types.oid"
          + " OR (t.typelem = types.oid AND t.typcategory = 'A')),"
          + " pattern(text) AS (SELECT ':\\w*type(id)? (' || string_agg(oid::text, '|') || ') '"
          + " FROM types) ";

  private static final String BY_TYPE =
      FAMILY
          + "SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid)"
          + " FROM pg_catalog.pg_depend d JOIN types ON d.refobjid = types.oid"
          + " WHERE d.refclassid = 'pg_catalog.pg_type'::regclass AND d.deptype <> 'i'"
          + " AND d.classid <> 'pg_catalog.pg_type'::regclass"
          + " AND d.classid <> 'pg_catalog.pg_rewrite'::regclass ORDER BY 1";

  private static final String BY_EXPRESSION =
      FAMILY
          + "SELECT DISTINCT pg_describe_object(e.class, e.oid, 0) FROM pattern, LATERAL ("
          + " SELECT 'pg_catalog.pg_rewrite'::regclass AS class, r.oid,"
          + " r.ev_action::text || r.ev_qual::text AS text FROM pg_catalog.pg_rewrite r"
          + " WHERE r.oid = ANY (SELECT d.objid FROM pg_catalog.pg_depend d JOIN family f"
          + " ON d.refobjid = f.oid WHERE d.classid = 'pg_catalog.pg_rewrite'::regclass)"
          + " UNION ALL SELECT 'pg_catalog.pg_trigger'::regclass, t.oid, t.tgqual::text"
          + " FROM pg_catalog.pg_trigger t JOIN family f ON f.oid = t.tgrelid"
          + " UNION ALL SELECT 'pg_catalog.pg_policy'::regclass, p.oid,"
          + " concat(p.polqual::text, p.polwithcheck::text)"
          + " FROM pg_catalog.pg_policy p WHERE p.oid = ANY (SELECT d.objid FROM pg_catalog.pg_depend d"
          + " JOIN family f ON d.refobjid = f.oid WHERE d.classid = 'pg_catalog.pg_policy'::regclass)"
          + " UNION ALL SELECT 'pg_catalog.pg_constraint'::regclass, c.oid, c.conbin::text"
          + " FROM pg_catalog.pg_constraint c JOIN family f ON f.oid = c.conrelid"
          + " UNION ALL SELECT 'pg_catalog.pg_class'::regclass, i.indexrelid,"
          + " concat(i.indexprs::text, i.indpred::text)"
          + " FROM pg_catalog.pg_index i JOIN family f ON f.oid = i.indrelid"
          + " UNION ALL SELECT 'pg_catalog.pg_proc'::regclass, p.oid, to_json(p) ->> 'prosqlbody'"
          + " FROM pg_catalog.pg_proc p WHERE p.oid = ANY (SELECT d.objid FROM pg_catalog.pg_depend d"
          + " JOIN family f ON d.refobjid = f.oid WHERE d.classid = 'pg_catalog.pg_proc'::regclass)"
          + ") e WHERE e.text ~ pattern.text ORDER BY 1";

  /** Their INSERT cannot return rows, and their actions are part of every write. */
  private static final String RULES =
      FAMILY
          + "SELECT pg_describe_object('pg_catalog.pg_rewrite'::regclass, r.oid, 0)"
          + " FROM pg_catalog.pg_rewrite r JOIN family f ON f.oid = r.ev_class"
          + " WHERE r.ev_type <> '1' ORDER BY 1";

  /** Subscribers have no such columns. One that lists columns publishes no others. */
  private static final String PUBLICATIONS =
      FAMILY
          + "SELECT DISTINCT 'publication ' || t.pubname::text FROM pg_catalog.pg_publication_tables t"
          + " JOIN pg_catalog.pg_namespace n ON n.nspname = t.schemaname"
          + " JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename"
          + " JOIN family f ON f.oid = c.oid WHERE NOT EXISTS (SELECT 1"
          + " FROM pg_catalog.pg_publication_rel r JOIN pg_catalog.pg_publication p"
          + " ON p.oid = r.prpubid WHERE r.prrelid = c.oid AND p.pubname = t.pubname"
          + " AND to_json(r) ->> 'prattrs' IS NOT NULL) ORDER BY 1";

  private static final String TRIGGERS =
      FAMILY
          + "SELECT pg_describe_object('pg_catalog.pg_trigger'::regclass, t.oid, 0), l.lanname, p.prosrc,"
          + " t.tgoldtable, t.tgnewtable FROM pg_catalog.pg_trigger t"
          + " JOIN family f ON f.oid = t.tgrelid JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid"
          + " JOIN pg_catalog.pg_language l ON l.oid = p.prolang"
          + " WHERE NOT t.tgisinternal ORDER BY 1";

  private static final String BODIES =
      FAMILY
          + "SELECT pg_describe_object('pg_catalog.pg_proc'::regclass, p.oid, 0), c.relname, p.prosrc"
          + " FROM family f JOIN pg_catalog.pg_class c ON c.oid = f.oid"
          + " JOIN pg_catalog.pg_proc p ON strpos(lower(p.prosrc), lower(c.relname)) > 0"
          + " JOIN pg_catalog.pg_language l ON l.oid = p.prolang"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace"
          + " WHERE l.lanname <> ALL ('{c,internal}') AND n.nspname !~ '^(pg_|information_schema$)'"
          + " AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::regclass"
          + " AND d.objid = p.oid AND d.deptype = 'e') ORDER BY 1";

  /** Trigger functions in C that take single columns by their names. */
  private static final Pattern BY_COLUMN = Pattern.compile("tsvector_update_trigger\\w*");

  /** OLD and NEW as whole rows: what is left of them once {@code RETURN NEW} is taken away. */
  private static final Pattern RETURN_ROW =
      Pattern.compile("(?i)\\breturn\\s+\\(?\\s*(old|new)\\s*\\)?\\s*;");

  private static final Pattern WHOLE_ROW =
      Pattern.compile("(?i)\\b(old|new)\\b(?!\\s*\\.\\s*[\\w\"])");

  private PostgresDependents() {}

  /**
   * All of them, as PostgreSQL describes objects.
   *
   * @param table its name as SQL names it
   */
  static List<String> of(Connection connection, String table) throws SQLException {
    Set<String> found = new LinkedHashSet<>();
    for (String query : List.of(BY_TYPE, BY_EXPRESSION, RULES, PUBLICATIONS)) {
      found.addAll(
          PostgresQueries.query(connection, query, row -> CatalogQueries.text(row, 1), table));
    }
    record Code(String name, String kind, String body, List<String> tables) {}
    List<Code> triggers =
        PostgresQueries.query(
            connection,
            TRIGGERS,
            row ->
                new Code(
                    CatalogQueries.text(row, 1),
                    CatalogQueries.text(row, 2),
                    CatalogQueries.text(row, 3),
                    List.of(CatalogQueries.text(row, 4), CatalogQueries.text(row, 5))),
            table);
    for (Code trigger : triggers) {
      boolean whole =
          trigger.kind.equals("plpgsql")
              ? usesWholeRows(trigger.body)
                  || trigger.tables.stream()
                      .anyMatch(t -> !t.isEmpty() && StoredCode.mayUseWholeRows(trigger.body, t))
              : !BY_COLUMN.matcher(trigger.body).matches();
      if (whole) {
        found.add(trigger.name);
      }
    }
    PostgresQueries.query(
            connection,
            BODIES,
            row ->
                new Code(
                    CatalogQueries.text(row, 1),
                    "",
                    CatalogQueries.text(row, 3),
                    List.of(CatalogQueries.text(row, 2))),
            table)
        .stream()
        .filter(code -> StoredCode.mayUseWholeRows(code.body, code.tables.get(0)))
        .map(Code::name)
        .forEach(found::add);
    return found.stream().collect(Collectors.toCollection(ArrayList::new));
  }

  /** True if a trigger's body uses OLD or NEW other than column by column. */
  static boolean usesWholeRows(String body) {
    return WHOLE_ROW.matcher(RETURN_ROW.matcher(body).replaceAll(";")).find();
  }
}
