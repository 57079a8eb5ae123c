package io.txwatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.DocumentationTool;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Javadoc of the public API, from the files that the pom lists. Javadoc of JDK 17 ends with
 * "unknown element" if a listed type uses a record that is not listed; without this test only the
 * files of a release would show it.
 */
class PublicJavadocTest {

  private static final Pattern INCLUDE = Pattern.compile("<include>(io/txwatch/[^<]+)</include>");

  @TempDir private Path directory = Path.of("");

  @Test
  void javadocOfListedFilesSucceeds() throws IOException {
    List<Path> files = listed();
    assertThat(files).isNotEmpty();
    DocumentationTool javadoc = ToolProvider.getSystemDocumentationTool();
    StringWriter printed = new StringWriter();
    try (StandardJavaFileManager manager =
        javadoc.getStandardFileManager(null, Locale.ROOT, null)) {
      boolean succeeded =
          javadoc
              .getTask(
                  printed,
                  manager,
                  null,
                  null,
                  List.of(
                      "-d",
                      directory.toString(),
                      "-classpath",
                      System.getProperty(
                          "surefire.test.class.path", System.getProperty("java.class.path")),
                      "-sourcepath",
                      "src/main/java",
                      "-Xdoclint:all,-missing",
                      "-quiet"),
                  manager.getJavaFileObjectsFromPaths(files))
              .call();
      assertThat(succeeded).as("%s", printed).isTrue();
    }
  }

  private static List<Path> listed() throws IOException {
    Path sources = Path.of("src/main/java");
    List<PathMatcher> matchers = new ArrayList<>();
    Matcher include = INCLUDE.matcher(Files.readString(Path.of("pom.xml")));
    while (include.find()) {
      matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + include.group(1)));
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(
              file -> matchers.stream().anyMatch(each -> each.matches(sources.relativize(file))))
          .sorted()
          .toList();
    }
  }
}
