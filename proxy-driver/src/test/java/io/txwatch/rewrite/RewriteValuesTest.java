package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.GapReason;
import io.txwatch.plan.Carried;
import io.txwatch.plan.NewRows;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.rewrite.Edits.Edit;
import io.txwatch.rewrite.Rewrite.Flag;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Rewrites are joined in any grouping. */
class RewriteValuesTest {

  private static final List<Rewrite> SINGLE =
      List.of(
          Rewrite.NONE,
          Rewrite.of(new Edits(List.of(new Edit(3, 3, "a")))),
          Rewrite.of(new Edits(List.of(new Edit(3, 3, "b"), new Edit(1, 2, "c")))),
          Rewrite.returning(Returns.APPENDED_TO_RESULT, List.of("t")),
          Rewrite.returning(Returns.WRITTEN_ROWS, List.of("u", "v")),
          Rewrite.carrying(new Carried.Read(List.of("t"), true, false)),
          Rewrite.givingIds(new NewRows("t", 1, NewRows.Fate.WRITTEN)),
          Rewrite.givingIds(new NewRows("u", 2, NewRows.Fate.REPLACES)),
          Rewrite.flagged(Flag.MAY_LEAVE_UNNAMED),
          Rewrite.flagged(Flag.MAY_LEAVE_UNNAMED),
          Rewrite.unseen(GapReason.SHAPE, "first"),
          Rewrite.unseen(GapReason.OPAQUE, "second"));

  @Property
  void groupingDoesNotMatter(
      @ForAll("rewrites") Rewrite a, @ForAll("rewrites") Rewrite b, @ForAll("rewrites") Rewrite c) {
    assertThat(a.and(b).and(c)).isEqualTo(a.and(b.and(c)));
  }

  @Property
  void nothingChangesNothing(@ForAll("rewrites") Rewrite rewrite) {
    assertThat(rewrite.and(Rewrite.NONE)).isEqualTo(rewrite);
    assertThat(Rewrite.NONE.and(rewrite)).isEqualTo(rewrite);
  }

  @Property
  void firstReasonStands(@ForAll("rewrites") Rewrite a, @ForAll("rewrites") Rewrite b) {
    assertThat(a.and(b).gap()).isEqualTo(a.gap().isPresent() ? a.gap() : b.gap());
  }

  @Provide
  Arbitrary<Rewrite> rewrites() {
    return Arbitraries.of(SINGLE)
        .list()
        .ofMaxSize(4)
        .map(some -> some.stream().reduce(Rewrite.NONE, Rewrite::and));
  }
}
