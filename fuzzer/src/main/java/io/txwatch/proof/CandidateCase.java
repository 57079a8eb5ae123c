package io.txwatch.proof;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ProofInstance;
import io.txwatch.predict.ProofInstance.Place;
import io.txwatch.predict.SampledStatement;
import io.txwatch.predict.TemplateAccess;
import io.txwatch.predict.ValueComparison;
import io.txwatch.predict.ValueOrigin;
import io.txwatch.predict.ValueOrigin.Returned;
import io.txwatch.predict.ValuePlace;
import io.txwatch.predict.ValuePlace.Use;
import io.txwatch.schedule.ComputedText;
import io.txwatch.schedule.ComputedText.ReturnedValue;
import io.txwatch.schedule.IdentifiedRows;
import io.txwatch.schedule.ObservedPath;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A case that executes the operations of a candidate.
 *
 * @param testCase each operation a session, T1 first
 * @param paths how each session was observed
 * @param instances the operations with their values
 * @param levels the level of each session
 * @param assumptions what is not certain about it, a sentence each
 * @param notAsFound what of the rows is not as the operations found it, so that it refutes nothing;
 *     empty if that is not evident
 * @param inPart which rows may be missing, so that it refutes nothing; empty if none are
 * @param unchanged which write of several rows changes none, so that it refutes nothing; empty if
 *     none is evident
 */
