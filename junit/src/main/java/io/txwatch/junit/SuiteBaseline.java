package io.txwatch.junit;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.baseline.BaselineFile;
import io.txwatch.baseline.BaselineMatch;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The kinds of anomalies that the tests of a suite may have: those of the file that {@code
 * txwatch.baseline} names. Which operation was renamed follows from what all tests so far have
 * found. Thread-safe.
 */
final class SuiteBaseline {

  private final Baseline baseline;
  private final Set<Fingerprint> found = new LinkedHashSet<>();

  SuiteBaseline(Baseline baseline) {
    this.baseline = baseline;
  }

  /**
   * The baseline that the settings of this JVM name.
   *
   * @throws UncheckedIOException if it cannot be read: its tests fail, rather than run without it
   */
  static SuiteBaseline ofSettings() {
    try {
      return new SuiteBaseline(
          BaselineFile.inUse(Settings.ofAgentArguments("").get(Setting.BASELINE))
              .map(BaselineFile::baseline)
              .orElse(Baseline.NONE));
    } catch (IOException e) {
      throw new UncheckedIOException("txwatch: " + e.getMessage(), e);
    }
  }

  /** Those of the anomalies of a test that are not accepted. */
  synchronized List<Anomaly> notAccepted(List<Anomaly> ofTest) {
    if (baseline.entries().isEmpty()) {
      return ofTest;
    }
    ofTest.forEach(anomaly -> found.add(Fingerprint.of(anomaly)));
    BaselineMatch match = baseline.match(found);
    return ofTest.stream()
        .filter(anomaly -> match.accepting(Fingerprint.of(anomaly)).isEmpty())
        .toList();
  }
}
