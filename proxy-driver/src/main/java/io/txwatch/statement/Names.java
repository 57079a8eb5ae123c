package io.txwatch.statement;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Whose columns the names in some blocks' FROM and WHERE are, as far as that is certain: a
 * qualified name by the aliases in sight, a bare one by the catalog, innermost block first. What is
 * no keyword, function, alias or type and is found nowhere is unknown, and so is all.
 */
public final class Names {

  /** Some name cannot be resolved. */
  public static final int UNKNOWN = Integer.MAX_VALUE;

  private static final Set<String> KEYWORDS =
      Set.of(
          """
          select from where and or not in exists between like ilike is null true false case when
          then else end as on using join inner left right full outer cross natural straight_join
          order by group having limit offset asc desc nulls first last distinct all any some union
          intersect except over partition rows range unbounded preceding following current row
          escape collate array at time zone with without similar to div mod xor regexp rlike glob
          binary unknown isnull notnull symmetric lateral filter within for of interval both
          leading trailing current_date current_time current_timestamp current_user localtime
          localtimestamp session_user values only fetch next update share nowait skip locked
          """
              .strip()
              .split("\\s+"));

  private final AnalyzedStatement statement;
  private final Tokens tokens;
  private final Scopes scopes;
  private final List<Block> joined;
  private final boolean[] noName;

  /** Names that are bare and belong to one of the joined blocks: the name, and the block. */
  private final Map<String, Block> bare = new HashMap<>();

  /**
   * For the names of some blocks.
   *
   * @param joined innermost first
   */
  public Names(AnalyzedStatement statement, Scopes scopes, List<Block> joined) {
    this.statement = statement;
    this.tokens = statement.tokens();
    this.scopes = scopes;
    this.joined = joined;
    this.noName = new boolean[tokens.count()];
    for (Source.Table table : statement.parts().references()) {
      for (int i = table.from(); i < table.to(); i++) {
        noName[i] = true;
      }
    }
    for (Block block : statement.parts().blocks()) {
      for (Source source : block.others()) {
        int close = closeOf(source);
        for (int i = close; i < source.to(); i++) {
          noName[i] = true;
        }
      }
    }
  }

  private int closeOf(Source source) {
    int i = source.from();
    while (i < source.to() && !tokens.isOpen(i)) {
      i++;
    }
    return i < source.to() ? tokens.partner(i) : i;
  }

  /**
   * How far out the names reach.
   *
   * @param visible the blocks around the innermost one, innermost first
   * @return 0 if no name is of one of those; else the place in the list, from 1, of the outermost
   *     one that a name is of; {@link #UNKNOWN} if some name is ambiguous
   */
  public int farthest(List<Block> visible) {
    int farthest = 0;
    for (Block block : joined) {
      for (Clause clause : block.choosing()) {
        int of = farthest(visible, clause.content());
        if (of == UNKNOWN) {
          return UNKNOWN;
        }
        farthest = Math.max(farthest, of);
      }
    }
    return farthest;
  }

  private int farthest(List<Block> visible, Span at) {
    int farthest = 0;
    int to = at.to();
    for (int i = at.from(); i < to; ) {
      if (beginsWith(i)) {
        return UNKNOWN;
      }
      if (tokens.isWord(i, "USING") && tokens.isOpen(i + 1)) {
        i = tokens.partner(i + 1) + 1;
        continue;
      }
      int end = chainEnd(i, to);
      if (end == i) {
        i++;
        continue;
      }
      if (isReference(i, end)) {
        int of = resolve(visible, i, end);
        if (of == UNKNOWN) {
          return UNKNOWN;
        }
        farthest = Math.max(farthest, of);
      }
      i = end;
    }
    return farthest;
  }

  private boolean beginsWith(int token) {
    return statement.parts().withs().stream().anyMatch(with -> with.span().from() == token);
  }

  /** The token after a name with its qualifiers, or with a star at its end; {@code i} if none. */
  private int chainEnd(int i, int to) {
    if (!tokens.isName(i) || noName[i]) {
      return i;
    }
    int end = i + 1;
    while (end + 1 < to
        && tokens.is(end, TokenKind.DOT)
        && (tokens.isName(end + 1) || tokens.isOperator(end + 1, '*'))) {
      end += 2;
    }
    return end;
  }

