package io.txwatch.cli;

import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.PredictedRaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The races in a file that {@code predict --out} writes, beside the results of an analyzer. The
 * file is read again when it changes. While {@code predict} writes it, it is not complete, and what
 * it contained before stays.
 */
final class ServedPredictions implements LiveSource {

  /** Equal for the same version of the file. */
  private record Version(FileTime modified, long size, @Nullable Object key) {}

  private final LiveSource results;
  private final Path file;
  private final Consumer<String> notes;
  private PredictedRaces races;
  private Version read;
  private boolean isNoted;

  private ServedPredictions(
      LiveSource results, Path file, Version read, PredictedRaces races, Consumer<String> notes) {
    this.results = results;
    this.file = file;
    this.read = read;
    this.races = races;
    this.notes = notes;
  }

  /**
   * Reads the file.
   *
   * @param path the file, or the directory that it is in
   * @param notes receives a line if the file can no longer be read
   * @throws CommandException if it is not complete
   */
  static ServedPredictions open(Path path, LiveSource results, Consumer<String> notes)
      throws IOException {
    Path file = Files.isDirectory(path) ? path.resolve(PredictionReader.NAME) : path;
    Version version = version(file);
    return new ServedPredictions(results, file, version, PredictionReader.read(file), notes);
  }

  private static Version version(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new Version(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
  }

  @Override
  public synchronized Optional<PredictedRaces> predicted() {
    try {
      Version now = version(file);
      if (!now.equals(read)) {
        read = now;
        races = PredictionReader.read(file);
        isNoted = false;
      }
    } catch (IOException | CommandException e) {
      if (!isNoted) {
        isNoted = true;
        notes.accept(
            "--predictions: "
                + file
                + " is not complete now; the page shows what it contained before");
      }
    }
    return Optional.of(races);
  }

  @Override
  public String name() {
    return results.name();
  }

  @Override
  public List<Group> anomalies() {
    return results.anomalies();
  }

  @Override
  public Figures figures() {
    return results.figures();
  }

  @Override
  public Optional<String> statusJson() {
    return results.statusJson();
  }
}
