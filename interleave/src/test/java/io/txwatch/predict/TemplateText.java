package io.txwatch.predict;

import io.txwatch.history.AccessedColumns.Columns;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.predict.TemplateAccess.Effect;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Templates in the notation of the papers, a statement a line.
 *
 * <pre>
 *   R savings[x].bal          reads bal of the row with key x
 *   L savings[x].bal          the same with FOR UPDATE
 *   R line(w,-,o).item        reads by a predicate: the first and third column of the key
 *   W savings[x].bal          assigns bal
 *   U savings[x].bal          assigns bal, computed from bal
 *   U savings[x].tax>bal      assigns bal, computed from tax
 *   C savings[x].bal>bal      assigns bal where bal is as compared
 *   I savings[x]              inserts; D deletes
 *   P savings().bal           inserts a row or assigns bal in the one that is there
 *   * R item[i].price         in a loop, with the lines beside it; i is another one each time
 * </pre>
 */
final class TemplateText {

  private static final Pattern LINE =
      Pattern.compile(
          "(\\* )?([RLWUCIDP]) (\\w+)([\\[(])([\\w,-]*)[\\])](?:\\.([\\w,]*)(?:>([\\w,]+))?)?");

  private TemplateText() {}

  static OperationTemplate template(String name, String... lines) {
    List<TemplateStatement> statements = new ArrayList<>();
    Set<String> inLoops = new HashSet<>();
    Set<String> outside = new HashSet<>();
    int loop = 0;
    boolean loops = false;
    for (String line : lines) {
      Matcher parts = LINE.matcher(line);
      if (!parts.matches()) {
        throw new IllegalArgumentException(line);
      }
      boolean repeats = parts.group(1) != null;
      loop += repeats && !loops ? 1 : 0;
      loops = repeats;
      TemplateAccess access = access(parts);
      (repeats ? inLoops : outside).addAll(access.key().variables().values());
      statements.add(
          new TemplateStatement(
              statements.size() + 1,
              kind(parts.group(2)),
              line,
              name + ":" + (statements.size() + 1),
              repeats ? loop : 0,
              List.of(access)));
    }
    inLoops.removeAll(outside);
    return new OperationTemplate(
        name,
        1,
        name,
        2,
        new TreeSet<>(Set.of(IsolationLevel.READ_COMMITTED)),
        statements,
        inLoops);
  }

  private static StatementKind kind(String letter) {
    return switch (letter) {
      case "R" -> StatementKind.SELECT;
      case "L" -> StatementKind.LOCKING_SELECT;
      case "I", "P" -> StatementKind.INSERT;
      case "D" -> StatementKind.DELETE;
      default -> StatementKind.UPDATE;
    };
  }

  private static TemplateAccess access(Matcher parts) {
    Map<String, String> terms = new LinkedHashMap<>();
    String[] variables = parts.group(5).isEmpty() ? new String[0] : parts.group(5).split(",");
    for (int i = 0; i < variables.length; i++) {
      if (!variables[i].equals("-")) {
        terms.put("k" + (i + 1), variables[i]);
      }
    }
    Set<String> keys = new TreeSet<>(terms.keySet());
    Set<String> left = columns(parts.group(6));
    Set<String> right = parts.group(7) == null ? left : columns(parts.group(7));
    String letter = parts.group(2);
    Set<String> read = new TreeSet<>(keys);
    Set<String> predicate = new TreeSet<>(keys);
    if (!letter.equals("W") && !letter.equals("I")) {
      read.addAll(left);
    }
    if (letter.equals("C")) {
      predicate.addAll(left);
    }
    boolean puts = letter.equals("P");
    boolean adds = letter.equals("I") || puts;
    boolean removes = letter.equals("D");
    boolean writes = "WUC".contains(letter);
    return new TemplateAccess(
        parts.group(3),
        puts ? Columns.ALL : adds ? Columns.NONE : Columns.of(read),
        puts ? Columns.ALL : adds ? Columns.NONE : Columns.of(predicate),
        adds || removes ? Columns.ALL : writes ? Columns.of(right) : Columns.NONE,
        adds ? Effect.INSERTED : removes ? Effect.DELETED : Effect.NONE,
        letter.equals("L") ? RowLock.EXCLUSIVE : RowLock.NONE,
        KeyTerms.of(terms, parts.group(4).equals("[")));
  }

  private static Set<String> columns(String list) {
    return list == null || list.isEmpty() ? Set.of() : new TreeSet<>(List.of(list.split(",")));
  }
}
