package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The code of the driver names a DBMS in the package of that DBMS alone, in the list of all of
 * them, and in the packages of the ways in which versions come by value. So a DBMS is added by its
 * package, and what is decided elsewhere is decided by what a DBMS answers.
 */
class ProductNameTest {

  private static final Path SOURCES =
      Path.of("../proxy-driver/src/main/java").toAbsolutePath().normalize();

  /** A package of one DBMS, or of one way. */
  private static final Pattern MAY_NAME =
      Pattern.compile("io/txwatch/(?:product|jdbc/changes)/(?!other/)[a-z0-9]+/\\w+\\.java");

  /** What is particular to any other DBMS, which has the dialect of all others. */
  private static final Pattern OF_OTHERS = Pattern.compile("io/txwatch/product/other/\\w+\\.java");

  /** They name classes and packages of drivers: the frames that are no call site, and adapters. */
  private static final Set<String> NAME_CLASSES =
      Set.of("KnownLibraries.java", "ServerState.java", "ErrorMessages.java", "ResultColumns.java");

  private static final String NAMES =
      "(?:PostgreSQL|MySQL|MariaDB|H2|SQLite|HSQLDB|HSQL Database Engine|CockroachDB|openGauss"
          + "|TiDB|OceanBase|YugabyteDB|Oracle|Derby|DuckDB|Informix|Db2|SQL Server)";

  /** A comment, which may name what it will; or a text or character, in the group. */
  private static final Pattern COMMENT_OR_TEXT =
      Pattern.compile(
          "(?s)/\\*.*?\\*/|//[^\\n]*"
              + "|(\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+')");

  private static final Pattern NAME = Pattern.compile("(?<![\\w.])" + NAMES + "(?![\\w.])");

  private static final Pattern WHOLE_NAME =
      Pattern.compile("(?i)\"(?:Apache |Microsoft )?" + NAMES + "\"");

  /** A class of a driver. */
  private static final Pattern CLASS_NAME =
      Pattern.compile(
          "\"(?:(?:com\\.mysql|com\\.microsoft|com\\.ibm|com\\.informix|oracle)\\.[\\w.$]+"
              + "|org\\.(?:mariadb|postgresql|h2|sqlite|hsqldb|duckdb|apache\\.derby)\\.[\\w.$]+)\"");

  private static final Pattern DIALECT =
      Pattern.compile(
          "\\bDialect\\.(?:%s)\\b"
              .formatted(
                  Arrays.stream(Dialect.values())
                      .map(Dialect::name)
                      .collect(Collectors.joining("|"))));

  @Test
  void onlyThePackageOfDbmsNamesIt() throws IOException {
    Map<Path, List<String>> named = new TreeMap<>();
    int read = 0;
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        read++;
        Path shown = SOURCES.relativize(file);
        if (!MAY_NAME.matcher(shown.toString().replace('\\', '/')).matches()) {
          List<String> names = new ArrayList<>(names(Files.readString(file)));
          if (OF_OTHERS.matcher(shown.toString().replace('\\', '/')).matches()) {
            names.remove("Dialect.OTHER");
          }
          if (NAME_CLASSES.contains(file.getFileName().toString())) {
            names.removeIf(name -> CLASS_NAME.matcher(name).matches());
          }
          named.put(shown, names);
        }
      }
    }
    assertThat(read).isGreaterThan(200);
    named.values().removeIf(List::isEmpty);
    assertThat(named).isEmpty();
  }

  @Test
  void namesInTextsAndDialectsAreFound() {
    String code =
        """
        // "MySQL"
        /* Dialect.H2 */
        if (name.equals("h2") || dialect == Dialect.SQLITE) {
          throw new Exception("not on MariaDB, where \\"x\\" is"); // is it "PostgreSQL"?
        }
        "org.h2.Driver" '"' "Oracle" "org.example.Oracle"
        """;

    assertThat(names(code))
        .containsExactlyInAnyOrder(
            "\"h2\"",
            "\"not on MariaDB, where \\\"x\\\" is\"",
            "\"org.h2.Driver\"",
            "\"Oracle\"",
            "Dialect.SQLITE");
  }

  private static List<String> names(String code) {
    Stream<String> texts =
        COMMENT_OR_TEXT
            .matcher(code)
            .results()
            .map(found -> found.group(1))
            .filter(
                text ->
                    text != null
                        && (NAME.matcher(text).find()
                            || WHOLE_NAME.matcher(text).matches()
                            || CLASS_NAME.matcher(text).matches()));
    String bare = COMMENT_OR_TEXT.matcher(code).replaceAll(" ");
    return Stream.concat(texts, DIALECT.matcher(bare).results().map(MatchResult::group)).toList();
  }
}
