package io.txwatch.oracle.troc;

import java.sql.Blob;
import java.sql.SQLException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Binary data of a row, which drivers return as objects that are equal to themselves alone.
 *
 * @param hex the bytes as hexadecimal digits
 */
record Bytes(String hex) {

  /** The same value, so that equal values are equal. */
  static @Nullable Object comparable(@Nullable Object value) throws SQLException {
    if (value instanceof byte[] bytes) {
      return new Bytes(HexFormat.of().formatHex(bytes));
    }
    return value instanceof Blob blob
        ? new Bytes(HexFormat.of().formatHex(blob.getBytes(1, (int) blob.length())))
        : value;
  }

  byte[] array() {
    return HexFormat.of().parseHex(hex);
  }

  /** As results show it. */
  @Override
  public String toString() {
    return "0x" + hex;
  }
}
