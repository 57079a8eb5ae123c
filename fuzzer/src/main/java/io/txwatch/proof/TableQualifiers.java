package io.txwatch.proof;

import io.txwatch.proof.CandidateCase.NotPossibleException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes the name of the application's schema off the tables in statements, so that these use the
 * copies.
 */
final class TableQualifiers {

  private static final String NAME = "(?:\"[^\"]+\"|`[^`]+`|[\\w$]+)";

  private static final Pattern OF_TABLE =
      Pattern.compile(
          "(?i)(?:\\b(?:from|join|into|update|only)|,)\\s*"
              + NAME
              + "\\s*\\.\\s*(?:"
              + NAME
              + "\\s*\\.\\s*)?("
              + NAME
              + ")");

  /** Such a function may write tables of its schema. */
  private static final Pattern OF_FUNCTION =
      Pattern.compile(NAME + "\\s*\\.\\s*" + NAME + "\\s*\\(");

  private final List<Pattern> own = new ArrayList<>();
  private final Set<String> tables = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  /**
   * Those of a connection's schema.
   *
   * @param tables the tables that are copied
   */
  TableQualifiers(Connection source, Collection<String> tables) throws SQLException {
    this.tables.addAll(tables);
    for (String name : new String[] {source.getSchema(), source.getCatalog()}) {
      if (name != null && !name.isEmpty()) {
        own.add(
            Pattern.compile("(?i)(?<![\\w$.])([\"`]?)" + Pattern.quote(name) + "\\1\\s*\\.\\s*"));
      }
    }
  }

  /**
   * A part of a statement without them.
   *
   * @throws NotPossibleException if it names a table or a function of another schema
   */
  String without(String part) throws NotPossibleException {
    String plain = part;
    for (Pattern qualifier : own) {
      plain = qualifier.matcher(plain).replaceAll("");
    }
    Matcher other = OF_TABLE.matcher(plain);
    while (other.find()) {
      if (tables.contains(other.group(1).replaceAll("[\"`]", ""))) {
        throw new NotPossibleException(
            "a statement names a table of another schema, which would not be the copy: "
                + other.group().strip());
      }
    }
    Matcher function = OF_FUNCTION.matcher(plain);
    if (function.find()) {
      throw new NotPossibleException(
          "a statement names a function of another schema: " + function.group().strip() + "…");
    }
    return plain;
  }
}
