package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The site, which is left in {@code target/site}. */
class DocumentationSiteTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path TARGET = Path.of("target", "site").toAbsolutePath();
  private static final Pattern LOCAL = Pattern.compile("(?:href|src)=\"(?![a-z]+:)([^\"]*)\"");
  private static final Pattern LOADED =
      Pattern.compile("<(?:img|script|link|iframe)[^>]*(?:src|href)=\"(?:https?:)?//");

  private final DocumentationSite site = new DocumentationSite(ROOT);

  @Test
  void linksBetweenDocumentsLeadToFiles() throws Exception {
    for (Path document : site.documents()) {
      for (String link : site.localLinks(document)) {
        String file = link.replaceFirst("#.*", "");
        assertThat(ROOT.resolve(document).resolveSibling(file))
            .as("%s: %s", document, link)
            .exists();
      }
    }
  }

  @Test
  void pagesLinkToPagesAndLoadNothingFromOtherHosts() throws Exception {
    site.write(TARGET);
    assertThat(TARGET.resolve("index.html")).exists();
    List<Path> pages;
    try (Stream<Path> files = Files.walk(TARGET)) {
      pages = files.filter(file -> file.toString().endsWith(".html")).toList();
    }
    assertThat(pages).hasSameSizeAs(site.documents());
    for (Path page : pages) {
      String html = Files.readString(page);
      assertThat(LOADED.matcher(html).find()).as(page.toString()).isFalse();
      Matcher link = LOCAL.matcher(html);
      while (link.find()) {
        String[] parts = link.group(1).split("#", 2);
        Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
        assertThat(file).as("%s: %s", page, link.group(1)).exists();
        if (parts.length == 2 && !parts[1].isEmpty()) {
          assertThat(Files.readString(file))
              .as("%s: %s", page, link.group(1))
              .contains("id=\"" + parts[1] + "\"");
        }
      }
    }
  }
}
