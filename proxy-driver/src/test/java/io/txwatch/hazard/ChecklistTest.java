package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every row of the checklist has a test, and every test of a row names one that there is. */
class ChecklistTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\|");
  private static final Pattern NUMBERS = Pattern.compile("^(\\d+(?:, \\d+)*) ");

  @Test
  void everyRowHasATest() throws Exception {
    List<Integer> rows = rows();
    assertThat(rows).isEqualTo(IntStream.rangeClosed(1, 62).boxed().toList());
    assertThat(new TreeSet<>(tested())).containsExactlyElementsOf(rows);
  }

  @Test
  void everyTestHereNamesItsRow() throws Exception {
    for (Method method : tests()) {
      DisplayName name = method.getAnnotation(DisplayName.class);
      assertThat(name).as(method.toString()).isNotNull();
      assertThat(NUMBERS.matcher(name.value()).find()).as(method.toString()).isTrue();
    }
  }

  private static List<Integer> rows() throws IOException {
    try (InputStream table = ChecklistTest.class.getResourceAsStream("hazards.md")) {
      String text =
          new String(Objects.requireNonNull(table).readAllBytes(), StandardCharsets.UTF_8);
      return ROW.matcher(text).results().map(row -> Integer.valueOf(row.group(1))).toList();
    }
  }

  private static List<Integer> tested() throws Exception {
    List<Integer> numbers = new ArrayList<>();
    for (Method method : tests()) {
      DisplayName name = method.getAnnotation(DisplayName.class);
      Matcher matcher = NUMBERS.matcher(name == null ? "" : name.value());
      if (matcher.find()) {
        Stream.of(matcher.group(1).split(", ")).map(Integer::valueOf).forEach(numbers::add);
      }
    }
    return numbers;
  }

  /** The tests of this package but for this class's own. */
  private static List<Method> tests()
      throws URISyntaxException, IOException, ClassNotFoundException {
    Path folder =
        Path.of(
                Objects.requireNonNull(ChecklistTest.class.getResource("ChecklistTest.class"))
                    .toURI())
            .getParent();
    List<Method> tests = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith("Test.class") && !name.equals("ChecklistTest.class")) {
          String simple = name.substring(0, name.length() - ".class".length());
          Class<?> type = Class.forName(ChecklistTest.class.getPackageName() + "." + simple);
          for (Method method : type.getDeclaredMethods()) {
            if (method.isAnnotationPresent(OnEach.class)
                || method.isAnnotationPresent(Test.class)) {
              tests.add(method);
            }
          }
        }
      }
    }
    return tests;
  }
}
