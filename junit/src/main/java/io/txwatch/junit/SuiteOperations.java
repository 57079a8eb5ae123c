package io.txwatch.junit;

import io.txwatch.analyzer.EventListeners;
import io.txwatch.capture.CalledMethod;
import io.txwatch.capture.TransactionNames;
import io.txwatch.dependency.OperationName;
import io.txwatch.history.AnalysisQueues;
import io.txwatch.history.CallSite;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Product;
import io.txwatch.predict.LevelledCandidate;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.TemplateCollector;
import io.txwatch.predict.TemplateCollector.Skipped;
import io.txwatch.predict.TemplateStatement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the application that the tests of this JVM execute, as templates in bounded
 * memory. Thread-safe.
 *
 * <p>Transactions count that begin while the method of a test runs: not those that prepare a test,
 * or that begin between tests.
 */
final class SuiteOperations {

  /** Those of this JVM. */
  static final SuiteOperations INSTANCE = new SuiteOperations();

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** More tests do not end while an event is on its way. */
  private static final int MAX_ENDED = 1_000;

  /** When a test's method ran, in microseconds since 1970. */
  private record Stretch(String test, long from, long to) {}

  /** The templates of one DBMS. */
  private static final class OfDatabase {
    private final TemplateCollector collector = new TemplateCollector();
    private final Database database;

    private OfDatabase(Database database) {
      this.database = database;
    }
  }

  private final Map<Product, OfDatabase> databases = new LinkedHashMap<>();
  private final Map<Long, OfDatabase> sessions = new HashMap<>();
  private final Set<Long> transactions = new HashSet<>();
  private final Map<String, Stretch> running = new LinkedHashMap<>();
  private final Deque<Stretch> ended = new ArrayDeque<>();

  /** How a test is called, by its name. */
  private final Map<String, TestCall> calls = new HashMap<>();

  /** The outermost classes of tests and of the classes that they extend. */
  private final Set<String> testClasses = ConcurrentHashMap.newKeySet();

  /** Operations that may be helpers of tests. */
  private final Set<String> ofTests = ConcurrentHashMap.newKeySet();

  private volatile boolean calledApplication;
  private boolean listens;

  private SuiteOperations() {}

  // ---------------------------------------------------------------- tests

  /** Collects from now on. */
  synchronized void listen() {
    if (!listens) {
      listens = true;
      TransactionNames.setFallback(this::operation);
      EventListeners.INSTANCE.add(this::accept);
    }
  }

  /** The method of a test is about to run. */
  void testBegins(String id, Class<?> testClass, Method method) {
    for (Class<?> type = testClass;
        type != null && type != Object.class;
        type = type.getSuperclass()) {
      testClasses.add(outermost(type));
    }
    TestCall call = TestCall.of(testClass, method);
    synchronized (this) {
      calls.put(call.name(), call);
      running.put(id, new Stretch(call.name(), micros(), Long.MAX_VALUE));
    }
  }

  /** The method of a test has returned. */
  synchronized void testEnded(String id) {
    Stretch one = running.remove(id);
    if (one != null) {
      ended.addFirst(new Stretch(one.test, one.from, micros()));
      if (ended.size() > MAX_ENDED) {
        ended.removeLast();
      }
    }
  }

  /** As transactions state when they begin. */
  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** The tests whose methods ran at that time. Their events arrive later. */
  private Set<String> testsAt(long micros) {
    Set<String> tests = new HashSet<>();
    for (Stretch one : running.values()) {
      if (one.from <= micros) {
        tests.add(one.test);
      }
    }
    for (Stretch one : ended) {
      if (one.from <= micros && micros <= one.to) {
        tests.add(one.test);
      }
    }
    return tests;
  }

