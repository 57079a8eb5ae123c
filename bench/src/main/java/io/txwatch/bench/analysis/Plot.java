package io.txwatch.bench.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A line plot with axes that start at 0, as SVG. */
final class Plot {

  private static final int WIDTH = 720;
  private static final int HEIGHT = 300;
  private static final int MARGIN = 50;
  private static final int TICKS = 5;

  private record Line(String name, String color, List<double[]> points) {}

  private final String xUnit;
  private final String yUnit;
  private final List<Line> lines = new ArrayList<>();

  /** Creates an empty plot with the units of its axes. */
  Plot(String xUnit, String yUnit) {
    this.xUnit = xUnit;
    this.yUnit = yUnit;
  }

  /** Adds a line through points (x, y). */
  void line(String name, String color, List<double[]> points) {
    lines.add(new Line(name, color, points));
  }

  /** The picture. */
  String svg() {
    double maxX = round(max(0));
    double maxY = round(max(1));
    StringBuilder svg = new StringBuilder();
    add(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
            + " font-family=\"sans-serif\" font-size=\"12\">%n"
            + "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>%n",
        WIDTH,
        HEIGHT);
    addAxes(svg, maxX, maxY);
    addLines(svg, maxX, maxY);
    return svg.append("</svg>\n").toString();
  }

  private void addAxes(StringBuilder svg, double maxX, double maxY) {
    for (int i = 0; i <= TICKS; i++) {
      double x = maxX * i / TICKS;
      double y = maxY * i / TICKS;
      add(
          svg,
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%3$.1f\" stroke=\"#ddd\"/>%n"
              + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>%n"
              + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>%n",
          MARGIN,
          WIDTH - 20,
          y(y, maxY),
          MARGIN - 6,
          y(y, maxY) + 4,
          y,
          x(x, maxX),
          HEIGHT - MARGIN + 18,
          x);
    }
    add(
        svg,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text><text x=\"8\" y=\"14\">%s</text>%n",
        WIDTH - 20,
        HEIGHT - 12,
        xUnit,
        yUnit);
  }

  private void addLines(StringBuilder svg, double maxX, double maxY) {
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      String points =
          line.points().stream()
              .map(p -> String.format(Locale.ROOT, "%.1f,%.1f", x(p[0], maxX), y(p[1], maxY)))
              .collect(Collectors.joining(" "));
      add(
          svg,
          "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"%s\"/>%n"
              + "<text x=\"%d\" y=\"%d\" fill=\"%1$s\">%s</text>%n",
          line.color(),
          points,
          MARGIN + 40 + 240 * i,
          HEIGHT - 12,
          line.name());
    }
  }

  private static void add(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values));
  }

  private double max(int coordinate) {
    return lines.stream()
        .flatMap(line -> line.points().stream())
        .mapToDouble(point -> point[coordinate])
        .max()
        .orElse(1);
  }

  /** The next number of the form 1, 2 or 5 times a power of ten. */
  private static double round(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-9))));
    for (double factor : new double[] {1, 2, 5}) {
      if (value <= factor * power) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  private static double x(double value, double most) {
    return MARGIN + value / most * (WIDTH - 20 - MARGIN);
  }

  private static double y(double value, double most) {
    return HEIGHT - MARGIN - value / most * (HEIGHT - MARGIN - 20);
  }
}
