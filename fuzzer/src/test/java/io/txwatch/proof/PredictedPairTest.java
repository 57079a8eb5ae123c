package io.txwatch.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.Interleaver;
import io.txwatch.pairs.Cell;
import io.txwatch.pairs.Pair;
import io.txwatch.pairs.PairDatabase;
import io.txwatch.pairs.Pairs;
import io.txwatch.proof.RaceProof.Result;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
          an advisory lock is released before the commit          ; POSTGRES_RC ; confirmed
          an advisory lock is released before the commit          ; MARIADB_RR  ; confirmed
          a limit under an advisory lock of the transaction       ; POSTGRES_RC ; refuted
          a limit under an advisory lock of the transaction       ; POSTGRES_RR ; confirmed
          a limit under an advisory lock of the transaction       ; MARIADB_RC  ; refuted
          an upsert of a value that was read                      ; POSTGRES_RC ; confirmed
          an upsert of a value that was read                      ; MARIADB_RR  ; confirmed
          the last two of a group, serializable and tried again   ; POSTGRES_RC ; no candidate
          """)
  void predictsWhatIsKnown(String name, Cell cell, String expected) throws Exception {
    Pair pair = pair(name);

    PredictedPair found = PredictedPair.of(pair, cell);

    assertThat(found.result()).as("%s", found.proofs()).isEqualTo(expected);
    assertThat(expected.equals("confirmed")).isEqualTo(pair.isRacy(cell));
  }

  /** The pair renames two rows, and is safe; what is confirmed of it is the race of one row. */
  @ParameterizedTest
  @EnumSource(
      value = Cell.class,
      names = {"POSTGRES_RC", "MARIADB_RC", "MARIADB_RR"})
  void bothMayRenameOneRowToNameThatNeitherHasFound(Cell cell) throws Exception {
    RaceProof proof =
        PredictedPair.of(pair("two rename themselves to the same unique name"), cell)
            .proofs()
            .stream()
            .filter(one -> one.result() == Result.CONFIRMED)
            .findFirst()
            .orElseThrow();
    List<String> updates =
        proof.schedule().stream()
            .filter(line -> line.contains("UPDATE"))
            .map(line -> line.replaceFirst("T\\d: ", ""))
            .toList();
    assertThat(updates).hasSize(2);
    assertThat(updates.get(0)).isEqualTo(updates.get(1));
    assertThat(proof.assumptions()).anyMatch(note -> note.contains("and was observed with"));

    Pair ofOneRow =
        Pair.of("both rename one row", "each returns that it has renamed it")
            .table("account", "id INT PRIMARY KEY, name VARCHAR(10) UNIQUE", "(1, 'a'), (2, 'b')")
            .both(
                (s, client) ->
                    s.number("SELECT id FROM account WHERE name = 'x'") < 0
                        ? s.update("UPDATE account SET name = 'x' WHERE id = ?", 1)
                        : 0);
    try (PairDatabase database = new PairDatabase(ofOneRow, cell, true)) {
      Interleaved found =
          new Interleaver()
              .operation("A", database.operation(0))
              .operation("B", database.operation(1))
              .limit(Duration.ofSeconds(20))
              .run();
      assertThat(found.verdict()).as("%s", found).isEqualTo(Verdict.RACE);
    }
  }

  private static Pair pair(String name) {
    return Pairs.ALL.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }
}
