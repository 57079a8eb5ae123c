package io.txwatch.pattern;

import io.txwatch.history.IsolationLevel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads patterns, one a line: {@code id: operations | levels | note}. Empty lines and lines with a
 * {@code #} are skipped.
 */
public final class PatternFile {

  private static final String RESOURCE = "anomaly-patterns.txt";

  private static final Pattern LINE =
      Pattern.compile(
          "(?<id>[a-z0-9-]+):\\s*(?<operations>[^|]+?)\\s*\\|\\s*(?<levels>[^|]+?)"
              + "\\s*(\\|\\s*(?<note>.*))?");

  private PatternFile() {}

  /** The patterns of the resource. */
  public static List<AnomalyPattern> all() {
    return Loaded.PATTERNS;
  }

  /** Loads the resource once. */
  private static final class Loaded {
    private static final List<AnomalyPattern> PATTERNS = load();

    private Loaded() {}

    private static List<AnomalyPattern> load() {
      try (InputStream in = PatternFile.class.getResourceAsStream(RESOURCE)) {
        return parse(
            new String(
                Objects.requireNonNull(in, RESOURCE).readAllBytes(), StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Parses patterns.
   *
   * @throws IllegalArgumentException if a line is no pattern, or an id occurs twice
   */
  public static List<AnomalyPattern> parse(String text) {
    List<AnomalyPattern> patterns = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      try {
        AnomalyPattern pattern = parseLine(line.strip());
        if (!ids.add(pattern.id())) {
          throw new IllegalArgumentException("the id '" + pattern.id() + "' occurs twice");
        }
        patterns.add(pattern);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("line " + number + ": " + e.getMessage(), e);
      }
    }
    return List.copyOf(patterns);
  }

  private static AnomalyPattern parseLine(String line) {
    Matcher matcher = LINE.matcher(line);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("expected 'id: operations | levels | note'");
    }
    List<PatternOperation> operations = new ArrayList<>();
    for (String operation : matcher.group("operations").split("\\s+")) {
      operations.add(PatternOperation.parse(operation));
    }
    Set<IsolationLevel> levels = EnumSet.noneOf(IsolationLevel.class);
    for (String level : matcher.group("levels").split("\\s+")) {
      levels.add(
          IsolationLevel.parse(level)
              .orElseThrow(() -> new IllegalArgumentException("no level '" + level + "'")));
    }
    AnomalyPattern pattern =
        new AnomalyPattern(
            matcher.group("id"),
            operations,
            levels,
            Objects.requireNonNullElse(matcher.group("note"), ""));
    requireOrderedVersions(pattern);
    return pattern;
  }

  /** Each write makes the next version; each read sees a version that exists. */
  private static void requireOrderedVersions(AnomalyPattern pattern) {
    Map<String, Integer> newest = new HashMap<>();
    for (PatternOperation operation : pattern.operations()) {
      int before = newest.getOrDefault(operation.item(), 0);
      int expected = operation.type().makesVersion() ? before + 1 : before;
      boolean fits =
          operation.type().makesVersion()
              ? operation.version() == expected
              : operation.version() <= expected;
      if (!fits) {
        throw new IllegalArgumentException(
            operation + ": the newest version of " + operation.item() + " is " + before);
      }
      newest.put(operation.item(), expected);
    }
  }
}
