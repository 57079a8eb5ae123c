package io.txwatch.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.ElleNames;
import io.txwatch.history.HistoryFormatException;
import io.txwatch.history.IsolationLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * List-append histories whose anomalies are known, in EDN and JSON, with and without invocations.
 */
class ListAppendTest {

  @TempDir private Path directory = Path.of("");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Elle's paper, section 4, and its list_append_test: one anomaly each.
        "ax1ay1 ax2ay2 rx12ry21                     | DIRTY_WRITE false",
        "ax1! rx1                                   | ABORTED_READ false",
        "ax1! ax2 rx12                              | ABORTED_READ false",
        "ax1ax2 rx1 rx12                            | INTERMEDIATE_READ false",
        "ax1ry1 ay1rx1                              | CIRCULAR_INFORMATION_FLOW false",
        "ax1ry1 ax2ay1 rx12                         | CIRCULAR_INFORMATION_FLOW false",
        "rx_ry1 ax1ay1 rx1                          | READ_SKEW false",
        "rx_ax1 rx_ax2 rx12                         | LOST_UPDATE false",
        "rx_ry_ax1 rx_ry_ay1 rx1ry1                 | WRITE_SKEW false",
        "ax1 ay1 rx1ry_ rx_ry1                      | LONG_FORK false",
        "ax1 rx1rx_                                 | NON_REPEATABLE_READ false",
        "ax1rx_                                     | INTERNAL false",
        "ax1 ax2rx1                                 | INTERNAL false",
        "ax1 ax2 ax3 rx13 rx123                     | INCOMPATIBLE_ORDER false",
        "ax1 rx11                                   | DUPLICATE_WRITE false",
        "ax1 rx17                                   | GARBAGE_READ false",
        // Appends that nobody read come after the longest list, in an unknown order.
        "ax1ay1 rx1ry_                              | FRACTURED_READ false",
        "rx_ax1 rx_ax2                              | LOST_UPDATE false",
        "ax9 rx9ax1 rx9ax2                          | LOST_UPDATE false",
        "rx_ry_ax1 rx_ry_ay1                        | WRITE_SKEW false",
        "ax1ax2 rx1                                 | INTERMEDIATE_READ false",
        "ax1 ax2ax3 rx12                            | INTERMEDIATE_READ false",
        "ax1ax3 ax2 rx12                            | DIRTY_WRITE false",
        "rx_ ax1 ax2                                | true",
        "rx_ry_ ax1ay1 ax2ay2                       | true",
        "ax1 rx1 ax2 ax3                            | true",
        "ax1! rx_ ax2                               | true",
        // A transaction's own operations have an order, too.
        "rx1ax1                                     | INTERNAL false",
        "ax1 ax2rx123ax3                            | INTERNAL false",
        "ax1ax2 rx21                                | INTERMEDIATE_READ INTERNAL false",
        "ax1ax2 rx2                                 | INTERNAL false",
        "ax1ax2rx2                                  | INTERNAL false",
        "ax1rx1ax2rx12                              | unknown",
        // What must not be accused.
        "ax1 rx1ax2 rx12                            | true",
        "ax1? rx_                                   | unknown",
        "ax1? ax2 rx2                               | true",
        "ax1 ax2                                    | unknown",
        // An element that was appended twice: who wrote what was read is unknown.
        "ax1 ax1                                    | unknown",
        "ax1 ax1 rx1                                | unknown",
        "ax1 ax1 rx11                               | unknown",
        "ax1! ax1 rx1                               | unknown",
        "ax1 ax1 ay1 ry1                            | unknown",
        "ax1 ax1 ry_ay1 ry_ay2                      | LOST_UPDATE false",
        "ax1! rx_                                   | unknown",
        // Seen by a committed transaction: it did commit.
        "rx_ax1? rx_ay1 rx1 ay2 ry1                 | true",
        "ax1ay1? ax2ay2 rx12ry21                    | DIRTY_WRITE false",
      })
  void verdictEqualsTheKnownAnswer(String history, String expected) throws IOException {
    for (boolean invocations : new boolean[] {true, false}) {
      assertThat(check(ElleNotation.edn(history, false, invocations))).isEqualTo(expected);
      assertThat(check(ElleNotation.json(history, false, invocations))).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rx_ry_ax1 rx_ry_ay1 rx1ry1 | SNAPSHOT         | WRITE_SKEW true",
        "rx_ax1 rx_ax2 rx12         | SNAPSHOT         | LOST_UPDATE false",
        "rx_ax1 rx_ax2 rx12         | READ_COMMITTED   | LOST_UPDATE true",
        "ax1! rx1                   | READ_COMMITTED   | ABORTED_READ false",
        "ax1! rx1                   | READ_UNCOMMITTED | ABORTED_READ true",
        "rx_ry_ax1 rx_ry_ay1 rx1ry1 | REPEATABLE_READ  | WRITE_SKEW false",
        "rx5ay1 ry_az2 rz_at3 rt3au4 ru_ax5 | SNAPSHOT   | true",
        // Snapshot isolation: of two transactions that append to one key, one precedes the other.
        "rx_ax1 rx_ax2              | SNAPSHOT         | LOST_UPDATE false",
        "rx_ax1 rx_ax2              | READ_COMMITTED   | LOST_UPDATE true",
        "rx_ry_ax1az1 rx_ry_ay1az2  | SNAPSHOT         | READ_WRITE_SKEW WRITE_SKEW false",
        "rx_ry_ax1az1 rx_ry_ay1az2  | READ_COMMITTED   | WRITE_SKEW true",
        "rx_ry_ax1az1 rx_ry_ay1     | SNAPSHOT         | WRITE_SKEW true",
        "rx1ax1                     | READ_COMMITTED   | INTERNAL false",
        "ax1ax2 rx21                | READ_UNCOMMITTED | INTERMEDIATE_READ INTERNAL false",
      })
  void verdictDependsOnTheLevel(String history, IsolationLevel level, String expected)
      throws IOException {
    List<String> found =
        ElleNotation.check(directory, ElleNotation.edn(history, false, true), level);
    assertThat(String.join(" ", found)).isEqualTo(expected);
  }

  /** In the words of Elle's own list_append_test, and with its expected anomalies. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ax1ay1 ax2ay2 rx12ry21       | G0",
        "ax1! rx1                     | G1a",
        "ax1ax2 rx1                   | G1b",
        "ax1ry1 ax2ay1 rx12ry1        | G1c",
        "ax1ay1 ax2ry_ rx12           | G-single-item",
        "ax1ay1 rx1ry_                | G-single-item",
        "ax1ry_ ay1rx_                | G2-item",
        "ax1ry1 ax2 ax3ay1 rx13 rx123 | G1c incompatible-order",
        "ax1! ax2 rx12                | G1a",
        "ax1ry1 ax2ay1 rx121          | duplicate-elements",
        "ax1 rx1ry_ ay1 ry1rx_        | G-nonadjacent-item",
        "ax1at1 rx1ry_ ay1az2 rz2rt_  | G-nonadjacent-item",
        "ax5 rx5ax1 rx5ax2            | G2-item lost-update",
        "rx1ax1                       | internal",
        "rx_ax1ax2 rx12               | ''",
        "ax2 rx2ry_ ay1               | ''",
      })
  void anomaliesHaveTheNamesOfElle(String history, String names) throws IOException {
    TreeSet<String> found = new TreeSet<>();
    ForeignHistory.check(
        Files.writeString(directory.resolve("history"), ElleNotation.edn(history, false, true)),
        ForeignFormat.ELLE_APPEND,
        ElleNotation.demand(IsolationLevel.SERIALIZABLE),
        anomaly -> found.addAll(ElleNames.of(anomaly)));
    assertThat(String.join(" ", found)).isEqualTo(names);
  }

  /**
   * Elle's test "unfindable-g-single": one cycle with a single rw edge, of 1000 transactions, among
   * 29 000 transactions on longer cycles. Elle's search for it exceeds its time.
   */
  @Test
  void singleCycleIsFoundAmongThousandsOfOthers() throws IOException {
    int ring = 1000;
    int noise = 30;
    StringBuilder edn = new StringBuilder();
    for (int i = 0; i < ring; i++) {
      String other =
          i == 0 ? ":append :anti 0" : i == ring - 1 ? ":r :anti nil" : ":append " + i + " 0";
      edn.append(ok("[:append :ring " + i + "] [" + other + "]"));
    }
    edn.append(ok("[:r :ring " + numbers(ring) + "]"));
    for (int i = 1; i < ring - 1; i++) {
      for (int j = 1; j < noise; j++) {
        edn.append(
            ok(
                j == noise - 2
                    ? "[:r " + i + " " + numbers(j) + "] [:r [:anti " + i + "] nil]"
                    : j == noise - 1
                        ? "[:append [:anti " + i + "] 0] [:r :ring nil]"
                        : "[:append " + i + " " + j + "]"));
      }
    }
    assertThat(ElleNotation.check(directory, edn.toString(), IsolationLevel.SNAPSHOT))
        .containsExactly("G_SINGLE", "false");
  }

  private static String ok(String operations) {
    return "{:type :ok :value [" + operations + "]}\n";
  }

  private static String numbers(int count) {
    return IntStream.range(0, count).boxed().toList().toString().replace(",", "");
  }

  @Test
  void everyFormOfJepsenIsRead() throws IOException {
    assertThat(
            check(
                """
                ; a comment
                #jepsen.history.Op{:index 0, :time 1, :type :invoke, :process :nemesis, :f :kill, :value nil}
                #jepsen.history.Op {:index 1 :time 2 :type :info :process :nemesis :f :kill
                  :value {:n1 #{:a [1 2]}, "k}" ("]" \\] \\newline) :c #inst "2026-01-01", :d ##Inf}}
                {:index 2, :type :invoke, :process 3, :f :txn, :value [[:append "a b" 1] [:r 7 nil]], :ext #_ignored {:x 1}}
                {:process 3 :value [[:append "a b" 1] [:r 7 []]] :type :ok :index 3 :error [:timeout "x"]}
                {:index 4, :type :invoke, :process 4, :f :txn, :value ((:r "a b" nil))}
                {:index 5, :type :ok, :process 4, :f :txn, :value ((:r "a b" (1)))}
                """))
        .isEqualTo("true");
  }

  /** Keys and values of any type: the reads miss or contain the append if they are equal. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "99999999999999999999 | 99999999999999999999 | 99999999999999999998",
        "123456789012345678901N | 123456789012345678901 | 12345678901234567890",
        "-9223372036854775808 | -9223372036854775808 | 9223372036854775808",
        "1.5 | 1.50 | 15",
        "1.0 | 1.0 | 1",
        "1e3 | 1000.0 | 1000",
        "2/3 | 2/3 | 2",
        ":a | :a | :b",
        "\"a\" | \"a\" | \"b\"",
        "\"x\" | \"\\u0078\" | x",
        "x | x | \"x\"",
        "\"nil\" | \"nil\" | nil",
        "\"true\" | \"true\" | true",
        "\"a\\nb\" | \"a\\u000Ab\" | \"anb\"",
        "[\"a\" \"b\"] | [\"a\",\"b\"] | [\"a\\\" \\\"b\"]",
        "\"😀\" | \"\\ud83d\\ude00\" | \"?\"",
        "\\a | \\a | \\b",
        "\\[ | \\[ | \\]",
        "#{1 2} | #{2 1} | #{1 3}",
        "#{1} | #{1} | #{2}",
        "#{} | #{} | {}",
        "{:a 1 :b #{[2] 3}} | {:b #{3 (2)} , :a 1} | {:a :b 1 #{[2] 3}}",
        "{\"a\": 1, \"b\": 2} | {\"b\": 2, \"a\": 1} | {\"b\": 1, \"a\": 2}",
        "#inst \"2026\" | #inst \"2026\" | #uuid \"2026\"",
        "##Inf | ##Inf | ##-Inf",
        "#_ 7 1 | #_[#_ x 7] 1 | 7",
        "list | list | 0",
        "\"1\" | \"1\" | 1",
        "\":a\" | \":a\" | :a",
        "\"\" | \"\" | \" \"",
        "true | true | false",
        "[1 2] | (1, 2) | [2 1]",
        "[1 [2 :a]] | [1  [2,:a]] | [1 2 :a]",
        "{:a 1} | {:a 1} | {:a 2}",
        "-x | -x | x",
        "none | none | nil",
      })
  void keysAndValuesAreOfAnyType(String value, String same, String other) throws IOException {
    String history = "{:type :ok :value [[:append %s %s]]}\n{:type :ok :value [[:r %s [%s]]]}\n";
    assertThat(check(history.formatted(value, value, same, same))).isEqualTo("true");
    assertThat(check(history.formatted(value, value, same, other))).isEqualTo("GARBAGE_READ false");
    assertThat(check(history.formatted(value, value, other, same))).isEqualTo("GARBAGE_READ false");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{:type :ok :process 0 :value [[:append 1 1]|']': the file seems to be cut off",
        "{:type :okay :process 0 :value [[:append 1 1]]}|:invoke, :ok, :fail or :info",
        "{:process 0 :value [[:append 1 1]]}|an operation with a :type",
        "{:type :ok :process 0 :value [[:cas 1 1]]}|:append, :r and :w",
        "{:type :ok :process 0 :value [[:append 1 1]]} junk|an operation of Elle",
        "{:type :ok :process 0 :value [[:append 1 1]]}]|the end of the file",
        // Nothing that an operation says is dropped without a word.
        "{:type :ok :process 0 :value [[:append 1 1] [:w 2 5]]}|must be of one kind",
        "{:type :ok :process 0 :value [[:r 1 [1]] [:r 2 7]]}|a read that returns a list",
        "{:type :ok :process 0 :value [[:r 1 #{1 2}]]}|a set has no order",
        "{:type :ok :process 0 :value [[:append 1 1 2]]}|three parts",
        "{:type :ok :process 0 :value [[:r 1 [1] [2]]]}|three parts",
        "{:type :ok :process 0 :value [[:r 1]]}|the result of a read",
        "{:type :ok :process 0 :value [[:transfer 1 2]]}|:append, :r and :w",
        "{:type :ok :process 0 :value [[:append 1 1] :x]}|that check can judge",
        "{:type :ok :process 0 :value [[1 2]]}|that check can judge",
        "{:type :ok :process 0 :value nil}|that check can judge",
        "{:type :ok :process 0}|that check can judge",
        "{:type :ok :process 0 :value [[:append 1 1]] :value [[:append 1 2]]}|each key once",
        "{:type :ok :type :fail :process 0 :value [[:append 1 1]]}|each key once",
        "{:type :ok :process :a :value [[:append 1 1]]}|an integer, nil or :nemesis",
        "{:type :ok :process 1.5 :value [[:append 1 1]]}|a :process",
        // Histories that are none of transactions: bank, set, counter, queue, Knossos.
        "{:type :invoke :f :transfer :process 0 :value {:from 1 :to 2 :amount 3}}|check can judge",
        "{:type :ok :f :transfer :process 0 :value [:transfer 1 2]}|that check can judge",
        "{:type :ok :f :read :process 0 :value {0 10 1 10}}|that check can judge",
        "{:type :invoke :f :add :process 0 :value 1}|that check can judge",
        "{:type :ok :f :read :process 0 :value #{1 2}}|that check can judge",
        "{:type :ok :f :read :process 0 :value (1 2)}|that check can judge",
        "{:type :ok :f :cas :process 0 :value [1 2]}|that check can judge",
        "{:type :ok :f :dequeue :process 0 :value :a}|that check can judge",
        "{:type :info :f :write :process 0 :value :a}|that check can judge",
      })
  void invalidFileIsReportedInOneLine(String text, String message) throws IOException {
    Path file = Files.writeString(directory.resolve("bad.edn"), "\n" + text);
    Assertions.assertThatThrownBy(
            () ->
                ForeignHistory.check(
                    file,
                    ForeignFormat.ELLE_APPEND,
                    ElleNotation.demand(IsolationLevel.SERIALIZABLE),
                    anomaly -> {}))
        .isInstanceOf(HistoryFormatException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("line 2");
  }

  /** What contradicts itself over two lines. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{:type :invoke :process 0 :value [[:append 1 1]]} {:type :ok :process 0 :value [[:append 1"
            + " 2]]}|the writes that it was invoked with",
        "{:type :invoke :process 0 :value [[:append 1 1]]} {:type :ok :process 0 :value []}|the"
            + " writes that it was invoked with",
        "{:type :invoke :process nil :value [[:append 1 1]]} {:type :invoke :process nil :value"
            + " [[:append 1 2]]}|expected a :process",
        "{:type :invoke :f :read :process 0 :value nil} {:type :fail :f :read :process 0 :value"
            + " nil}|that check can judge",
      })
  void operationsThatDoNotBelongTogetherAreReported(String text, String message)
      throws IOException {
    Path file = Files.writeString(directory.resolve("bad.edn"), text);
    Assertions.assertThatThrownBy(() -> ElleNotation.check(file, IsolationLevel.SERIALIZABLE))
        .isInstanceOf(HistoryFormatException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("line 1");
  }

  /** An error in place of the value: what was invoked counts. */
  @Test
  void failedOperationMayHaveARemark() throws IOException {
    assertThat(
            check(
                """
                {:type :invoke :process 0 :value [[:append 1 1] [:r 2 nil]]}
                {:type :info :process 0 :value :timed-out}
                {:type :invoke :process 1 :value [[:r 1 nil]]}
                {:type :ok :process 1 :value [[:r 1 [1]]]}
                {:type :info :process :nemesis :value [[:isolate "n1"] {:a 1}]}
                """))
        .isEqualTo("true");
  }

  @Test
  void elementThatWasAppendedTwiceIsTheReason() throws IOException {
    ForeignHistory.Verdict verdict =
        ForeignHistory.check(
            Files.writeString(
                directory.resolve("history"), ElleNotation.edn("ax1 ax1 rx1", false, false)),
            ForeignFormat.ELLE_APPEND,
            ElleNotation.demand(IsolationLevel.SERIALIZABLE),
            anomaly -> {});
    assertThat(verdict.reason())
        .isEqualTo(
            "[:append :x 1] was run twice, by the transaction with index 0 and by the transaction"
                + " with index 1: which of them a read saw is unknown, so the elements of a key"
                + " must differ");
  }

  /** A file truncated anywhere either ends after a whole operation or is reported. */
  @Test
  void truncatedFileIsNeverMisread() throws IOException {
    String whole = ElleNotation.json("rx_ax1 rx_ax2 rx12 ay1rx12", false, true);
    List<Integer> misread = new ArrayList<>();
    for (int length = 1; length < whole.length() - 2; length++) {
      Path file = Files.writeString(directory.resolve("cut.json"), whole.substring(0, length));
      try {
        ForeignHistory.check(
            file,
            ForeignFormat.ELLE_APPEND,
            ElleNotation.demand(IsolationLevel.SERIALIZABLE),
            anomaly -> {});
        misread.add(length);
      } catch (HistoryFormatException e) {
        assertThat(e).hasMessageContaining("line ");
      }
    }
    assertThat(misread).isEmpty();
  }

  private String check(String text) throws IOException {
    return String.join(" ", ElleNotation.check(directory, text, IsolationLevel.SERIALIZABLE));
  }
}
