package io.txwatch.endtoend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A case: what sets it up, what the sessions submit in which order, what reads the final state.
 *
 * <p>The text is a line each: {@code # key: value} is a header, {@code I: sql} sets up, {@code T1:
 * sql} is submitted by session T1, {@code T1@a: sql} labels its result {@code a}, {@code F: sql}
 * reads the final state. {@code {ENGINE}}, {@code {AUTOINC}} and {@code {FU}} stand for the
 * dialect's own words.
 *
 * @param name the name of its file without the ending
 * @param headers the header lines in their order
 * @param setup the statements that set it up
 * @param steps the sessions' statements in the order of submission
 * @param finals the statements that read the final state
 */
record Scenario(
    String name,
    Map<String, String> headers,
    List<String> setup,
    List<Step> steps,
    List<String> finals) {

  private static final Pattern HEADER = Pattern.compile("#\\s*([\\w-]+)\\s*:\\s*(.*)");
  private static final Pattern LINE =
      Pattern.compile("(?<who>I|F|T\\d+)(@(?<label>\\w+))?:\\s*(?<sql>.*)");

  /** A statement that a session submits. */
  record Step(String session, Optional<String> label, String sql) {

    boolean begins() {
      return is("BEGIN") || is("START TRANSACTION");
    }

    boolean commits() {
      return is("COMMIT");
    }

    boolean rollsBack() {
      return is("ROLLBACK");
    }

    private boolean is(String words) {
      return sql.strip().equalsIgnoreCase(words);
    }
  }

  /**
   * Reads a case.
   *
   * @throws IllegalArgumentException if a line is none of the format's; the message names it
   */
  static Scenario parse(String name, String text) {
    Map<String, String> headers = new LinkedHashMap<>();
    List<String> setup = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    List<String> finals = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().map(String::strip).toList()) {
      number++;
      Matcher header = HEADER.matcher(line);
      Matcher statement = LINE.matcher(line);
      if (header.matches()) {
        headers.put(header.group(1), header.group(2));
      } else if (statement.matches()) {
        String sql = statement.group("sql");
        switch (statement.group("who")) {
          case "I" -> setup.add(sql);
          case "F" -> finals.add(sql);
          default ->
              steps.add(
                  new Step(
                      statement.group("who"), Optional.ofNullable(statement.group("label")), sql));
        }
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        throw new IllegalArgumentException(
            name + ", line " + number + ": neither header nor I:, T<n>: or F: but '" + line + "'");
      }
    }
    return new Scenario(name, headers, setup, steps, finals);
  }

  /** The names of its sessions, sorted. */
  List<String> sessions() {
    return List.copyOf(new TreeSet<>(steps.stream().map(Step::session).toList()));
  }

  /** The predicate that is true when the anomaly shows. */
  OutcomePredicate anomaly() {
    String predicate = headers.get("anomaly");
    if (predicate == null) {
      throw new IllegalArgumentException(name + " has no header '# anomaly:'");
    }
    return OutcomePredicate.parse(predicate);
  }

  /** The steps of the sessions one after another in the order given, each in its own order. */
  List<Step> serially(List<String> order) {
    return order.stream()
        .flatMap(session -> steps.stream().filter(step -> step.session().equals(session)))
        .toList();
  }

  /** The same case with other steps. */
  Scenario withSteps(List<Step> otherSteps) {
    return new Scenario(name, headers, setup, otherSteps, finals);
  }
}
