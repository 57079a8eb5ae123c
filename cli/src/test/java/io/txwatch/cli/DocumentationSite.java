package io.txwatch.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * The documents of the repository as pages that open from the file system: Markdown becomes HTML,
 * links between documents are kept, and pictures are copied. {@code docs/site} writes them.
 */
final class DocumentationSite {

  private static final List<Extension> EXTENSIONS =
      List.of(TablesExtension.create(), HeadingAnchorExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
  private static final HtmlRenderer RENDERER =
      HtmlRenderer.builder().extensions(EXTENSIONS).build();
  private static final Set<String> PICTURES = Set.of("svg", "png");

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --text: #1a1d21; --muted: #555d68; --border: #c9ced6; --link: #0b57a4;
        --code: #f5f6f8; --background: #fff; }
      @media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --muted: #a9b2be; --border: #434b56;
        --link: #7db8f5; --code: #1d2126; --background: #14171b; } }
      body { margin: 0; background: var(--background); color: var(--text);
        font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
      nav, main { max-width: 56rem; margin: 0 auto; padding: 1rem; }
      nav { border-bottom: 1px solid var(--border); display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
      a { color: var(--link); } img { max-width: 100%; height: auto; }
      :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
      pre, code { font-family: ui-monospace, "SF Mono", Consolas, "Liberation Mono", monospace; font-size: .9em; }
      pre { background: var(--code); padding: .75rem 1rem; overflow-x: auto; border-radius: 6px; }
      .wide { overflow-x: auto; } table { border-collapse: collapse; }
      th, td { text-align: left; vertical-align: top; border-bottom: 1px solid var(--border); padding: .3rem 1rem .3rem 0; }
      """;

  private final Path root;

  /**
   * A site.
   *
   * @param root the repository
   */
  DocumentationSite(Path root) {
    this.root = root;
  }

  /** The documents, relative to the root, sorted. */
  List<Path> documents() throws IOException {
    Set<Path> documents = new TreeSet<>();
    for (String name : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
      documents.add(Path.of(name));
    }
    try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md"))
          .map(root::relativize)
          .forEach(documents::add);
    }
    return List.copyOf(documents);
  }

  /** Writes the site into a directory; {@code index.html} is the README. */
  void write(Path target) throws IOException {
    for (Path document : documents()) {
      Path page = target.resolve(page(document.toString()));
      Files.createDirectories(page.getParent());
      Files.writeString(page, html(document));
    }
    try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
      for (Path picture : docs.filter(DocumentationSite::isPicture).toList()) {
        Path copy = target.resolve(root.relativize(picture).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(picture, copy, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static boolean isPicture(Path file) {
    String name = file.toString();
    return PICTURES.contains(name.substring(name.lastIndexOf('.') + 1));
  }

  /** The page of a document: the README of a folder is its index. */
  private static String page(String link) {
    return link.replaceAll("(^|/)README\\.md(?=#|$)", "$1index.html")
        .replaceAll("\\.md(?=#|$)", ".html");
  }

  private String html(Path document) throws IOException {
    Node node = PARSER.parse(Files.readString(root.resolve(document)));
    String title = title(node);
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Link link) {
            if (!link.getDestination().contains("://")) {
              link.setDestination(pageOrSource(document, link.getDestination()));
            }
            visitChildren(link);
          }
        });
    String up = "../".repeat(document.getNameCount() - 1);
    String body =
        RENDERER
            .render(node)
            .replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table>")
            .replace("</table>", "</table></div>");
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
        + title
        + "</title>\n<style>\n"
        + STYLE
        + "</style>\n</head>\n<body>\n<nav aria-label=\"Site\">"
        + navigation(up)
        + "</nav>\n<main>\n"
        + body
        + "</main>\n</body>\n</html>\n";
  }

  private static String navigation(String up) {
    StringBuilder links = new StringBuilder();
    for (String[] link :
        new String[][] {
          {"index.html", "txwatch"},
          {"docs/reports.html", "Reports"},
          {"docs/from-report-to-fix.html", "From report to fix"},
          {"docs/phenomena/index.html", "Phenomena"},
          {"docs/settings.html", "Settings"},
          {"docs/limits.html", "Limits"},
          {"docs/fuzzing.html", "Fuzzing"},
        }) {
      links.append("<a href=\"").append(up).append(link[0]).append("\">").append(link[1]);
      links.append("</a> ");
    }
    return links.toString();
  }

  /** A link to a document becomes one to its page; one to another file points into the sources. */
  private String pageOrSource(Path document, String link) {
    if (link.startsWith("#") || link.replaceFirst("#.*", "").endsWith(".md")) {
      return page(link);
    }
    Path folder = document.getParent();
    Path file =
        (folder == null ? root : root.resolve(folder)).resolve(link.replaceFirst("#.*", ""));
    return isPicture(file) ? link : file.normalize().toUri().toString();
  }

  private static String title(Node document) {
    StringBuilder title = new StringBuilder();
    document.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Heading heading) {
            if (heading.getLevel() == 1 && title.isEmpty()) {
              visitChildren(heading);
            }
          }

          @Override
          public void visit(Text text) {
            if (text.getParent() instanceof Heading) {
              title.append(text.getLiteral().replace("<", "&lt;"));
            }
          }
        });
    return title.isEmpty() ? "txwatch" : title.toString();
  }

  /** The destinations of a document's links and pictures that are no addresses of other hosts. */
  List<String> localLinks(Path document) throws IOException {
    Set<String> links = new TreeSet<>();
    PARSER
        .parse(Files.readString(root.resolve(document)))
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Link link) {
                links.add(link.getDestination());
                visitChildren(link);
              }

              @Override
              public void visit(Image image) {
                links.add(image.getDestination());
                visitChildren(image);
              }
            });
    return links.stream()
        .filter(link -> !link.toLowerCase(Locale.ROOT).matches("[a-z]+:.*"))
        .toList();
  }
}
