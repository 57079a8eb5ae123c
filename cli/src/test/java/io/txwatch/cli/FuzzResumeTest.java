package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Campaigns that continue earlier ones. */
class FuzzResumeTest {

  private static final String H2 = "jdbc:h2:mem:";

  @TempDir private Path out = Path.of("");

  @Test
  void aCampaignContinuesWhereItStopped() throws Exception {
    Invocation first = fuzz("--seed", "7", "--cases", "40");
    assertThat(first.code()).as(first.err()).isEqualTo(ExitCode.CLEAN);
    long stopped = next();
    // Each of two workers may be in the middle of the cases that it has taken.
    assertThat(stopped).isBetween(1L, 39L);

    Invocation second = fuzz("--resume", "--cases", "40");

    assertThat(second.code()).as(second.err()).isEqualTo(ExitCode.CLEAN);
    assertThat(second.out()).contains("seed 7, from case " + stopped).contains(": 40 cases");
    assertThat(next()).isGreaterThan(stopped);
  }

  @Test
  void anotherPlanIsRefused() throws Exception {
    fuzz("--seed", "7", "--cases", "4");

    Invocation other = fuzz("--resume", "--cases", "4", "--isolation", "RR");

    assertThat(other.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(other.err())
        .contains("--resume: the campaign in " + out + " was H2")
        .contains("READ_COMMITTED, writecheck, 4 statements; this is H2")
        .contains("READ_COMMITTED REPEATABLE_READ, writecheck, 4 statements");
  }

  @Test
  void aCampaignWithLearntWeightsLearnsAgain() throws Exception {
    Invocation first = fuzz("--seed", "7", "--cases", "40", "--weights", "learnt");
    assertThat(first.code()).as(first.err()).isEqualTo(ExitCode.CLEAN);
    assertThat(first.out()).contains("seed 7, learnt weights").contains("coverage: ");

    Invocation second = fuzz("--resume", "--cases", "4", "--weights", "learnt");
    assertThat(second.code()).as(second.err()).isEqualTo(ExitCode.CLEAN);
    assertThat(second.out()).contains(", learnt weights (learning starts again)");

    Invocation other = fuzz("--resume", "--cases", "4");
    assertThat(other.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(other.err()).contains("4 statements, learnt weights; this is H2");
  }

  @Test
  void withoutACampaignNothingIsContinued() throws Exception {
    Invocation none = fuzz("--resume", "--cases", "4");
    assertThat(none.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(none.err()).contains("there is no " + out.resolve("campaign.properties"));

    Map<String, String> damages =
        Map.of(
            "next=1\nseed=x",
            "seed=x is not a number",
            "seed=3\nplan=p",
            "there is no next=",
            "seed=3\nnext=1",
            "there is no plan=",
            "seed=3\nnext=-5",
            "next=-5 is no number of a case",
            "seed=3\nnext=" + Long.MAX_VALUE,
            "is no number of a case");
    for (Map.Entry<String, String> damage : damages.entrySet()) {
      Files.writeString(out.resolve("campaign.properties"), damage.getKey());
      Invocation damaged = fuzz("--resume", "--cases", "4");
      assertThat(damaged.code()).as(damage.getKey()).isEqualTo(ExitCode.BAD_INPUT);
      assertThat(damaged.err())
          .contains("campaign.properties is damaged: ", damage.getValue())
          .hasLineCount(1);
    }

    Invocation seeded = fuzz("--resume", "--seed", "3");
    assertThat(seeded.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(seeded.err()).contains("--resume needs --out with the folder of the campaign");
  }

  private long next() throws Exception {
    Properties state = new Properties();
    try (var reader = Files.newBufferedReader(out.resolve("campaign.properties"))) {
      state.load(reader);
    }
    return Long.parseLong(state.getProperty("next"));
  }

  private Invocation fuzz(String... more) throws Exception {
    String[] common = {
      "fuzz",
      "--url",
      H2,
      "--oracle",
      "writecheck",
      "--out",
      out.toString(),
      "--isolation",
      "RC",
      "--fail-on",
      "never"
    };
    String[] all = new String[common.length + more.length];
    System.arraycopy(common, 0, all, 0, common.length);
    System.arraycopy(more, 0, all, common.length, more.length);
    return Invocation.of(all);
  }
}
