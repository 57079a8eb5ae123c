package io.txwatch.sql.semantics;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The tables that a statement can name. */
public interface Schema {

  /**
   * A table of which the columns are known.
   *
   * @param name the name that histories show
   * @param columns its columns, in lower case
   * @param changing the columns, in lower case, that any UPDATE may change without assigning them
   * @param key the columns, in lower case, of the key that identifies a row; empty if not known
   */
  record Relation(String name, Set<String> columns, Set<String> changing, Set<String> key) {}

  /**
   * Finds a table.
   *
   * @param nameParts the parts of its name as they stand in the SQL, outermost first
   * @return empty if there is none, if it is a view, or if its columns are not known
   */
  Optional<Relation> find(List<String> nameParts);
}
