package io.txwatch.interleave.provoke;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.predict.CandidateSearch;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.TemplateCollector;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.Tokenizer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Learns what the transactions that use a database execute, and searches the races that they may
 * form, on a thread of its own. Transactions that arrive faster than they are learnt from are
 * dropped.
 */
final class RaceLearner {

  private static final int MAX_WAITING = 1_000;
  private static final int MAX_TEMPLATES = 200;
  private static final int MAX_SHAPES = 10_000;
  private static final long SESSION = 1;

  /** How many times as long as the last search took it pauses before the next one. */
  private static final int PAUSE_FACTOR = 10;

  private record Transaction(IsolationLevel level, List<CalledStatement> statements) {}

  private final Database database;
  private final Dialect dialect;
  private final Map<String, String> shapes = new ConcurrentHashMap<>();
  private final BlockingQueue<Transaction> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final TemplateCollector collector = new TemplateCollector(MAX_TEMPLATES);
  private volatile SoughtRaces races = SoughtRaces.NONE;
  private volatile boolean isStopped;

  private final Consumer<String> log;

  /**
   * A learner that has not been started.
   *
   * @param log takes what the user must know, a line each
   */
  RaceLearner(Database database, Consumer<String> log) {
    this.database = database;
    this.log = log;
    Product product = database.product();
    this.dialect = Dialect.of(product.name());
    collector.accept(new Event.SessionOpened(SESSION, "", database));
  }

  void start() {
    BackgroundThreads.create("txwatch-provoke", this::run).start();
  }

  void stop() {
    isStopped = true;
  }

  /** The races found so far. */
  SoughtRaces races() {
    return races;
  }

  /** The text of a statement, with one value for all literals of a kind. */
  String shape(String sql) {
    String known = shapes.get(sql);
    if (known != null) {
      return known;
    }
    String shape = TextShape.of(Tokenizer.tokenize(sql, dialect)).map(TextShape::text).orElse(sql);
    if (shapes.size() < MAX_SHAPES) {
      shapes.put(sql, shape);
    }
    return shape;
  }

  /** A transaction is about to commit. Returns at once. */
  void learn(IsolationLevel level, List<CalledStatement> statements) {
    if (!statements.isEmpty()) {
      waiting.offer(new Transaction(level, List.copyOf(statements)));
    }
  }

  private void run() {
    long number = 0;
    long nextSearch = 1;
    int templates = 0;
    try {
      while (!isStopped) {
        Transaction next = waiting.poll(1, TimeUnit.SECONDS);
        if (next == null) {
          continue;
        }
        collect(++number, next);
        // What is equal in all transactions of a template is known better the more there are.
        boolean isNew = collector.templateCount() > templates || number >= nextSearch;
        if (isNew && waiting.isEmpty()) {
          templates = collector.templateCount();
          nextSearch = 2 * number;
          long begin = System.nanoTime();
          races = new SoughtRaces(search(collector.templates()));
          TimeUnit.NANOSECONDS.sleep(PAUSE_FACTOR * (System.nanoTime() - begin));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.accept("no further races are searched in " + database.place() + ": " + e);
    }
  }

  private void collect(long number, Transaction transaction) {
    collector.accept(new Event.TransactionBegan(SESSION, number, transaction.level(), 0));
    int statement = 0;
    for (CalledStatement called : transaction.statements()) {
      collector.accept(
          new Event.StatementExecuted(
              SESSION,
              number,
              ++statement,
              called.text().kind(),
              called.text().sql(),
              called.callSite(),
              List.of(),
              true,
              null,
              List.of(),
              called.text().columns(),
              called.text().keys()));
    }
    collector.accept(new Event.TransactionEnded(SESSION, number, Outcome.COMMITTED, 0));
  }

  private List<SoughtRace> search(List<OperationTemplate> templates) {
    return templates.stream()
        .flatMap(template -> template.levels().stream())
        .distinct()
        .flatMap(level -> search(templates, level))
        .distinct()
        .toList();
  }

  private Stream<SoughtRace> search(List<OperationTemplate> templates, IsolationLevel level) {
    return CandidateSearch.search(templates, database, level).candidates().stream()
        .flatMap(candidate -> SoughtRace.of(candidate, level).stream());
  }
}
