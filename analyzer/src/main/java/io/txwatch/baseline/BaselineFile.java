package io.txwatch.baseline;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * The file of a baseline, in YAML. People write it, too: what changes it keeps their comments.
 *
 * <pre>{@code
 * accepted:
 * - id: 3056e409-b041
 *   reason: only one clerk works at a time
 *   who: ada
 *   until: 2027-03-01
 *   what: LOST_UPDATE of BankService.withdraw on account
 * }</pre>
 */
public final class BaselineFile {

  /** Its name where no other one is stated. */
  public static final String NAME = "txwatch-baseline.yaml";

  private static final String HEADER =
      "# Kinds of anomalies that are accepted. An entry needs an id and a reason.\n";

  /** Thousands of entries; a file that is larger is not read at all. */
  private static final long MAX_BYTES = 1 << 20;

  /** A list of entries has three levels. The library would exhaust the stack with many more. */
  private static final int MAX_DEPTH = 8;

  private static final String LIST = "accepted";
  private static final Set<String> KEYS = Set.of("id", "reason", "who", "until", "what");

  private final Path path;
  private final String text;

  /** The entries, each with its first line, counted from 0, and the line behind its last one. */
  private final List<Entry> entries = new ArrayList<>();

  /** Whether the list is written as {@code []} or is missing, so that nothing can be appended. */
  private boolean isEmptyList;

  private record Entry(AcceptedAnomaly accepted, int from, int to) {}

  private BaselineFile(Path path, String text) throws BaselineException {
    this.path = path;
    this.text = text;
    parse();
  }

  /**
   * Reads a file.
   *
   * @throws BaselineException if it is no baseline; the message names the line
   * @throws IOException if it cannot be read
   */
  public static BaselineFile read(Path path) throws IOException {
    if (Files.size(path) > MAX_BYTES) {
      throw new BaselineException(
          path + ": more than " + (MAX_BYTES >> 10) + " KiB, expected the entries of a baseline");
    }
    try {
      return new BaselineFile(path, Files.readString(path));
    } catch (MalformedInputException e) {
      throw new BaselineException(path + ": not a text in UTF-8, expected YAML");
    }
  }

