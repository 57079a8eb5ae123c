package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class OracleNamesTest {

  @Test
  void helpAndAllHaveEveryOracle() {
    List<String> ids = Arrays.stream(OracleKind.values()).map(OracleKind::id).toList();

    assertThat(OracleNames.ALL.split("\\|")).containsExactlyElementsOf(ids);
    assertThat(OracleNames.named(List.of("all"), Judge.DBMS))
        .extracting(Oracle::name)
        .containsExactlyElementsOf(ids);
    assertThat(OracleNames.named(List.of("none", "TxCheck"), Judge.DBMS))
        .extracting(Oracle::name)
        .containsExactly("txcheck");
  }
}
