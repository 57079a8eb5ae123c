package io.txwatch.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/settings.md describes every setting as the enum does. */
class SettingsPageTest {

  @ParameterizedTest
  @EnumSource(Setting.class)
  void describesEachSettingAsTheEnumDoes(Setting setting) throws Exception {
    String row =
        "| `%s` | %s | %s | %s |"
            .formatted(
                setting.key(),
                setting.defaultValue().isEmpty() ? "" : "`" + setting.defaultValue() + "`",
                "`" + setting.accepted().replace("|", "` `") + "`",
                setting.help());
    assertThat(Files.readString(Path.of("..", "docs", "settings.md")).lines()).contains(row);
  }
}
