package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.RewritePlan.Returns;
import io.txwatch.sql.StatementShape.When;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokens;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;

/**
 * {@code MERGE INTO t USING s ON … WHEN …} (PostgreSQL, H2): each branch that writes names its
 * writer (hazard 23). What it wrote and deleted PostgreSQL returns, from version 17 on; what it
 * wrote H2's {@code FINAL TABLE}.
 */
final class MergeRewriter {

  private final Draft draft;
  private final StatementShape shape;
  private final TableRef target;

  private MergeRewriter(Draft draft) {
    this.draft = draft;
    this.shape = draft.shape;
    this.target = Objects.requireNonNull(draft.shape.target);
  }

  static void rewrite(Draft draft) throws NotUnderstood {
    new MergeRewriter(draft).run();
  }

  private void run() throws NotUnderstood {
    Optional<GapReason> reason = draft.tables.reason(target);
    if (reason.isPresent()) {
      draft.unseen(reason.get(), draft.tables.display(target));
      return;
    }
    if (!draft.tables.isPrepared(target)) {
      throw new NotUnderstood(GapReason.SHAPE, "a write through a CTE");
    }
    if (!draft.tables.versions(target).marksWrites()) {
      draft.unseen(GapReason.SHAPE, "MERGE");
      WriteRewriter.reads(draft, new HashSet<>(Set.of(target.from())));
      return;
    }
    boolean deletes = false;
    for (When when : shape.whens) {
      switch (when.action()) {
        case UPDATE ->
            draft.splices.after(
                when.to() - 1,
                ", " + Auxiliary.appendWriter(draft.dialect, "", target.exposedName() + "."));
        case INSERT -> insert(when);
        case DELETE -> deletes = true;
        case NOTHING -> {}
      }
    }
    Set<Integer> observed = new HashSet<>();
    observed.add(target.from());
    returnRows(deletes, observed);
    WriteRewriter.reads(draft, observed);
  }

  /** {@code INSERT [(…)] VALUES (…)}, {@code INSERT DEFAULT VALUES}. */
  private void insert(When when) throws NotUnderstood {
    Tokens tokens = draft.tokens;
    int i = when.from() + 1;
    int columns = tokens.isOpen(i) ? i : -1;
    i = columns < 0 ? i : tokens.partner(i) + 1;
    if (tokens.isWord(i, "OVERRIDING")) {
      i += 3;
    }
    if (tokens.areWords(i, "DEFAULT", "VALUES") && columns < 0) {
      draft.splices.replace(
          i, i + 2, "(" + Auxiliary.WL + ") values (" + Auxiliary.tokenAsValue() + ")");
      return;
    }
    int values = i + 1;
    if (!tokens.isWord(i, "VALUES")
        || !tokens.isOpen(values)
        || tokens.partner(values) + 1 != when.to()) {
      throw new NotUnderstood(GapReason.SHAPE, "MERGE that inserts something else than a row");
    }
    if (columns >= 0) {
      draft.splices.after(tokens.partner(columns) - 1, ", " + Auxiliary.WL);
    } else {
      draft.splices.after(when.from(), columnList(width(values)));
    }
    draft.splices.after(tokens.partner(values) - 1, ", " + Auxiliary.tokenAsValue());
  }

  private int width(int open) {
    return draft.tokens.items(open + 1, draft.tokens.partner(open)).size();
  }

  private String columnList(int width) throws NotUnderstood {
    List<String> columns = draft.tables.find(target).orElseThrow().columns();
    if (width > columns.size()) {
      throw new NotUnderstood(GapReason.SHAPE, "the catalog knows fewer columns");
    }
    StringJoiner list = new StringJoiner(", ", " (", ", " + Auxiliary.WL + ")");
    columns.subList(0, width).forEach(name -> list.add(Auxiliary.quote(draft.dialect, name)));
    return list.toString();
  }

  private void returnRows(boolean deletes, Set<Integer> observed) {
    boolean postgres = draft.dialect == Dialect.POSTGRESQL;
    if (!draft.mayReturnRows || (!postgres && deletes)) {
      WriteReads.after(draft, target);
      if (deletes) {
        draft.unseen(GapReason.SHAPE, "the rows that MERGE deletes are not seen");
      }
    } else if (postgres) {
      String separator = shape.returning >= 0 ? ", " : " returning ";
      draft.splices.after(
          shape.to - 1,
          separator
              + Auxiliary.pair(target.exposedName())
              + WriteRewriter.carried(draft, observed));
      draft.returns = shape.returning >= 0 ? Returns.WRITTEN_ROWS_APPENDED : Returns.WRITTEN_ROWS;
      draft.appended.add(draft.tables.display(target));
    } else {
      WriteRewriter.deltaTable(draft, observed);
      draft.returns = Returns.WRITTEN_ROWS;
      draft.appended.add(draft.tables.display(target));
    }
  }
}
