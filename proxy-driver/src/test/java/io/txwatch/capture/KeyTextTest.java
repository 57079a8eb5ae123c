package io.txwatch.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of a key is shown, of values that a hostile user chooses. */
class KeyTextTest {

  private static KeyColumn column(Kind kind) {
    return new KeyColumn("c", kind, kind == Kind.TEXT);
  }

  private static String key(boolean redacts, Kind kind, String... values) {
    List<KeyColumn> columns = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (String value : values) {
      columns.add(column(kind));
      texts.add(KeyText.canonical(column(kind), value));
    }
    return KeyText.of(columns, texts, redacts);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '~',
      value = {
        "bob@x.org    => 'bob@x.org'",
        "a'b          => 'a''b'",
        "', 7) x      => ''', 7) x'",
        "#1f3a9c2e    => '#1f3a9c2e'",
        "41           => '41'",
        "Müller       => 'Müller'",
        "a\\b         => 'a\\u005cb'",
      })
  void textIsQuotedWhereValuesAreShown(String value, String expected) {
    assertThat(key(false, Kind.TEXT, value)).isEqualTo(expected);
  }

  @Test
  void textThatATerminalWouldInterpretIsEscaped() {
    assertThat(key(false, Kind.TEXT, "a\u001b[2J\u202eb\n\ud800"))
        .isEqualTo("'a\\u001b[2J\\u202eb\\u000a\\ud800'");
  }

  @Test
  void longTextIsCutAndDistinguishedByItsDigest() {
    String one = key(false, Kind.TEXT, "x".repeat(1000));
    assertThat(one).matches("'x{40}…'#[0-9a-f]{8}");
    assertThat(key(false, Kind.TEXT, "x".repeat(1001))).isNotEqualTo(one);
  }

  @Test
  void keyOfManyColumnsIsBounded() {
    String[] values = new String[40];
    java.util.Arrays.fill(values, "x".repeat(39));
    assertThat(key(false, Kind.TEXT, values)).matches("#[0-9a-f]{8}");
  }

  /** {@code (ab, c)} is not {@code (a, bc)}. */
  @Test
  void longKeysWithTheirTextDividedOtherwiseDiffer() {
    String x = "x".repeat(100);
    assertThat(key(true, Kind.NUMBER, "1" + "0".repeat(60), "1"))
        .isNotEqualTo(key(true, Kind.NUMBER, "1" + "0".repeat(59), "01"));
    assertThat(key(false, Kind.TEXT, x + "a", x, x, "b"))
        .isNotEqualTo(key(false, Kind.TEXT, x, "a" + x, x, "b"));
  }

  @Property
  void redactedTextIsADigestOfItsValueAlone(@ForAll String value) {
    String key = key(true, Kind.TEXT, value);
    assertThat(key).matches("#[0-9a-f]{8}").isEqualTo(key(true, Kind.TEXT, value));
  }

  @Property
  void wholeKeyIsBounded(@ForAll List<String> values) {
    if (!values.isEmpty()) {
      String key = key(false, Kind.TEXT, values.toArray(new String[0]));
      assertThat(key.length()).isLessThanOrEqualTo(KeyText.MAX_CHARACTERS);
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "41, true",
        "-7, true",
        "1.50, true",
        "10.0.0.1, false",
        "1e5, false",
        "abc, false",
        "4-1, false",
        "-, false",
        "'', false",
        "' 41', false"
      })
  void onlyANumberIsShownAsOne(String value, boolean isNumber) {
    assertThat(KeyText.canonical(column(Kind.NUMBER), value)).isEqualTo(isNumber ? value : "");
  }

  @Test
  void uuidIsShownInSmallLettersWhereLettersDoNotMatter() {
    String uuid = "0B0E7C1A-4F0C-4D3E-9A55-6A1F5CE2D0AA";
    assertThat(key(true, Kind.UUID, uuid)).isEqualTo(uuid.toLowerCase(java.util.Locale.ROOT));
    assertThat(key(true, Kind.PADDED_TEXT, uuid + " "))
        .isEqualTo(uuid.toLowerCase(java.util.Locale.ROOT));
    assertThat(key(true, Kind.TEXT, uuid)).isEqualTo(uuid);
    assertThat(key(true, Kind.TEXT, uuid + "a")).startsWith("#");
  }
}
