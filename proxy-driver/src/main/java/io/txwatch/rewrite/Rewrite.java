package io.txwatch.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.plan.Carried;
import io.txwatch.plan.NewRows;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.plan.SideRead;
import io.txwatch.sql.syntax.Source;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is done to a statement, and what it makes visible. A rewriter is a function to one of these;
 * what several of them do is {@linkplain #and joined}, in the order of the text and of the reasons:
 * {@code and} is associative, and {@link #NONE} leaves a rewrite as it is.
 *
 * @param edits what is put into the text
 * @param returned how it returns rows of ours, and of which tables
 * @param carried the reads that its result's rows carry
 * @param sideReads the reads that are sent beside it
 * @param newRows the rows that it gives ids
 * @param flags what else must be known of it
 * @param observed the tables whose rows are seen, by their first tokens
 * @param gap why not all rows are seen; of several reasons the first
 */
record Rewrite(
    Edits edits,
    Returned returned,
    List<Carried.Read> carried,
    List<SideRead> sideReads,
    Optional<NewRows> newRows,
    Set<Flag> flags,
    Set<Integer> observed,
    Optional<Gap> gap) {

  /** What must be known of a rewritten statement. */
  enum Flag {
    /** It may make versions that do not bear its token although the text has one. */
    MAY_LEAVE_UNNAMED,
    /** A star of its result shows the auxiliary columns, which are to be hidden there. */
    STAR_SHOWS_AUXILIARY
  }

  /**
   * The columns that are returned.
   *
   * @param tables the tables whose columns were appended, in order
   */
  record Returned(Returns how, List<String> tables) {
    static final Returned NOTHING = new Returned(Returns.NOTHING, List.of());

    Returned and(Returned then) {
      List<String> all = new ArrayList<>(tables);
      all.addAll(then.tables);
      return new Returned(how == Returns.NOTHING ? then.how : how, all);
    }
  }

  /** Why not all rows of a statement are seen. */
  record Gap(GapReason reason, String detail) {}

  /** Nothing is done. */
  static final Rewrite NONE =
      new Rewrite(
          Edits.NONE,
          Returned.NOTHING,
          List.of(),
          List.of(),
          Optional.empty(),
          Set.of(),
          Set.of(),
          Optional.empty());

  Rewrite {
    carried = List.copyOf(carried);
    sideReads = List.copyOf(sideReads);
    flags = Set.copyOf(flags);
    observed = Set.copyOf(observed);
  }

  // ---------------------------------------------------------------- one thing that is done

  static Rewrite of(Edits edits) {
    return NONE.with(edits);
  }

  private Rewrite with(Edits other) {
    return new Rewrite(other, returned, carried, sideReads, newRows, flags, observed, gap);
  }

  /** The columns of these tables are appended to what it returns. */
  static Rewrite returning(Returns how, List<String> tables) {
    return NONE.with(new Returned(how, tables));
  }

  private Rewrite with(Returned other) {
    return new Rewrite(edits, other, carried, sideReads, newRows, flags, observed, gap);
  }

  static Rewrite carrying(Carried.Read read) {
    return NONE.with(List.of(read), List.of());
  }

  static Rewrite beside(SideRead read) {
    return NONE.with(List.of(), List.of(read));
  }

  private Rewrite with(List<Carried.Read> within, List<SideRead> beside) {
    return new Rewrite(edits, returned, within, beside, newRows, flags, observed, gap);
  }

  static Rewrite givingIds(NewRows rows) {
    return NONE.with(Optional.of(rows));
  }

  private Rewrite with(Optional<NewRows> rows) {
    return new Rewrite(edits, returned, carried, sideReads, rows, flags, observed, gap);
  }

  static Rewrite flagged(Flag flag) {
    return NONE.with(Set.of(flag), Set.of(), Optional.empty());
  }

  /** The rows of these tables are seen. */
  static Rewrite observing(List<Source.Table> tables) {
    Set<Integer> tokens = new HashSet<>();
    tables.forEach(table -> tokens.add(table.from()));
    return NONE.with(Set.of(), tokens, Optional.empty());
  }

  static Rewrite observing(Source.Table table) {
    return observing(List.of(table));
  }

  /** Not all rows are seen. */
  static Rewrite unseen(GapReason reason, String detail) {
    return NONE.with(Set.of(), Set.of(), Optional.of(new Gap(reason, detail)));
  }

  private Rewrite with(Set<Flag> otherFlags, Set<Integer> tables, Optional<Gap> otherGap) {
    return new Rewrite(edits, returned, carried, sideReads, newRows, otherFlags, tables, otherGap);
  }

  // ---------------------------------------------------------------- several things

  /** Both. */
  Rewrite and(Rewrite then) {
    return new Rewrite(
        edits.and(then.edits),
        returned.and(then.returned),
        joined(carried, then.carried),
        joined(sideReads, then.sideReads),
        newRows.or(then::newRows),
        union(flags, then.flags),
        union(observed, then.observed),
        gap.or(then::gap));
  }

  private static <T> List<T> joined(List<T> first, List<T> then) {
    if (then.isEmpty()) {
      return first;
    }
    List<T> all = new ArrayList<>(first);
    all.addAll(then);
    return all;
  }

  private static <T> Set<T> union(Set<T> one, Set<T> other) {
    if (one.containsAll(other)) {
      return one;
    }
    Set<T> all = new HashSet<>(one);
    all.addAll(other);
    return all;
  }

  /** The same without a flag. */
  Rewrite without(Flag flag) {
    Set<Flag> rest = EnumSet.allOf(Flag.class);
    rest.retainAll(flags);
    rest.remove(flag);
    return with(rest, observed, gap);
  }

  /** Only the text and what must be known of it: nothing that is observed. */
  Rewrite withoutObservation() {
    return of(edits).and(NONE.with(flags, Set.of(), gap));
  }

  boolean is(Flag flag) {
    return flags.contains(flag);
  }

  boolean observes(Source.Table table) {
    return observed.contains(table.from());
  }
}
