package io.txwatch.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {

  @Test
  void strongestSourceWins(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("txwatch.properties");
    Files.writeString(file, "txwatch.history=file\nreport=file\nqueue=1\nredact=false\n");
    Settings settings =
        Settings.read(
            List.of(
                SettingSource.agentArguments("history=agent, txwatch.instrument = off"),
                SettingSource.systemProperties(
                    properties("txwatch.history", "system", "txwatch.report", "system")),
                SettingSource.environment(
                    Map.of("TXWATCH_HISTORY", "env", "TXWATCH_QUEUE", "2", "PATH", "/bin")),
                SettingSource.file(file)));
    assertThat(settings.path(Setting.HISTORY)).contains(Path.of("agent"));
    assertThat(settings.get(Setting.INSTRUMENT)).isEqualTo("off");
    assertThat(settings.get(Setting.REPORT)).isEqualTo("system");
    assertThat(settings.number(Setting.QUEUE)).isEqualTo(2);
    assertThat(settings.isTrue(Setting.REDACT)).isFalse();
    assertThat(settings.get(Setting.ANALYZER)).isEqualTo("inprocess");
  }

  @Test
  void unsetSettingsHaveTheirDefaults() {
    Settings settings = Settings.read(List.of());
    for (Setting setting : Setting.values()) {
      assertThat(settings.get(setting)).isEqualTo(setting.defaultValue());
    }
    assertThat(settings.path(Setting.HISTORY)).isEmpty();
  }

  @Test
  void everyDefaultIsAccepted() {
    for (Setting setting : Setting.values()) {
      assertThat(setting.check(setting.defaultValue(), "test")).isEqualTo(setting.defaultValue());
    }
  }

  @Test
  void unknownKeyIsReportedWithItsSourceAndTheNearestKey() {
    assertThatThrownBy(() -> agent("instrumnet=inline"))
        .isInstanceOf(SettingException.class)
        .hasMessage(
            "unknown setting \"txwatch.instrumnet\" (agent argument): did you mean"
                + " txwatch.instrument?");
    assertThatThrownBy(
            () -> Settings.read(List.of(SettingSource.environment(Map.of("TXWATCH_JUDGEBY", "x")))))
        .hasMessage(
            "unknown setting \"txwatch.judgeby\" (environment): did you mean txwatch.judge-by?");
  }

  @Test
  void unknownValueIsReportedWithTheAcceptedValues() {
    assertThatThrownBy(() -> agent("instrument=inlin"))
        .hasMessage(
            "txwatch.instrument=inlin (agent argument): expected inline|items|predicates|off; did you mean inline?");
    assertThatThrownBy(() -> agent("queue=0")).hasMessageContaining("expected N");
    assertThatThrownBy(() -> agent("queue=many")).hasMessageContaining("expected N");
    assertThatThrownBy(() -> agent("redact=")).hasMessageContaining("expected true|false");
    assertThat(agent("redact=FALSE").isTrue(Setting.REDACT)).isFalse();
  }

  @Test
  void agentArgumentWithoutAnEqualsSignIsAnError() {
    assertThatThrownBy(() -> agent("instrument"))
        .hasMessage("agent argument \"instrument\": expected key=value,key=value");
  }

  @Test
  void packagesAreSeparatedByCommasAlsoAmongAgentArguments() {
    Settings settings = agent("packages=com.acme.shop, org.acme,report=a.jsonl");
    assertThat(settings.get(Setting.PACKAGES)).isEqualTo("com.acme.shop,org.acme");
    assertThat(settings.get(Setting.REPORT)).isEqualTo("a.jsonl");
    assertThatThrownBy(() -> agent("report=a.jsonl,org.acme"))
        .hasMessageContaining("expected key=value");
  }

  @Test
  void keyOfHashesIsLongAndNeverShown() {
    assertThatThrownBy(() -> agent("value-key=tooShort4711"))
        .hasMessage("txwatch.value-key (agent argument): expected at least 16 characters");
    assertThatThrownBy(() -> agent("value-key=long-enough-4711,and-with-a-comma"))
        .hasMessageContaining("txwatch.value-key: expected a value without a comma")
        .message()
        .doesNotContain("4711", "and-with");
    assertThat(agent("value-key=long-enough-4711").toString())
        .contains("txwatch.value-key=***")
        .doesNotContain("4711");
  }

  @Test
  void overriddenSourcesAreCheckedToo() {
    assertThatThrownBy(
            () ->
                Settings.read(
                    List.of(
                        SettingSource.agentArguments("queue=5"),
                        SettingSource.systemProperties(properties("txwatch.queue", "x")))))
        .hasMessageContaining("system property");
  }

  @Test
  void otherVariablesAndPropertiesAreIgnored() {
    assertThat(
            SettingSource.environment(
                    Map.of(
                        "TXWATCH_PASSWORD", "secret", "TXWATCH_TEST_URLS", "jdbc:…", "HOME", "/"))
                .values())
        .isEmpty();
    assertThat(SettingSource.urlProperties(properties("user", "x", "ssl", "true")).values())
        .isEmpty();
  }

  @Property
  void anyKeyIsKnownOrAOneLineError(
      @ForAll @StringLength(max = 40) String key, @ForAll @StringLength(max = 200) String value) {
    Assume.that(!key.contains(",") && !key.contains("=") && !key.isBlank());
    Assume.that(Setting.find("txwatch." + key.strip()).isEmpty());
    Assume.that(Setting.find(key.strip()).isEmpty());
    assertThatThrownBy(() -> agent(key + "=" + value.replace(",", "")))
        .isInstanceOf(SettingException.class)
        .message()
        .doesNotContain("\n", "\r");
  }

  @Property
  void keyWithOneTypingErrorIsSuggested(@ForAll @AlphaChars char typed, @ForAll int place) {
    for (Setting setting : Setting.values()) {
      String name = setting.key().substring("txwatch.".length());
      int at = Math.floorMod(place, name.length() + 1);
      String wrong = name.substring(0, at) + typed + name.substring(at);
      Assume.that(Arrays.stream(Setting.values()).noneMatch(s -> s.key().endsWith("." + wrong)));
      assertThatThrownBy(() -> agent(wrong + "=x")).hasMessageContaining(setting.key());
    }
  }

  @Example
  void distanceCountsASwapOnce() {
    assertThat(ClosestMatch.distance("demo", "deom")).isEqualTo(1);
    assertThat(ClosestMatch.distance("check", "chekc")).isEqualTo(1);
    assertThat(ClosestMatch.distance("", "abc")).isEqualTo(3);
    assertThat(ClosestMatch.find("zzzzzzzz", List.of("demo", "check"))).isEmpty();
    assertThat(ClosestMatch.find("Predact", List.of("redact", "replay", "predict")))
        .contains("redact or predict");
  }

  private static Settings agent(String arguments) {
    return Settings.read(List.of(SettingSource.agentArguments(arguments)));
  }

  private static Properties properties(String... keysAndValues) {
    Properties properties = new Properties();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      properties.setProperty(keysAndValues[i], keysAndValues[i + 1]);
    }
    return properties;
  }

  @Test
  void argumentsOfAnAttachedAgentHaveTheDefaultsThatNothingElseSets() {
    assertThat(
            Settings.agentArguments(
                Map.of(Setting.PREPARE, "auto", Setting.LOG, "none"),
                Map.of("txwatch.log", "slf4j", "txwatch.packages", "a.b,c.d")))
        .isEqualTo("txwatch.log=slf4j,txwatch.packages=a.b,c.d,txwatch.prepare=auto");
  }
}
