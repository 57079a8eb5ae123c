package io.txwatch.testcase;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads cases in our own format and in Troc's; detects the format from the text. */
public final class CaseReader {

  private static final long MAX_CASE_BYTES = 16L << 20;
  private static final Pattern HEADER = Pattern.compile("#\\s*([\\w-]+)\\s*:\\s*(.*)");
  private static final Pattern SETTINGS =
      Pattern.compile("\\w+\\s*=\\s*\\w+(\\s*,\\s*\\w+\\s*=\\s*\\w+)*");
  private static final Pattern LINE =
      Pattern.compile("(?<who>I|F|T\\d+)(@(?<label>\\w+))?:\\s*(?<sql>.*)");

  private CaseReader() {}

  /**
   * Reads a file.
   *
   * @throws CaseFormatException if it is not a case
   */
  public static TestCase read(Path file) throws IOException, CaseFormatException {
    String fileName = String.valueOf(file.getFileName());
    if (Files.size(file) > MAX_CASE_BYTES) {
      throw new CaseFormatException(fileName, 0, "larger than 16 MB, expected a case");
    }
    try {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      return parse(fileName.replaceFirst("\\.[^.]*$", ""), text);
    } catch (MalformedInputException e) {
      throw new CaseFormatException(fileName, 0, "not a text in UTF-8");
    }
  }

  /** Parses a text. */
  public static TestCase parse(String name, String text) throws CaseFormatException {
    return text.lines().anyMatch(line -> LINE.matcher(line.strip()).matches())
        ? parseOwnFormat(name, text)
        : TrocCaseReader.parse(name, text);
  }

  private static TestCase parseOwnFormat(String name, String text) throws CaseFormatException {
    Map<String, String> headers = new LinkedHashMap<>();
    List<String> setup = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    List<String> finals = new ArrayList<>();
    int number = 0;
    for (String raw : text.lines().toList()) {
      number++;
      String line = raw.strip();
      Matcher header = HEADER.matcher(line);
      Matcher statement = LINE.matcher(line);
      if (header.matches()) {
        if (header.group(1).equals(StatementText.SETTINGS_HEADER)
            && !SETTINGS.matcher(header.group(2)).matches()) {
          throw new CaseFormatException(
              name, number, "expected '# settings: name=value', found '" + line + "'");
        }
        headers.put(header.group(1), header.group(2));
      } else if (statement.matches()) {
        String sql = statement.group("sql");
        if (sql.isEmpty()) {
          throw new CaseFormatException(name, number, "no statement behind the colon");
        }
        String who = statement.group("who");
        Optional<String> label = Optional.ofNullable(statement.group("label"));
        switch (who) {
          case "I" -> setup.add(sql);
          case "F" -> finals.add(sql);
          default -> steps.add(new Step(steps.size() + 1, who, label, sql));
        }
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        throw new CaseFormatException(
            name,
            number,
            "expected '# key: value', 'I: sql', 'T1: sql' or 'F: sql', found '"
                + line.substring(0, Math.min(line.length(), 60))
                + "'");
      }
    }
    if (steps.isEmpty()) {
      throw new CaseFormatException(name, 0, "no session submits anything: expected 'T1: sql'");
    }
    return new TestCase(name, headers, setup, steps, finals);
  }
}
