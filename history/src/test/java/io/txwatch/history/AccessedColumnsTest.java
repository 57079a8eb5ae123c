package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.AccessedColumns.Columns;
import io.txwatch.history.AccessedColumns.OfTable;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The text of the columns that a statement reads and writes. */
class AccessedColumnsTest {

  @Test
  void textIsOneLineForATable() {
    AccessedColumns columns =
        new AccessedColumns(
            List.of(
                new OfTable(
                    "warehouse",
                    Columns.of(List.of("w_id", "w_tax")),
                    Columns.of(List.of("w_id")),
                    Columns.of(List.of("w_ytd")),
                    Columns.of(List.of("w_id"))),
                new OfTable("odd name", Columns.NONE, Columns.NONE, Columns.ALL)));

    assertThat(columns.text())
        .isEqualTo(
            "warehouse read=w_id,w_tax predicate=w_id written=w_ytd key=w_id;odd\\ name written=*");
  }

  @Property
  void parsingInvertsWriting(@ForAll("columns") AccessedColumns columns) {
    assertThat(AccessedColumns.parse(columns.text())).isEqualTo(columns);
  }

  @Property
  void anyTextCanBeParsed(@ForAll String text) {
    assertThat(AccessedColumns.parse(text)).isNotNull();
  }

  @Test
  void listsOfLaterVersionsAreIgnored() {
    assertThat(AccessedColumns.parse("t read=a later=b").of("t"))
        .contains(new OfTable("t", Columns.of(List.of("a")), Columns.NONE, Columns.NONE));
  }

  @Provide
  Arbitrary<AccessedColumns> columns() {
    Arbitrary<String> name =
        Arbitraries.strings().withChars("ab\\ ,;=*ü").ofMinLength(1).ofMaxLength(4);
    Arbitrary<Columns> some =
        Arbitraries.oneOf(
            Arbitraries.of(Columns.ALL, Columns.NONE),
            name.list().ofMinSize(1).ofMaxSize(3).map(Columns::of));
    return Combinators.combine(name, some, some, some, some, some)
        .as(OfTable::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(3)
        .map(AccessedColumns::new);
  }
}