  /** The method that a test calls, which the application gives no name of its own. */
  private @Nullable String operation() {
    if (testClasses.isEmpty()) {
      return null;
    }
    CalledMethod called =
        CalledMethod.find(type -> testClasses.contains(outermost(type))).orElse(null);
    if (called == null) {
      return null;
    }
    if (called.isOfTests()) {
      ofTests.add(OperationName.withoutPackages(called.name()));
    } else {
      calledApplication = true;
    }
    return called.name();
  }

  private static String outermost(Class<?> type) {
    String name = type.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  // ---------------------------------------------------------------- events

  private synchronized void accept(Event event) {
    if (event instanceof Event.SessionOpened opened) {
      sessions.put(opened.session(), of(opened.database()));
    }
    OfDatabase of = sessions.get(event.session());
    if (of != null && isCollected(event, of)) {
      of.collector.accept(event);
    }
    if (event instanceof Event.SessionClosed) {
      sessions.remove(event.session());
    } else if (event instanceof Event.TransactionEnded) {
      transactions.remove(event.transaction());
    }
  }

  private OfDatabase of(Database database) {
    return databases.computeIfAbsent(database.product(), product -> new OfDatabase(database));
  }

  /** Of several tests that ran at the same time it is not known which one caused what. */
  private boolean isCollected(Event event, OfDatabase of) {
    if (event instanceof Event.TransactionBegan began) {
      Set<String> tests = testsAt(began.micros());
      if (!tests.isEmpty()) {
        transactions.add(event.transaction());
        of.collector.originate(tests.size() == 1 ? tests : Set.of());
      }
    }
    return event.transaction() == 0 || transactions.contains(event.transaction());
  }

  // ---------------------------------------------------------------- results

  /** What the operations so far may do to each other; nothing if no test was collected. */
  PredictedPairs predict() {
    AnalysisQueues.awaitDelivered(TIMEOUT);
    return predictDelivered();
  }

  private synchronized PredictedPairs predictDelivered() {
    List<LevelledCandidate> candidates = new ArrayList<>();
    Map<LevelledCandidate, Product> products = new LinkedHashMap<>();
    Map<String, Set<String>> tests = new HashMap<>();
    long operations = 0;
    long rolledBack = 0;
    for (OfDatabase one : databases.values()) {
      List<OperationTemplate> all = one.collector.templates();
      List<OperationTemplate> ofApplication = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        OperationTemplate template = all.get(i);
        if (!isOfTest(template)) {
          ofApplication.add(template);
          tests
              .computeIfAbsent(template.name(), name -> new LinkedHashSet<>())
              .addAll(one.collector.origins().get(i));
        }
      }
      operations += ofApplication.size();
      rolledBack += one.collector.skipped().getOrDefault(Skipped.UNCOMMITTED, 0L);
      for (LevelledCandidate candidate :
          LevelledCandidate.pairsAsSeen(ofApplication, one.database)) {
        candidates.add(candidate);
        products.put(candidate, one.database.product());
      }
    }
    return PredictedPairs.of(candidates, products, tests, calls, operations, rolledBack);
  }

  /** What a test itself executes prepares or checks something. */
  private boolean isOfTest(OperationTemplate template) {
    return calledApplication && ofTests.contains(template.name())
        || template.statements().stream().map(TemplateStatement::callSite).allMatch(this::isInTest);
  }

  private boolean isInTest(String callSite) {
    String method = CallSite.method(callSite);
    for (int end = method.indexOf('.'); end >= 0; end = method.indexOf('.', end + 1)) {
      if (testClasses.contains(method.substring(0, end))) {
        return true;
      }
    }
    return false;
  }

  /** True if a test was collected. */
  boolean hasTests() {
    return !testClasses.isEmpty();
  }

  /** Forgets all. */
  synchronized void clear() {
    databases.clear();
    transactions.clear();
    sessions.replaceAll((session, of) -> of(of.database));
    running.clear();
    ended.clear();
    calls.clear();
    testClasses.clear();
    ofTests.clear();
    calledApplication = false;
  }
}
