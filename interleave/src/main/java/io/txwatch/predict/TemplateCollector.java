package io.txwatch.predict;

import io.txwatch.dependency.OperationName;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.AccessedColumns.Columns;
import io.txwatch.history.AccessedColumns.OfTable;
import io.txwatch.history.CallSite;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.KeyValues;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatementKind;
import io.txwatch.predict.KeySlots.Slot;
import io.txwatch.predict.LoopFolding.Stretch;
import io.txwatch.predict.TemplateAccess.Effect;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.Tokenizer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Makes templates of the events of a history: of transactions that committed, in bounded memory.
 *
 * <p>Transactions with one name that executed statements of the same shapes, with loops folded, are
 * instances of one template. Not thread-safe.
 */
public final class TemplateCollector {

  private static final int MAX_TEMPLATES = 2_000;
  private static final int MAX_STATEMENTS = 500;
  private static final int MAX_ACTIVE = 10_000;
  private static final int MAX_SAMPLES = 8;

  /** How many of the first transactions of a template are kept; the others are the last ones. */
  private static final int FIRST_SAMPLES = 2;

  private static final int MAX_ORIGINS = 4;

  /** What locks until the session unlocks it, whatever transactions end. */
  private static final Pattern SESSION_LOCK =
      Pattern.compile(
          "(?i)\\b(pg_(try_)?advisory_lock(_shared)?|get_lock)\\s*\\(|^\\s*LOCK\\s+TABLES?\\b");

  private static final Pattern SESSION_UNLOCK =
      Pattern.compile(
          "(?i)\\b(pg_advisory_unlock\\w*|release_lock|release_all_locks)\\s*\\(|^\\s*UNLOCK\\s+TABLES?\\b");

  /** Gaps of rows: the statements and their columns are known. */
  private static final Set<GapReason> OF_ROWS =
      EnumSet.of(
          GapReason.SHAPE,
          GapReason.NOT_PREPARED,
          GapReason.NO_RIGHTS,
          GapReason.TOO_LARGE,
          GapReason.NO_VERSION_SET,
          GapReason.NOT_RECORDED);

  private static final Pattern SHARED_LOCK = Pattern.compile("(?i)\\bSHARE\\b");

  /** What was not taken in, by reason. */
  public enum Skipped {
    /** Transactions of a template beyond the limit on their number. */
    TEMPLATES,
    /** Transactions with more statements than one template has. */
    STATEMENTS,
    /** Transactions that were active while too many others were. */
    ACTIVE,
    /** Transactions that did not commit, or of which it is not known. */
    UNCOMMITTED,
    /** Transactions of which something was not observed. */
    INCOMPLETE,
    /** Transactions whose session held a lock that it had taken before: it may exclude others. */
    LOCKED_BEFORE,
    /** Statements of which it is not known which columns they use. */
    UNKNOWN_COLUMNS
  }

  /**
   * A statement of a transaction.
   *
   * @param keys the values of keys that it compares, where they are recorded
   * @param rows the hash of the primary key of the only row of a table that it read or wrote
   * @param recorded its values, as soon as they are known, if they are recorded
   */
  private record Executed(
      int number,
      StatementKind kind,
      String shape,
      String callSite,
      AccessedColumns columns,
      List<KeyValues> keys,
      Map<String, Long> rows,
      List<Event.ValuesRecorded> recorded) {

    /** The columns whose values are known, each with its value. */
    Map<Slot, Long> values(int at) {
      Map<Slot, Long> values = new LinkedHashMap<>();
      for (KeyValues one : keys) {
        if (one.hashes().size() == 1) {
          values.put(new Slot(at, one.table(), one.column()), one.hashes().get(0));
        }
      }
      for (OfTable table : columns.tables()) {
        Long row = rows.get(table.table());
        if (row != null && !TemplateAccess.isEmpty(table.key()) && !isCompared(table.table())) {
          values.put(new Slot(at, table.table(), whole(table)), row);
        }
      }
      return values;
    }

    private boolean isCompared(String table) {
      return keys.stream().anyMatch(one -> one.table().equals(table));
    }

    /** What may have values: a key's columns each, or else the key as a whole. */
    List<Slot> slots(int at) {
      List<Slot> slots = new ArrayList<>();
      for (KeyValues one : keys) {
        if (one.hashes().size() == 1) {
          slots.add(new Slot(at, one.table(), one.column()));
        }
      }
      for (OfTable table : columns.tables()) {
        if (!TemplateAccess.isEmpty(table.key()) && !isCompared(table.table())) {
          slots.add(new Slot(at, table.table(), whole(table)));
        }
      }
      return slots;
    }

    static String whole(OfTable table) {
      return String.join(",", table.key().names());
    }

    /** The call sites of some executions are not taken. */
    boolean isSame(Executed other) {
      return kind == other.kind
          && shape.equals(other.shape)
          && (callSite.isEmpty()
              || other.callSite.isEmpty()
              || CallSite.place(callSite).equals(CallSite.place(other.callSite)));
    }
  }

