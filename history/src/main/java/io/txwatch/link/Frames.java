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

/** The frames of {@code link.proto}: made, written, and read within a bound. */
public final class Frames {

  /** What a Hello begins with. */
  public static final String MAGIC = "txwatch-link";

  /** The version of the protocol. */
  public static final int VERSION = 1;

  /** The longest frame of a client that has not been let in yet, and of a server. */
  public static final int MAX_SHORT_FRAME_BYTES = 1 << 13;

  /** The longest frame of a client. */
  public static final int MAX_FRAME_BYTES = io.txwatch.history.Chunk.MAX_EVENT_BYTES + (1 << 20);

  /** After how long a silence the other end is taken for gone. */
  public static final int SILENCE_TIMEOUT_MILLIS = 20_000;

  /** How often a client says that it has nothing to say. */
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

  /** Lets a client in. */
  public static Frame welcome(long through, boolean announce) {
    return Frame.newBuilder()
        .setWelcome(Welcome.newBuilder().setThrough(through).setAnnounce(announce))
        .build();
  }

  /** Does not let a client in. */
  public static Frame refusal(String reason) {
    return Frame.newBuilder().setRefusal(Refusal.newBuilder().setReason(reason)).build();
  }

  /** Tells of the open sessions. */
  public static Frame announcement(byte[] records) {
    return Frame.newBuilder()
        .setAnnouncement(
            Announcement.newBuilder().setRecords(UnsafeByteOperations.unsafeWrap(records)))
        .build();
  }

  /**
   * A stretch of the client's history.
   *
   * @param acknowledgedEpoch the analyzer's epoch before which the client has nothing to tell of
   *     any more
   * @param complete up to which chunk all had happened by now that is in them
   */
  public static Frame chunk(long number, byte[] records, long acknowledgedEpoch, long complete) {
    return Frame.newBuilder()
        .setChunk(
            Chunk.newBuilder()
                .setNumber(number)
                .setTold(acknowledgedEpoch)
                .setComplete(complete)
                .setRecords(UnsafeByteOperations.unsafeWrap(records)))
        .build();
  }

  /** Chunks up to this one are taken in; and the newest epoch. */
  public static Frame ack(long through, long epoch) {
    return Frame.newBuilder().setAck(Ack.newBuilder().setThrough(through).setEpoch(epoch)).build();
  }

  /**
   * Nothing to send, or no leave to.
   *
   * @param acknowledgedEpoch the analyzer's epoch before which the client has nothing to tell of
   *     any more
   * @param complete up to which chunk all had happened by now that is in them
   */
  public static Frame alive(long acknowledgedEpoch, long complete) {
    return Frame.newBuilder()
        .setAlive(Alive.newBuilder().setTold(acknowledgedEpoch).setComplete(complete))
        .build();
  }

  /** The end. */
  public static Frame bye() {
    return Frame.newBuilder().setBye(Bye.getDefaultInstance()).build();
  }

  /** Writes a frame, in one piece. */
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
   * The length of the next frame; -1 if the other end is through.
   *
   * @throws EOFException if the other end went in the middle of it
   * @throws IOException if it is no length of a frame; the message says so
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
   * The frame of that length.
   *
   * @throws EOFException if the other end went in the middle of it
   * @throws IOException if it is none
   */
  public static Frame readBody(InputStream in, int length) throws IOException {
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the link was cut within a frame");
    }
    return parse(body);
  }

  /**
   * The frame of these bytes.
   *
   * @throws IOException if they are none
   */
  public static Frame parse(byte[] body) throws IOException {
    try {
      return Frame.parseFrom(body);
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("expected a frame, found something else", e);
    }
  }
}
