package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import morfologik.speller.Speller;
import morfologik.stemming.Dictionary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * The words of the documents and of the commands' help are in LanguageTool's British dictionary or
 * in {@code docs/words.txt}. None of them, and of the words of the code's comments, is in {@code
 * docs/words-avoided.txt}.
 */
class SpellingTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String DICTIONARY = "/org/languagetool/resource/en/hunspell/en_GB";

  /** Code, targets of links, addresses and HTML are not prose. */
  private static final Pattern NO_PROSE =
      Pattern.compile(
          "(?ms)^```.*?^```|^(?: {4}|\\t).*?$|`[^`]*`|\\]\\([^)]*\\)|\\S*://\\S*|<[^>\\n]*>");

  /** The comments of Java, in the second group; texts and characters may contain their marks. */
  private static final Pattern COMMENT =
      Pattern.compile(
          "(?s)(\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+')"
              + "|(/\\*.*?\\*/|//[^\\n]*)");

  /** Code and links in a comment. */
  private static final Pattern NO_COMMENT =
      Pattern.compile(
          "(?s)<pre>.*?</pre>|\\{@code[^}]*}|\\{@link(?:plain)?\\s+[^\\s}]+|\\S*://\\S*");

  private static final Pattern WORD =
      Pattern.compile("(?<![\\p{L}\\p{N}_.-])\\p{L}[\\p{L}'’]*+(?![\\p{N}_])");

  private static Stream<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      List<Path> all =
          docs.filter(path -> path.toString().endsWith(".md"))
              .sorted()
              .collect(Collectors.toCollection(ArrayList::new));
      for (String name : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
        all.add(ROOT.resolve(name));
      }
      return all.stream().map(ROOT::relativize);
    }
  }

  private static Stream<CommandLine> commands() {
    CommandLine main = new CommandLine(new TxWatchCommand());
    return Stream.concat(Stream.of(main), main.getSubcommands().values().stream());
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyWordOfADocumentIsKnown(Path document) throws IOException {
    assertThat(unknown(prose(document))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyWordOfACommandsHelpIsKnown(CommandLine command) throws IOException {
    assertThat(unknown(description(command))).isEmpty();
  }

  @Test
  void documentsAndHelpContainNoAvoidedWord() throws IOException {
    Pattern avoided = avoided();
    List<String> found = new ArrayList<>();
    for (Path document : documents().toList()) {
      found.addAll(matches(avoided, document.toString(), prose(document)));
    }
    commands()
        .forEach(
            command ->
                found.addAll(matches(avoided, command.getCommandName(), description(command))));
    assertThat(found).isEmpty();
  }

  @Test
  void commentsContainNoAvoidedWord() throws IOException {
    Pattern avoided = avoided();
    List<String> found = new ArrayList<>();
    for (Path source : sources()) {
      found.addAll(matches(avoided, source.toString(), comments(Files.readString(source))));
    }
    assertThat(found).isEmpty();
  }

  @Test
  void avoidedWordOfACommentIsFound() throws IOException {
    String source =
        "String a = \"/* told */\"; // anew\n/** Asked. {@code nobody} */ char c = '\"';";
    assertThat(matches(avoided(), "X", comments(source))).containsExactly("X: anew", "X: Asked");
  }

  @Test
  void misspelledWordIsFound() throws IOException {
    assertThat(unknown("The transacton is a transaction.")).containsExactly("transacton");
  }

  private static Pattern avoided() throws IOException {
    return Pattern.compile(
        lines("docs/words-avoided.txt").stream()
            .map(words -> Pattern.quote(words).replace(" ", "\\E\\s+\\Q"))
            .collect(Collectors.joining("|", "(?i)(?<!\\p{L})(?:", ")(?!\\p{L})")));
  }

  private static List<String> matches(Pattern words, String place, String prose) {
    return words.matcher(prose).results().map(match -> place + ": " + match.group()).toList();
  }

  /** The sources of all modules, without those of tests. */
  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path main : modules.map(module -> module.resolve("src/main/java")).toList()) {
        if (Files.isDirectory(main)) {
          try (Stream<Path> files = Files.walk(main)) {
            files.filter(path -> path.toString().endsWith(".java")).sorted().forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }

  /** The prose of the comments of Java code. */
  private static String comments(String source) {
    return COMMENT
        .matcher(source)
        .results()
        .map(match -> match.group(2))
        .filter(Objects::nonNull)
        .map(comment -> comment.replaceAll("\\n\\s*\\*", "\n"))
        .map(comment -> NO_COMMENT.matcher(comment).replaceAll(" "))
        .collect(Collectors.joining("\n"));
  }

  private static String prose(Path document) throws IOException {
    return NO_PROSE.matcher(Files.readString(ROOT.resolve(document))).replaceAll(" ");
  }

  /** The prose of the help: the descriptions of the command, its options and parameters. */
  private static String description(CommandLine command) {
    CommandLine.Model.CommandSpec spec = command.getCommandSpec();
    return Stream.concat(
            Arrays.stream(spec.usageMessage().description()),
            spec.args().stream().flatMap(argument -> Arrays.stream(argument.description())))
        .collect(Collectors.joining("\n"));
  }

  private static Set<String> unknown(String prose) throws IOException {
    Speller speller = speller();
    Set<String> own = new TreeSet<>(lines("docs/words.txt"));
    Set<String> unknown = new TreeSet<>();
    for (Matcher word = WORD.matcher(prose); word.find(); ) {
      String text = word.group().replace('’', '\'').replaceAll("'s?$", "");
      boolean isName = text.chars().skip(1).anyMatch(Character::isUpperCase);
      if (!isName
          && speller.isMisspelled(text)
          && !own.contains(text)
          && !own.contains(text.toLowerCase(Locale.ROOT))) {
        unknown.add(text);
      }
    }
    return unknown;
  }

  private static Speller speller() throws IOException {
    try (InputStream words = resource(".dict");
        InputStream metadata = resource(".info")) {
      return new Speller(Dictionary.read(words, metadata));
    }
  }

  private static InputStream resource(String extension) {
    return Objects.requireNonNull(SpellingTest.class.getResourceAsStream(DICTIONARY + extension));
  }

  /** The lines of a list of words, without comments. */
  private static List<String> lines(String file) throws IOException {
    return Files.readAllLines(ROOT.resolve(file)).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .toList();
  }
}
