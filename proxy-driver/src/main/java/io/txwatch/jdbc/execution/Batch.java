package io.txwatch.jdbc.execution;

import io.txwatch.capture.SampledCallSite;
import io.txwatch.capture.SessionTracker;
import io.txwatch.history.GapReason;
import io.txwatch.history.KeyValues;
import io.txwatch.history.RecordedValue;
import io.txwatch.jdbc.error.SentText;
import io.txwatch.jdbc.error.VendorErrors;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.PlannedReads;
import io.txwatch.jdbc.read.StatementReads;
import io.txwatch.jdbc.value.StatementValues;
import io.txwatch.plan.RewritePlan;
import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The items of a batch, each a statement of its own: with a number, a writer token and an outcome.
 *
 * <p>A token must be given when an item is added, before it is known in which transaction the batch
 * will be executed, and what comes between. So an item is given the {@linkplain
 * SessionTracker.Position position} that it will have if at most so many statements come between as
 * did before ({@link CachedPlan#lead}), and whether that held is checked when the batch is sent. If
 * fewer came, some numbers of the transaction are no statement's.
 *
 * <p>If it did not hold, the items are added once more, with other tokens. Items that were set from
 * streams cannot be: each has the position of an autocommitted statement from the beginning, which
 * names nothing else if the batch is sent in a transaction. What it writes is not observed then.
 */
public final class Batch {

  /** A longer batch has no reads beside its items. */
  private static final int MAX_ITEMS_WITH_READS = 64;

  /** Numbers beyond are not passed over: a token does not distinguish all of them. */
  private static final int LAST_PASSED_OVER = 1 << 16;

  private final ExecutionContext context;

  /** How many statements may come between. */
  private final int lead;

  /** True if its items are of one prepared statement, but for those with a text of their own. */
  private final boolean prepared;

  /** True if items cannot be added once more with other tokens. */
  private final boolean streamed;

  private boolean hasTexts;

  /**
   * What an item is given when it is added.
   *
   * @param firstRow the id of its first new row; 0 if it has none
   * @param key the bits of the key by which it finds a row; 0 if there is none
   * @param ofPrepared true if it is one of the prepared statement's, false if it has its own text
   */
  public record Given(
      CachedPlan cached,
      SessionTracker.Position position,
      long firstRow,
      long key,
      boolean ofPrepared) {
    public String immediateSql() {
      return cached.plan().immediateSql(position.token(), firstRow);
    }

    /** Sets the parameters of the item that the driver adds. */
    public void setParameters(PreparedStatement statement) throws SQLException {
      Execution.setParameters(statement, cached, position.token(), firstRow);
    }

    SentText sent() {
      return ofPrepared ? cached.prepared() : new SentText(cached.plan(), immediateSql(), false);
    }
  }

  private final List<CachedPlan> plans = new ArrayList<>();
  private final List<SessionTracker.Position> positions = new ArrayList<>();
  private final List<Given> given = new ArrayList<>();

  /** The parameters of each item, if they are needed for reads beside it. */
  private final List<Parameters> parameters = new ArrayList<>(0);

  /** The values of a key's columns in the rows that each item chooses or inserts. */
  private final List<List<KeyValues>> keyValues = new ArrayList<>(0);

  /** The parameters of each item, if they are recorded. */
  private final List<List<RecordedValue>> recorded = new ArrayList<>(0);

  /** What each item shows of its rows by their values, if versions are known by value. */
  private final List<@Nullable StatementValues> values = new ArrayList<>(0);

  /** The position of the last item, if it is autocommitted; null before it is sent. */
  private SessionTracker.@Nullable Position last;

  /** The place in the application that sends it; empty before. */
  private String calledFrom = "";

  /**
   * One that has no items yet.
   *
   * @param lead how many statements may come before it is sent
   * @param prepared true if its items are of one prepared statement
   * @param streamed true if items may be set from streams
   */
  public Batch(ExecutionContext context, int lead, boolean prepared, boolean streamed) {
    this.context = context;
    this.lead = lead;
    this.prepared = prepared;
    this.streamed = streamed;
  }

  /** Sends the items. */
  public interface Sender {
    /** The update counts, as the driver gives them. */
    long[] send() throws SQLException;
  }

  int size() {
    return plans.size();
  }

  /** Adds an item and gives it its token and its rows' ids. */
  public Given add(CachedPlan cached, long key) {
    return add(cached, key, prepared);
  }

  /** Adds an item that has a text of its own, to those of a prepared statement. */
  public Given addText(CachedPlan cached) {
    hasTexts = true;
    return add(cached, 0, false);
  }

  private Given add(CachedPlan cached, long key, boolean ofPrepared) {
    SessionTracker.Position position = nextPosition();
    plans.add(cached);
    positions.add(position);
    Given item = new Given(cached, position, Execution.takeRowIds(cached), key, ofPrepared);
    given.add(item);
    return item;
  }

  /** The driver has refused the item that was added last. */
  public void removeLast() {
    int last = plans.size() - 1;
    plans.remove(last);
    positions.remove(last);
    given.remove(last);
    if (parameters.size() > last) {
      parameters.remove(last);
    }
  }

  private SessionTracker.Position nextPosition() {
    if (streamed) {
      return context.tracker().nextAlone();
    }
    if (positions.isEmpty()) {
      SessionTracker.Position first = context.tracker().next(lead);
      return first.statement() <= LAST_PASSED_OVER ? first : context.tracker().next(0);
    }
    SessionTracker.Position first = positions.get(0);
    return first.alone() ? context.tracker().next(0) : first.after(positions.size());
  }

  /** Keeps the parameters of the item that was added last. */
  public void parameters(Parameters values) {
    parameters.add(values);
  }

  /** What the item that was added last shows of its rows by their values. */
  public void values(@Nullable StatementValues ofLast) {
    while (values.size() < plans.size() - 1) {
      values.add(null);
    }
    values.add(ofLast);
  }

  /** The values of a key's columns in the rows that the item added last chooses or inserts. */
  public void keyValues(List<KeyValues> ofLast) {
    while (keyValues.size() < plans.size() - 1) {
      keyValues.add(List.of());
    }
    keyValues.add(ofLast);
  }

  /** The parameters of the item added last, as they are recorded. */
  public void recorded(List<RecordedValue> ofLast) {
    while (recorded.size() < plans.size() - 1) {
      recorded.add(List.of());
    }
    recorded.add(ofLast);
  }

  /** The items will be executed at other positions than they were given. */
  public void placeAnew() {
    int items = positions.size();
    positions.clear();
    for (int i = 0; i < items; i++) {
      positions.add(
          i > 0 && !positions.get(0).alone()
              ? positions.get(0).after(i)
              : context.tracker().next(0));
    }
  }

  /** Adds an item that has no token. */
  public void addWithoutPosition(CachedPlan cached) {
    plans.add(cached);
  }

  /** The tokens name no statement, and cannot be changed any more: what is written is not seen. */
  public void writesUnnamed() {
    positions.clear();
    parameters.clear();
    plans.replaceAll(
        cached -> cached.asItIs(GapReason.SHAPE, "batch from streams in a transaction"));
  }

  /** True if the tokens that were given name what will be executed now. */
  public boolean tokensHold() {
    return context.tracker().stillHolds(positions);
  }

  /** The lead with which the tokens would have held; 0 if none would have been enough. */
  public int leadThatWouldHold() {
    int missedBy = positions.isEmpty() ? 0 : context.tracker().missedBy(positions.get(0));
    return missedBy <= 0 ? 0 : lead + missedBy;
  }

  /**
   * Sends the batch and notes what became of each item.
   *
   * @param asItWas sends the same items with the application's own texts, after the DBMS has
   *     refused ours and executed none; null if they cannot be collected once more
   */
  public <T> T run(Sender sender, @Nullable Sender asItWas, Function<long[], T> as)
      throws SQLException {
    boolean alone =
        positions.isEmpty() ? !context.tracker().inTransactionMode() : positions.get(0).alone();
    if (plans.isEmpty() || !alone) {
      return as.apply(send(sender, asItWas));
    }
    SessionTracker.Position ahead =
        positions.isEmpty() ? context.tracker().nextAlone() : positions.get(positions.size() - 1);
    last = ahead;
    context.tracker().batchSent(ahead);
    try {
      return as.apply(send(sender, asItWas));
    } finally {
      context.tracker().batchNoted();
    }
  }

  private long[] send(Sender sender, @Nullable Sender asItWas) throws SQLException {
    GatedStatements.beforeBatch(context, plans);
    plans.forEach(context::beforeNext);
    if (!plans.isEmpty()) {
      SampledCallSite place = plans.get(0).place();
      calledFrom = place.usual();
      if (calledFrom.isEmpty()) {
        calledFrom = place.found(context.callSites().current());
      }
    }
    if (!plans.isEmpty()) { // one savepoint stands before all of them
      context
          .guard()
          .set(plans.stream().filter(c -> !c.usage().isProven()).findFirst().orElse(plans.get(0)));
    }
    List<Execution> begun = null;
    if (!positions.isEmpty() && !positions.get(0).alone()) {
      begun = new ArrayList<>(plans.size());
      for (int i = 0; i < plans.size(); i++) {
        begun.add(begin(i));
      }
    }
    readBefore(begun);
    long[] counts;
    Map<CachedPlan, CachedPlan> instead = new IdentityHashMap<>(0);
    context.state().changes().sendingBatch();
    values.forEach(item -> ifKnown(item, StatementValues::sent));
    try {
      counts = sender.send();
      plans.forEach(c -> c.usage().prove());
      context.guard().release();
    } catch (SQLException ours) {
      if (asItWas == null || !isUndone(ours)) {
        throw failed(begun, ours, texts());
      }
      try {
        counts = asItWas.send();
      } catch (SQLException raw) { // not our fault: the application's own texts give it
        throw failed(begun, raw, List.of());
      }
      plans.stream()
          .filter(cached -> cached.plan().isRewritten())
          .forEach(
              cached -> instead.computeIfAbsent(cached, c -> context.plans().refused(c, ours)));
    }
    context.state().changes().sentBatch(counts);
    values.forEach(item -> ifKnown(item, StatementValues::returned));
    for (int i = 0; i < plans.size(); i++) {
      Execution execution = begun == null ? begin(i) : begun.get(i);
      CachedPlan untouched = instead.get(plans.get(i));
      if (untouched != null) {
        execution = execution.instead(untouched);
      }
      long count = i < counts.length ? counts[i] : -1;
      execution.after(count);
      execution.counted(count);
    }
    return counts;
  }

  private static void ifKnown(@Nullable StatementValues item, Consumer<StatementValues> what) {
    if (item != null) {
      what.accept(item);
    }
  }

  /**
   * True if an error may come from what we added, and nothing of the batch has been executed, or it
   * could be undone. If it could not, the next one is sent with more care.
   */
  private boolean isUndone(SQLException error) {
    long[] counts = countsOf(error);
    int named = VendorErrors.entry(error);
    Set<CachedPlan> suspects = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < plans.size(); i++) {
      if (mayHaveFailed(i, named, counts) && mayBeOurFault(plans.get(i), error)) {
        suspects.add(plans.get(i));
      }
    }
    if (suspects.isEmpty()) {
      return false;
    }
    boolean nothingDone = context.guard().isSet() || isUntouched(error, counts);
    if (nothingDone && context.guard().goBack()) {
      return true;
    }
    suspects.forEach(cached -> context.plans().failed(cached, error));
    return false;
  }

  /**
   * True if an error may be that of an item.
   *
   * @param named the item that the error names; -1 if it names none
   */
  private static boolean mayHaveFailed(int item, int named, long[] counts) {
    if (named >= 0) {
      return item == named;
    }
    return item < counts.length
        ? counts[item] == Statement.EXECUTE_FAILED
        : item == counts.length || counts.length == 0;
  }

  /**
   * True if no item has been executed. What drivers that may send several items at once state of
   * each is no proof; but if all have one text, and the DBMS does not know a name of ours in it,
   * then it has refused the first.
   */
  private boolean isUntouched(SQLException error, long[] counts) {
    if (Arrays.stream(counts).anyMatch(count -> count != Statement.EXECUTE_FAILED)) {
      return false;
    }
    boolean eachCounted = counts.length > 0 && !context.sql().driver().splitsTexts();
    return eachCounted
        || plans.size() == 1
        || (prepared && !hasTexts && VendorErrors.isAboutOurs(error));
  }

  /** Some drivers state only in the cause, or the next error, what an item's was. */
  private boolean mayBeOurFault(CachedPlan cached, SQLException error) {
    return isOurText(cached, error)
        || (error.getNextException() != null && isOurText(cached, error.getNextException()))
        || (error.getCause() instanceof SQLException cause && isOurText(cached, cause));
  }

  /**
   * Of queries in batches drivers state that they have a result, or that they must not be there.
   */
  private boolean isOurText(CachedPlan cached, SQLException error) {
    return context.mayBeOurFault(cached, error)
        && (VendorErrors.isAboutOurs(error) || VendorErrors.isOfText(error, context.sql()));
  }

  private SQLException failed(
      @Nullable List<Execution> begun, SQLException error, List<SentText> texts) {
    failed(begun, error, countsOf(error));
    if (error instanceof BatchUpdateException batch) {
      return VendorErrors.ofBatch(batch, texts);
    }
    return texts.size() == 1 ? VendorErrors.of(error, texts.get(0)) : error;
  }

  /** The texts of the items; one if it is the same for all. */
  private List<SentText> texts() {
    if (prepared && !hasTexts && !plans.isEmpty()) {
      return List.of((given.isEmpty() ? plans.get(0) : given.get(0).cached()).prepared());
    }
    List<SentText> texts = new ArrayList<>();
    for (int i = 0; i < plans.size(); i++) {
      RewritePlan plan = plans.get(i).plan();
      texts.add(
          i < given.size() ? given.get(i).sent() : new SentText(plan, plan.original(), false));
    }
    return texts;
  }

  /**
   * Sends the reads that come before the items, all of them before the first item: what one item
   * does to another's rows they do not see, so they are certain for the first item alone. A version
   * set is read for the first alone. Under autocommit, and for a batch that is long, they would
   * cost more than the batch itself: they are counted, not sent.
   */
  private void readBefore(@Nullable List<Execution> begun) {
    for (int i = 0; i < plans.size(); i++) {
      PlannedReads planned = plans.get(i).sideReads();
      if (planned == null || planned.notForBatches) {
        continue;
      }
      if (begun == null || plans.size() > MAX_ITEMS_WITH_READS) {
        context.gap(GapReason.SHAPE, "reads beside a batch");
        continue;
      }
      Parameters values = i < parameters.size() ? parameters.get(i) : Parameters.NONE;
      StatementReads reads = begun.get(i).reads();
      if (reads != null) {
        reads.standsInBatch(plans.size() > 1);
      }
      begun.get(i).before(values, i == 0);
    }
  }

  private Execution begin(int i) {
    Execution execution = beginAtPosition(i);
    CachedPlan plan = plans.get(i);
    if (context.recordsValues() && !plan.isControl() && execution.recordsValues(plan)) {
      execution.records(context.recording(plan, i < recorded.size() ? recorded.get(i) : List.of()));
    }
    return execution;
  }

  private Execution beginAtPosition(int i) {
    if (i >= positions.size()) {
      SessionTracker.Position position = i == plans.size() - 1 ? last : null;
      return Execution.begin(context, plans.get(i), position, 0, calledFrom);
    }
    Given item = given.get(i);
    Execution execution =
        Execution.begin(context, plans.get(i), positions.get(i), item.firstRow(), calledFrom);
    execution.key(item.key());
    if (i < keyValues.size()) {
      execution.keyValues(keyValues.get(i));
    }
    StatementValues shown = i < values.size() ? values.get(i) : null;
    if (shown != null) {
      execution.values(shown);
    }
    return execution;
  }

  private void failed(@Nullable List<Execution> begun, SQLException error, long[] counts) {
    boolean shared = begun == null && context.rules().batchSharesTransaction();
    int named = VendorErrors.entry(error);
    long suspects =
        IntStream.range(0, plans.size()).filter(i -> mayHaveFailed(i, named, counts)).count();
    for (int i = 0; i < plans.size(); i++) {
      Execution execution = begun == null ? begin(i) : begun.get(i);
      boolean done = i < counts.length && counts[i] != Statement.EXECUTE_FAILED;
      if (shared) {
        execution.outcomeUnknown();
      } else if (done) {
        execution.after(counts[i]);
        execution.counted(counts[i]);
      } else {
        execution.failed(error, mayHaveFailed(i, named, counts) && suspects == 1);
      }
    }
  }

  private static long[] countsOf(SQLException error) {
    if (!(error instanceof BatchUpdateException batch)) {
      return new long[0];
    }
    long[] counts = batch.getLargeUpdateCounts();
    if (counts != null && counts.length > 0) {
      return counts;
    }
    int[] narrow = batch.getUpdateCounts();
    return narrow == null ? new long[0] : widen(narrow);
  }

  public static long[] widen(int[] counts) {
    long[] wide = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      wide[i] = counts[i];
    }
    return wide;
  }

  public static int[] narrow(long[] counts) {
    int[] narrow = new int[counts.length];
    for (int i = 0; i < counts.length; i++) {
      narrow[i] = (int) counts[i];
    }
    return narrow;
  }
}
