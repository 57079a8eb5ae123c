package io.txwatch.generator;

import io.txwatch.dbms.SqlFeature;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The forms of a dialect that are lines of the resource {@code productions.txt}, each with the
 * probability with which it is made where its kind is possible.
 */
final class Productions {

  private static final String RESOURCE = "productions.txt";
  private static final String ALL_BUT = "all but";
  private static final String TEXT = load();
  private static final Map<String, Productions> BY_DIALECT = new ConcurrentHashMap<>();

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

  /** The productions of a dialect, without those that the server lacks. */
  static Productions of(GeneratedDialect grammar) {
    return BY_DIALECT.computeIfAbsent(
        grammar.name() + grammar.missing(),
        key -> parse(TEXT, grammar.name()).without(grammar.missing()));
  }

  private Productions without(Set<SqlFeature> missing) {
    return new Productions(
        productions.stream()
            .filter(
                production ->
                    missing.stream().noneMatch(feature -> feature.isUsedBy(production.text())))
            .toList());
  }

  private static String load() {
    try (InputStream in = Productions.class.getResourceAsStream(RESOURCE)) {
      return new String(
          Objects.requireNonNull(in, RESOURCE).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Parses lines {@code kind | percent | dialects | text}, and keeps those of a dialect. */
  static Productions parse(String text, String dialect) {
    List<Production> ofDialect = new ArrayList<>();
    for (String line : text.lines().filter(l -> !l.isBlank() && !l.startsWith("#")).toList()) {
      String[] parts = line.split("\\s+\\|\\s+", 4);
      if (parts.length != 4) {
        throw new IllegalArgumentException(
            "expected 'kind | percent | dialects | text', found '" + line + "'");
      }
      if (names(parts[2], dialect)) {
        ofDialect.add(new Production(parts[0], Integer.parseInt(parts[1]), parts[3].strip()));
      }
    }
    return new Productions(ofDialect);
  }

  private static boolean names(String dialects, String dialect) {
    if (dialects.equals("all")) {
      return true;
    }
    boolean isExcluding = dialects.startsWith(ALL_BUT);
    String list = dialects.substring(isExcluding ? ALL_BUT.length() : 0).strip();
    return List.of(list.split("\\s+")).contains(dialect) != isExcluding;
  }

  /** All productions. */
  List<Production> all() {
    return productions;
  }

  /** True if the dialect has productions of the kind; other dialects draw no number for it. */
  boolean has(String kind) {
    return productions.stream().anyMatch(production -> production.kind().equals(kind));
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