  /**
   * The file that a setting or an option names.
   *
   * @param name the name of a file; {@code none} for none; empty for {@value #NAME} in the working
   *     directory, if there is one
   * @throws BaselineException if it is no baseline, or does not exist although it is named
   */
  public static Optional<BaselineFile> inUse(String name) throws IOException {
    Path path = Path.of(name.isEmpty() ? NAME : name);
    if (name.equals("none") || (name.isEmpty() && !Files.exists(path))) {
      return Optional.empty();
    } else if (!Files.isRegularFile(path)) {
      throw new BaselineException(path + ": there is no such file, expected a baseline");
    }
    return Optional.of(read(path));
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** The same; without entries if the file does not exist. */
  public static BaselineFile readIfExists(Path path) throws IOException {
    return Files.exists(path) ? read(path) : new BaselineFile(path, "");
  }

  /** What it accepts. */
  public Baseline baseline() {
    return new Baseline(entries.stream().map(Entry::accepted).toList());
  }

  /** Appends entries to the file, which is created if it does not exist. */
  public void append(Collection<AcceptedAnomaly> more) throws IOException {
    StringBuilder out = new StringBuilder(text.isBlank() ? HEADER : withoutEmptyList());
    if (!out.isEmpty() && out.charAt(out.length() - 1) != '\n') {
      out.append('\n');
    }
    if (entries.isEmpty()) {
      out.append(LIST).append(":\n");
    }
    String indent = indent();
    for (AcceptedAnomaly entry : more) {
      append(out, indent, entry);
    }
    write(out.toString());
  }

  /** Removes entries from the file; comments between entries stay. */
  public void remove(Collection<Fingerprint> ids) throws IOException {
    List<String> lines = new ArrayList<>(text.lines().toList());
    for (int i = entries.size() - 1; i >= 0; i--) {
      if (ids.contains(entries.get(i).accepted().id())) {
        lines.subList(entries.get(i).from(), entries.get(i).to()).clear();
      }
    }
    boolean isAnyLeft = entries.stream().anyMatch(entry -> !ids.contains(entry.accepted().id()));
    if (!isAnyLeft) {
      lines.replaceAll(line -> line.strip().equals(LIST + ":") ? LIST + ": []" : line);
    }
    write(lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
  }

  private void write(String content) throws IOException {
    new BaselineFile(path, content); // what was made can be read
    Files.writeString(path, content);
  }

  private static void append(StringBuilder out, String indent, AcceptedAnomaly entry) {
    out.append(indent).append("- id: ").append(entry.id()).append('\n');
    append(out, indent, "reason", entry.reason());
    if (!entry.who().isEmpty()) {
      append(out, indent, "who", entry.who());
    }
    entry.until().ifPresent(day -> append(out, indent, "until", day.toString()));
    if (!entry.what().isEmpty()) {
      append(out, indent, "what", entry.what());
    }
  }

  private static void append(StringBuilder out, String indent, String key, String value) {
    out.append(indent).append("  ").append(key).append(": ").append(scalar(value)).append('\n');
  }

  /** A value as YAML in one line: plain where that is safe, otherwise in double quotes. */
  private static String scalar(String value) {
    if (value.matches("[\\p{L}\\p{N}][\\p{L}\\p{N} .,_()/;<>=+-]*(?<! )")) {
      return value;
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c >= 0x7f && c < 0xa0 || Character.isSurrogate(c)) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  /** The blanks before the hyphen of each entry. */
  private String indent() {
    if (entries.isEmpty()) {
      return "";
    }
    String line = text.lines().skip(entries.get(0).from()).findFirst().orElse("");
    return line.substring(0, line.length() - line.stripLeading().length());
  }

  private String withoutEmptyList() {
    return isEmptyList ? text.replaceFirst("(?m)^" + LIST + ":.*(?:\n|$)", "") : text;
  }

  private void parse() throws BaselineException {
    Node root = compose();
    if (root == null || isNull(root)) {
      return;
    }
    Node list = null;
    for (NodeTuple field : mapping(root, "expected 'accepted:' and a list of entries")) {
      String key = scalar(field.getKeyNode(), "a key");
      if (!key.equals(LIST)) {
        throw at(field.getKeyNode(), "unknown key '" + key + "', expected '" + LIST + "'");
      }
      list = field.getValueNode();
    }
    if (list == null || isNull(list)) {
      isEmptyList = true;
      return;
    }
    if (!(list instanceof SequenceNode sequence)) {
      throw at(list, "'" + LIST + "' must be a list of entries, each beginning with '- id:'");
    }
    isEmptyList = sequence.getValue().isEmpty();
    Map<Fingerprint, Integer> lines = new HashMap<>();
    for (Node node : sequence.getValue()) {
      AcceptedAnomaly accepted = entry(node);
      int line = line(node);
      Integer before = lines.put(accepted.id(), line);
      if (before != null) {
        throw at(node, accepted.id() + " stands in line " + (before + 1) + " already");
      }
      entries.add(new Entry(accepted, firstLine(node), endLine(node)));
    }
  }

  /** The line with the hyphen of an entry, which may stand above it. */
  private int firstLine(Node entry) {
    List<String> lines = text.lines().toList();
    int line = line(entry);
    while (line > 0 && !lines.get(line).stripLeading().startsWith("-")) {
      line--;
    }
    return line;
  }

  private static int endLine(Node entry) {
    if (!(entry instanceof MappingNode mapping) || mapping.getFlowStyle() == FlowStyle.FLOW) {
      return behind(entry);
    }
    return mapping.getValue().stream()
        .mapToInt(field -> Math.max(line(field.getKeyNode()) + 1, behind(field.getValueNode())))
        .max()
        .orElse(line(entry) + 1);
  }

  /** The line behind a node; a block of text ends where the next line begins. */
  private static int behind(Node node) {
    return node.getEndMark()
        .map(mark -> mark.getColumn() == 0 ? mark.getLine() : mark.getLine() + 1)
        .orElse(line(node) + 1);
  }

  private @Nullable Node compose() throws BaselineException {
    try {
      LoadSettings settings =
          LoadSettings.builder().setLabel(path.toString()).setMaxAliasesForCollections(0).build();
      checkDepth(settings);
      return new Compose(settings).composeReader(new StringReader(text)).orElse(null);
    } catch (MarkedYamlEngineException e) {
      throw new BaselineException(
          path
              + e.getProblemMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("")
              + ": not YAML: "
              + e.getProblem());
    } catch (YamlEngineException e) {
      throw new BaselineException(
          path + ": not YAML: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }

  private void checkDepth(LoadSettings settings) throws BaselineException {
    int depth = 0;
    for (Event event : new Parse(settings).parseReader(new StringReader(text))) {
      if (event instanceof CollectionStartEvent && ++depth > MAX_DEPTH) {
        int line = event.getStartMark().map(Mark::getLine).orElse(0);
        throw new BaselineException(
            path + ":" + (line + 1) + ": nested too deeply, expected a list of entries");
      } else if (event instanceof CollectionEndEvent) {
        depth--;
      }
    }
  }

  private AcceptedAnomaly entry(Node node) throws BaselineException {
    Map<String, String> values = new HashMap<>();
    Map<String, Node> places = new HashMap<>();
    for (NodeTuple field : mapping(node, "expected an entry, '- id: …' and its 'reason: …'")) {
      String key = scalar(field.getKeyNode(), "a key");
      if (!KEYS.contains(key)) {
        throw at(
            field.getKeyNode(),
            "unknown key '" + key + "', expected " + String.join(", ", new TreeSet<>(KEYS)));
      }
      if (places.put(key, field.getValueNode()) != null) {
        throw at(field.getKeyNode(), "'" + key + "' stands twice in one entry");
      }
      values.put(
          key, isNull(field.getValueNode()) ? "" : scalar(field.getValueNode(), "'" + key + "'"));
    }
    String id = values.getOrDefault("id", "");
    Fingerprint fingerprint =
        Fingerprint.parse(id)
            .orElseThrow(
                () ->
                    at(
                        places.getOrDefault("id", node),
                        (id.isEmpty() ? "the entry has no id" : "'" + id + "' is no id")
                            + ", expected one as reports show it: 3056e409-b041"));
    String reason = values.getOrDefault("reason", "");
    if (reason.isBlank()) {
      throw at(node, fingerprint + " has no reason: add 'reason: …'");
    }
    return new AcceptedAnomaly(
        fingerprint,
        reason,
        values.getOrDefault("who", ""),
        until(values.getOrDefault("until", ""), places.getOrDefault("until", node)),
        values.getOrDefault("what", ""));
  }

  private Optional<LocalDate> until(String text, Node place) throws BaselineException {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(LocalDate.parse(text));
    } catch (DateTimeParseException e) {
      throw at(place, "until: '" + text + "' is no day, expected one such as 2027-03-01");
    }
  }

  private List<NodeTuple> mapping(Node node, String expected) throws BaselineException {
    if (node instanceof MappingNode mapping) {
      return mapping.getValue();
    }
    throw at(node, expected);
  }

  private String scalar(Node node, String what) throws BaselineException {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw at(node, what + " must be a text");
  }

  private static boolean isNull(Node node) {
    return node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.NULL);
  }

  private static int line(Node node) {
    return node.getStartMark().map(Mark::getLine).orElse(0);
  }

  private BaselineException at(Node node, String problem) {
    return new BaselineException(path + ":" + (line(node) + 1) + ": " + problem);
  }
}
