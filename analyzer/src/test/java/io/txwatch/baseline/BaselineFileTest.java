package io.txwatch.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The YAML of a baseline: what people write is read, and what they wrote stays. */
class BaselineFileTest {

  private static final Fingerprint ONE = new Fingerprint("3056e409", "b041");
  private static final Fingerprint TWO = new Fingerprint("11111111", "2222");

  private static final String BY_HAND =
      """
      # ours
      accepted:
        - id: 3056e409-b041   # the till
          reason: |
            only one clerk works

            at a time
          until: 2027-03-01
        # bookings
        -
          id: "11111111-2222"
          reason: 'see #7: seldom'
          who: 42
      """;

  private static Path file(Path folder, String text) throws IOException {
    return Files.writeString(folder.resolve(BaselineFile.NAME), text);
  }

  private static AcceptedAnomaly entry(Fingerprint id, String reason) {
    return new AcceptedAnomaly(id, reason, "", Optional.empty(), "");
  }

  @Test
  void whatPeopleWriteIsRead(@TempDir Path folder) throws IOException {
    assertThat(BaselineFile.read(file(folder, BY_HAND)).baseline().entries())
        .containsExactly(
            new AcceptedAnomaly(
                ONE,
                "only one clerk works\n\nat a time\n",
                "",
                Optional.of(LocalDate.of(2027, 3, 1)),
                ""),
            new AcceptedAnomaly(TWO, "see #7: seldom", "42", Optional.empty(), ""));
  }

  @Test
  void commentsStay(@TempDir Path folder) throws IOException {
    Path file = file(folder, BY_HAND);
    BaselineFile.read(file).remove(List.of(ONE));
    assertThat(file)
        .hasContent(
            """
            # ours
            accepted:
              # bookings
              -
                id: "11111111-2222"
                reason: 'see #7: seldom'
                who: 42
            """);
    BaselineFile.read(file).append(List.of(entry(ONE, "again")));
    assertThat(file).content().endsWith("    who: 42\n  - id: 3056e409-b041\n    reason: again\n");
    assertThat(BaselineFile.read(file).baseline().entries())
        .extracting(AcceptedAnomaly::id)
        .containsExactly(TWO, ONE);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      value = {"~~", "~# ours\n~", "~accepted:\n~", "~accepted: []~"})
  void thefirstEntryIsAppended(String text, @TempDir Path folder) throws IOException {
    Path file = file(folder, text);
    BaselineFile.read(file).append(List.of(entry(ONE, "seldom")));
    assertThat(BaselineFile.read(file).baseline().entries()).containsExactly(entry(ONE, "seldom"));
  }

  @Test
  void theLastEntryIsRemoved(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("new.yaml");
    BaselineFile.readIfExists(file).append(List.of(entry(ONE, "seldom")));
    BaselineFile.read(file).remove(List.of(ONE));
    assertThat(BaselineFile.read(file).baseline()).isEqualTo(Baseline.NONE);
    BaselineFile.read(file).append(List.of(entry(TWO, "seldom")));
    assertThat(BaselineFile.read(file).baseline().entries()).hasSize(1);
  }

  @Provide
  Arbitrary<String> reasons() {
    return Arbitraries.strings().ofMinLength(1).ofMaxLength(20).filter(text -> !text.isBlank());
  }

  @Property(tries = 300)
  void anyTextIsReadAsItWasWritten(@ForAll("reasons") String reason) throws IOException {
    Path folder = Files.createTempDirectory("baseline");
    Path file = folder.resolve(BaselineFile.NAME);
    try {
      AcceptedAnomaly entry =
          new AcceptedAnomaly(ONE, reason, reason, Optional.of(LocalDate.EPOCH), reason);
      BaselineFile.readIfExists(file).append(List.of(entry));
      assertThat(BaselineFile.read(file).baseline().entries()).containsExactly(entry);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "~accepted:\n- id: 3056e409-b041\n~|:2: 3056e409-b041 has no reason: add 'reason: …'",
        "~accepted:\n- reason: x\n~|:2: the entry has no id, expected one as reports show it:",
        "~accepted:\n- id: LOST_UPDATE\n  reason: x\n~|:2: 'LOST_UPDATE' is no id, expected one",
        "~accepted:\n- {id: 3056e409-b041, reason: x, by: ada}~|:2: unknown key 'by', expected id,",
        "~accepted:\n- {id: 3056e409-b041, reason: x, until: soon}~|:2: until: 'soon' is no day,",
        "~accepted:\n- {id: 3056e409-b041, reason: [x]}~|:2: 'reason' must be a text",
        "~accepted: 3056e409-b041~|:1: 'accepted' must be a list of entries",
        "~accept:\n~|:1: unknown key 'accept', expected 'accepted'",
        "~- id: 3056e409-b041~|:1: expected 'accepted:' and a list of entries",
        "~accepted:\n - id: [~|:2: not YAML: ",
      })
  void whatIsWrongIsNamedWithItsLine(String text, String message, @TempDir Path folder)
      throws IOException {
    Path file = file(folder, text);
    assertThatThrownBy(() -> BaselineFile.read(file))
        .isInstanceOf(BaselineException.class)
        .hasMessageStartingWith(file + message);
  }

  @Test
  void whatExhaustsTheStackOrTheMemoryIsRefused(@TempDir Path folder) throws IOException {
    Path deep = file(folder, "accepted: " + "[".repeat(200_000));
    assertThatThrownBy(() -> BaselineFile.read(deep))
        .hasMessage(deep + ":1: nested too deeply, expected a list of entries");
    Path large = file(folder, "# " + "x".repeat(1 << 20));
    assertThatThrownBy(() -> BaselineFile.read(large))
        .hasMessage(large + ": more than 1024 KiB, expected the entries of a baseline");
  }

  @Test
  void anIdStandsOnce(@TempDir Path folder) throws IOException {
    String entry = "- {id: 3056e409-b041, reason: x}\n";
    Path file = file(folder, "accepted:\n" + entry + entry);
    assertThatThrownBy(() -> BaselineFile.read(file))
        .hasMessage(file + ":3: 3056e409-b041 stands in line 2 already");
  }
}
