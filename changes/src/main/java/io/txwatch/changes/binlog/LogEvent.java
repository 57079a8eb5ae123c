package io.txwatch.changes.binlog;

import com.github.shyiko.mysql.binlog.event.EventData;

/**
 * An event as the server sent it.
 *
 * @param type its code
 * @param seconds since 1970, of the statement's start
 * @param next the offset at which the next event begins; 0 for an event within another one
 * @param body without header and checksum
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LogEvent(int type, long seconds, long serverId, long next, int flags, byte[] body)
    implements EventData {

  static final int HEADER_LENGTH = 19;

  static final int QUERY = 2;
  static final int STOP = 3;
  static final int ROTATE = 4;
  static final int FORMAT_DESCRIPTION = 15;
  static final int XID = 16;
  static final int TABLE_MAP = 19;
  static final int WRITE_ROWS_V1 = 23;
  static final int UPDATE_ROWS_V1 = 24;
  static final int DELETE_ROWS_V1 = 25;
  static final int INCIDENT = 26;
  static final int HEARTBEAT = 27;
  static final int ROWS_QUERY = 29;
  static final int WRITE_ROWS = 30;
  static final int UPDATE_ROWS = 31;
  static final int DELETE_ROWS = 32;
  static final int GTID = 33;
  static final int ANONYMOUS_GTID = 34;
  static final int PREVIOUS_GTIDS = 35;
  static final int TRANSACTION_CONTEXT = 36;
  static final int VIEW_CHANGE = 37;
  static final int XA_PREPARE = 38;
  static final int PARTIAL_UPDATE_ROWS = 39;
  static final int TRANSACTION_PAYLOAD = 40;
  static final int HEARTBEAT_V2 = 41;
  static final int GTID_TAGGED = 42;
  static final int MARIADB_ANNOTATE = 160;
  static final int MARIADB_CHECKPOINT = 161;
  static final int MARIADB_GTID = 162;
  static final int MARIADB_GTID_LIST = 163;
  static final int MARIADB_ENCRYPTION = 164;
  static final int MARIADB_QUERY_COMPRESSED = 165;
  static final int MARIADB_WRITE_COMPRESSED_V1 = 166;
  static final int MARIADB_UPDATE_COMPRESSED_V1 = 167;
  static final int MARIADB_DELETE_COMPRESSED_V1 = 168;
  static final int MARIADB_WRITE_COMPRESSED = 169;
  static final int MARIADB_UPDATE_COMPRESSED = 170;
  static final int MARIADB_DELETE_COMPRESSED = 171;

  private static final int IGNORABLE = 0x80;

  /** An event that a reader may pass over if it does not know it. */
  boolean isIgnorable() {
    return (flags & IGNORABLE) != 0;
  }

  /** Reads header and body; the cursor is behind the checksum afterwards. */
  static LogEvent read(EventBytes bytes, int checksumLength) {
    long seconds = bytes.littleEndian(4);
    int type = bytes.unsignedByte();
    long server = bytes.littleEndian(4);
    int length = (int) bytes.littleEndian(4);
    long next = bytes.littleEndian(4);
    int flags = (int) bytes.littleEndian(2);
    byte[] body = bytes.take(length - HEADER_LENGTH - checksumLength);
    bytes.skip(checksumLength);
    return new LogEvent(type, seconds, server, next, flags, body);
  }
}
