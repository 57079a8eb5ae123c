package io.txwatch.comparison;

import io.txwatch.baseline.Fingerprint;
import io.txwatch.comparison.RunComparison.Pair;
import io.txwatch.document.Markdown;
import io.txwatch.report.Counted;
import io.txwatch.report.TerminalText;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** A comparison as lines for a terminal, and as Markdown for a pull request. */
public final class ComparisonText {

  private final RunComparison comparison;

  private ComparisonText(RunComparison comparison) {
    this.comparison = comparison;
  }

  /** Lines for a terminal, with line ends. */
  public static String of(RunComparison comparison) {
    ComparisonText text = new ComparisonText(comparison);
    StringBuilder out = new StringBuilder();
    text.sections((title, lines) -> lines.forEach(line -> out.append(title + ": " + line + "\n")));
    return out + text.traffic() + "\n" + text.conclusion() + "\n";
  }

  /** Markdown with a heading and a list for each section. */
  public static String markdown(RunComparison comparison) {
    ComparisonText text = new ComparisonText(comparison);
    StringBuilder out = new StringBuilder("## Isolation: " + text.conclusion() + "\n\n");
    text.sections(
        (title, lines) -> {
          out.append("### " + title + "\n\n");
          lines.forEach(line -> out.append("- " + escaped(line) + "\n"));
          out.append('\n');
        });
    return out + escaped(text.traffic()) + "\n";
  }

  /** Where each section goes. */
  private interface Sections {
    void add(String title, List<String> lines);
  }

  private void sections(Sections to) {
    add(to, "new", comparison.added(), kind -> line(kind) + times(comparison.after(), kind.id()));
    add(
        to,
        "more often",
        comparison.more(),
        pair ->
            line(pair.after())
                + times(comparison.after(), pair.after().id())
                + ", before"
                + times(comparison.before(), pair.before().id()));
    add(to, "renamed", comparison.renamed(), ComparisonText::renamed);
    add(
        to,
        "gone",
        comparison.gone(),
        kind ->
            line(kind)
                + times(comparison.before(), kind.id())
                + (comparison.mayBeChance(kind) ? ", perhaps by chance" : ""));
  }

  private static <T> void add(Sections to, String title, List<T> items, Function<T, String> line) {
    if (!items.isEmpty()) {
      to.add(title, items.stream().map(line).toList());
    }
  }

  private static String line(RunKind kind) {
    return TerminalText.escape(kind.title()) + "  id " + kind.id();
  }

  private static String renamed(Pair pair) {
    return line(pair.after()) + ", before " + line(pair.before());
  }

  private static String times(ObservedRun run, Fingerprint id) {
    String count = " " + Counted.of(run.count(id), "time");
    return run.perThousand(id).isEmpty()
        ? count
        : String.format(
            Locale.ROOT,
            "%s (%.3g of 1000 transactions)",
            count,
            run.perThousand(id).getAsDouble());
  }

  private String traffic() {
    return "observed: " + traffic(comparison.before()) + "; " + traffic(comparison.after());
  }

  private static String traffic(ObservedRun run) {
    String name = TerminalText.escape(run.name());
    Optional<Traffic> traffic = run.traffic();
    return traffic.isEmpty()
        ? name + " does not state it"
        : String.format(
            Locale.ROOT,
            "%s %s, %.0f %% of the statements",
            name,
            Counted.of(traffic.get().transactions(), "transaction"),
            traffic.get().observedPercent());
  }

  /** The result in one sentence. */
  private String conclusion() {
    return switch (comparison.result()) {
      case NEW ->
          Counted.of(comparison.added().size(), "new kind")
              + " of anomaly"
              + comparison.reason().map(why -> " (" + TerminalText.escape(why) + ")").orElse("");
      case SAME -> "nothing new";
      case INCONCLUSIVE ->
          "inconclusive: " + TerminalText.escape(comparison.reason().orElseThrow());
    };
  }

  /** Text that Markdown shows as it is. */
  private static String escaped(String text) {
    return Markdown.line(text);
  }
}
