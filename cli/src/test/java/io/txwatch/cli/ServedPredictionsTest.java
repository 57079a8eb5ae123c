package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.analyzer.ProcessSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code serve --predictions}: the file is read at the start, and when it changes. */
class ServedPredictionsTest {

  private static final String REFUTED = "{\"type\":\"prediction\",\"result\":\"REFUTED\"}\n";
  private static final String END = "{\"type\":\"predict\"}\n";

  @TempDir private Path directory = Path.of("");
  private final List<String> notes = new ArrayList<>();

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("predictions.jsonl"), text);
  }

  private static String counts(ServedPredictions file) {
    return file.predicted().orElseThrow().counts();
  }

  @Test
  void changesAreRead() throws IOException {
    write(REFUTED + END);
    ServedPredictions file = ServedPredictions.open(directory, new ProcessSource(), notes::add);
    assertThat(counts(file)).isEqualTo("No race confirmed, 1 refuted, 0 undecided.");

    write(REFUTED + REFUTED + END);

    assertThat(counts(file)).isEqualTo("No race confirmed, 2 refuted, 0 undecided.");
    assertThat(notes).isEmpty();
  }

  @Test
  void whileTheFileIsNotCompleteItsFormerContentStays() throws IOException {
    Path path = write(REFUTED + END);
    ServedPredictions file = ServedPredictions.open(path, new ProcessSource(), notes::add);

    write(REFUTED + REFUTED);
    assertThat(counts(file)).isEqualTo("No race confirmed, 1 refuted, 0 undecided.");
    Files.delete(path);
    assertThat(counts(file)).isEqualTo("No race confirmed, 1 refuted, 0 undecided.");
    assertThat(notes)
        .containsExactly(
            "--predictions: "
                + path
                + " is not complete now; the page shows what it contained before");

    write(REFUTED + REFUTED + REFUTED + END);
    assertThat(counts(file)).isEqualTo("No race confirmed, 3 refuted, 0 undecided.");
  }

  @Test
  void fileThatIsMissingOrIncompleteAtTheStartIsAnError() throws IOException {
    assertThatThrownBy(() -> ServedPredictions.open(directory, new ProcessSource(), notes::add))
        .isInstanceOf(NoSuchFileException.class);
    Path path = write(REFUTED);
    assertThatThrownBy(() -> ServedPredictions.open(path, new ProcessSource(), notes::add))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("is not a complete predictions.jsonl");
  }
}