  /** A transaction that has not ended. */
  private static final class Active {
    private final String name;
    private final Set<String> origins;
    private IsolationLevel level;
    private final List<Executed> statements = new ArrayList<>();
    private boolean tooLong;
    private boolean incomplete;
    private boolean lockedBefore;

    private Active(String name, Set<String> origins, IsolationLevel level) {
      this.name = name;
      this.origins = origins;
      this.level = level;
    }
  }

  private record Signature(String name, List<String> shapes) {}

  /** A template that transactions are added to. */
  private static final class Growing {
    private final String name;
    private final int variant;
    private final List<Stretch<Executed>> stretches;
    private final KeySlots keys;
    private final Set<IsolationLevel> levels = EnumSet.noneOf(IsolationLevel.class);
    private final List<OperationSample> samples = new ArrayList<>();
    private final Set<String> origins = new LinkedHashSet<>();
    private long seen;

    private Growing(String name, int variant, List<Stretch<Executed>> stretches) {
      this.name = name;
      this.variant = variant;
      this.stretches = stretches;
      this.keys = new KeySlots(slots(stretches));
    }
  }

  private final int maxTemplates;
  private final Map<Long, Dialect> dialects = new HashMap<>();
  private final Map<Long, Active> active = new HashMap<>();
  private final Set<Long> lockingSessions = new HashSet<>();
  private final Map<Signature, Growing> templates = new LinkedHashMap<>();
  private final Map<String, Integer> variants = new HashMap<>();
  private final Map<Skipped, Long> skipped = new TreeMap<>();
  private Set<String> origins = Set.of();

  /** A collector with the usual limits. */
  public TemplateCollector() {
    this(MAX_TEMPLATES);
  }

  /** A collector of this many templates at most. */
  public TemplateCollector(int maxTemplates) {
    this.maxTemplates = maxTemplates;
  }

  /**
   * Names what causes the transactions that begin from now on, such as a test that runs.
   *
   * @param current the causes; more than one if they run at the same time
   */
  public void originate(Set<String> current) {
    origins = Set.copyOf(current);
  }

  /** The next event of the history. */
  public void accept(Event event) {
    if (event instanceof Event.SessionOpened opened) {
      dialects.put(opened.session(), Dialect.of(opened.database().product().name()));
    } else if (event instanceof Event.SessionClosed closed) {
      dialects.remove(closed.session());
      lockingSessions.remove(closed.session());
    } else if (event instanceof Event.TransactionBegan began) {
      begin(began);
    } else if (event instanceof Event.StatementExecuted executed) {
      execute(executed);
    } else if (event instanceof Event.ValuesObserved values) {
      Optional.ofNullable(active.get(values.transaction())).ifPresent(one -> addRows(one, values));
    } else if (event instanceof Event.ValuesRecorded values) {
      Optional.ofNullable(active.get(values.transaction()))
          .ifPresent(one -> addValues(one, values));
    } else if (event instanceof Event.StatementsUndone undone) {
      Optional.ofNullable(active.get(undone.transaction()))
          .ifPresent(
              one ->
                  one.statements.removeIf(
                      statement ->
                          statement.kind.mayWrite()
                              && statement.number >= undone.firstStatement()
                              && statement.number <= undone.lastStatement()));
    } else if (event instanceof Event.Gap gap) {
      if (!OF_ROWS.contains(gap.reason())) {
        Optional.ofNullable(active.get(gap.transaction())).ifPresent(one -> one.incomplete = true);
      }
    } else if (event instanceof Event.TransactionEnded ended) {
      Optional.ofNullable(active.remove(ended.transaction()))
          .ifPresent(one -> end(one, ended.outcome(), dialect(ended.session())));
    }
  }

