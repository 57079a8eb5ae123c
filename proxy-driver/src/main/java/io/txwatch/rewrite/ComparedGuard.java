package io.txwatch.rewrite;

import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Appends the writer to an UPDATE that joins tables, so that all assignments may be computed from
 * the old row: one of several tables, or one whose subquery the DBMS may join (MySQL for IN and
 * EXISTS, MariaDB where the subquery reads the table that is updated). For each table that is
 * written one assignment comes first, which compares the old values with the new ones:
 *
 * <pre>
 *   SET a.txw_wl = if(not (a.n &lt;=&gt; (5)), right(concat(a.txw_wl, TOKEN), 112), a.txw_wl), a.n = 5
 * </pre>
 *
 * Being the first, it sees the old row whichever way the DBMS goes. The value is written down
 * twice, so only values are taken that are the same both times, and that are stored just as they
 * are compared: integers for integers, text for text, byte by byte.
 */
final class ComparedGuard {

  private static final Set<String> INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");
  private static final Set<String> TEXTS = Set.of("varchar");
  private static final Pattern LENGTH = Pattern.compile("^varchar\\((\\d{1,6})\\)");

  /** A length that any text has room for. */
  private static final int SHORTEST_TEXT = 1;

  private final RewriteContext context;
  private final Tokens tokens;
  private final Statement.Update update;
  private final List<Source.Table> sources;
  private final Map<Source.Table, List<String>> changes = new LinkedHashMap<>();
  private final Set<String> assigned = new HashSet<>();

  /** Columns of which the values are made, but for the one that the value is for. */
  private final Set<String> read = new HashSet<>();

  private String assigning = "";

  private ComparedGuard(
      RewriteContext context, Statement.Update update, List<Source.Table> sources) {
    this.context = context;
    this.update = update;
    this.tokens = context.tokens();
    this.sources = sources;
  }

  /** The {@link WriteStrategy} for an UPDATE of one table. */
  static Optional<Rewrite> append(AssignmentList assignments) throws NotUnderstood {
    RewriteContext context = assignments.context();
    return context.tree() instanceof Statement.Update update && assignments.mayBeJoined()
        ? Optional.of(append(context, update, List.of(assignments.target())).rewrite)
        : Optional.empty();
  }

  /**
   * An UPDATE with the writer appended.
   *
   * @param written the tables that it writes
   */
  record Appended(Rewrite rewrite, List<Source.Table> written) {}

  /**
   * Appends the writer to the assignments of an UPDATE.
   *
   * @param sources the tables that it names, of which it may write
   * @throws NotUnderstood if it cannot be done without changing what the statement does
   */
  static Appended append(
      RewriteContext context, Statement.Update update, List<Source.Table> sources)
      throws NotUnderstood {
    return new ComparedGuard(context, update, sources).append();
  }

  private Appended append() throws NotUnderstood {
    if (tokens.hasAnyWord(update.verb(), update.set().from(), "IGNORE")) {
      throw no("UPDATE IGNORE of several tables");
    }
    for (Assignment assignment : update.assignments()) {
      assignment(assignment.span().from(), assignment.span().to());
    }
    read.retainAll(assigned);
    if (!read.isEmpty()) {
      throw no("an assignment of what another one changes");
    }
    StringBuilder first = new StringBuilder();
    changes.forEach(
        (table, changed) -> {
          String list = table.exposedName() + "." + Auxiliary.WL;
          first.append(
              "%1$s = if(%2$s, %3$s, %1$s), "
                  .formatted(list, String.join(" or ", changed), Auxiliary.appended(list)));
        });
    return new Appended(
        context.before(update.set().from(), first.toString()), List.copyOf(changes.keySet()));
  }

  private static NotUnderstood no(String why) {
    return new NotUnderstood(NotUnderstood.Reason.SHAPE, why);
  }

