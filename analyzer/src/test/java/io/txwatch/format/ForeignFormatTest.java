package io.txwatch.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForeignFormatTest {

  @Test
  void helpNamesTheFormatsThatRequireSessionOrder() {
    List<String> ids =
        Arrays.stream(ForeignFormat.values())
            .filter(ForeignFormat::requiresSessionOrder)
            .map(ForeignFormat::id)
            .toList();

    assertThat(ForeignFormat.REQUIRE_SESSION_ORDER.split(", | and "))
        .containsExactlyElementsOf(ids);
  }
}
