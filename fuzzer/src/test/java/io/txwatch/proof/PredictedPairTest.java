package io.txwatch.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.Interleaver;
import io.txwatch.pairs.Cell;
import io.txwatch.pairs.Pair;
import io.txwatch.pairs.PairDatabase;
import io.txwatch.pairs.Pairs;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is predicted from one execution of each operation is what is known about the pair. */
class PredictedPairTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          a value is read and written                             ; POSTGRES_RC ; confirmed
          a row is inserted if there is none                      ; POSTGRES_RR ; confirmed
          a child of a parent that is closed                      ; POSTGRES_RR ; confirmed
          the last two of a group leave                           ; POSTGRES_RR ; confirmed
          a job is taken by its key alone                         ; POSTGRES_RR ; refuted
          a row that a unique key keeps from being there twice    ; POSTGRES_RC ; refuted
          a row that is locked when it is read                    ; POSTGRES_RC ; no candidate
          the last two of a group, serializable and tried again   ; POSTGRES_RC ; no candidate
          """)
  void predictsWhatIsKnown(String name, Cell cell, String expected) throws Exception {
    Pair pair = Pairs.ALL.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();

    PredictedPair found = PredictedPair.of(pair, cell);

    assertThat(found.result()).as("%s", found.proofs()).isEqualTo(expected);
    assertThat(expected.equals("confirmed")).isEqualTo(pair.isRacy(cell));
  }

  /** The pair renames two rows, and is safe; what is confirmed of it is this race. */
  @Test
  void bothMayRenameOneRowToNameThatNeitherHasFound() throws Exception {
    Pair pair =
        Pair.of("both rename one row", "each returns that it has renamed it")
            .table("account", "id INT PRIMARY KEY, name VARCHAR(10) UNIQUE", "(1, 'a'), (2, 'b')")
            .both(
                (s, client) ->
                    s.number("SELECT id FROM account WHERE name = 'x'") < 0
                        ? s.update("UPDATE account SET name = 'x' WHERE id = ?", 1)
                        : 0);
    try (PairDatabase database = new PairDatabase(pair, Cell.POSTGRES_RC, true)) {
      Interleaved found =
          new Interleaver()
              .operation("A", database.operation(0))
              .operation("B", database.operation(1))
              .limit(Duration.ofSeconds(20))
              .run();
      assertThat(found.verdict()).as("%s", found).isEqualTo(Verdict.RACE);
    }
  }
}