  private void begin(Event.TransactionBegan began) {
    Active known = active.get(began.transaction());
    if (known != null) {
      known.level = began.level();
    } else if (active.size() >= MAX_ACTIVE) {
      skip(Skipped.ACTIVE);
    } else {
      Active begun = new Active(began.name(), origins, began.level());
      begun.lockedBefore = lockingSessions.contains(began.session());
      active.put(began.transaction(), begun);
    }
  }

  private void execute(Event.StatementExecuted event) {
    if (!event.succeeded()) {
      return;
    }
    if (SESSION_UNLOCK.matcher(event.sql()).find()) {
      lockingSessions.remove(event.session());
    } else if (SESSION_LOCK.matcher(event.sql()).find()) {
      lockingSessions.add(event.session());
    }
    Active transaction = active.get(event.transaction());
    if (transaction == null) {
      return;
    }
    if (transaction.statements.size() >= MAX_STATEMENTS) {
      transaction.tooLong = true;
      return;
    }
    AccessedColumns columns = AccessedColumns.parse(event.columns());
    if (columns.tables().isEmpty()) {
      skip(Skipped.UNKNOWN_COLUMNS);
    }
    String shape =
        TextShape.of(Tokenizer.tokenize(event.sql(), dialect(event.session())))
            .map(TextShape::text)
            .orElse(event.sql());
    transaction.statements.add(
        new Executed(
            event.statement(),
            event.kind(),
            shape,
            event.callSite(),
            columns,
            event.keyValues(),
            new HashMap<>(),
            new ArrayList<>(1)));
  }

  private static void addValues(Active transaction, Event.ValuesRecorded values) {
    for (int i = transaction.statements.size() - 1; i >= 0; i--) {
      Executed statement = transaction.statements.get(i);
      if (statement.number == values.statement()) {
        statement.recorded.add(values);
        return;
      }
    }
  }

  private static void addRows(Active transaction, Event.ValuesObserved values) {
    for (int i = transaction.statements.size() - 1; i >= 0; i--) {
      Executed statement = transaction.statements.get(i);
      if (statement.number == values.statement()) {
        values.reads().forEach(rows -> addRow(statement, rows));
        values.writes().forEach(write -> addRow(statement, write.rows()));
        return;
      }
    }
  }

  private static void addRow(Executed statement, RowValues rows) {
    if (rows.size() == 1 && rows.keys()[0] != 0) {
      statement.rows.put(rows.table(), rows.keys()[0]);
    }
  }

  private Dialect dialect(long session) {
    return dialects.getOrDefault(session, Dialect.OTHER);
  }

  private void end(Active transaction, Outcome outcome, Dialect dialect) {
    // A query's event is complete, and arrives, when its last row is read: after later statements.
    transaction.statements.sort(Comparator.comparingInt(Executed::number));
    if (outcome != Outcome.COMMITTED) {
      skip(Skipped.UNCOMMITTED);
    } else if (transaction.incomplete) {
      skip(Skipped.INCOMPLETE);
    } else if (transaction.lockedBefore) {
      skip(Skipped.LOCKED_BEFORE);
    } else if (transaction.tooLong) {
      skip(Skipped.STATEMENTS);
    } else if (!transaction.statements.isEmpty()) {
      add(transaction, dialect);
    }
  }