  private boolean isReference(int i, int end) {
    if (end > i + 1) {
      return !tokens.isOpen(end);
    }
    boolean keyword = isKeyword(i);
    boolean type = tokens.is(i - 1, TokenKind.OPERATOR) && tokens.text(i - 1).equals("::");
    boolean behindOperand =
        tokens.is(i - 1, TokenKind.CLOSE)
            || tokens.is(i - 1, TokenKind.STRING)
            || tokens.is(i - 1, TokenKind.NUMBER)
            || tokens.is(i - 1, TokenKind.PARAMETER)
            || (tokens.isName(i - 1) && !isKeyword(i - 1))
            || tokens.isAnyWord(i - 1, "AS", "COLLATE", "END");
    boolean extracted = tokens.isWord(i - 2, "EXTRACT") && tokens.isWord(i + 1, "FROM");
    return !keyword
        && !type
        && !behindOperand
        && !extracted
        && !tokens.isOpen(end)
        && !tokens.is(end, TokenKind.STRING);
  }

  private boolean isKeyword(int i) {
    return tokens.is(i, TokenKind.WORD)
        && KEYWORDS.contains(tokens.text(i).toLowerCase(Locale.ROOT));
  }

  private int resolve(List<Block> visible, int i, int end) {
    for (Block block : scopes.visibleFrom(i)) {
      boolean own = end > i + 1 ? hasSource(block, tokens.text(end - 3)) : hasColumn(block, i);
      if (own) {
        if (end == i + 1 && joined.contains(block)) {
          bare.put(tokens.folded(i), block);
        }
        return visible.indexOf(block) + 1;
      }
      if (end == i + 1 && hasUnknownSource(block)) {
        return UNKNOWN;
      }
    }
    return UNKNOWN;
  }

  /**
   * True if a call is of a subquery within a stretch, and its arguments name a column of that
   * subquery's own: an aggregate would be over the subquery's rows (SQL:2016, 10.9), not over those
   * of the query around it.
   *
   * @param open the call's opening parenthesis
   */
  public static boolean aggregatesInside(AnalyzedStatement statement, Span at, int open) {
    List<Block> blocks = new Scopes(statement).visibleFrom(open);
    if (blocks.isEmpty() || !at.contains(blocks.get(0).start())) {
      return false;
    }
    Block block = blocks.get(0);
    Names names = new Names(statement, new Scopes(statement), List.of(block));
    Tokens tokens = statement.tokens();
    int close = tokens.partner(open);
    for (int i = open + 1; i < close; ) {
      int end = names.chainEnd(i, close);
      if (end > i + 1 && !tokens.isOpen(end) && hasSource(block, tokens.text(end - 3))) {
        return true;
      }
      boolean bare = end == i + 1 && names.isReference(i, end) && !names.hasUnknownSource(block);
      if (bare && names.hasColumn(block, i)) {
        return true;
      }
      i = Math.max(end, i + 1);
    }
    return false;
  }

  private static boolean hasSource(Block block, String qualifier) {
    return names(block).contains(Identifiers.fold(qualifier));
  }

  private static List<String> names(Block block) {
    List<String> names = new ArrayList<>();
    for (Source source : Source.leaves(block.sources(), Source.class)) {
      source.exposed().ifPresent(name -> names.add(Identifiers.fold(name)));
    }
    return names;
  }

  private boolean hasColumn(Block block, int token) {
    String name = tokens.folded(token);
    return block.tables().stream().anyMatch(t -> !isUnknown(t) && hasColumn(statement, t, name));
  }

  /** True if the catalog knows a column of that name, in any case. */
  public static boolean hasColumn(AnalyzedStatement statement, Source.Table table, String folded) {
    return statement
        .tables()
        .find(table)
        .map(t -> t.starColumns().stream().anyMatch(c -> c.toLowerCase(Locale.ROOT).equals(folded)))
        .orElse(false);
  }

  private boolean isUnknown(Source.Table table) {
    return table.isCommon()
        || table.columnAliases() > 0
        || statement.tables().find(table).map(t -> t.starColumns().isEmpty()).orElse(true);
  }

  private boolean hasUnknownSource(Block block) {
    return !block.others().isEmpty() || block.tables().stream().anyMatch(this::isUnknown);
  }

  /**
   * True if the joined blocks' names mean the same when all their sources stand side by side. To be
   * called after {@link #farthest}.
   */
  public boolean areUnique() {
    Set<String> sources = new HashSet<>();
    for (Block block : joined) {
      for (String name : names(block)) {
        if (!sources.add(name)) {
          return false;
        }
      }
    }
    for (Map.Entry<String, Block> name : bare.entrySet()) {
      int having = 0;
      for (Block block : joined) {
        if (block != name.getValue() && hasUnknownSource(block)) {
          return false;
        }
        for (Source.Table table : block.tables()) {
          having += !isUnknown(table) && hasColumn(statement, table, name.getKey()) ? 1 : 0;
        }
      }
      if (having != 1) {
        return false;
      }
    }
    return true;
  }
}
