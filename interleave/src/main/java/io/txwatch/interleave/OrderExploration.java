package io.txwatch.interleave;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.explore.DivergedException;
import io.txwatch.interleave.explore.ExecutedSchedule;
import io.txwatch.interleave.explore.Explorer;
import io.txwatch.interleave.explore.Program.Scheduler;
import io.txwatch.interleave.explore.RandomPriorities;
import io.txwatch.interleave.run.GatedProgram;
import io.txwatch.interleave.run.GatedProgram.CallExtent;
import io.txwatch.interleave.run.HangException;
import io.txwatch.interleave.run.Operation;
import io.txwatch.interleave.run.ResetKeys;
import io.txwatch.interleave.run.TableConstraints;
import io.txwatch.interleave.state.RowIdentities;
import io.txwatch.interleave.state.TouchedRows;
import io.txwatch.interleave.state.UnreachableException;
import io.txwatch.interleave.state.UsedDatabases;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedConnection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Executes operations one after the other, then in other orders until one of them shows a race. For
 * one thread.
 */
final class OrderExploration implements AutoCloseable {

  /** How often an operation gets the lowest priority in a random order. */
  private static final int RANDOM_CHANGES = 3;

  /** Instead of the number of preemptions of an order whose end is not reached. */
  private static final int HANGS = -1;

  /** Up to how many orders there is no bound on preemptions: most of them are equivalent. */
  private static final int MAX_UNBOUNDED = 200;

  /** How often an order must show a race again if threads take part that are no operation's. */
  private static final int CONFIRMATIONS = 2;

  private static final String ALL_ORDERS = "all orders";
  private static final String EVERY_ORDER =
      "every order gives what an order of whole operations gives";

  private final InterleaverSettings settings;
  private final List<Operation> operations;
  private final List<String> names;
  private final UsedDatabases databases;
  private final ObservedAnomalies observed = new ObservedAnomalies();
  private final GatedProgram program;
  private SerialOrders serial;
  private final List<String> notes = new ArrayList<>();

  /** Phenomena that changed no result, and what operations have thrown, by the number of orders. */
  private final Map<String, Integer> harmless = new TreeMap<>();

  private final Map<String, Integer> refused = new TreeMap<>();
  private boolean knowsSeries;
  private int executions;
  private int calls;

  /** The calls of the order that was judged last. */
  private List<String> judged = List.of();

  /** The keys that rows had before it, and before the order that shows the race. */
  private ResetKeys judgedKeys = ResetKeys.NONE;

  private ResetKeys keysOfRace = ResetKeys.NONE;

  /** About how many orders there are. */
  private double orders;

  /** An order that shows a race. */
  private record Race(
      String reason,
      List<String> schedule,
      ResetKeys keys,
      int preemptions,
      List<Anomaly> anomalies) {

    /** True if operations wait for one another. */
    boolean isHang() {
      return preemptions == HANGS;
    }
  }

  OrderExploration(
      InterleaverSettings settings, List<Operation> operations, UsedDatabases databases) {
    this.settings = settings;
    this.operations = operations;
    this.names = operations.stream().map(Operation::name).toList();
    this.databases = databases;
    this.program = program(operations);
    this.serial = new SerialOrders(names, new WholeOperations());
  }

  private GatedProgram program(List<Operation> some) {
    return new GatedProgram(
        some,
        this::restore,
        databases::blocked,
        new UsedTables(),
        settings.limit(),
        settings.cancel());
  }

  /** Keeps the rows of the tables that calls are about to touch, and knows their constraints. */
  private final class UsedTables implements GatedProgram.Observer {
    @Override
    public void before(GatedCall call) {
      databases.touch(call);
    }

    @Override
    public CallExtent extent(GatedCall call) {
      return databases.extent(call);
    }

    @Override
    public ResetKeys resetKeys() {
      return databases.resetKeys();
    }

    @Override
    public TableConstraints constraints(GatedConnection connection, String table) {
      return databases.constraints(connection, table);
    }
  }

  private void restore() {
    Runnable own = settings.reset();
    if (own == null) {
      databases.restore();
    } else {
      own.run();
      databases.afterReset();
    }
  }

  /** The rows of the touched tables, and what the reads of the final state return. */
  private TouchedRows rows() {
    TouchedRows all = databases.rows();
    for (Map.Entry<String, Callable<List<List<String>>>> read : settings.finalReads().entrySet()) {
      all = all.with(read.getKey(), finalRows(read.getKey(), read.getValue()));
    }
    return all;
  }

