package io.txwatch.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.KeyedRow;
import io.txwatch.plan.KeyedRow.Role;
import java.util.List;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class KeyedRowHasherTest {

  private static KeyedRowHasher key(boolean isText, String... columns) {
    List<KeyedRow.Value> values = new java.util.ArrayList<>();
    for (int i = 1; i <= columns.length; i++) {
      values.add(new KeyedRow.Parameter(i, isText));
    }
    KeyedRow row = new KeyedRow(Role.READS, "account", List.of(columns), values);
    return java.util.Objects.requireNonNull(KeyedRowHasher.of(row));
  }

  @Property
  void aKeyOfOneIntegerFollowsFromItsBits(@ForAll long value) {
    KeyedRowHasher id = key(false, "id");
    long bits = id.bits(new long[] {id.of(1, value)});
    if (bits != 0) {
      assertThat(id.integer(bits)).isEqualTo(OptionalLong.of(value));
    }
  }

  @Property
  void noOtherKeyIsShown(@ForAll long value) {
    KeyedRowHasher two = key(false, "a", "b");
    KeyedRowHasher text = key(true, "name");
    assertThat(two.integer(two.bits(new long[] {two.of(1, value), two.of(2, value)}))).isEmpty();
    assertThat(text.integer(text.bits(new long[] {text.of(1, "v" + value)}))).isEmpty();
  }
}
