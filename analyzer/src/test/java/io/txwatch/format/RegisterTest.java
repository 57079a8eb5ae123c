package io.txwatch.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.history.HistoryFormatException;
import io.txwatch.history.IsolationLevel;
import io.txwatch.register.KeyOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Register histories with known verdicts, in every format of other tools. */
class RegisterTest {

  @TempDir private Path directory = Path.of("");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "wx1! rx1                       | SERIALIZABLE   | ABORTED_READ false",
        "wx1wx2 rx1                     | SERIALIZABLE   | INTERMEDIATE_READ false",
        "wx1ry1 wy1rx1                  | READ_COMMITTED | CIRCULAR_INFORMATION_FLOW false",
        "wx1rx_                         | SERIALIZABLE   | INTERNAL false",
        "rx5 wx1                        | SERIALIZABLE   | GARBAGE_READ false",
        "rx_wx1 rx_wx2                  | SERIALIZABLE   | LOST_UPDATE false",
        "rx_wx1 rx_wx2                  | SNAPSHOT       | LOST_UPDATE false",
        "rx_wx1 rx_wx2 rx1              | READ_COMMITTED | true",
        "rx_ry_wx1 rx_ry_wy1            | SERIALIZABLE   | WRITE_SKEW false",
        "rx_ry_wx1 rx_ry_wy1 rx1        | SNAPSHOT       | true",
        "rx_ry1 wx1wy1                  | SERIALIZABLE   | READ_SKEW false",
        "rx_ry1 wx1wy1                  | SNAPSHOT       | READ_SKEW false",
        "wx1 wy1 rx1ry_ rx_ry1          | SNAPSHOT       | LONG_FORK false",
        // Both orders of x and y contradict what was read.
        "wx1 wx2 rx1ry_wy1 ry1rx2       | SERIALIZABLE   | true",
        "wx1wy1 wx2wy2 rx1ry2           | SERIALIZABLE   | READ_SKEW false",
        "wx1wy1 wx2wy2 rx1ry2           | SNAPSHOT       | READ_SKEW false",
        "wx1wy1 wx2wy2 rx1ry2           | READ_COMMITTED | true",
        "wx1 wx2 rx1 rx2                | SERIALIZABLE   | true",
        "wx1 wx2                        | SERIALIZABLE   | unknown",
        // A value that was written twice: every choice of a writer is tried.
        "wx1 wx1 rx1 wy1 ry1            | SERIALIZABLE   | true",
        "wx1wy1 wx1wy2 rx1ry3 wy3       | SERIALIZABLE   | true",
        "rx_wx1 rx_wx1 rx1              | SERIALIZABLE   | LOST_UPDATE false",
        "wx1wx2 wx1? rx1                | SERIALIZABLE   | unknown",
      })
  void verdictEqualsTheKnownAnswer(String history, IsolationLevel level, String expected)
      throws IOException {
    for (boolean invocations : new boolean[] {true, false}) {
      assertThat(check(ElleNotation.edn(history, true, invocations), level)).isEqualTo(expected);
      assertThat(check(ElleNotation.json(history, true, invocations), level)).isEqualTo(expected);
    }
  }

  @Test
  void plumeTextMarksAbortedTransactions() throws IOException {
    assertThat(check("w(1,1,0,-1)\nr(1,1,1,0)\n", IsolationLevel.READ_COMMITTED))
        .isEqualTo("ABORTED_READ false");
    assertThat(
            check(
                "w(1,18446744073709551615,0,0)\nr(1,18446744073709551615,1,1)\n",
                IsolationLevel.SERIALIZABLE))
        .isEqualTo("true");
  }

  @Test
  void awditTextSeparatesSessionsAndTransactions() throws IOException {
    assertThat(
            check("w 0 0\n=====\nr 0 0\nw 0 1\n=====\nr 0 0\nw 0 2", IsolationLevel.SERIALIZABLE))
        .isEqualTo("LOST_UPDATE false");
    assertThat(check("w 0 1\n---\nw 0 2\n===\nr 0 2\n---\nr 0 1\n", IsolationLevel.SERIALIZABLE))
        .endsWith("false");
    assertThat(check("w 0 1\n---\nw 0 2\n===\nr 0 1\n---\nr 0 2\n", IsolationLevel.SERIALIZABLE))
        .isEqualTo("true");
  }

  /**
   * Session 0 writes x twice; session 1 reads the newer value first: wrong only by session order.
   */
  @Test
  void plumeTextCountsSessions() throws IOException {
    String text = "w(1,1,0,0)\nw(1,2,0,1)\nr(1,2,1,2)\nr(1,1,1,3)\n";
    assertThat(check(text, IsolationLevel.SERIALIZABLE)).isEqualTo("G_SINGLE false");
    assertThat(check(text.replace("(1,1,1,3)", "(1,2,1,3)"), IsolationLevel.SERIALIZABLE))
        .isEqualTo("true");
    assertThat(check("w(1,1,0,0)\nr(1,0,0,1)\n", IsolationLevel.SERIALIZABLE))
        .startsWith("G_SINGLE");
  }

  /** As in the histories of IsoVista: write skew after a transaction that creates the registers. */
  @Test
  void firstTransactionThatOnlyWritesInitialValuesCreatesTheRegisters() throws IOException {
    String text = "w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\nw(2,1,1,1)\nr(2,0,2,2)\nw(1,2,2,2)\n";
    assertThat(check(text, IsolationLevel.SERIALIZABLE)).isEqualTo("WRITE_SKEW false");
    assertThat(check(text, IsolationLevel.SNAPSHOT)).isEqualTo("true");
  }

  /** A later transaction that writes the initial value is one of two writers of it. */
  @Test
  void initialValueThatIsWrittenLaterHasTwoCandidates() throws IOException {
    String text = "w(1,5,0,0)\nw(1,0,1,1)\nr(1,5,2,2)\nr(1,0,2,3)\n";
    assertThat(check(text, IsolationLevel.SERIALIZABLE)).isEqualTo("true");
    String own = text.replace("w(1,0,1,1)", "w(1,7,1,1)");
    assertThat(check(own, IsolationLevel.SERIALIZABLE)).endsWith("false");
  }

  @Test
  void initialValueCanBeGiven() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("history"), "r(1,9,0,0)\nw(1,1,0,0)\nr(1,9,1,1)\nw(1,2,1,1)\n");
    assertThat(ElleNotation.check(file, IsolationLevel.SNAPSHOT)).contains("GARBAGE_READ", "false");
    assertThat(check(file, OptionalLong.of(9), Set.of())).isEqualTo("LOST_UPDATE false");
  }

  /** The transactions run one after another; the last one reads a version that was overwritten. */
  @Test
  void keysMayBeAssumedToBeOrdered() throws IOException {
    Path file = oneAfterAnother(0, 0, 1, 2);
    OptionalLong none = OptionalLong.empty();
    assertThat(check(file, none, Set.of())).isEqualTo("true");
    assertThat(check(file, none, Set.of(KeyOrder.WRITES_FOLLOW_READS))).isEqualTo("true");
    assertThat(check(file, none, Set.of(KeyOrder.SEQUENTIAL))).isEqualTo("true");
    assertThat(check(file, none, Set.of(KeyOrder.LINEARIZABLE))).endsWith("false");
    Path ofOneProcess = oneAfterAnother(0, 0, 1, 1);
    assertThat(check(ofOneProcess, none, Set.of())).isEqualTo("true");
    assertThat(check(ofOneProcess, none, Set.of(KeyOrder.SEQUENTIAL))).endsWith("false");
  }

  private Path oneAfterAnother(int... processes) throws IOException {
    String line = "{:type :%s, :f :txn, :value [%s], :process %d, :index %d}%n";
    StringBuilder edn = new StringBuilder();
    List<String> values =
        List.of("[:w :x 1]", "[:w :x 2]", "[:r :x 2] [:r :y 1]", "[:r :x 1] [:w :y 1]");
    for (int t = 0; t < values.size(); t++) {
      edn.append(
          line.formatted(
              "invoke", values.get(t).replaceAll("r (:.) .", "r $1 nil"), processes[t], 2 * t));
      edn.append(line.formatted("ok", values.get(t), processes[t], 2 * t + 1));
    }
    return Files.writeString(directory.resolve("history.edn"), edn);
  }

  @Test
  void budgetThatEndsIsTheReasonForUnknown() throws IOException {
    Path file = Files.writeString(directory.resolve("history"), "w(1,1,0,0)\n");
    StringBuilder text = new StringBuilder();
    for (int t = 0; t < 2_000; t++) {
      text.append(
          "w(1,%d,%d,%d)%nr(1,%d,%d,%d)%n".formatted(t + 1, t % 7, t, t + 1, t % 5 + 10, t));
    }
    Files.writeString(file, text);
    ForeignHistory.Verdict verdict =
        ForeignHistory.check(
            file,
            ForeignFormat.PLUME,
            new ForeignHistory.CheckOptions(
                IsolationLevel.SERIALIZABLE,
                Optional.empty(),
                false,
                OptionalLong.empty(),
                Set.of(),
                Duration.ZERO),
            anomaly -> {});
    assertThat(verdict.valid()).isEmpty();
    assertThat(verdict.reason()).contains("ended with its budget of 0 s of processor time");
  }

  private static String check(Path file, OptionalLong initial, Set<KeyOrder> keyOrders)
      throws IOException {
    List<String> found = new ArrayList<>();
    ForeignHistory.Verdict verdict =
        ForeignHistory.check(
            file,
            ForeignFormat.of(file).orElseThrow(),
            new ForeignHistory.CheckOptions(
                IsolationLevel.SERIALIZABLE,
                Optional.empty(),
                false,
                initial,
                keyOrders,
                Duration.ofSeconds(20)),
            anomaly -> found.add(anomaly.phenomenon().name()));
    found.add(verdict.valid().map(String::valueOf).orElse("unknown"));
    return String.join(" ", found);
  }

  @Test
  void plumeTextMarksAbortedWritesByTheirTransaction() throws IOException {
    String text = "w(1,1,0,0)\nw(1,2,0,-1)\nr(1,2,1,1)\n";
    assertThat(check(text, IsolationLevel.SERIALIZABLE)).isEqualTo("ABORTED_READ false");
    assertThat(check(text.replace("r(1,2", "r(1,1"), IsolationLevel.SERIALIZABLE))
        .isEqualTo("true");
  }

  @Test
  void dbcopJsonIsRead() throws IOException {
    String older =
        """
        {"params":{"id":0,"n_node":2,"n_variable":1,"n_transaction":1,"n_event":2},
         "info":"x","start":"2026-01-01T00:00:00+00:00","end":"2026-01-01T00:00:00+00:00",
         "data":[[{"events":[{"write":false,"variable":0,"value":0,"success":true},
                             {"write":true,"variable":0,"value":1,"success":true}],"success":true}],
                 [{"events":[{"write":false,"variable":0,"value":0,"success":true},
                             {"write":true,"variable":0,"value":2,"success":true}],"success":true}]]}
        """;
    assertThat(check(older, IsolationLevel.SNAPSHOT)).isEqualTo("LOST_UPDATE false");
    String newer =
        """
        [[{"events":[{"Read":{"variable":0,"version":null}},{"Write":{"variable":0,"version":1}}],
           "committed":true}],
         [{"events":[["r",0,1],["w",0,2]],"committed":true}],
         [{"events":[["r",0,9]],"committed":false}]]
        """;
    assertThat(check(newer, IsolationLevel.SERIALIZABLE)).isEqualTo("true");
    assertThat(check(newer.replace("[\"r\",0,1]", "[\"r\",0,null]"), IsolationLevel.SNAPSHOT))
        .isEqualTo("LOST_UPDATE false");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // a transaction
        "[[{\"events\":[]}]]|\"success\"",
        "[[{\"success\":true}]]|\"events\"",
        "[[{\"events\":[],\"success\":1}]]|true or false",
        "[[{\"events\":[],\"success\":null}]]|true or false",
        "[[{\"events\":[],\"success\":true,\"committed\":false}]]|one outcome",
        "[[{\"events\":[],\"events\":[],\"success\":true}]]|Duplicate",
        "[[{\"events\":[],\"success\":true}]] []|the end of the file",
        // an event
        "[[{\"events\":[{\"write\":true,\"variable\":0,\"value\":1}],\"success\":true}]]|an event",
        "[[{\"events\":[{\"variable\":0,\"value\":1,\"success\":true}],\"success\":true}]]|an event",
        "[[{\"events\":[{\"write\":true,\"variable\":0,\"success\":true}],\"success\":true}]]|an event",
        "[[{\"events\":[{\"Write\":{\"variable\":0}}],\"success\":true}]]|an event",
        "[[{\"events\":[{\"Write\":{\"version\":0}}],\"success\":true}]]|an event",
        "[[{\"events\":[[\"a\",0,1]],\"success\":true}]]|\"w\" or \"r\"",
        "[[{\"events\":[[\"w\",0,1,2]],\"success\":true}]]|']'",
      })
  void incompleteJsonOfDbcopIsReported(String text, String message) throws IOException {
    Path file = Files.writeString(directory.resolve("bad.json"), text);
    assertThatThrownBy(
            () ->
                ForeignHistory.check(
                    file,
                    ForeignFormat.DBCOP,
                    ElleNotation.demand(IsolationLevel.SERIALIZABLE),
                    anomaly -> {}))
        .isInstanceOf(HistoryFormatException.class)
        .hasMessageContaining("line 1")
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[[:w 1 1] [:append 1 2]]|must be of one kind",
        "[[:w 1 nil]]|nil, which stands for no value",
        "[[:w 1 1 2]]|three parts",
        "[[:w 1 1] [:r 1]]|the result of a read",
        "[[:w 1 1] [:cas 1 1]]|:append, :r and :w",
      })
  void operationThatIsNoneOfARegisterIsReported(String value, String message) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("bad.edn"), "\n{:type :ok :process 0 :value " + value + "}");
    assertThatThrownBy(() -> ElleNotation.check(file, IsolationLevel.SERIALIZABLE))
        .isInstanceOf(HistoryFormatException.class)
        .hasMessageContaining("line 2")
        .hasMessageContaining(message);
  }

  /** Keys of different types are different registers: the read would be of the initial value. */
  @Test
  void keysOfDifferentTypesDiffer() throws IOException {
    String text = "{:type :ok :value [[:w x 1]]}\n{:type :ok :value [[:r %s 1]]}\n";
    assertThat(check(text.formatted("x"), IsolationLevel.SERIALIZABLE)).isEqualTo("true");
    for (String other : List.of("\"x\"", ":x", "[x]", "#{x}", "\\x")) {
      assertThat(check(text.formatted(other), IsolationLevel.SERIALIZABLE))
          .isEqualTo("GARBAGE_READ false");
    }
  }

  @Test
  void cobraCommitOfAnotherTransactionIsReported() throws IOException {
    byte[] log =
        new Bytes(false)
            .bytes('S')
            .longs(1)
            .bytes('W')
            .longs(2, 7, 5)
            .bytes('C')
            .longs(3)
            .toArray();
    Path file = Files.write(directory.resolve("T1.log"), log);
    assertThatThrownBy(() -> ElleNotation.check(file, IsolationLevel.SERIALIZABLE))
        .isInstanceOf(HistoryFormatException.class)
        .hasMessageContaining("the commit of transaction 1, found that of 3");
  }

  @Test
  void dbcopBincodeIsRead() throws IOException {
    Bytes bytes = new Bytes(true);
    bytes.longs(0, 2, 1, 1, 2).text("generated").text("2026-01-01T00:00:00+00:00");
    bytes.text("2026-01-01T00:00:00+00:00").longs(2);
    for (long value = 1; value <= 2; value++) {
      bytes.longs(1, 2).bytes(0).longs(0, 0).bytes(1).bytes(1).longs(0, value).bytes(1).bytes(1);
    }
    Path file = Files.write(directory.resolve("history.bincode"), bytes.toArray());
    assertThat(ForeignFormat.of(file)).contains(ForeignFormat.DBCOP);
    assertThat(String.join(" ", ElleNotation.check(file, IsolationLevel.SERIALIZABLE)))
        .isEqualTo("LOST_UPDATE false");
    byte[] whole = bytes.toArray();
    for (int length = 1; length < whole.length; length++) {
      Files.write(file, java.util.Arrays.copyOf(whole, length));
      assertThatThrownBy(
              () ->
                  ForeignHistory.check(
                      file,
                      ForeignFormat.DBCOP,
                      ElleNotation.demand(IsolationLevel.SERIALIZABLE),
                      anomaly -> {}))
          .isInstanceOf(HistoryFormatException.class);
    }
  }

  @Test
  void cobraLogsAreRead() throws IOException {
    long initial = 0xbebeebeeL;
    for (boolean timed : new boolean[] {false, true}) {
      Path logs = Files.createDirectories(directory.resolve("logs" + timed));
      for (long t = 1; t <= 2; t++) {
        Bytes log = new Bytes(false);
        log.bytes('S').longs(t);
        if (timed) {
          log.longs(t);
        }
        log.bytes('R').longs(initial, initial, 7, 0).bytes('W').longs(100 + t, 7, 5);
        log.bytes('C').longs(t);
        if (timed) {
          log.longs(t);
        }
        Files.write(logs.resolve("T" + t + ".log"), log.toArray());
      }
      assertThat(ForeignFormat.of(logs)).contains(ForeignFormat.COBRA);
      assertThat(ElleNotation.check(logs, IsolationLevel.SERIALIZABLE))
          .isEqualTo(List.of("LOST_UPDATE", "false"));
      assertThat(ForeignFormat.of(logs.resolve("T1.log"))).contains(ForeignFormat.COBRA);
      assertThat(ElleNotation.check(logs.resolve("T1.log"), IsolationLevel.SERIALIZABLE))
          .isEqualTo(List.of("unknown"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "w(1,2,3)|','",
        "w(1,2,3,4;|')'",
        "w(x,2,3,4)|a number",
        "q(1,2,3,4)|w(1,2,0,0)",
        "w(1,18446744073709551616,3,4)|up to 64 bits",
        "w(1,-9223372036854775809,3,4)|up to 64 bits",
        "w(1,18446744073709551615,3,4) r(1,-1,4,5)|either with a sign or without",
        "w(1,2,3,18446744073709551615)|up to 63 bits",
      })
  void invalidTextIsReportedInOneLine(String text, String message) throws IOException {
    Path file = Files.writeString(directory.resolve("bad.txt"), "w(9,9,9,9)\n" + text + "\n");
    assertThatThrownBy(
            () ->
                ForeignHistory.check(
                    file,
                    ForeignFormat.PLUME,
                    ElleNotation.demand(IsolationLevel.SERIALIZABLE),
                    anomaly -> {}))
        .isInstanceOf(HistoryFormatException.class)
        .hasMessageContaining("line 2")
        .hasMessageContaining(message);
  }

  private String check(String text, IsolationLevel level) throws IOException {
    return String.join(" ", ElleNotation.check(directory, text, level));
  }

  /** Binary files as sequences of numbers. */
  private static final class Bytes {
    private final boolean littleEndian;
    private final java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();

    Bytes(boolean littleEndian) {
      this.littleEndian = littleEndian;
    }

    Bytes longs(long... values) {
      for (long value : values) {
        long ordered = littleEndian ? Long.reverseBytes(value) : value;
        for (int shift = 56; shift >= 0; shift -= 8) {
          out.write((int) (ordered >>> shift));
        }
      }
      return this;
    }

    Bytes bytes(int... values) {
      for (int value : values) {
        out.write(value);
      }
      return this;
    }

    Bytes text(String text) {
      longs(text.length());
      out.writeBytes(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      return this;
    }

    byte[] toArray() {
      return out.toByteArray();
    }
  }
}
