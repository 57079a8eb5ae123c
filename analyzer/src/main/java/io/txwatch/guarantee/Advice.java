package io.txwatch.guarantee;

import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What would prevent an anomaly, in a sentence or two for the developer whose code it is: lock the
 * read, at its line; write in one statement; or the weakest level of this DBMS that prevents it.
 */
public final class Advice {

  private Advice() {}

  /** The advice on a finding. */
  public static String on(Finding finding, Verdict verdict, Database database) {
    Profile profile = Profile.of(database);
    if (verdict == Verdict.VIOLATION) {
      String source = profile.at(finding.level(), database).source();
      return database.displayName()
          + " should not show this at "
          + words(finding.level())
          + (source.isEmpty() ? "" : " (" + source + ")")
          + ": report it to the vendor.";
    }
    List<String> sentences = new ArrayList<>();
    String lock = lock(finding, profile);
    if (!lock.isEmpty()) {
      sentences.add(lock);
    }
    weakestLevel(finding, profile, database)
        .ifPresent(
            level ->
                sentences.add(
                    (sentences.isEmpty() ? "Run" : "Or run")
                        + " these transactions at "
                        + words(level)
                        + settings(profile, level)
                        + "."));
    return String.join(" ", sentences);
  }

  private static String lock(Finding finding, Profile profile) {
    String lock = profile == Profile.SQLITE ? "BEGIN IMMEDIATE" : "SELECT ... FOR UPDATE";
    return switch (finding.phenomenon()) {
      case LOST_UPDATE ->
          "Lock the read"
              + places(finding)
              + " ("
              + lock
              + "), or compute the new value in the UPDATE itself (SET x = x + ?).";
      case READ_WRITE_SKEW, WRITE_SKEW, G2_ITEM ->
          "Lock the rows that the decision rests on where they are read"
              + places(finding)
              + " ("
              + lock
              + ").";
      case G2, PHANTOM ->
          "No lock on the rows that were read keeps others from adding rows to them: let a constraint"
              + " forbid it (unique, exclusion), or lock a row that stands for all of them"
              + places(finding)
              + ".";
      default -> "";
    };
  }

  /** The places of the reads that missed a write. */
  private static String places(Finding finding) {
    List<String> places =
        finding.edges().stream()
            .filter(edge -> edge.kind() == DependencyKind.RW)
            .map(Advice::callSite)
            .flatMap(Optional::stream)
            .distinct()
            .sorted()
            .toList();
    return places.isEmpty() ? "" : " at " + String.join(" and ", places);
  }

  private static Optional<String> callSite(Edge edge) {
    return edge.from()
        .statement(edge.fromStatement())
        .filter(statement -> statement.kind() == StatementKind.SELECT)
        .map(Transaction.Statement::callSite)
        .filter(site -> !site.isEmpty());
  }

  private static Optional<IsolationLevel> weakestLevel(
      Finding finding, Profile profile, Database database) {
    for (IsolationLevel level : IsolationLevel.values()) {
      boolean named = level != IsolationLevel.SNAPSHOT || profile == Profile.H2;
      if (named
          && level.compareTo(finding.level()) > 0
          && profile.at(level, database).isBrokenBy(finding)) {
        return Optional.of(level);
      }
    }
    return Optional.empty();
  }

  private static String settings(Profile profile, IsolationLevel level) {
    return level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0 && !profile.retry().isEmpty()
        ? " and " + profile.retry()
        : "";
  }

  private static String words(IsolationLevel level) {
    return level.name().replace('_', ' ').toUpperCase(Locale.ROOT);
  }
}
