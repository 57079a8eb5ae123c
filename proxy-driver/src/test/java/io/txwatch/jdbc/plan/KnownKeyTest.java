package io.txwatch.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.KeyedRow;
import io.txwatch.sql.KeyedRow.Role;
import java.util.List;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class KnownKeyTest {

  private static KnownKey key(boolean isPrimary, boolean isText, String... columns) {
    List<KeyedRow.Value> values = new java.util.ArrayList<>();
    for (int i = 1; i <= columns.length; i++) {
      values.add(new KeyedRow.Parameter(i, isText));
    }
    KeyedRow row = new KeyedRow(Role.READS, "account", List.of(columns), values, isPrimary);
    return java.util.Objects.requireNonNull(KnownKey.of(row));
  }

  @Property
  void thePrimaryKeyOfOneIntegerFollowsFromItsBits(@ForAll long value) {
    KnownKey id = key(true, false, "id");
    long bits = id.bits(new long[] {id.of(1, value)});
    if (bits != 0) {
      assertThat(id.primary(bits)).isEqualTo(OptionalLong.of(value));
    }
  }

  @Property
  void noOtherKeyIsShown(@ForAll long value) {
    KnownKey unique = key(false, false, "id");
    KnownKey two = key(true, false, "a", "b");
    KnownKey text = key(true, true, "name");
    assertThat(unique.primary(unique.bits(new long[] {unique.of(1, value)}))).isEmpty();
    assertThat(two.primary(two.bits(new long[] {two.of(1, value), two.of(2, value)}))).isEmpty();
    assertThat(text.primary(text.bits(new long[] {text.of(1, "v" + value)}))).isEmpty();
  }
}