  private static List<List<String>> finalRows(String name, Callable<List<List<String>>> read) {
    try {
      return read.call();
    } catch (Exception e) {
      throw new UnreachableException(
          "the final state cannot be read by " + name + ": " + e.getMessage());
    }
  }

  /** Executes whole operations one after the other. */
  private final class WholeOperations implements SerialOrders.Executor {
    @Override
    public Result execute(List<Integer> order) throws InterruptedException {
      if (order.isEmpty()) {
        restore();
        return new Result(List.of(), rows());
      }
      boolean isAll = order.size() == operations.size();
      GatedProgram some = isAll ? program : program(order.stream().map(operations::get).toList());
      List<Integer> numbers = isAll ? order : IntStream.range(0, order.size()).boxed().toList();
      ExecutedSchedule execution = some.executeInSeries(numbers);
      calls = Math.max(calls, execution.steps().size());
      orders = Math.max(orders, execution.orders());
      return new Result(some.outcomes(), rows());
    }

    @Override
    public Map<String, BitSet> generatedColumns() {
      return databases.generated();
    }

    @Override
    public RowIdentities identities() {
      return databases.identities();
    }
  }

  // ---------------------------------------------------------------- the orders

  /** Explores, and restores the tables unless operations hang, perhaps with locks. */
  Interleaved run() throws InterruptedException {
    Interleaved found;
    try {
      found = decide();
    } catch (HangException e) {
      if (!knowsSeries || !e.isDeadlock() || program.hasForeignThreads()) {
        throw e;
      }
      executions++;
      return found(
          new Race(
              String.valueOf(e.getMessage()), program.lines(), program.keys(), HANGS, List.of()));
    }
    if (found.verdict() == Verdict.RACE && program.hasForeignThreads()) {
      found = confirmed(found);
    }
    if (settings.reset() == null) {
      databases.restore();
    }
    return found;
  }

  /**
   * A race that shows again when whole operations and its order are executed again: what threads do
   * that work for no operation would not.
   */
  private Interleaved confirmed(Interleaved race) throws InterruptedException {
    KeptSchedule again = new KeptSchedule(race.schedule());
    serial = new SerialOrders(names, new WholeOperations());
    String differing = serial.execute();
    if (differing.isEmpty()) {
      differing = serial.repeat();
    }
    if (!differing.isEmpty()) {
      differing = "one after the other the operations give " + differing;
    }
    for (int i = 0; i < CONFIRMATIONS && differing.isEmpty(); i++) {
      try {
        Race found = execute(() -> again.scheduler(names));
        differing =
            found == null || !judgedKeys.areSame(judged, race.schedule(), keysOfRace)
                ? "executed again it does not"
                : program.lastUnownedWrites() > 0
                    ? "threads that no operation runs write at the same time"
                    : "";
      } catch (DivergedException e) {
        differing = String.valueOf(e.getMessage());
      }
    }
    if (differing.isEmpty()) {
      return race;
    }
    return Interleaved.undecided(
        "an order shows a race, but " + differing + " (background work?)",
        executions,
        race.notes());
  }

  private Interleaved decide() throws InterruptedException {
    String differing = serial.execute();
    knowsSeries = true;
    if (databases.isEmpty()) {
      return undecided(
          "no call of an operation has reached a watched connection: connections are watched that"
              + " are opened after the agent was attached, or by jdbc:txwatch:");
    }
    demandRestored();
    if (!differing.isEmpty()) {
      return undecided(
          "the operations are not deterministic: executed once more in the same order, one after"
              + " the other, they give "
              + differing);
    }
    Race race = ofKept();
    if (race != null) {
      return found(named(race));
    }
    for (Interruption interruption : settings.interruptions()) {
      if (executions < settings.executions()) {
        race = execute(() -> interruption.scheduler(operations.size()));
      }
      if (race != null) {
        return found(named(race));
      }
    }
    if (!settings.interruptions().isEmpty() && executions >= settings.executions()) {
      return undecided(tooMany());
    }
    Explored explored =
        explore(
            isBounded() ? settings.preemptions() : Integer.MAX_VALUE,
            settings.executions() - executions);
    race = explored.race();
    if (race != null) {
      return found(named(shortest(race)));
    }
    if (!program.blockedInProcess().isEmpty()) {
      return undecided(
          program.blockedInProcess() + ", not in the DBMS, while another operation could go on");
    }
    return switch (explored.end()) {
      case ALL -> safe(ALL_ORDERS, EVERY_ORDER);
      case ALL_WITHIN_BOUND -> sampled();
      case TOO_MANY, STOPPED -> undecided(tooMany());
    };
  }

