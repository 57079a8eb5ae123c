package io.txwatch.history;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.txwatch.history.wire.Record;
import java.util.zip.CRC32C;

/**
 * Encodes and verifies the delimited {@code Record} around an entry: length, checksum, body. It
 * works in place, so that an entry is copied only once on its way to or from the file.
 */
final class RecordFrame {

  /**
   * The maximum size of the bytes before the body: a length, a tag, a checksum, a tag and a length.
   */
  static final int MAX_OVERHEAD_BYTES = 5 + 1 + 4 + 1 + 5;

  /** The maximum size of a body. A record that claims a larger one is treated as damaged. */
  static final int MAX_BODY_BYTES = 1 << 28;

  private static final int CHECK_TAG =
      WireFormat.WIRETYPE_FIXED32 | Record.CRC32C_FIELD_NUMBER << 3;
  private static final int BODY_TAG =
      WireFormat.WIRETYPE_LENGTH_DELIMITED | Record.BODY_FIELD_NUMBER << 3;

  private final CRC32C crc = new CRC32C();

  /** Turns an entry's bytes into a record by writing the bytes that precede it. */
  void complete(ReverseProtobufBuffer entry) {
    int bodySize = entry.size();
    crc.reset();
    entry.update(crc);
    entry.varint(bodySize);
    entry.varint(BODY_TAG);
    entry.fixed32((int) crc.getValue());
    entry.varint(CHECK_TAG);
    entry.varint(recordSize(bodySize));
  }

  /**
   * Returns the body length of a record that begins at {@code at}; only the record's head need be
   * loaded. Returns -1 if no record can begin with these bytes.
   */
  static int bodySize(byte[] bytes, int at, int end) {
    int afterRecord = afterVarint(bytes, at, end);
    if (afterRecord < 0 || end - afterRecord < 6 || bytes[afterRecord] != CHECK_TAG) {
      return -1;
    }
    int bodyTag = afterRecord + 1 + 4;
    int afterBody = afterVarint(bytes, bodyTag + 1, end);
    if (bytes[bodyTag] != BODY_TAG || afterBody < 0) {
      return -1;
    }
    int record = varint(bytes, at, afterRecord);
    int body = varint(bytes, bodyTag + 1, afterBody);
    return body > 0 && body <= MAX_BODY_BYTES && record == recordSize(body) ? body : -1;
  }

  /** Returns the offset at which a varint of at most five bytes ends; -1 if there is none. */
  private static int afterVarint(byte[] bytes, int at, int end) {
    for (int i = at; i < end && i < at + 5; i++) {
      if (bytes[i] >= 0) {
        return i + 1;
      }
    }
    return -1;
  }

  private static int varint(byte[] bytes, int at, int end) {
    int value = 0;
    for (int i = end - 1; i >= at; i--) {
      value = value << 7 | bytes[i] & 0x7f;
    }
    return value;
  }

  /** Returns the number of bytes before a body of that length. */
  static int overhead(int bodySize) {
    int record = recordSize(bodySize);
    return CodedOutputStream.computeUInt32SizeNoTag(record) + record - bodySize;
  }

  /** True if the checksum of the record at {@code at}, whose body has that length, is correct. */
  boolean isIntact(byte[] bytes, int at, int bodySize) {
    int bodyAt = at + overhead(bodySize);
    int checkAt = bodyAt - CodedOutputStream.computeUInt32SizeNoTag(bodySize) - 1 - 4;
    int written =
        bytes[checkAt] & 0xff
            | (bytes[checkAt + 1] & 0xff) << 8
            | (bytes[checkAt + 2] & 0xff) << 16
            | (bytes[checkAt + 3] & 0xff) << 24;
    return written == check(bytes, bodyAt, bodySize);
  }

  private int check(byte[] bytes, int at, int length) {
    crc.reset();
    crc.update(bytes, at, length);
    return (int) crc.getValue();
  }

  private static int recordSize(int bodySize) {
    return 1 + 4 + 1 + CodedOutputStream.computeUInt32SizeNoTag(bodySize) + bodySize;
  }
}
