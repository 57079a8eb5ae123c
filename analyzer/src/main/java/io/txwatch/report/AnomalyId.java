package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.Dependency;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Identifies an anomaly by what happened: its phenomenon, and the statements and rows of its
 * dependencies. A suspected anomaly keeps its id when it is confirmed.
 */
public final class AnomalyId {

  private static final int BYTES = 8;

  private AnomalyId() {}

  /** The id: 16 hexadecimal digits. */
  public static String of(Anomaly anomaly) {
    StringBuilder identity = new StringBuilder(anomaly.phenomenon().name());
    for (Dependency edge : anomaly.cycle()) {
      identity.append('\n').append(edge.kind()).append(' ').append(edge.from()).append('/');
      identity.append(edge.fromStatement()).append(' ').append(edge.to()).append('/');
      identity.append(edge.toStatement()).append(' ').append(edge.row()).append(' ');
      identity.append(edge.table());
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(identity.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
