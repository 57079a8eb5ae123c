package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog.Status;
import io.txwatch.plan.Catalog.Table;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Nothing that was looked up at one version of the catalog is found at the next. */
class KnownTablesTest {

  private static final Table NOT_PREPARED =
      new Table("account", Status.NOT_PREPARED, List.of("id", "v"));

  @Test
  void answerOnItsWayWhileATableChangesIsNotFoundAfterwards() {
    KnownTables before = new KnownTables();
    KnownTables after = before.forgotten();
    before.tables.put("account", Optional.of(NOT_PREPARED));
    assertThat(after.tables).isEmpty();
    assertThat(after.version).isGreaterThan(before.version);
  }

  @Test
  void onlyPostponedTablesAreLookedUpAnewWhenTheyCanBePrepared() {
    KnownTables before = new KnownTables();
    before.tables.put("account", Optional.of(NOT_PREPARED));
    before.putOff.add("account");
    before.tables.put("audit", Optional.of(NOT_PREPARED));
    KnownTables after = before.withoutPostponed();
    assertThat(after.tables).containsOnlyKeys("audit");
    assertThat(after.putOff).isEmpty();
  }

  @Test
  void moreThatIsKnownTakesAnotherVersionAndKeepsTheRest() {
    KnownTables before = new KnownTables();
    before.tables.put("account", Optional.of(NOT_PREPARED));
    before.putOff.add("account");
    KnownTables after = before.withMore();
    assertThat(after.tables).containsOnlyKeys("account");
    assertThat(after.putOff).containsExactly("account");
    assertThat(after.version).isGreaterThan(before.version);
  }
}