  private void add(Active transaction, Dialect dialect) {
    List<Stretch<Executed>> stretches = LoopFolding.fold(transaction.statements, Executed::isSame);
    String name = name(transaction);
    Signature signature = new Signature(name, shapes(stretches));
    Growing template = templates.get(signature);
    if (template == null) {
      if (templates.size() >= maxTemplates) {
        skip(Skipped.TEMPLATES);
        return;
      }
      template = new Growing(name, variants.merge(name, 1, Integer::sum), stretches);
      templates.put(signature, template);
    }
    template.seen++;
    template.levels.add(transaction.level);
    for (String origin : transaction.origins) {
      if (template.origins.size() < MAX_ORIGINS) {
        template.origins.add(origin);
      }
    }
    observe(template.keys, stretches);
    if (transaction.statements.stream().noneMatch(one -> one.recorded.isEmpty())) {
      if (template.samples.size() == MAX_SAMPLES) {
        template.samples.remove(FIRST_SAMPLES);
      }
      template.samples.add(sample(stretches, dialect));
    }
  }

  private static OperationSample sample(List<Stretch<Executed>> stretches, Dialect dialect) {
    List<SampledStatement> statements = new ArrayList<>();
    int from = 1;
    for (Stretch<Executed> stretch : stretches) {
      int iteration = 0;
      for (List<Executed> body : stretch.iterations()) {
        iteration++;
        int number = from;
        for (Executed executed : body) {
          Event.ValuesRecorded values = executed.recorded.get(0);
          statements.add(
              new SampledStatement(
                  number++,
                  iteration,
                  ExecutedText.of(values.sql(), values.parameters(), dialect),
                  values.updateCount(),
                  values.columns(),
                  values.rows(),
                  values.complete()));
        }
      }
      from += stretch.body().size();
    }
    return new OperationSample(statements);
  }

  /**
   * What the application calls it, else the methods that executed it, or that called them if these
   * are of several classes.
   */
  private static String name(Active transaction) {
    if (!transaction.name.isEmpty()) {
      return OperationName.withoutPackages(transaction.name);
    }
    Set<String> methods = new LinkedHashSet<>();
    Set<String> types = new LinkedHashSet<>();
    Set<String> callers = new LinkedHashSet<>();
    for (Executed statement : transaction.statements) {
      String method = OperationName.withoutPackages(CallSite.method(statement.callSite));
      methods.add(method.isEmpty() ? CallSite.place(statement.callSite) : method);
      types.add(method.substring(0, Math.max(0, method.lastIndexOf('.'))));
      callers.add(methodOf(CallSite.caller(statement.callSite)));
    }
    boolean isOfOneCaller = types.size() > 1 && callers.size() == 1 && !callers.contains("");
    return String.join(", ", isOfOneCaller ? callers : methods);
  }

  private static String methodOf(String shown) {
    int place = shown.indexOf(" (");
    return place < 0 ? shown : shown.substring(0, place);
  }

  private static List<String> shapes(List<Stretch<Executed>> stretches) {
    List<String> shapes = new ArrayList<>();
    for (Stretch<Executed> stretch : stretches) {
      shapes.add(stretch.isLoop() ? "loop of " + stretch.body().size() : "once");
      stretch.body().forEach(statement -> shapes.add(statement.shape));
    }
    return List.copyOf(shapes);
  }

  private static List<Slot> slots(List<Stretch<Executed>> stretches) {
    List<Slot> slots = new ArrayList<>();
    int number = 0;
    for (Stretch<Executed> stretch : stretches) {
      for (Executed statement : stretch.body()) {
        number++;
        slots.addAll(statement.slots(number));
      }
    }
    return slots;
  }

  /** Compares the keys of one transaction: of each loop's iterations, with the first of others. */
  private static void observe(KeySlots keys, List<Stretch<Executed>> stretches) {
    Map<Slot, Long> first = new HashMap<>();
    int number = 1;
    for (Stretch<Executed> stretch : stretches) {
      put(first, stretch.body(), number);
      number += stretch.body().size();
    }
    keys.observe(first);
    number = 1;
    for (Stretch<Executed> stretch : stretches) {
      for (List<Executed> iteration :
          stretch.iterations().subList(1, stretch.iterations().size())) {
        Map<Slot, Long> values = new HashMap<>(first);
        put(values, iteration, number);
        keys.observe(values);
        values.forEach(
            (slot, value) -> {
              if (!value.equals(first.get(slot))) {
                keys.varies(slot);
              }
            });
      }
      number += stretch.body().size();
    }
  }