  private String tooMany() {
    return "there are more than " + settings.executions() + " orders to be executed";
  }

  private boolean isBounded() {
    return orders > MAX_UNBOUNDED;
  }

  /** Which orders are executed, in words. */
  private String bound() {
    return isBounded() ? settings.preemptions() + " preemptions" : ALL_ORDERS;
  }

  private record Explored(Explorer.End end, @Nullable Race race) {}

  private Explored explore(int preemptions, int most) throws InterruptedException {
    Race[] race = new Race[1];
    Explorer explorer = new Explorer(program, preemptions, Math.max(1, most));
    observed.begin();
    Explorer.End end =
        explorer.explore(
            execution -> {
              race[0] = judge(execution);
              observed.begin();
              return race[0] == null;
            });
    if (explorer.replacements() > 0) {
      notes.add(
          explorer.replacements()
              + " times an order led to other calls whenever it was executed again: what happened"
              + " then was explored further, what had happened at first was not");
    }
    return new Explored(end, race[0]);
  }

  /** The schedule that was kept, executed first. */
  private @Nullable Race ofKept() throws InterruptedException {
    KeptSchedule kept = settings.kept();
    if (kept.isEmpty()) {
      return null;
    }
    try {
      Race race = execute(() -> kept.scheduler(names));
      if (judgedKeys.areSame(judged, kept.lines())) {
        notes.add("the kept schedule was executed first");
        return race;
      }
      notes.add("the kept schedule does not fit any more: the operations make other calls now");
      return race;
    } catch (DivergedException e) {
      notes.add("the kept schedule does not fit any more: " + e.getMessage());
      return null;
    }
  }

  /** A schedule with fewer preemptions that shows a race, too, if there is one. */
  private Race shortest(Race first) throws InterruptedException {
    Race best = first;
    try {
      while (best.preemptions() > 1) {
        Race shorter = explore(best.preemptions() - 1, settings.executions() / 10).race();
        if (shorter == null) {
          break;
        }
        best = shorter;
      }
    } catch (DivergedException e) {
      return best; // it was shown
    }
    return best;
  }

  /** Random orders with more preemptions than the bound. */
  private Interleaved sampled() throws InterruptedException {
    Random random = new Random(settings.seed());
    int most = Math.min(settings.sampled(), settings.executions() - executions);
    for (int i = 0; i < most; i++) {
      Race race =
          execute(() -> new RandomPriorities(random, operations.size(), calls, RANDOM_CHANGES));
      if (race != null) {
        return found(named(race));
      }
    }
    String bound =
        settings.preemptions()
            + " preemptions"
            + (most > 0 ? " and " + most + " random orders" : "");
    return safe(
        bound,
        "every order with at most "
            + settings.preemptions()
            + " preemptions"
            + (most > 0 ? ", and each of " + most + " random ones," : "")
            + " gives what an order of whole operations gives");
  }

