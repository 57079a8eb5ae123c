package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class WriterTokenTest {

  @Property
  void tokenContainsItsTransactionAndStatement(
      @ForAll long transaction, @ForAll @IntRange(max = WriterToken.MAX_STATEMENT) int statement) {
    String token = WriterToken.of(transaction, statement);
    assertThat(token).hasSize(WriterToken.LENGTH).matches("[-0-9A-Z_a-z]*");
    assertThat(WriterToken.transaction(token, 0)).isEqualTo(transaction);
    assertThat(WriterToken.statement(token, 0)).isEqualTo(statement);
    assertThat(WriterToken.transaction("-".repeat(14) + token, 14)).isEqualTo(transaction);
  }

  @Property
  void tokensSortLikeTheirIds(
      @ForAll long a,
      @ForAll long b,
      @ForAll @IntRange(max = WriterToken.MAX_STATEMENT) int i,
      @ForAll @IntRange(max = WriterToken.MAX_STATEMENT) int j) {
    int byId = a != b ? Long.compareUnsigned(a, b) : Integer.compare(i, j);
    assertThat(Integer.signum(WriterToken.of(a, i).compareTo(WriterToken.of(b, j))))
        .isEqualTo(Integer.signum(byId));
  }

  @Example
  void statementNumbersSaturate() {
    assertThat(WriterToken.statement(WriterToken.of(1, Integer.MAX_VALUE), 0))
        .isEqualTo(WriterToken.MAX_STATEMENT);
  }

  @Example
  void malformedTokenIsRejected() {
    assertThatThrownBy(() -> WriterToken.transaction("é234567890abcd", 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new WriterList("short", true))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Example
  void fullWindowIsIncomplete() {
    String token = WriterToken.of(1, 1);
    assertThat(WriterList.ofColumn(token.repeat(7)).complete()).isTrue();
    assertThat(WriterList.ofColumn(token.repeat(8)).complete()).isFalse();
    assertThat(WriterList.ofColumn("")).isEqualTo(WriterList.INITIAL);
  }

  @Property
  void fillerIsNotAWriter(@ForAll @IntRange(max = 20) int writes) {
    String filled = WriterList.UNWRITTEN;
    String unfilled = "";
    for (int i = 1; i <= writes; i++) {
      filled = append(filled, WriterToken.of(i, 1));
      unfilled = append(unfilled, WriterToken.of(i, 1));
      assertThat(filled).hasSameSizeAs(WriterList.UNWRITTEN);
    }
    assertThat(WriterList.ofColumn(filled)).isEqualTo(WriterList.ofColumn(unfilled));
  }

  @Example
  void fillerIsNoTokenCharacter() {
    String column = WriterList.UNWRITTEN;
    assertThatThrownBy(() -> WriterToken.transaction(column, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> WriterList.ofColumn(column.substring(1) + "a"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The column's value after a writer was appended, as the driver's SQL has it. */
  private static String append(String column, String token) {
    String all = column + token;
    return all.substring(Math.max(0, all.length() - WriterList.WINDOW_LENGTH));
  }
}
