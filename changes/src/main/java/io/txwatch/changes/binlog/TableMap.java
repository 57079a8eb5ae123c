package io.txwatch.changes.binlog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the log states of a table before its rows: types, and how values of these are laid out. */
final class TableMap {

  /** The codes of types, as in the log. */
  static final int TINY = 1;

  static final int SHORT = 2;
  static final int LONG = 3;
  static final int FLOAT = 4;
  static final int DOUBLE = 5;
  static final int TIMESTAMP = 7;
  static final int LONGLONG = 8;
  static final int INT24 = 9;
  static final int DATE = 10;
  static final int TIME = 11;
  static final int DATETIME = 12;
  static final int YEAR = 13;
  static final int VARCHAR = 15;
  static final int BIT = 16;
  static final int TIMESTAMP2 = 17;
  static final int DATETIME2 = 18;
  static final int TIME2 = 19;
  static final int MARIADB_BLOB_COMPRESSED = 140;
  static final int MARIADB_VARCHAR_COMPRESSED = 141;
  static final int VECTOR = 242;
  static final int JSON = 245;
  static final int NEWDECIMAL = 246;
  static final int ENUM = 247;
  static final int SET = 248;
  static final int BLOB = 252;
  static final int VAR_STRING = 253;
  static final int STRING = 254;
  static final int GEOMETRY = 255;

  private static final int COLUMN_NAMES = 4;

  final long id;
  final String schema;
  final String table;

  /** The table's name with its schema's. */
  final String qualified;

  /** One code a column; what is stored as STRING and is an ENUM or a SET is that. */
  final int[] types;

  /** Lengths, precisions: see {@link #metadata}. */
  final int[] metadata;

  /** The columns' names, if the server writes them ({@code binlog_row_metadata=FULL}). */
  final List<String> names;

  private final byte[] source;

  private TableMap(byte[] source) {
    this.source = source;
    EventBytes in = new EventBytes(source);
    id = in.littleEndian(6);
    in.skip(2);
    schema = in.text(in.unsignedByte());
    in.skip(1);
    table = in.text(in.unsignedByte());
    qualified = schema + "." + table;
    in.skip(1);
    int columns = in.packedInt();
    types = new int[columns];
    for (int i = 0; i < columns; i++) {
      types[i] = in.unsignedByte();
    }
    metadata = new int[columns];
    EventBytes meta = new EventBytes(in.take(in.packedInt()));
    for (int i = 0; i < columns; i++) {
      metadata(i, meta);
    }
    in.skip((columns + 7) / 8);
    names = names(in);
  }

  static TableMap of(byte[] source) {
    return new TableMap(source);
  }

  boolean isSameAs(byte[] other) {
    return Arrays.equals(source, other);
  }

  /** STRING: its length in bytes; BIT: the number of bits; DECIMAL: precision, scale. */
  private void metadata(int column, EventBytes meta) {
    switch (types[column]) {
      case FLOAT,
          DOUBLE,
          BLOB,
          GEOMETRY,
          JSON,
          VECTOR,
          TIMESTAMP2,
          DATETIME2,
          TIME2,
          MARIADB_BLOB_COMPRESSED ->
          metadata[column] = meta.unsignedByte();
      case VARCHAR, MARIADB_VARCHAR_COMPRESSED -> metadata[column] = (int) meta.littleEndian(2);
      case BIT -> {
        int bits = meta.unsignedByte();
        metadata[column] = meta.unsignedByte() * 8 + bits;
      }
      case NEWDECIMAL -> metadata[column] = (int) meta.bigEndian(2);
      case STRING, VAR_STRING, ENUM, SET -> {
        int type = meta.unsignedByte();
        int length = meta.unsignedByte();
        // The upper bits of a long length stand, inverted, in those bits that all types have set.
        if ((type & 0x30) != 0x30) {
          length |= ((type & 0x30) ^ 0x30) << 4;
          type |= 0x30;
        }
        types[column] = type == ENUM || type == SET ? type : STRING;
        metadata[column] = length;
      }
      case TINY, SHORT, LONG, INT24, LONGLONG, YEAR, DATE, TIME, DATETIME, TIMESTAMP -> {}
      default -> throw new MalformedEvent("column type " + types[column] + " of " + this);
    }
  }

  private static List<String> names(EventBytes in) {
    List<String> names = new ArrayList<>();
    while (in.remaining() > 0) {
      int field = in.unsignedByte();
      if (field >= 0x80) {
        break; // not of this format
      }
      EventBytes content = new EventBytes(in.take(in.packedInt()));
      while (field == COLUMN_NAMES && content.remaining() > 0) {
        names.add(content.text(content.packedInt()));
      }
    }
    return names;
  }

  @Override
  public String toString() {
    return schema + "." + table;
  }
}
