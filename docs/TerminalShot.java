import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes an SVG picture of a terminal from text on standard input.
 *
 * <pre>
 *   ./txwatch demo 2&gt;&amp;1 | java docs/TerminalShot.java './txwatch demo' 1-40 &gt; docs/demo.svg
 * </pre>
 *
 * The first argument is the command that the picture shows, the second the lines to show, all if
 * left out. Nothing is added to the text but colour.
 */
class TerminalShot {

  private static final double CELL = 8.4;
  private static final int LINE = 19;
  private static final int MARGIN = 18;
  private static final int BAR = 30;

  /** What is coloured; the first group that matches gives the class. */
  private static final Pattern COLOURED =
      Pattern.compile(
          "(?<bad>^[A-Z][A-Z0-9_]+(?= [ (])|\\bHAZARD\\b|\\bVIOLATION\\b|\\bBROKEN\\b)"
              + "|(?<site>\\b\\w+\\.java:\\d+)"
              + "|(?<good>\\bin order\\b|\\bclean\\b)"
              + "|(?<dim>-{8,})"
              + "|(?<head>\\bT\\d+\\b|^ +(?:why|prevent)(?= ))");

  public static void main(String[] args) throws Exception {
    List<String> lines =
        new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .map(String::stripTrailing)
            .toList();
    if (args.length > 1) {
      String[] range = args[1].split("-");
      lines =
          lines.subList(
              Integer.parseInt(range[0]) - 1,
              Math.min(lines.size(), Integer.parseInt(range[1])));
    }
    int columns = lines.stream().mapToInt(String::length).max().orElse(0);
    int width = (int) (columns * CELL) + 2 * MARGIN;
    int height = BAR + (lines.size() + 2) * LINE + MARGIN;
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
        <style>
          text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
                 fill: #d7dae0; white-space: pre }
          .bad { fill: #ff7b72; font-weight: bold } .site { fill: #79c0ff } .good { fill: #7ee787 }
          .dim { fill: #57606a } .head { fill: #e3b341 }
        </style>
        <rect width="100%%" height="100%%" rx="8" fill="#16191f"/>
        <g><circle cx="20" cy="16" r="5.5" fill="#ff5f57"/><circle cx="38" cy="16" r="5.5" fill="#febc2e"/>
        <circle cx="56" cy="16" r="5.5" fill="#28c840"/></g>
        """
            .formatted(width, height, width, height));
    int y = BAR + LINE;
    if (args.length > 0) {
      text(svg, y, "<tspan class=\"good\">$</tspan> " + escape(args[0]));
      y += LINE;
    }
    for (String line : lines) {
      text(svg, y, coloured(line));
      y += LINE;
    }
    System.out.write(svg.append("</svg>\n").toString().getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }

  private static void text(StringBuilder svg, int y, String content) {
    svg.append("<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n".formatted(MARGIN, y, content));
  }

  private static String coloured(String line) {
    StringBuilder out = new StringBuilder();
    Matcher matcher = COLOURED.matcher(line);
    int end = 0;
    while (matcher.find()) {
      String group = "head";
      for (String name : List.of("bad", "site", "good", "dim")) {
        group = matcher.group(name) == null ? group : name;
      }
      out.append(escape(line.substring(end, matcher.start())))
          .append("<tspan class=\"%s\">%s</tspan>".formatted(group, escape(matcher.group())));
      end = matcher.end();
    }
    return out.append(escape(line.substring(end))).toString();
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
