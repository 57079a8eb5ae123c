package io.txwatch.schedule;

import io.txwatch.testcase.Step;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * When each step of an execution was sent and had returned, by one clock for all sessions. What the
 * DBMS did for a step, it did between these two times.
 */
public final class StepTimes implements StatementProbe {

  /**
   * A time span.
   *
   * @param start in nanoseconds since the creation of the {@link StepTimes}
   * @param end the same; not before {@code start}
   */
  public record Interval(long start, long end) {

    /** All times. */
    public static final Interval ALWAYS = new Interval(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private final long origin = System.nanoTime();
  private final Map<Integer, Long> sent = new ConcurrentHashMap<>();
  private final Map<Integer, Interval> completed = new ConcurrentHashMap<>();

  @Override
  public void begin(Reader observer) {}

  @Override
  public void before(Step step, Reader session, Reader observer) {
    sent.put(step.id(), System.nanoTime() - origin);
  }

  @Override
  public void after(StepOutcome outcome, Reader session, Reader observer) {
    int id = outcome.step().id();
    Long start = sent.get(id);
    if (start != null) {
      completed.put(id, new Interval(start, System.nanoTime() - origin));
    }
  }

  /** When a step that succeeded was executed; empty for others. */
  public Optional<Interval> of(Step step) {
    @Nullable Interval interval = completed.get(step.id());
    return Optional.ofNullable(interval);
  }
}
