package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.txwatch.history.wire.Entry;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/**
 * The short ways between events and bytes come to where those by protobuf's classes do, or are not
 * taken.
 */
class FrequentEntriesProperties {

  private final EventEncoder encoder = new EventEncoder();
  private final EventDecoder decoder = new EventDecoder();

  @Provide
  Arbitrary<List<Event>> events() {
    return Events.any();
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void encodingEqualsProtobufByteForByte(@ForAll("events") List<Event> events) {
    PlainEncoder plain = new PlainEncoder();
    EventEncoder ours = new EventEncoder();
    for (Event event : events) {
      assertThat(ours.encode(event).toByteArray()).isEqualTo(plain.encode(event).toByteArray());
    }
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void frequentEntriesRoundTrip(@ForAll("events") List<Event> events)
      throws InvalidProtocolBufferException {
    for (Event event : events) {
      encode(event); // its texts are known from now on
      byte[] bytes = encode(event);
      assertThat(decoder.decode(bytes, 0, bytes.length))
          .isEqualTo(isFrequent(event) ? event : null);
    }
  }

  @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
  void otherBytesAreDecodedAlikeOrDelegatedToProtobuf(
      @ForAll("events") List<Event> events, @ForAll int at, @ForAll @IntRange(min = 1) int flip)
      throws InvalidProtocolBufferException {
    for (Event event : events) {
      encode(event);
      byte[] bytes = encode(event);
      bytes[Math.floorMod(at, bytes.length)] ^= (byte) flip;
      Event decoded = decoder.decode(bytes, 0, bytes.length);
      if (decoded != null) {
        assertThat(decoded).isEqualTo(decoder.decode(Entry.parseFrom(bytes)));
      }
    }
  }

  private byte[] encode(Event event) throws InvalidProtocolBufferException {
    byte[] entry = encoder.encode(event).toByteArray();
    decoder.learn(Entry.parseFrom(entry));
    return entry;
  }

  private static boolean isFrequent(Event event) {
    return event instanceof Event.TransactionBegan began && isAscii(began.traceId())
        || event instanceof Event.TransactionEnded
        || event instanceof Event.StatementExecuted e && e.succeeded() && e.versionSets().isEmpty();
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 0x80);
  }
}
