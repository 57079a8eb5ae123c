package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class CommandHelpTest {

  private static final int MAX_DESCRIPTION_LENGTH = 75;

  static Stream<CommandLine> commands() {
    return new CommandLine(new TxWatchCommand()).getSubcommands().values().stream();
  }

  /** The list of commands shows the first line of a description alone. */
  @ParameterizedTest
  @MethodSource("commands")
  void firstLineOfTheDescriptionIsOneSentence(CommandLine command) {
    String first = command.getCommandSpec().usageMessage().description()[0];

    assertThat(first).hasSizeLessThanOrEqualTo(MAX_DESCRIPTION_LENGTH).endsWith(".");
    assertThat(first.indexOf('.')).isEqualTo(first.length() - 1);
    assertThat(Invocation.of("--help").out()).contains(first);
  }
}
