package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.history.wire.Entry;
import io.txwatch.history.wire.Record;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeTry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writing a history and reading it back, whole and broken. */
class HistoryFileTest {

  private static final Event ONE = statement(1, "SELECT 1");
  private static final Event TWO = statement(2, "SELECT 2");

  private Path file = Path.of("");
  private final List<String> warnings = new ArrayList<>();

  @BeforeEach
  @BeforeTry
  void newFile() throws IOException {
    file = Files.createTempFile("txwatch", ".history");
  }

  @AfterEach
  @AfterProperty
  void deleteFile() throws IOException {
    Files.deleteIfExists(file);
  }

  @Provide
  Arbitrary<List<Event>> events() {
    return Events.any();
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void writtenEventsAreReadBack(@ForAll("events") List<Event> events) throws IOException {
    write(events);
    assertThat(read()).isEqualTo(new Contents(events, List.of()));
    Files.delete(file);
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void reopenedFileIsAppendedTo(
      @ForAll("events") List<Event> first, @ForAll("events") List<Event> second)
      throws IOException {
    write(first);
    write(second);
    List<Event> both = new ArrayList<>(first);
    both.addAll(second);
    assertThat(read()).isEqualTo(new Contents(both, List.of()));
    Files.delete(file);
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void truncatedFileGivesAPrefixAndReportsTheLoss(
      @ForAll("events") List<Event> events, @ForAll int cut) throws IOException {
    write(events);
    byte[] whole = Files.readAllBytes(file);
    byte[] part = java.util.Arrays.copyOf(whole, Math.floorMod(cut, whole.length));
    Files.write(file, part);
    if (part.length < headerLength(whole)) {
      assertThatThrownBy(this::read).isInstanceOf(HistoryFormatException.class);
    } else {
      Contents contents = read();
      assertThat(contents.losses).hasSize(1);
      Loss loss = contents.losses.get(0);
      assertThat(loss.offset() + loss.bytes()).isEqualTo(part.length);
      int delivered = contents.events.size() - 1;
      assertThat(contents.events.subList(0, delivered)).isEqualTo(events.subList(0, delivered));
      assertThat(contents.events.get(delivered)).isInstanceOf(Event.Gap.class);

      write(List.of(ONE));
      assertThat(warnings).hasSize(loss.bytes() > 0 ? 1 : 0);
      Contents recovered = read();
      assertThat(recovered.losses).isEmpty();
      assertThat(recovered.events.subList(0, delivered)).isEqualTo(events.subList(0, delivered));
      assertThat(recovered.events.subList(delivered + 1, delivered + 2)).containsExactly(ONE);
      assertThat(recovered.events.get(delivered))
          .isInstanceOfSatisfying(
              Event.Gap.class, gap -> assertThat(gap.reason()).isEqualTo(GapReason.TORN_RECORD));
    }
    warnings.clear();
    Files.delete(file);
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void anyFlippedByteIsDetected(
      @ForAll("events") List<Event> events, @ForAll int place, @ForAll byte flip)
      throws IOException {
    write(events);
    byte[] bytes = Files.readAllBytes(file);
    int at = Math.floorMod(place, bytes.length);
    bytes[at] ^= flip == 0 ? 1 : flip;
    Files.write(file, bytes);
    if (at < headerLength(bytes)) {
      assertThatThrownBy(this::read).isInstanceOf(HistoryFormatException.class);
    } else {
      Contents contents = read();
      assertThat(contents.losses).isNotEmpty();
      assertThat(contents.losses.get(0).offset()).isLessThanOrEqualTo(at);
      List<Event> intact = new ArrayList<>(contents.events);
      intact.removeIf(e -> e instanceof Event.Gap);
      assertThat(isSubsequence(intact, events)).isTrue();
    }
    Files.delete(file);
  }

  @Test
  void damageInTheMiddleLosesOnlyTheDamagedRecord() throws IOException {
    write(List.of(ONE, TWO, ONE));
    byte[] bytes = Files.readAllBytes(file);
    int sql = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("SELECT 2");
    bytes[sql] = '#';
    Files.write(file, bytes);
    Contents contents = read();
    assertThat(contents.losses).hasSize(1);
    assertThat(contents.losses.get(0).what())
        .isEqualTo("damaged records in the middle of the file");
    assertThat(contents.events).hasSize(3).startsWith(ONE).endsWith(ONE);
  }

  @Test
  void lostDictionaryRecordIsAGapOfTheTransactionThatRefersToIt() throws IOException {
    Event again = statement(2, "SELECT 2");
    write(List.of(ONE, TWO, again));
    byte[] bytes = Files.readAllBytes(file);
    int sql = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("SELECT 2");
    bytes[sql] = '#';
    Files.write(file, bytes);
    Contents contents = read();
    assertThat(contents.losses).hasSize(2);
    assertThat(contents.events.get(2)).isInstanceOf(Event.Gap.class);
    assertThat(contents.events.get(2).transaction()).isEqualTo(again.transaction());
  }

  @Test
  void foreignFileIsRejectedAtOnceAndNotChanged() throws IOException {
    Files.writeString(file, "{\"type\":\"anomaly\"}\n".repeat(10_000));
    byte[] before = Files.readAllBytes(file);
    assertThatThrownBy(this::read)
        .isInstanceOf(HistoryFormatException.class)
        .hasMessage(
            file + ", offset 0: expected the header of a txwatch history, found something else");
    assertThatThrownBy(() -> write(List.of(ONE))).isInstanceOf(HistoryFormatException.class);
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
  }

  @Test
  void emptyFileIsNoHistoryAndCanBeAppendedTo() throws IOException {
    assertThatThrownBy(this::read).hasMessageEndingWith("the file is empty");
    write(List.of(ONE));
    assertThat(read().events).containsExactly(ONE);
  }

  @Test
  void laterVersionIsRejected() throws IOException {
    Entry.Builder header = new PlainEncoder().header("x", 0).toBuilder();
    header.getHeaderBuilder().setVersion(2);
    try (var out = Files.newOutputStream(file)) {
      record(header.build()).writeDelimitedTo(out);
    }
    assertThatThrownBy(this::read).hasMessageContaining("version 2").hasMessageContaining("most 1");
  }

  @Test
  void fileIsAStreamOfDelimitedRecordsReadableByAnyProtobufLibrary() throws IOException {
    write(List.of(ONE, TWO));
    List<Entry.WhatCase> found = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      for (Record record = Record.parseDelimitedFrom(in);
          record != null;
          record = Record.parseDelimitedFrom(in)) {
        CRC32C crc = new CRC32C();
        crc.update(record.getBody().toByteArray());
        assertThat(record.getCrc32C()).isEqualTo((int) crc.getValue());
        found.add(Entry.parseFrom(record.getBody()).getWhatCase());
      }
    }
    assertThat(found)
        .containsExactly(
            Entry.WhatCase.HEADER,
            Entry.WhatCase.STATEMENT_EXECUTED,
            Entry.WhatCase.STATEMENT_EXECUTED,
            Entry.WhatCase.CLOSED);
  }

  @Test
  void fileWrittenByAnyProtobufLibraryIsRead() throws IOException {
    PlainEncoder encoder = new PlainEncoder();
    try (var out = Files.newOutputStream(file)) {
      record(encoder.header("elsewhere", 7)).writeDelimitedTo(out);
      record(encoder.encode(ONE)).writeDelimitedTo(out);
      record(encoder.closed(1)).writeDelimitedTo(out);
    }
    assertThat(read()).isEqualTo(new Contents(List.of(ONE), List.of()));
  }

  @Test
  void headerStatesWhetherValuesAreRecorded() throws IOException {
    Event values =
        new Event.ValuesRecorded(1, 1, 1, "SELECT 1", List.of(), -1, List.of(), List.of(), true);
    write(List.of(ONE));
    assertThat(headerAtTheEnd().containsValues()).isFalse();
    write(List.of(ONE, values, TWO));
    assertThat(headerAtTheEnd().containsValues()).isTrue();
    assertThat(read()).isEqualTo(new Contents(List.of(ONE, ONE, values, TWO), List.of()));
  }

  private HistoryHeader headerAtTheEnd() throws IOException {
    try (HistoryReader reader = HistoryReader.open(file)) {
      reader.forEach(event -> {});
      return reader.header();
    }
  }

  @Test
  void secondWriterOfAFileIsRejected() throws IOException {
    try (HistoryWriter first = HistoryWriter.open(file)) {
      first.accept(ONE);
      assertThatThrownBy(() -> HistoryWriter.open(file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another txwatch writes");
    }
  }

  @Test
  void unwritablePathIsReportedInOneLine() {
    Path nowhere = file.resolveSibling("no-such-directory").resolve("history");
    assertThatThrownBy(() -> HistoryWriter.open(nowhere))
        .hasMessage(nowhere + ": cannot be opened to write: there is no such directory");
  }

  @Test
  void fullDictionaryStartsANewSegment() throws IOException {
    List<Event> many = new ArrayList<>();
    for (int i = 0; i < 150_000; i++) {
      many.add(statement(i + 1L, "SELECT " + i));
    }
    write(many);
    assertThat(read()).isEqualTo(new Contents(many, List.of()));
  }

  @Test
  void statementOfAMillionRowsIsOneRecord() throws IOException {
    RowAccess row = new RowAccess(Access.READ, "t", 1, WriterList.INITIAL);
    Event big =
        new Event.StatementExecuted(
            1,
            2,
            1,
            StatementKind.SELECT,
            "SELECT * FROM t",
            "",
            java.util.Collections.nCopies(1_000_000, row),
            true,
            null);
    write(List.of(ONE, big, TWO));
    assertThat(read()).isEqualTo(new Contents(List.of(ONE, big, TWO), List.of()));
  }

  private record Contents(List<Event> events, List<Loss> losses) {}

  private void write(List<Event> events) throws IOException {
    try (HistoryWriter writer = HistoryWriter.open(file, "test", warnings::add)) {
      events.forEach(writer::accept);
    }
  }

  private Contents read() throws IOException {
    try (HistoryReader reader = HistoryReader.open(file)) {
      List<Event> events = new ArrayList<>();
      reader.forEach(events::add);
      return new Contents(events, reader.losses());
    }
  }

  private static boolean isSubsequence(List<Event> part, List<Event> whole) {
    Iterator<Event> rest = whole.iterator();
    for (Event wanted : part) {
      boolean found = false;
      while (!found && rest.hasNext()) {
        found = rest.next().equals(wanted);
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }

  private static int headerLength(byte[] file) {
    int body = RecordFrame.bodySize(file, 0, file.length);
    return body < 0 ? file.length : RecordFrame.overhead(body) + body;
  }

  private static Record record(Entry entry) {
    CRC32C crc = new CRC32C();
    crc.update(entry.toByteArray());
    return Record.newBuilder()
        .setCrc32C((int) crc.getValue())
        .setBody(entry.toByteString())
        .build();
  }

  private static Event.StatementExecuted statement(long transaction, String sql) {
    return new Event.StatementExecuted(
        1, transaction, 1, StatementKind.SELECT, sql, "A.java:1", List.of(), true, null);
  }
}