  private static void put(Map<Slot, Long> values, List<Executed> statements, int from) {
    int number = from;
    for (Executed statement : statements) {
      for (Slot slot : statement.slots(number)) {
        values.remove(slot);
      }
      values.putAll(statement.values(number));
      number++;
    }
  }

  /** The number of templates so far. */
  public int templateCount() {
    return templates.size();
  }

  /** The templates so far, in the order in which they were first seen. */
  public List<OperationTemplate> templates() {
    return templates.values().stream().map(TemplateCollector::template).toList();
  }

  /** The templates with some of their transactions, in the same order. */
  public List<ObservedOperation> operations() {
    return templates.values().stream()
        .map(one -> new ObservedOperation(template(one), one.samples))
        .toList();
  }

  /**
   * What {@linkplain #originate caused} transactions of each template, in the order of {@link
   * #templates}: the first few.
   */
  public List<List<String>> origins() {
    return templates.values().stream().map(one -> List.copyOf(one.origins)).toList();
  }

  /** How much was not taken in. */
  public Map<Skipped, Long> skipped() {
    return Map.copyOf(skipped);
  }

  private void skip(Skipped reason) {
    skipped.merge(reason, 1L, Long::sum);
  }

  private static OperationTemplate template(Growing growing) {
    Map<Slot, String> variables = growing.keys.variables();
    List<TemplateStatement> statements = new ArrayList<>();
    int loop = 0;
    for (Stretch<Executed> stretch : growing.stretches) {
      loop += stretch.isLoop() ? 1 : 0;
      for (Executed executed : stretch.body()) {
        int number = statements.size() + 1;
        statements.add(
            new TemplateStatement(
                number,
                executed.kind,
                executed.shape,
                executed.callSite,
                stretch.isLoop() ? loop : 0,
                executed.columns.tables().stream()
                    .map(table -> access(executed, table, number, variables))
                    .toList()));
      }
    }
    return new OperationTemplate(
        growing.name,
        growing.variant,
        statements.get(0).callSite(),
        growing.seen,
        new TreeSet<>(growing.levels),
        statements,
        growing.keys.varying());
  }

  private static TemplateAccess access(
      Executed executed, OfTable table, int number, Map<Slot, String> variables) {
    boolean writes = !TemplateAccess.isEmpty(table.written());
    Effect effect =
        !writes
            ? Effect.NONE
            : switch (executed.kind) {
              case INSERT, REPLACE, MERGE -> Effect.INSERTED;
              case DELETE -> Effect.DELETED;
              default -> Effect.NONE;
            };
    return new TemplateAccess(
        table.table(),
        table.read(),
        table.predicate(),
        table.written(),
        effect,
        lock(executed, writes),
        key(table, effect, number, variables));
  }

  private static RowLock lock(Executed executed, boolean writes) {
    if (writes || executed.kind != StatementKind.LOCKING_SELECT) {
      return RowLock.NONE;
    }
    return SHARED_LOCK.matcher(executed.shape).find() ? RowLock.SHARED : RowLock.EXCLUSIVE;
  }

  /** Of an INSERT it is not known whether the columns that have values are a whole key. */
  private static KeyTerms key(
      OfTable table, Effect effect, int number, Map<Slot, String> variables) {
    Map<String, String> terms = new TreeMap<>();
    variables.forEach(
        (slot, variable) -> {
          if (slot.statement() == number && slot.table().equals(table.table())) {
            terms.put(slot.column(), variable);
          }
        });
    Columns key = table.key();
    if (effect == Effect.INSERTED || TemplateAccess.isEmpty(key)) {
      return KeyTerms.of(terms, false);
    }
    if (terms.containsKey(Executed.whole(table))) {
      terms.keySet().retainAll(Set.of(Executed.whole(table)));
      return KeyTerms.of(terms, true);
    }
    boolean unique = terms.keySet().containsAll(key.names());
    if (unique) {
      terms.keySet().retainAll(key.names());
    }
    return KeyTerms.of(terms, unique);
  }
}
