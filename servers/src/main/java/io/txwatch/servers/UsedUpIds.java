package io.txwatch.servers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Sets the id of the next transaction in the data directory of a PostgreSQL server that was shut
 * down in order, as {@code pg_resetwal} does: in {@code pg_control}, and in the checkpoint at the
 * end of the log, from which the server starts. Both are protected by checksums.
 */
final class UsedUpIds {

  /** Offsets in {@code pg_control} (src/include/catalog/pg_control.h). */
  private static final int CHECKPOINT_LOCATION = 32;

  private static final int CHECKPOINT_COPY = 40;
  private static final int MIN_CONTROL_LENGTH = 200;
  private static final int MAX_CONTROL_LENGTH = 400;

  /** Of the next id in a checkpoint. */
  private static final int NEXT_ID = 24;

  /** The header of a log record, with its checksum at the end, and that of its data. */
  private static final int RECORD_CHECKSUM = 20;

  private static final int RECORD_HEADER = 24;
  private static final int DATA_HEADER = 2;

  /** As {@code initdb --wal-segsize=1}. */
  private static final int SEGMENT_BYTES = 1 << 20;

  private final Path control;
  private final ByteBuffer bytes;
  private final Path data;

  private UsedUpIds(Path data) throws IOException {
    this.data = data;
    this.control = data.resolve("global/pg_control");
    this.bytes = littleEndian(Files.readAllBytes(control));
  }

  /** The id of the next transaction, with its epoch in the upper 32 bits. */
  static long nextId(Path data) throws IOException {
    return new UsedUpIds(data).bytes.getLong(CHECKPOINT_COPY + NEXT_ID);
  }

  /** Sets it. */
  static void setNextId(Path data, long id) throws IOException {
    UsedUpIds ids = new UsedUpIds(data);
    ids.setInLog(id);
    ids.setInControl(id);
  }

  private void setInControl(long id) throws IOException {
    int end = MIN_CONTROL_LENGTH;
    while (bytes.getInt(end) != checksum(bytes, 0, end)) {
      end += Integer.BYTES;
      if (end > MAX_CONTROL_LENGTH) {
        throw new IOException("no checksum in " + control);
      }
    }
    bytes.putLong(CHECKPOINT_COPY + NEXT_ID, id);
    bytes.putInt(end, checksum(bytes, 0, end));
    Files.write(control, bytes.array());
  }

  private void setInLog(long id) throws IOException {
    long location = bytes.getLong(CHECKPOINT_LOCATION);
    long segment = location / SEGMENT_BYTES;
    int perFile = (int) ((1L << Integer.SIZE) / SEGMENT_BYTES);
    Path file =
        data.resolve("pg_wal")
            .resolve("%08X%08X%08X".formatted(1, segment / perFile, segment % perFile));
    ByteBuffer log = littleEndian(Files.readAllBytes(file));
    int record = (int) (location % SEGMENT_BYTES);
    int length = log.getInt(record);
    int next = record + RECORD_HEADER + DATA_HEADER + NEXT_ID;
    if (log.getInt(record + RECORD_CHECKSUM) != recordChecksum(log, record, length)
        || log.getLong(next) != bytes.getLong(CHECKPOINT_COPY + NEXT_ID)) {
      throw new IOException("no checkpoint at " + location + " in " + file);
    }
    log.putLong(next, id);
    log.putInt(record + RECORD_CHECKSUM, recordChecksum(log, record, length));
    Files.write(file, log.array());
  }

  private static ByteBuffer littleEndian(byte[] content) {
    return ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int checksum(ByteBuffer content, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(content.array(), from, to - from);
    return (int) crc.getValue();
  }

  /** Of what follows the header, then of the header. */
  private static int recordChecksum(ByteBuffer log, int record, int length) {
    CRC32C crc = new CRC32C();
    crc.update(log.array(), record + RECORD_HEADER, length - RECORD_HEADER);
    crc.update(log.array(), record, RECORD_CHECKSUM);
    return (int) crc.getValue();
  }
}
