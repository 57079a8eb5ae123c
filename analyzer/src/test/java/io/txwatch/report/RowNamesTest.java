package io.txwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows are written {@code account:90071992547409921=41}: table, id and, if it is known, key. */
class RowNamesTest {

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      textBlock =
          """
          account:7                                              => account row 7
          account:90071992547409921 account:90071992547409922    => account row ..409921, account row ..409922
          account:90071992547409921=41 account:90071992547409922=42 => account row 41, account row 42
          account:90071992547409921=41 account:90071992547409922 => account row ..409921, account row ..409922
          account:90071992547409921=41 seat:7                    => account row 41, seat row 7
          account:90071992547409921=41 account:90071992547409922=41 => account row ..409921, account row ..409922
          """)
  void names(String rows, String expected) {
    List<Dependency> edges = new ArrayList<>();
    for (String row : rows.split(" +")) {
      String[] parts = row.split("[:=]");
      edges.add(
          new Dependency(
              1,
              2,
              DependencyKind.WW,
              parts[0],
              Long.parseLong(parts[1]),
              parts.length > 2 ? parts[2] : "",
              1,
              1,
              EdgeEvidence.ITEM,
              List.of()));
    }
    RowNames names = RowNames.of(edges);
    assertThat(String.join(", ", edges.stream().map(names::of).toList())).isEqualTo(expected);
  }
}
