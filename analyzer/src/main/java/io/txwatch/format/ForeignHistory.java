package io.txwatch.format;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.history.IsolationLevel;
import io.txwatch.register.RegisterCheck;
import io.txwatch.register.RegisterHistory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Checks a history that others wrote. */
public final class ForeignHistory {

  private ForeignHistory() {}

  /**
   * What a history is held to.
   *
   * @param level the level that all its transactions are judged at, by Adya's definitions
   * @param sessionOrder whether the order of a session's transactions counts; empty for what the
   *     format's own checker does: Plume's, dbcop's, PolySI's and Cobra's levels include it, Elle's
   *     plain ones do not
   * @param realTimeOrder whether the order counts in which transactions ended and began, where the
   *     format {@linkplain ForeignFormat#tellsRealTime tells it}
   * @param budget how long to search where nothing certain decides
   * @param memory how many bytes, roughly, the analysis may hold
   */
  public record Demand(
      IsolationLevel level,
      Optional<Boolean> sessionOrder,
      boolean realTimeOrder,
      Duration budget,
      long memory) {

    private Set<CommitOrder> orders() {
      Set<CommitOrder> orders = EnumSet.noneOf(CommitOrder.class);
      if (sessionOrder.orElse(false)) {
        orders.add(CommitOrder.SESSION);
      }
      if (realTimeOrder) {
        orders.add(CommitOrder.REAL_TIME);
      }
      return orders;
    }
  }

  /**
   * What a history is found to be.
   *
   * @param operations how many reads and writes it holds
   * @param transactions how many transactions it holds
   * @param valid whether it is of the level demanded; empty if that could not be told
   * @param reason why that could not be told, or what the verdict rests on, for people
   */
  public record Verdict(
      long operations, long transactions, Optional<Boolean> valid, String reason) {}

  /**
   * Checks a file.
   *
   * @param found takes each anomaly
   * @throws io.txwatch.history.HistoryFormatException if it is not of that format
   */
  public static Verdict check(
      Path file, ForeignFormat format, Demand demand, Consumer<Anomaly> found) throws IOException {
    return switch (format) {
      case ELLE_APPEND -> listAppend(file, demand, found);
      case ELLE_REGISTER -> register(ElleRegisters.read(file), demand, false, found);
      case PLUME -> register(PlumeReader.read(file), demand, true, found);
      case DBCOP -> register(DbcopJsonReader.readAny(file), demand, true, found);
      case COBRA -> register(CobraReader.read(file), demand, true, found);
    };
  }

  private static Verdict listAppend(Path file, Demand demand, Consumer<Anomaly> found)
      throws IOException {
    ListHistory history = ListHistory.read(file);
    AtomicBoolean violated = new AtomicBoolean();
    ListAppendCheck.Seen seen =
        new ListAppendCheck(
                history,
                demand.level(),
                anomaly -> {
                  violated.compareAndSet(
                      false, anomaly.verdict() == io.txwatch.anomaly.Verdict.VIOLATION);
                  found.accept(anomaly);
                })
            .run(demand.memory(), demand.orders());
    return violated.get()
        ? verdict(history, Optional.of(false), "")
        : !seen.related()
            ? verdict(history, Optional.empty(), "no transaction depends on another")
            : !seen.whole()
                ? verdict(
                    history,
                    Optional.empty(),
                    "the history did not fit in memory: give Java more (-Xmx)")
                : verdict(history, Optional.of(true), "");
  }

  private static Verdict verdict(ListHistory history, Optional<Boolean> valid, String reason) {
    return new Verdict(history.operations(), history.transactions(), valid, reason);
  }

  private static Verdict register(
      RegisterHistory history, Demand demand, boolean sessions, Consumer<Anomaly> found) {
    RegisterCheck.Result result =
        RegisterCheck.check(
            history,
            demand.level(),
            demand.sessionOrder().orElse(sessions),
            demand.budget(),
            found);
    return new Verdict(
        history.operations(), history.transactions(), result.valid(), result.reason());
  }
}