  /**
   * Executes an order, and again if it leads to other calls than before, as the explorer does.
   *
   * @param scheduler creates one for each execution
   * @throws DivergedException if it always does
   */
  private @Nullable Race execute(Supplier<Scheduler> scheduler) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      observed.begin();
      try {
        return judge(program.execute(scheduler.get()));
      } catch (DivergedException e) {
        if (attempt == Explorer.MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  // ---------------------------------------------------------------- the verdict on an order

  private @Nullable Race judge(ExecutedSchedule execution) throws InterruptedException {
    executions++;
    Result result = new Result(program.outcomes(), rows());
    List<String> lines = program.lines();
    judged = lines;
    judgedKeys = program.keys();
    ResetKeys keys = judgedKeys;
    List<Anomaly> anomalies = observed.end();
    String reason = broken();
    if (!serial.haveTablesOf(result)) {
      String differing = serial.execute(); // no order of whole operations had touched a table
      demandRestored();
      demandNoDifference(differing);
    }
    if (reason.isEmpty() && !serial.contain(result) && !serial.isOfTheOthers(result)) {
      demandNoDifference(serial.repeat());
      if (!serial.contain(result) && !serial.isOfTheOthers(result)) {
        reason = "no order of whole operations gives " + serial.difference(result);
      }
    }
    if (reason.isEmpty() && !serial.contain(result)) {
      result.thrown(names).forEach(one -> refused.merge(one, 1, Integer::sum));
      return null;
    }
    if (reason.isEmpty()) {
      anomalies.stream()
          .map(anomaly -> anomaly.phenomenon().name())
          .distinct()
          .forEach(name -> harmless.merge(name, 1, Integer::sum));
      return null;
    }
    return new Race(reason, lines, keys, execution.preemptions(), anomalies);
  }

  /**
   * Executions begin alike: where the user's reset leaves what operations have changed, a value
   * that is another one in each execution would be taken for one that cannot be compared.
   *
   * @throws UnreachableException if they do not
   */
  private void demandRestored() {
    if (settings.reset() == null) {
      return;
    }
    restore();
    TouchedRows once = databases.rows();
    restore();
    TouchedRows again = databases.rows();
    Map<String, BitSet> changing = databases.generated();
    again
        .differingColumns(once, changing)
        .forEach(
            (table, columns) -> changing.computeIfAbsent(table, one -> new BitSet()).or(columns));
    Set<String> unlike = again.unlike(databases.firstRows(), changing, databases.dates());
    if (!unlike.isEmpty()) {
      String tables = String.join(", ", unlike.stream().map(OrderExploration::table).toList());
      throw new UnreachableException(
          "the reset does not restore "
              + tables
              + ": after it the rows are not those before the first execution, so the executions"
              + " do not begin alike; let the reset (or @BeforeEach) restore these tables, or"
              + " leave it out, so that txwatch restores them");
    }
  }

  /** The name of a table without its database. */
  private static String table(String key) {
    return key.substring(key.lastIndexOf(' ') + 1);
  }

  private static void demandNoDifference(String differing) {
    if (!differing.isEmpty()) {
      throw new UnreachableException(
          "the operations are not deterministic: executed once more in the same order, they give "
              + differing);
    }
  }

  private String broken() {
    for (InterleaverSettings.Invariant invariant : settings.invariants()) {
      try {
        if (!invariant.holds().call()) {
          return invariant.name() + " does not hold";
        }
      } catch (Exception e) {
        return invariant.name() + " does not hold: " + e.getMessage();
      }
    }
    return "";
  }

  // ---------------------------------------------------------------- what is returned

  /**
   * The race with the anomalies of its order. Where rows are known by their values, times decide
   * which version was read: if they did not, they may when the order is executed again.
   */
  private Race named(Race race) throws InterruptedException {
    List<Anomaly> anomalies = race.anomalies();
    try {
      for (int i = 0;
          i < settings.repetitionsForName() && anomalies.isEmpty() && observed.isAnalysed();
          i++) {
        Race again = execute(() -> new KeptSchedule(race.schedule()).scheduler(names));
        if (again == null || !judgedKeys.areSame(judged, race.schedule(), race.keys())) {
          return race;
        }
        anomalies = again.anomalies();
      }
    } catch (DivergedException | UnreachableException e) {
      return race; // it was shown, whatever it is called
    }
    return new Race(race.reason(), race.schedule(), race.keys(), race.preemptions(), anomalies);
  }

  private Interleaved found(Race race) {
    keysOfRace = race.keys();
    addNotes();
    if (race.anomalies().isEmpty() && observed.isAnalysed() && !race.isHang()) {
      notes.add(
          "no cycle is known in the dependency graph of this order: the operations consist of"
              + " several transactions, their result comes from outside the database, or the"
              + " versions of some rows are not known");
    }
    return new Interleaved(
        Verdict.RACE, race.reason(), bound(), executions, race.schedule(), race.anomalies(), notes);
  }

  private Interleaved safe(String bound, String reason) {
    addNotes();
    return new Interleaved(Verdict.SAFE, reason, bound, executions, List.of(), List.of(), notes);
  }

  Interleaved undecided(String reason) {
    addNotes();
    return new Interleaved(
        Verdict.UNDECIDED, reason, bound(), executions, List.of(), List.of(), notes);
  }

  private void addNotes() {
    if (program.unownedCalls() > 0) {
      notes.add(
          program.unownedCalls()
              + " calls of threads that no operation runs (background work?) were made"
              + " meanwhile");
    }
    for (String table : serial.withVolatileColumns()) {
      notes.add(
          "some columns of "
              + table(table)
              + " have other values when the same order is executed again, and are not compared");
    }
    for (String name : serial.withVolatileOutcomes()) {
      notes.add(
          "what "
              + name
              + " returns differs when the same order is executed again: only whether it returns"
              + " something is compared");
    }
    refused.forEach(
        (thrown, orders) ->
            notes.add(
                thrown
                    + ", and leaves nothing behind, in "
                    + orders
                    + " of "
                    + executions
                    + " orders"));
    harmless.forEach(
        (phenomenon, orders) ->
            notes.add(
                phenomenon
                    + " in "
                    + orders
                    + " of "
                    + executions
                    + " orders changes no result that is compared"));
  }

  @Override
  public void close() {
    observed.close();
  }
}