record CandidateCase(
    TestCase testCase,
    Map<String, ObservedPath> paths,
    List<ProofInstance> instances,
    List<IsolationLevel> levels,
    List<String> assumptions,
    String notAsFound,
    String inPart,
    String unchanged) {

  /** The level of sessions without one of their own. */
  IsolationLevel level() {
    return levels.get(0);
  }

  ProofInstance instance(int operation) {
    return instances.get(operation);
  }

  ObservedPath path(String session) {
    return Objects.requireNonNull(paths.get(session));
  }

  /** The same case with other statements. */
  CandidateCase with(Map<String, ObservedPath> others) {
    return new CandidateCase(
        testCase.withSteps(steps(others)),
        others,
        instances,
        levels,
        assumptions,
        notAsFound,
        inPart,
        unchanged);
  }

  /** The same case with one definition more. */
  CandidateCase withDefinition(String sql) {
    List<String> setup = new ArrayList<>(testCase.setup());
    int end = 0;
    while (end < setup.size() && !setup.get(end).startsWith(TableCopier.INSERT)) {
      end++;
    }
    setup.add(end, sql);
    return new CandidateCase(
        testCase.withSetup(setup),
        paths,
        instances,
        levels,
        assumptions,
        notAsFound,
        inPart,
        unchanged);
  }

  /** The same case with all sessions at one level. */
  CandidateCase at(IsolationLevel level) {
    TestCase plain = testCase.withHeader("isolation", level.name());
    for (String session : testCase.sessions()) {
      plain = plain.withoutHeader(TestCase.LEVEL_HEADER + session);
    }
    return new CandidateCase(
        plain,
        paths,
        instances,
        levels.stream().map(one -> level).toList(),
        assumptions,
        notAsFound,
        inPart,
        unchanged);
  }

  private static List<Step> steps(Map<String, ObservedPath> paths) {
    List<Step> steps = new ArrayList<>();
    paths.forEach(
        (session, path) ->
            path.texts()
                .forEach(
                    text ->
                        steps.add(
                            new Step(
                                steps.size() + 1, session, Optional.empty(), text.observed()))));
    return steps;
  }

  /** A case cannot be made; the message is why. */
  static final class NotPossibleException extends Exception {
    private static final long serialVersionUID = 1;

    NotPossibleException(String message) {
      super(message);
    }
  }

  /**
   * Makes the case.
   *
   * @param levels the level of each operation
   * @param source where the tables are
   * @throws NotPossibleException if a value or a table is not known
   */
  static CandidateCase of(
      List<ProofInstance> instances, List<IsolationLevel> levels, Dbms dbms, Connection source)
      throws NotPossibleException {
    return new Builder(instances, levels, dbms, source).build();
  }

  /** Whether the rows that a transaction found are there, or can be restored. */
  static boolean hasRowsOf(ProofInstance instance, Dbms dbms, Connection source) {
    try {
      List<TableCopy> tables = new Builder(List.of(instance), List.of(), dbms, source).tables();
      return new FoundRows(tables).haveRowsOf(instance);
    } catch (NotPossibleException e) {
      return false;
    }
  }

  private static final class Builder {
    /** What stands before the name of a table or a routine. */
    private static final Pattern NAMES_TABLES =
        Pattern.compile("(?i)\\b(from|join|into|update|table|call|lock|execute|truncate|merge)\\b");

    private final List<ProofInstance> instances;
    private final List<IsolationLevel> levels;
    private final Dbms dbms;
    private final Connection source;
    private static final Pattern BEFORE_SEQUENCE =
        Pattern.compile("(?is).*\\b(nextval|currval|setval)\\s*\\(\\s*(cast\\s*\\(\\s*)?");
    private static final Pattern SEQUENCE_OF_DEFAULT =
        Pattern.compile("nextval\\('([^']+)'::regclass\\)");

    private final List<String> assumptions = new ArrayList<>();
    private final Set<String> sequences = new TreeSet<>();
    private @Nullable TableQualifiers qualifiers;

    Builder(
        List<ProofInstance> instances, List<IsolationLevel> levels, Dbms dbms, Connection source) {
      this.instances = instances;
      this.levels = levels;
      this.dbms = dbms;
      this.source = source;
    }

    CandidateCase build() throws NotPossibleException {
      List<TableCopy> tables = tables();
      List<String> given = new FoundRows(tables).differFromAssigned(instances);
      qualifiers = qualifiers(tables);
      List<String> setup = new ArrayList<>();
      for (TableCopy table : tables) {
        for (String sql : table.definition()) {
          Matcher sequence = SEQUENCE_OF_DEFAULT.matcher(sql);
          while (sequence.find()) {
            sequences.add(unqualified(sequence.group(1)));
          }
        }
      }
      TableCopier copier = new TableCopier(dbms, source);
      for (TableCopy table : tables) {
        setup.addAll(table.definition());
      }
      for (TableCopy table : tables) {
        setup.addAll(copier.inserts(table));
      }
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("isolation", levels.get(0).name());
      Map<String, ObservedPath> paths = new TreeMap<>();
      for (int i = 0; i < instances.size(); i++) {
        String session = "T" + (i + 1);
        headers.put("operation-" + session, instances.get(i).template().toString());
        if (levels.get(i) != levels.get(0)) {
          headers.put(TestCase.LEVEL_HEADER + session, levels.get(i).name());
        }
        paths.put(
            session,
            path(
                instances.get(i),
                session,
                new IdentifyingColumns(tables, instances).of(instances.get(i))));
        noteReplaced(instances.get(i), session);
      }
      assumptions.addAll(given);
      String inPart = inPart(tables);
      if (!inPart.isEmpty()) {
        assumptions.add(inPart);
      }
      setup.addAll(0, sequenceDefinitions());
      return new CandidateCase(
          new TestCase("predicted", headers, setup, steps(paths), List.of()),
          paths,
          List.copyOf(instances),
          List.copyOf(levels),
          List.copyOf(assumptions),
          new FoundRows(tables).unchanged(instances).orElse(""),
          inPart,
          new FoundRows(tables).allUnchanged(instances).orElse(""));
    }

    private static String inPart(List<TableCopy> tables) {
      List<String> names =
          tables.stream().filter(TableCopy::isInPart).map(TableCopy::name).sorted().toList();
      return names.isEmpty()
          ? ""
          : "of the many rows of "
              + String.join(", ", names)
              + " that a statement may choose, the first and the last ones are copied";
    }

    /** Sequences of their own: those of the application count on for it alone. */
    private List<String> sequenceDefinitions() throws NotPossibleException {
      List<String> definitions = new ArrayList<>();
      for (String sequence : sequences) {
        try {
          definitions.add(dbms.sequenceDefinition(source, sequence));
        } catch (SQLException e) {
          throw new NotPossibleException(String.valueOf(e.getMessage()));
        }
      }
      return definitions;
    }

    /** The name of a sequence without the application's schema. */
    private String unqualified(String sequence) throws NotPossibleException {
      String plain = Objects.requireNonNull(qualifiers).without(sequence);
      if (plain.replaceAll("\"[^\"]*\"", "").contains(".")) {
        throw new NotPossibleException(
            "a sequence of another schema is used, which would not be a copy: " + sequence);
      }
      return plain;
    }

    private TableQualifiers qualifiers(List<TableCopy> tables) throws NotPossibleException {
      try {
        return new TableQualifiers(source, tables.stream().map(TableCopy::name).toList());
      } catch (SQLException e) {
        throw new NotPossibleException(String.valueOf(e.getMessage()));
      }
    }

    // -------------------------------------------------------------- statements

    private ObservedPath path(ProofInstance instance, String session, List<IdentifiedRows> found)
        throws NotPossibleException {
      List<ComputedText> texts = new ArrayList<>();
      List<Integer> rows = new ArrayList<>();
      List<String> callSites = new ArrayList<>();
      List<SampledStatement> statements = instance.sample().statements();
      for (int i = 0; i < statements.size(); i++) {
        SampledStatement statement = statements.get(i);
        texts.add(text(instance, i, session));
        callSites.add(instance.template().statements().get(statement.number() - 1).callSite());
        boolean isQuery = !statement.columns().isEmpty() && statement.updateCount() < 0;
        rows.add(
            isQuery
                ? statement.complete() ? statement.rows().size() : -1
                : (int) statement.updateCount());
      }
      return new ObservedPath(texts, rows, found, callSites);
    }

    private ComputedText text(ProofInstance instance, int index, String session)
        throws NotPossibleException {
      SampledStatement statement = instance.sample().statements().get(index);
      List<String> given = new ArrayList<>();
      for (String one : statement.text().parts()) {
        given.add(Objects.requireNonNull(qualifiers).without(one));
      }
      List<String> parts = new ArrayList<>();
      List<ReturnedValue> computed = new ArrayList<>();
      StringBuilder part = new StringBuilder(given.get(0));
      for (int k = 0; k < statement.text().values().size(); k++) {
        Place place = new Place(index, k);
        Place root = instance.root(place);
        String literal = literal(instance, place, session);
        ValueOrigin origin = instance.origins().get(root.statement()).get(root.index());
        if (origin instanceof Returned returned
            && isOfOneRow(instance, returned)
            && !instance.replaced().containsKey(root)) {
          note(session, statement, statement.text().values().get(k), returned, instance);
          parts.add(part.toString());
          part.setLength(0);
          computed.add(
              new ReturnedValue(
                  returned.statement(),
                  returned.row(),
                  returned.column(),
                  returned.difference(),
                  statement.text().values().get(k).use() == Use.ASSIGNED
                      ? statement.text().values().get(k).column()
                      : "",
                  literal));
        } else {
          part.append(literal);
        }
        part.append(given.get(k + 1));
      }
      parts.add(part.toString());
      return new ComputedText(parts, computed);
    }

    /** Of several rows, whose order may be another one, the application has chosen a value. */
    private static boolean isOfOneRow(ProofInstance instance, Returned returned) {
      return instance.sample().statements().get(returned.statement()).rows().size() == 1;
    }

    private String literal(ProofInstance instance, Place place, String session)
        throws NotPossibleException {
      ValuePlace own =
          instance.sample().statements().get(place.statement()).text().values().get(place.index());
      RecordedValue value = instance.value(place);
      List<String> parts = instance.sample().statements().get(place.statement()).text().parts();
      if (BEFORE_SEQUENCE.matcher(parts.get(place.index())).matches()) {
        return sequenceLiteral(value, place, session);
      }
      if (!own.literal().isEmpty() && value.equals(own.value())) {
        return own.literal();
      }
      try {
        return dbms.literal(value);
      } catch (IllegalArgumentException e) {
        throw new NotPossibleException(
            String.format(
                Locale.ROOT,
                "a value of statement %d of %s was not recorded: it is of another type, or too long, or"
                    + " an array of several dimensions or of more than 100 elements",
                place.statement() + 1,
                session));
      }
    }

    private String sequenceLiteral(RecordedValue name, Place place, String session)
        throws NotPossibleException {
      if (name.type() != RecordedValue.Type.TEXT) {
        throw new NotPossibleException(
            String.format(
                Locale.ROOT,
                "statement %d of %s names a sequence by a number",
                place.statement() + 1,
                session));
      }
      String plain = unqualified(name.text());
      sequences.add(plain);
      return dbms.literal(RecordedValue.of(plain));
    }

    private void noteReplaced(ProofInstance instance, String session) {
      instance
          .replaced()
          .forEach(
              (place, value) -> {
                ValuePlace observed =
                    instance
                        .sample()
                        .statements()
                        .get(place.statement())
                        .text()
                        .values()
                        .get(place.index());
                if (!ValueComparison.areEqual(observed.value(), value)) {
                  assumptions.add(
                      String.format(
                          Locale.ROOT,
                          "%s is executed with %s %s, and was observed with %s",
                          session,
                          observed.column().isEmpty() ? "argument" : observed.column(),
                          value.text(),
                          observed.value().text()));
                }
              });
    }

    private void note(
        String session,
        SampledStatement statement,
        ValuePlace place,
        Returned returned,
        ProofInstance instance) {
      if (!returned.certain()) {
        String note =
            String.format(
                Locale.ROOT,
                "%s: %s in statement %d is taken for what statement %d returned%s",
                session,
                place.column().isEmpty() ? "a value" : place.column(),
                statement.number(),
                instance.sample().statements().get(returned.statement()).number(),
                returned.difference() == null
                    ? ""
                    : returned.difference().signum() < 0
                        ? " minus " + returned.difference().negate().toPlainString()
                        : " plus " + returned.difference().toPlainString());
        if (!assumptions.contains(note)) {
          assumptions.add(note);
        }
      }
    }

    // -------------------------------------------------------------- tables

    private List<TableCopy> tables() throws NotPossibleException {
      Map<String, List<Map<String, RecordedValue>>> chosen = new TreeMap<>();
      Map<String, List<Map<String, RecordedValue>>> perhaps = new TreeMap<>();
      for (ProofInstance instance : instances) {
        List<SampledStatement> statements = instance.sample().statements();
        for (int i = 0; i < statements.size(); i++) {
          List<TemplateAccess> accesses = accesses(instance, statements.get(i));
          if (accesses.isEmpty() && mayUseTables(statements.get(i))) {
            throw new NotPossibleException(
                "the tables of '" + statements.get(i).text().parts().get(0) + "…' are not known");
          }
          for (TemplateAccess access : accesses) {
            List<Map<String, RecordedValue>> conditions =
                chosen.computeIfAbsent(access.table(), table -> new ArrayList<>());
            if (access.effect() != TemplateAccess.Effect.INSERTED) {
              conditions.add(compared(instance, i, false));
              conditions.add(compared(instance, i, true));
              if (!instance.replaced().isEmpty()) {
                perhaps
                    .computeIfAbsent(access.table(), table -> new ArrayList<>())
                    .add(comparedWithGiven(instance, i));
              }
            }
          }
        }
      }
      try {
        List<TableCopy> tables = new TableCopier(dbms, source).copy(chosen, perhaps);
        for (int i = instances.size() - 1; i >= 0; i--) {
          new FoundRows(tables).restore(instances.get(i));
        }
        new FoundRows(tables).removeOrphans();
        return tables;
      } catch (SQLException e) {
        throw new NotPossibleException(String.valueOf(e.getMessage()));
      }
    }

    private static boolean mayUseTables(SampledStatement statement) {
      List<String> parts = statement.text().parts();
      return parts.stream().anyMatch(part -> NAMES_TABLES.matcher(part).find())
          && !StatementText.selectsFromLocks(String.join("?", parts));
    }

    private static Map<String, RecordedValue> compared(
        ProofInstance instance, int index, boolean asObserved) {
      Map<String, RecordedValue> values = new LinkedHashMap<>();
      List<ValuePlace> places = instance.sample().statements().get(index).text().values();
      for (int k = 0; k < places.size(); k++) {
        if (places.get(k).use() == Use.COMPARED) {
          Place place = new Place(index, k);
          values.put(
              places.get(k).column(),
              asObserved ? instance.observed(place) : instance.value(place));
        }
      }
      return values;
    }

    /**
     * The values that are not computed: with other arguments than observed, those that are may be
     * any.
     */
    private static Map<String, RecordedValue> comparedWithGiven(ProofInstance instance, int index) {
      Map<String, RecordedValue> values = new LinkedHashMap<>();
      List<ValuePlace> places = instance.sample().statements().get(index).text().values();
      for (int k = 0; k < places.size(); k++) {
        Place root = instance.root(new Place(index, k));
        ValueOrigin origin = instance.origins().get(root.statement()).get(root.index());
        if (places.get(k).use() == Use.COMPARED && !(origin instanceof Returned)) {
          values.put(places.get(k).column(), instance.value(root));
        }
      }
      return values;
    }

    static List<TemplateAccess> accesses(ProofInstance instance, SampledStatement statement) {
      return instance.template().statements().get(statement.number() - 1).accesses();
    }
  }
}
