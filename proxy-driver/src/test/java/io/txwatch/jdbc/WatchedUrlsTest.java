package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which URLs are watched. */
class WatchedUrlsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          include          | exclude  | url                                    | watched
          ''               | ''       | jdbc:postgresql://db/shop              | true
          /shop            | ''       | jdbc:postgresql://db/shop              | true
          /shop            | ''       | jdbc:postgresql://db/audit             | false
          /shop,/audit     | ''       | jdbc:postgresql://db/audit             | true
          mysql://*/shop   | ''       | jdbc:mysql://db-7.internal:3306/SHOP   | true
          mysql://*/shop   | ''       | jdbc:mariadb://db/shop                 | false
          ''               | audit    | jdbc:postgresql://db/audit             | false
          ''               | audit    | jdbc:postgresql://db/shop?tag=audit    | true
          ''               | audit    | jdbc:h2:mem:shop;INIT=SET AUDIT 1      | true
          db               | audit, x | jdbc:postgresql://db/audit             | false
          a.b              | ''       | jdbc:h2:mem:axb                        | false
          """,
      useHeadersInDisplayName = true)
  void listsOfTexts(String include, String exclude, String url, boolean watched) {
    Settings settings = Settings.of(Map.of(Setting.INCLUDE, include, Setting.EXCLUDE, exclude));
    assertThat(WatchedUrls.of(settings).contain(url)).isEqualTo(watched);
  }
}
