package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A history in several files, and what others do to its file while it is written. */
class HistoryPartsTest {

  private static final Event OPENED =
      new Event.SessionOpened(1, "pool#1", new Database(new Product("H2", "2.4"), Map.of(), "mem"));

  @TempDir Path directory = Path.of("");
  private Path file = Path.of("");
  private final List<String> warnings = new ArrayList<>();

  @BeforeEach
  void name() {
    file = directory.resolve("shop.history");
  }

  @Test
  void fullFileIsRenamedAndAllPartsAreReadAsOne() throws IOException {
    List<Event> written = writeParts();
    assertThat(HistoryParts.of(file)).hasSizeGreaterThan(11).endsWith(part(12), file);
    assertThat(HistoryParts.of(file)).startsWith(part(1), part(2), part(3));
    assertThat(read(file)).isEqualTo(written);
    assertThat(warnings).isEmpty();
  }

  @Test
  void eachPartIsReadableAloneAndBeginsWithTheOpenSessions() throws IOException {
    List<Event> written = writeParts();
    List<Event> third = read(part(3));
    assertThat(third.get(0)).isEqualTo(OPENED);
    assertThat(written).containsSubsequence(third.subList(1, third.size()));
  }

  @Test
  void missingPartIsReported() throws IOException {
    writeParts();
    Files.delete(part(2));
    List<Loss> losses = losses(file);
    assertThat(losses).hasSize(1);
    assertThat(losses.get(0).what()).isEqualTo("shop.history.3: the part before it is missing");
    Files.delete(part(1)); // what a user no longer needs
    assertThat(losses(file)).isEmpty();
  }

  @Test
  void readingContinuesAfterADamagedPart() throws IOException {
    List<Event> written = writeParts();
    Files.writeString(part(2), "no history");
    List<Event> seen = read(file);
    assertThat(losses(file)).hasSize(1);
    seen.removeIf(event -> event instanceof Event.Gap);
    assertThat(written).containsSubsequence(seen);
    assertThat(seen).endsWith(written.get(written.size() - 1));
  }

  @Test
  void restartedWriterContinuesTheNumbers() throws IOException {
    List<Event> all = new ArrayList<>(writeParts());
    int before = HistoryParts.of(file).size();
    all.addAll(writeParts());
    assertThat(HistoryParts.of(file).size()).isGreaterThan(before + 5);
    assertThat(read(file)).hasSize(all.size() - 1); // the session was open already
  }

