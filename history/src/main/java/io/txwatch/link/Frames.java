package io.txwatch.link;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.txwatch.link.wire.Ack;
import io.txwatch.link.wire.Alive;
import io.txwatch.link.wire.Announcement;
import io.txwatch.link.wire.Bye;
import io.txwatch.link.wire.Chunk;
import io.txwatch.link.wire.Frame;
import io.txwatch.link.wire.Hello;
import io.txwatch.link.wire.Refusal;
import io.txwatch.link.wire.Welcome;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/** Creates, writes and reads the frames of {@code link.proto}; reading is bounded in size. */
public final class Frames {

  /** The first field of a Hello. */
  public static final String MAGIC = "txwatch-link";

  public static final int VERSION = 1;

  /**
   * The maximum size of a frame from a client before its handshake is accepted, and of a frame from
   * a server.
   */
  public static final int MAX_SHORT_FRAME_BYTES = 1 << 13;

  /** The maximum size of a frame from an accepted client. */
  public static final int MAX_FRAME_BYTES = io.txwatch.history.Chunk.MAX_EVENT_BYTES + (1 << 20);

  /** The silence after which the peer is considered lost. */
  public static final int SILENCE_TIMEOUT_MILLIS = 20_000;

  /** The interval at which an idle client sends a keepalive. */
  static final long KEEPALIVE_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private Frames() {}

  /** The first frame of a client. */
  public static Frame hello(String token, long client, String name) {
    return Frame.newBuilder()
        .setHello(
            Hello.newBuilder()
                .setMagic(MAGIC)
                .setVersion(VERSION)
                .setToken(token)
                .setClient(client)
                .setName(name))
        .build();
  }

  /** Accepts a client. */
  public static Frame welcome(long through, boolean announce) {
    return Frame.newBuilder()
        .setWelcome(Welcome.newBuilder().setThrough(through).setAnnounce(announce))
        .build();
  }

  /** Rejects a client. */
  public static Frame refusal(String reason) {
    return Frame.newBuilder().setRefusal(Refusal.newBuilder().setReason(reason)).build();
  }

  /** Announces the open sessions. */
  public static Frame announcement(byte[] records) {
    return Frame.newBuilder()
        .setAnnouncement(
            Announcement.newBuilder().setRecords(UnsafeByteOperations.unsafeWrap(records)))
        .build();
  }

  /**
   * A chunk of the client's history.
   *
   * @param acknowledgedEpoch the analyzer's epoch before which the client has no events left to
   *     send
   * @param complete the last chunk whose events had all happened by now
   */
  public static Frame chunk(long number, byte[] records, long acknowledgedEpoch, long complete) {
    return Frame.newBuilder()
        .setChunk(
            Chunk.newBuilder()
                .setNumber(number)
                .setAcknowledgedEpoch(acknowledgedEpoch)
                .setComplete(complete)
                .setRecords(UnsafeByteOperations.unsafeWrap(records)))
        .build();
  }

  /** Acknowledges the chunks up to this one, and announces the current epoch. */
  public static Frame ack(long through, long epoch) {
    return Frame.newBuilder().setAck(Ack.newBuilder().setThrough(through).setEpoch(epoch)).build();
  }

  /**
   * A keepalive: nothing to send, or the window is full.
   *
   * @param acknowledgedEpoch the analyzer's epoch before which the client has no events left to
   *     send
   * @param complete the last chunk whose events had all happened by now
   */
  public static Frame alive(long acknowledgedEpoch, long complete) {
    return Frame.newBuilder()
        .setAlive(Alive.newBuilder().setAcknowledgedEpoch(acknowledgedEpoch).setComplete(complete))
        .build();
  }

  /** Ends the connection. */
  public static Frame bye() {
    return Frame.newBuilder().setBye(Bye.getDefaultInstance()).build();
  }

  public static void write(OutputStream out, Frame frame) throws IOException {
    int length = frame.getSerializedSize();
    byte[] bytes = new byte[4 + length];
    for (int i = 0; i < 4; i++) {
      bytes[i] = (byte) (length >>> 24 - 8 * i);
    }
    var body = com.google.protobuf.CodedOutputStream.newInstance(bytes, 4, length);
    frame.writeTo(body);
    out.write(bytes);
    out.flush();
  }

  /**
   * Reads the length of the next frame; -1 if the peer has closed the connection.
   *
   * @throws EOFException if the connection ended within it
   * @throws IOException if it is not a valid length
   */
  public static int readLength(InputStream in, int longest) throws IOException {
    byte[] bytes = in.readNBytes(4);
    if (bytes.length == 0) {
      return -1;
    } else if (bytes.length < 4) {
      throw new EOFException("the link was cut within a frame");
    }
    int length = 0;
    for (byte b : bytes) {
      length = length << 8 | b & 0xff;
    }
    if (length <= 0 || length > longest) {
      throw new IOException("expected the length of a frame, at most " + longest + " bytes");
    }
    return length;
  }

  /**
   * Reads a frame of that length.
   *
   * @throws EOFException if the connection ended within it
   * @throws IOException if it is malformed
   */
  public static Frame readBody(InputStream in, int length) throws IOException {
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the link was cut within a frame");
    }
    return parse(body);
  }

  /**
   * Parses a frame.
   *
   * @throws IOException if it is malformed
   */
  public static Frame parse(byte[] body) throws IOException {
    try {
      return Frame.parseFrom(body);
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("expected a frame, found something else", e);
    }
  }
}
