package io.txwatch.cli;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.baseline.Baseline;
import io.txwatch.coverage.Coverage;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.HistoryParts;
import io.txwatch.history.HistoryReader;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.stale.Across;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * What recorded histories contain, taken together.
 *
 * @param groups the kinds of anomalies
 * @param coverage what was observed
 */
record AnalyzedHistories(AnomalyGroups groups, Coverage coverage) {

  /**
   * How histories are analyzed.
   *
   * @param judge the standard for a level
   * @param granularity what counts as an item
   * @param across which stale writes are reported
   */
  record Options(Judge judge, Granularity granularity, Across across) {

    /** As commands do without options. */
    static final Options DEFAULT = new Options(Judge.DBMS, Granularity.DEFAULT, Across.OFF);
  }

  /**
   * Analyzes histories, one after the other.
   *
   * @param baseline the kinds that are accepted
   */
  static AnalyzedHistories read(
      List<Path> files, Options options, Baseline baseline, Console console) throws IOException {
    for (Path file : files) {
      if (HistoryParts.of(file).isEmpty()) {
        throw new NoSuchFileException(file.toString());
      }
    }
    AnomalyGroups groups = new AnomalyGroups(baseline);
    Coverage coverage = Coverage.NONE;
    for (Path file : files) {
      coverage = coverage.plus(analyze(file, options, groups, console));
    }
    return new AnalyzedHistories(groups, coverage);
  }

  private static Coverage analyze(Path file, Options options, AnomalyGroups groups, Console console)
      throws IOException {
    try (HistoryReader reader = HistoryReader.open(file);
        Progress progress =
            Progress.ofBytes(console, file.toString(), reader.totalBytes(), reader::bytesRead);
        Analyzer analyzer = new Analyzer(options.judge, groups::add, options.granularity)) {
      analyzer.across(options.across);
      reader.forEach(
          event -> {
            if (reader.isShared()) {
              analyzer.shared();
            }
            analyzer.accept(event);
          });
      analyzer.suspectAll();
      analyzer.close();
      return analyzer.coverage();
    }
  }
}
