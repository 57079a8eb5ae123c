package io.txwatch.changes.binlog;

import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.RotateEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ChecksumType;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands each event on as its bytes. The connector gets what it needs itself: the name of the file.
 */
final class RawEventDeserializer extends EventDeserializer {

  private static final int CHECKSUM_LENGTH = 4;

  private final Consumer<LogEvent> events;
  private int checksumLength;

  RawEventDeserializer(Consumer<LogEvent> events) {
    this.events = events;
  }

  @Override
  @Deprecated
  public void setChecksumType(ChecksumType type) {
    checksumLength = type == ChecksumType.NONE ? 0 : CHECKSUM_LENGTH;
  }

  /** Called on the thread that reads; the events' consumer never throws. */
  @Override
  public @Nullable Event nextEvent(ByteArrayInputStream in) throws IOException {
    if (in.peek() == -1) {
      return null;
    }
    byte[] header = in.read(LogEvent.HEADER_LENGTH);
    EventBytes fields = new EventBytes(header);
    long seconds = fields.littleEndian(4);
    int type = fields.unsignedByte();
    long server = fields.littleEndian(4);
    long length = fields.littleEndian(4);
    long next = fields.littleEndian(4);
    int flags = (int) fields.littleEndian(2);
    byte[] data = in.read((int) length - LogEvent.HEADER_LENGTH);
    int checksum = checksumLength;
    if (type == LogEvent.FORMAT_DESCRIPTION) {
      // It states itself whether events have checksums; it always has room for its own.
      checksum = CHECKSUM_LENGTH;
      checksumLength = data[data.length - CHECKSUM_LENGTH - 1] == 0 ? 0 : CHECKSUM_LENGTH;
    }
    byte[] body = new EventBytes(data).take(data.length - checksum);
    LogEvent event = new LogEvent(type, seconds, server, next, flags, body);
    events.accept(event);
    EventHeaderV4 known = new EventHeaderV4();
    known.setEventType(type == LogEvent.ROTATE ? EventType.ROTATE : EventType.UNKNOWN);
    known.setEventLength(length);
    known.setNextPosition(next);
    return new Event(known, type == LogEvent.ROTATE ? rotation(body) : event);
  }

  private static EventData rotation(byte[] body) {
    EventBytes in = new EventBytes(body);
    RotateEventData rotation = new RotateEventData();
    rotation.setBinlogPosition(in.littleEndian(8));
    rotation.setBinlogFilename(in.text(in.remaining()));
    return rotation;
  }
}
