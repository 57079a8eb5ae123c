package io.txwatch.oracle;

import io.txwatch.sql.semantics.IndexDefinition;
import io.txwatch.sql.semantics.TableDefinition;
import io.txwatch.sql.semantics.TableDefinition.Kind;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.List;

/** The indexes of a case besides primary keys. */
public final class SecondaryIndexes {

  private SecondaryIndexes() {}

  /** The same case without them, and without foreign keys, which need some. */
  public static TestCase removedFrom(TestCase testCase) {
    TestCase unlinked = ForeignKeyGraph.withoutForeignKeys(testCase);
    return unlinked.withSetup(
        unlinked.setup().stream()
            .map(SqlText::of)
            .filter(text -> IndexDefinition.of(text.tokens()).isEmpty())
            .map(text -> text.without(indexes(text.tokens())))
            .toList());
  }

  /** Where a CREATE TABLE defines some. */
  private static List<Span> indexes(Tokens tokens) {
    List<Span> found = new ArrayList<>();
    TableDefinition.of(tokens)
        .ifPresent(table -> table.elements().forEach(element -> add(tokens, element, found)));
    return found;
  }

  private static void add(Tokens tokens, TableDefinition.Element element, List<Span> found) {
    Span span = element.span();
    if (element.kind() == Kind.UNIQUE || element.kind() == Kind.INDEX) {
      if (tokens.is(span.from() - 1, TokenKind.COMMA)) {
        found.add(new Span(span.from() - 1, span.to()));
      }
    } else if (element.kind() == Kind.COLUMN) {
      for (int i = span.from() + 1; i < span.to(); i++) {
        if (tokens.isWord(i, "UNIQUE")) {
          found.add(new Span(i, tokens.isWord(i + 1, "KEY") ? i + 2 : i + 1));
        }
      }
    }
  }
}
