package io.txwatch.oracle.aptrans;

import io.txwatch.dbms.WriteRecording;
import io.txwatch.dbms.WriteRecording.WriteForm;
import io.txwatch.sql.semantics.TableDefinition;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A case whose execution records the versions of rows that its statements read and write. The
 * statements themselves stay; in front of some of them there are others:
 *
 * <ul>
 *   <li>a marker, which stores the number of the next write for the triggers;
 *   <li>a side read of a whole table, where a statement reads rows but does not return them.
 * </ul>
 *
 * @param testCase the case to execute
 * @param reads by the number of a step of this case, what its result returns
 * @param writes by the number of a step of this case, the form of the write that its result
 *     describes, and the table; empty where triggers log it
 * @param tables its tables, in the order of the final reads after that of the log
 * @param sequences by table, the column whose values a sequence generates
 */
record RecordedCase(
    TestCase testCase,
    Map<Integer, ReadForm> reads,
    Map<Integer, WriteResult> writes,
    List<String> tables,
    Map<String, String> sequences) {

  /** The numbers of additional steps are multiples of this, plus an index. */
  static final int STEPS = 1_000;

  /**
   * What the result of a write describes.
   *
   * @param form the form of the write
   * @param table the written table
   */
  record WriteResult(WriteForm form, String table) {}

  /** A case that cannot be recorded. */
  static final class NotRecordableException extends Exception {
    private static final long serialVersionUID = 1;

    NotRecordableException(String reason) {
      super(reason);
    }
  }

  /**
   * The number of the statement that a step belongs to: its own, or of the one that it precedes.
   */
  static int statementOf(int step) {
    return step < STEPS ? step : step / STEPS;
  }

  /** Adds the recording to a case. */
  static RecordedCase of(TestCase original, WriteRecording dialect, boolean requiresPrimaryKeys)
      throws NotRecordableException {
    return new Builder(original, dialect, requiresPrimaryKeys).build();
  }

  private static final class Builder {
    private final TestCase original;
    private final WriteRecording dialect;
    private final boolean requiresPrimaryKeys;
    private final List<String> tables = new ArrayList<>();

    /** By table, in lower case and without quotes, its columns as the definition spells them. */
    private final Map<String, List<String>> columns = new HashMap<>();

    private final Map<String, String> sequences = new HashMap<>();
    private final Map<Integer, ReadForm> reads = new HashMap<>();
    private final Map<Integer, WriteResult> writes = new HashMap<>();
    private final List<Step> steps = new ArrayList<>();

    Builder(TestCase original, WriteRecording dialect, boolean requiresPrimaryKeys) {
      this.original = original;
      this.requiresPrimaryKeys = requiresPrimaryKeys;
      this.dialect = dialect;
    }

    RecordedCase build() throws NotRecordableException {
      List<String> definitions = new ArrayList<>(dialect.log(requiresPrimaryKeys));
      List<String> contents = new ArrayList<>();
      for (String sql : original.setup()) {
        SqlText text = SqlText.of(sql);
        Span name = TableDefinition.definedTable(text.tokens());
        if (!name.isEmpty() && !text.has("PARTITION", "OF")) {
          addTable(spelled(text, name), text);
        }
        boolean isDefinition = text.startsWith("CREATE");
        if (isDefinition && !contents.isEmpty()) {
          throw new NotRecordableException("a table is defined after rows were inserted");
        }
        (isDefinition ? definitions : contents).add(withColumns(sql));
      }
      if (tables.isEmpty()) {
        throw new NotRecordableException("the case has no tables");
      }
      definitions.addAll(dialect.definitions(tables));
      definitions.addAll(contents);
      definitions.addAll(dialect.definitionsAfterRows(tables));
      for (Step step : original.steps()) {
        if (step.role() == Step.Role.WORK) {
          add(step);
        } else {
          steps.add(step);
        }
      }
      List<String> finals = new ArrayList<>();
      if (dialect.hasLog()) {
        finals.add("SELECT * FROM " + WriteRecording.LOG);
      }
      for (String table : tables) {
        finals.add(wholeTable(table));
      }
      return new RecordedCase(
          new TestCase(original.name(), original.headers(), definitions, steps, finals),
          Map.copyOf(reads),
          Map.copyOf(writes),
          List.copyOf(tables),
          Map.copyOf(sequences));
    }

    private void addTable(String table, SqlText text) {
      tables.add(table);
      Tokens tokens = text.tokens();
      TableDefinition.of(tokens)
          .ifPresent(
              definition ->
                  columns.put(
                      definition.table(),
                      definition.columns().stream()
                          .map(column -> tokens.text(column.span().from()))
                          .toList()));
      TableDefinition.of(tokens).stream()
          .flatMap(definition -> definition.columns().stream())
          .map(TableDefinition.Element::span)
          .filter(span -> tokens.hasAnyWord(span.from(), span.to(), "AUTOINC", "AUTO_INCREMENT"))
          .findFirst()
          .ifPresent(span -> sequences.put(table, tokens.text(span.from())));
    }

    /** The same write with the list of its table's columns, if it needs one. */
    private String withColumns(String sql) {
      SqlText text = SqlText.of(sql);
      List<String> names =
          dialect.requiresColumnLists()
              ? text.write().map(write -> columns.get(write.table())).orElse(List.of())
              : List.of();
      return names.isEmpty() ? sql : text.withColumns(names);
    }

    /** The last part of a name, without quotes. */
    private static String spelled(SqlText text, Span name) {
      return Identifiers.unquote(text.tokens().text(name.to() - 1));
    }

    private void add(Step step) throws NotRecordableException {
      if (StatementText.isQuery(step.sql())) {
        addQuery(step);
      } else {
        addWrite(step);
      }
    }

    private void addQuery(Step step) {
      Optional<ReadForm> form = ReadForm.of(step.sql(), tables);
      if (form.isPresent()) {
        reads.put(step.id(), form.get());
        steps.add(new Step(step.id(), step.session(), step.label(), form.get().sql()));
        return;
      }
      addSideReads(step, "");
      steps.add(step);
    }

    private void addWrite(Step step) throws NotRecordableException {
      SqlText text = SqlText.of(step.sql());
      String table =
          text.write()
              .map(SqlText.Write::name)
              .filter(name -> !name.isEmpty())
              .map(name -> spelled(text, name))
              .orElse("");
      addSideReads(step, table);
      steps.add(
          new Step(step.id() * STEPS, step.session(), Optional.empty(), dialect.marker(step.id())));
      if (dialect.hasLog()) {
        steps.add(new Step(step.id(), step.session(), step.label(), withColumns(step.sql())));
        return;
      }
      if (!ReadForm.names(tables, table)) {
        steps.add(step); // a savepoint or a setting
        return;
      }
      WriteForm form = form(text.firstWord());
      String wrapped =
          dialect
              .wrap(step.sql(), form, step.id())
              .orElseThrow(() -> new NotRecordableException("a MERGE cannot be recorded here"));
      writes.put(step.id(), new WriteResult(form, table));
      steps.add(new Step(step.id(), step.session(), step.label(), wrapped));
    }

    private static WriteForm form(String verb) {
      return switch (verb) {
        case "INSERT" -> WriteForm.INSERT;
        case "UPDATE" -> WriteForm.UPDATE;
        case "DELETE" -> WriteForm.DELETE;
        default -> WriteForm.OTHER;
      };
    }

    /** Reads the tables that a statement names, but for the first occurrence of its target. */
    private void addSideReads(Step step, String target) {
      List<String> named = new ArrayList<>();
      Tokens tokens = SqlText.of(step.sql()).tokens();
      boolean isTargetSeen = target.isEmpty();
      for (int i = 0; i < tokens.count(); i++) {
        String name = tokens.isName(i) ? Identifiers.unquote(tokens.text(i)) : "";
        if (!isTargetSeen && name.equalsIgnoreCase(target)) {
          isTargetSeen = true;
        } else if (ReadForm.names(tables, name)
            && !ReadForm.names(named, name)
            && !tokens.is(i + 1, TokenKind.DOT)) { // the table in t.c
          named.add(name);
        }
      }
      for (String table : named) {
        int id = step.id() * STEPS + 1 + named.indexOf(table);
        String sql = wholeTable(table);
        reads.put(id, new ReadForm(sql, List.of(table), true));
        steps.add(new Step(id, step.session(), Optional.empty(), sql));
      }
    }

    private static String wholeTable(String table) {
      return "SELECT %s, %s FROM %s".formatted(WriteRecording.ROW, WriteRecording.VERSION, table);
    }
  }
}
