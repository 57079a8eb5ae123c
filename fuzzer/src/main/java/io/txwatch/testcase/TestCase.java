package io.txwatch.testcase;

import io.txwatch.history.IsolationLevel;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A test case.
 *
 * @param name the name of its file, without the extension
 * @param headers the header lines, in their order
 * @param setup the statements that set up the database
 * @param steps the sessions' statements, in the order of submission
 * @param finals the statements that read the final state
 */
public record TestCase(
    String name,
    Map<String, String> headers,
    List<String> setup,
    List<Step> steps,
    List<String> finals) {

  /** Begins the header that gives one session a level of its own. */
  public static final String LEVEL_HEADER = "isolation-";

  /** Copies its arguments. */
  public TestCase {
    headers = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    setup = List.copyOf(setup);
    steps = List.copyOf(steps);
    finals = List.copyOf(finals);
  }

  public Optional<String> header(String key) {
    return Optional.ofNullable(headers.get(key));
  }

  /**
   * The settings that its sessions have, besides those of the server, from the header {@link
   * StatementText#SETTINGS_HEADER}: {@code innodb_snapshot_isolation=ON}.
   */
  public Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    for (String setting : header(StatementText.SETTINGS_HEADER).orElse("").split(",")) {
      String[] parts = setting.strip().split("\\s*=\\s*", 2);
      if (parts.length == 2) {
        settings.put(parts[0], parts[1]);
      }
    }
    return settings;
  }

  /**
   * The level of a session's transactions: of the header {@code isolation-T2}, if there is one.
   *
   * @param common the level of sessions without such a header
   */
  public IsolationLevel levelOf(String session, IsolationLevel common) {
    return header(LEVEL_HEADER + session).flatMap(IsolationLevel::parse).orElse(common);
  }

  /**
   * True if sessions have other levels than the common one.
   *
   * @param common the level of sessions without a header for it
   */
  public boolean mixesLevels(IsolationLevel common) {
    return sessions().stream().anyMatch(session -> levelOf(session, common) != common);
  }

  /**
   * The level of all sessions, if it is one; empty if they mix levels.
   *
   * @param common the level of sessions without a header for it
   */
  public Optional<IsolationLevel> onlyLevel(IsolationLevel common) {
    Set<IsolationLevel> levels = new HashSet<>();
    sessions().forEach(session -> levels.add(levelOf(session, common)));
    return levels.size() == 1 ? levels.stream().findFirst() : Optional.empty();
  }

  /** The same case whose sessions have no levels of their own. */
  public TestCase withoutLevels() {
    TestCase rest = this;
    for (String key : headers.keySet()) {
      if (key.startsWith(LEVEL_HEADER)) {
        rest = rest.withoutHeader(key);
      }
    }
    return rest;
  }

  /** The names of its sessions, sorted. */
  public List<String> sessions() {
    return List.copyOf(new TreeSet<>(steps.stream().map(Step::session).toList()));
  }

  /** The same case with other steps. */
  public TestCase withSteps(Collection<Step> other) {
    return new TestCase(name, headers, setup, List.copyOf(other), finals);
  }

  /** The same case with another set-up. */
  public TestCase withSetup(Collection<String> other) {
    return new TestCase(name, headers, List.copyOf(other), steps, finals);
  }

  /** The same case without a header. */
  public TestCase withoutHeader(String key) {
    Map<String, String> fewer = new LinkedHashMap<>(headers);
    fewer.remove(key);
    return new TestCase(name, fewer, setup, steps, finals);
  }

  /** The same case with an additional header at the end. */
  public TestCase withHeader(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(key, value);
    return new TestCase(name, more, setup, steps, finals);
  }

  /** Whether a session begins a transaction before it has ended the previous one. */
  public boolean beginsWithinTransaction() {
    Set<String> open = new HashSet<>();
    for (Step step : steps) {
      switch (step.role()) {
        case BEGIN -> {
          if (!open.add(step.session())) {
            return true;
          }
        }
        case COMMIT, ROLLBACK -> open.remove(step.session());
        case WORK -> {}
      }
    }
    return false;
  }
}