  @Test
  void existingFileIsAppendedToWithoutBeingRead() throws IOException {
    long middle = 1L << 32;
    try (HistoryWriter writer = open(Long.MAX_VALUE)) {
      writer.accept(ended(1));
    }
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(middle); // reading it all would take minutes
    }
    Path second = directory.resolve("second");
    try (HistoryWriter writer = HistoryWriter.open(second, "test", warnings::add)) {
      writer.accept(ended(2));
    }
    try (var target = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
      target.position(middle);
      target.write(java.nio.ByteBuffer.wrap(Files.readAllBytes(second)));
    }
    long started = System.nanoTime();
    open(Long.MAX_VALUE).close();
    assertThat(System.nanoTime() - started).isLessThan(2_000_000_000L);
    assertThat(warnings).isEmpty();
    assertThat(Files.size(file)).isGreaterThan(middle);
  }

  @Test
  void tornRecordAtTheEndOfALongFileIsTruncated() throws IOException {
    List<Event> written = new ArrayList<>();
    try (HistoryWriter writer = open(Long.MAX_VALUE)) {
      for (int i = 0; i < 200_000; i++) {
        written.add(ended(i));
        writer.accept(ended(i));
      }
      writer.flush();
      // The process dies here: no record marks the end of the file.
      Files.copy(file, directory.resolve("killed"));
    }
    file = directory.resolve("killed");
    assertThat(Files.size(file)).isGreaterThan(2 << 20);
    Files.write(file, new byte[] {42, 13, 7}, StandardOpenOption.APPEND);
    open(Long.MAX_VALUE).close();
    assertThat(warnings).containsExactly(file + ": cut off 3 bytes of a torn end and continues");
    List<Event> seen = read(file);
    assertThat(seen.subList(0, written.size())).isEqualTo(written);
    assertThat(seen.get(written.size())).isInstanceOf(Event.Gap.class);
    assertThat(seen).hasSize(written.size() + 1);
  }

  @Test
  void movedFileIsClosedAndANewOneCreated() throws Exception {
    Path moved = directory.resolve("shop.history-20260101");
    try (HistoryWriter writer = open(Long.MAX_VALUE)) {
      writer.accept(OPENED);
      writer.accept(ended(1));
      writer.flush();
      Files.move(file, moved);
      writeUntil(writer, () -> Files.exists(file));
      writer.accept(ended(7));
    }
    assertThat(read(moved)).startsWith(OPENED, ended(1));
    assertThat(losses(moved)).isEmpty();
    assertThat(read(file)).startsWith(OPENED).endsWith(ended(7));
    assertThat(warnings).containsExactly(file + ": was moved or deleted; a new file is begun");
  }

  @Test
  void deletedFileIsCreatedAgain() throws Exception {
    try (HistoryWriter writer = open(Long.MAX_VALUE)) {
      writer.accept(OPENED);
      writer.flush();
      Files.delete(file);
      writeUntil(writer, () -> Files.exists(file));
      writer.accept(ended(7));
    }
    assertThat(read(file)).startsWith(OPENED).endsWith(ended(7));
  }

  @Test
  void fileTruncatedByAnotherProgramStaysReadable() throws IOException {
    try (HistoryWriter writer = open(Long.MAX_VALUE)) {
      writer.accept(OPENED);
      writer.flush();
      Files.write(file, new byte[0]); // as logrotate's copytruncate does
      writer.accept(ended(1));
      writer.flush();
      writer.accept(ended(2));
    }
    assertThat(warnings)
        .containsExactly(file + ": events are lost: another program has cut the file short");
    assertThat(read(file)).startsWith(OPENED).contains(ended(2));
  }

  @Test
  void anythingButARegularFileIsRejected() {
    assertThatThrownBy(() -> HistoryWriter.open(directory))
        .hasMessage(directory + ": cannot be opened to write: it is a directory");
    if (Files.exists(Path.of("/dev/full"))) {
      assertThatThrownBy(() -> HistoryWriter.open(Path.of("/dev/full")))
          .hasMessage("/dev/full: cannot be opened to write: it is not a regular file");
    }
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void newFilesAreReadableByTheirOwnerOnlyAndExistingOnesKeepTheirMode() throws IOException {
    writeParts();
    Set<PosixFilePermission> ownerOnly = PosixFilePermissions.fromString("rw-------");
    assertThat(Files.getPosixFilePermissions(file)).isEqualTo(ownerOnly);
    assertThat(Files.getPosixFilePermissions(part(1))).isEqualTo(ownerOnly);
    Set<PosixFilePermission> group = PosixFilePermissions.fromString("rw-rw----");
    Files.setPosixFilePermissions(file, group);
    open(Long.MAX_VALUE).close();
    assertThat(Files.getPosixFilePermissions(file)).isEqualTo(group);
  }

  /** Writes enough for a dozen parts, and gives what was written. */
  private List<Event> writeParts() throws IOException {
    List<Event> written = new ArrayList<>();
    try (HistoryWriter writer = open(1_000)) {
      written.add(OPENED);
      writer.accept(OPENED);
      for (int i = 1; i <= 500; i++) {
        Event event = ended(i);
        written.add(event);
        writer.accept(event);
        if (i % 20 == 0) {
          writer.flush();
        }
      }
    }
    return written;
  }

  private static void writeUntil(HistoryWriter writer, java.util.function.BooleanSupplier condition)
      throws Exception {
    long until = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean() && System.nanoTime() < until) {
      writer.accept(ended(3));
      writer.flush();
      Thread.sleep(20);
    }
  }

  private HistoryWriter open(long maxBytes) throws IOException {
    return HistoryWriter.open(file, "test", maxBytes, warnings::add);
  }

  private Path part(int number) {
    return directory.resolve("shop.history." + number);
  }

  private static List<Event> read(Path from) throws IOException {
    List<Event> events = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(from)) {
      reader.forEach(events::add);
    }
    return events;
  }

  private static List<Loss> losses(Path from) throws IOException {
    try (HistoryReader reader = HistoryReader.open(from)) {
      reader.forEach(event -> {});
      return reader.losses();
    }
  }

  private static Event ended(int transaction) {
    return new Event.TransactionEnded(1, transaction, Outcome.COMMITTED, transaction, 1);
  }
}
