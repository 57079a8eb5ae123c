package io.txwatch.generator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The forms of a dialect that are lines of the resource {@code productions.txt}, each with the
 * probability with which it is made where its kind is possible.
 */
final class Productions {

  private static final String RESOURCE = "productions.txt";
  private static final String ALL_BUT = "all but";
  private static final Map<GeneratedDialect, Productions> BY_GRAMMAR = load();

  private final List<Production> productions;

  /**
   * A form.
   *
   * @param kind where it is possible
   * @param percent the probability
   * @param text its text with placeholders
   */
  record Production(String kind, int percent, String text) {

    /** Its name among the weights. */
    String id() {
      return kind + ": " + text;
    }
  }

  private Productions(List<Production> productions) {
    this.productions = List.copyOf(productions);
  }

  /** The productions of a dialect. */
  static Productions of(GeneratedDialect grammar) {
    return Objects.requireNonNull(BY_GRAMMAR.get(grammar));
  }

  private static Map<GeneratedDialect, Productions> load() {
    try (InputStream in = Productions.class.getResourceAsStream(RESOURCE)) {
      return parse(
          new String(Objects.requireNonNull(in, RESOURCE).readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Parses lines {@code kind | percent | dialects | text}. */
  static Map<GeneratedDialect, Productions> parse(String text) {
    Map<GeneratedDialect, List<Production>> lists = new EnumMap<>(GeneratedDialect.class);
    for (GeneratedDialect grammar : GeneratedDialect.values()) {
      lists.put(grammar, new ArrayList<>());
    }
    for (String line : text.lines().filter(l -> !l.isBlank() && !l.startsWith("#")).toList()) {
      String[] parts = line.split("\\s+\\|\\s+", 4);
      if (parts.length != 4) {
        throw new IllegalArgumentException(
            "expected 'kind | percent | dialects | text', found '" + line + "'");
      }
      Production production =
          new Production(parts[0], Integer.parseInt(parts[1]), parts[3].strip());
      grammars(parts[2])
          .forEach(grammar -> Objects.requireNonNull(lists.get(grammar)).add(production));
    }
    Map<GeneratedDialect, Productions> parsed = new EnumMap<>(GeneratedDialect.class);
    lists.forEach((grammar, list) -> parsed.put(grammar, new Productions(list)));
    return parsed;
  }

  private static Set<GeneratedDialect> grammars(String text) {
    if (text.equals("all")) {
      return EnumSet.allOf(GeneratedDialect.class);
    }
    boolean isExcluding = text.startsWith(ALL_BUT);
    Set<GeneratedDialect> named = EnumSet.noneOf(GeneratedDialect.class);
    for (String name : text.substring(isExcluding ? ALL_BUT.length() : 0).strip().split("\\s+")) {
      named.add(GeneratedDialect.valueOf(name.toUpperCase(Locale.ROOT)));
    }
    return isExcluding ? EnumSet.complementOf(EnumSet.copyOf(named)) : named;
  }

  /** All productions. */
  List<Production> all() {
    return productions;
  }

  /** The text of a production of the kind; empty if none is made. */
  Optional<String> draw(String kind, RandomSource random) {
    List<Production> ofKind =
        productions.stream().filter(production -> production.kind().equals(kind)).toList();
    return random.oneOrNone(ofKind).map(Production::text);
  }

  /** The texts of the productions of the kind that are made, each on its own. */
  List<String> drawEach(String kind, RandomSource random) {
    List<String> drawn = new ArrayList<>();
    for (Production production : productions) {
      if (production.kind().equals(kind) && random.percent(production.id(), production.percent())) {
        drawn.add(production.text());
      }
    }
    return drawn;
  }
}