  /** {@code t.column = value}. */
  private void assignment(int from, int to) throws NotUnderstood {
    int equals = tokens.nameEnd(from);
    if (equals == from || !tokens.isOperator(equals, '=') || equals + 1 >= to) {
      throw no("an assignment that does not begin with a column");
    }
    Column column = column(from, equals).orElseThrow(() -> no("a column of an unknown table"));
    if (!context.tables().isPrepared(column.table)
        || context.tables().find(column.table).orElseThrow().traits().beforeUpdate()) {
      throw no("UPDATE of several tables");
    }
    if (!assigned.add(column.key())) {
      throw no("a column that is assigned twice");
    }
    assigning = column.key();
    int start = equals + 1;
    String old = column.table.exposedName() + "." + tokens.text(equals - 1);
    String value = tokens.text().substring(tokens.start(start), tokens.end(to - 1));
    String changed;
    if (isNull(start, to)) {
      changed = old + " is not null";
    } else if (INTEGERS.contains(column.type) && isInteger(start, to)) {
      changed = "not (" + old + " <=> " + stored(column.type, value) + ")";
    } else if (TEXTS.contains(column.type) && isText(column, start, to)) {
      changed = "not (" + bytes(old) + " <=> " + bytes(value) + ")";
    } else {
      throw no("an assignment that may be computed from the old row");
    }
    changes.computeIfAbsent(column.table, table -> new ArrayList<>()).add(changed);
  }

  /** An integer as a column takes it where it is not refused: cut to the column's range. */
  private static String stored(String type, String value) {
    int bits = bits(type);
    long most = (1L << (bits - 1)) - 1;
    return bits == 64
        ? "(" + value + ")"
        : "least(greatest(" + value + ", " + (-most - 1) + "), " + most + ")";
  }

  /** How many bits an integer of a type has. */
  static int bits(String type) {
    return switch (type) {
      case "tinyint" -> 8;
      case "smallint" -> 16;
      case "mediumint" -> 24;
      case "int" -> 32;
      default -> 64;
    };
  }

  private static String bytes(String text) {
    return "cast(convert(" + text + " using utf8mb4) as binary)";
  }

  private boolean isNull(int from, int to) {
    return to == from + 1 && tokens.isWord(from, "NULL");
  }

  /** An integer, an integer column, or the sum or difference of the two. */
  private boolean isInteger(int from, int to) {
    int operator = from;
    while (operator < to
        && !tokens.isOperator(operator, '+')
        && !tokens.isOperator(operator, '-')) {
      operator++;
    }
    if (operator == from && tokens.isOperator(from, '-')) {
      return tokens.isShortInteger(from + 1, to);
    }
    return operator == to
        ? tokens.isShortInteger(from, to) || isColumn(from, to, INTEGERS)
        : isColumn(from, operator, INTEGERS) && tokens.isShortInteger(operator + 1, to);
  }

  /** A literal or a column that is not too long: what is too long may be cut without an error. */
  private boolean isText(Column target, int from, int to) {
    if (to == from + 1 && tokens.is(from, TokenKind.STRING)) {
      String text = tokens.text(from);
      return text.charAt(0) == '\''
          && text.chars().allMatch(c -> c >= ' ' && c < 127 && c != '\\')
          && text.length() - 2 <= target.length
          && !text.endsWith(" '");
    }
    return isColumn(from, to, TEXTS)
        && column(from, to).filter(source -> source.length <= target.length).isPresent();
  }

  private boolean isColumn(int from, int to, Set<String> types) {
    if (from >= to || tokens.nameEnd(from) != to) {
      return false;
    }
    Optional<Column> column = column(from, to);
    column.filter(found -> !found.key().equals(assigning)).ifPresent(c -> read.add(c.key()));
    return column.filter(found -> types.contains(found.type)).isPresent();
  }

  /**
   * A column.
   *
   * @param type its type, without its length
   * @param length how many characters it takes if it is a text
   */
  private record Column(Source.Table table, String name, String type, int length) {
    String key() {
      return Identifiers.fold(table.exposedName()) + "." + name;
    }
  }

  private static int length(String type) {
    Matcher declared = LENGTH.matcher(type);
    return declared.find() ? Integer.parseInt(declared.group(1)) : SHORTEST_TEXT;
  }

  /** The one column that a name can be of. */
  private Optional<Column> column(int from, int to) {
    String name = tokens.folded(to - 1);
    List<Column> found = new ArrayList<>();
    for (Source.Table table : sources) {
      boolean named =
          to == from + 1 || tokens.folded(to - 3).equals(Identifiers.fold(table.exposedName()));
      String type =
          context
              .tables()
              .find(table)
              .map(t -> t.traits().types().getOrDefault(name, ""))
              .orElse("");
      boolean unknown = table.isCommon() || context.tables().find(table).isEmpty();
      if (named && unknown) {
        return Optional.empty();
      }
      if (named && !type.isEmpty()) {
        boolean signed = !type.contains("unsigned") && !type.contains("zerofill");
        String base = signed ? type.replaceAll("[^a-z].*", "") : type;
        found.add(new Column(table, name, base, length(type)));
      }
    }
    return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
  }
}
