package io.txwatch.format;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.history.IsolationLevel;
import io.txwatch.listappend.ListAppendCheck;
import io.txwatch.listappend.ListHistory;
import io.txwatch.register.KeyOrder;
import io.txwatch.register.RegisterCheck;
import io.txwatch.register.RegisterDemand;
import io.txwatch.register.RegisterHistory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** Checks a history of another tool. */
public final class ForeignHistory {

  private ForeignHistory() {}

  /**
   * The options of a check.
   *
   * @param level the level that all its transactions must meet, by Adya's definitions
   * @param sessionOrder whether session order counts; empty for the default of the format's own
   *     checkers ({@link ForeignFormat#requiresSessionOrder})
   * @param realTimeOrder whether real-time order counts, if the format {@linkplain
   *     ForeignFormat#hasRealTimeOrder records it}
   * @param initialValue the initial value of every register; empty for that of the format
   * @param keyOrders what is assumed of each register, as by Elle's options
   * @param budget the limit of the check of a register history, in processor time
   */
  public record CheckOptions(
      IsolationLevel level,
      Optional<Boolean> sessionOrder,
      boolean realTimeOrder,
      OptionalLong initialValue,
      Set<KeyOrder> keyOrders,
      Duration budget) {

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
   * The result of a check.
   *
   * @param operations the number of its reads and writes
   * @param transactions the number of its transactions
   * @param valid whether it satisfies the level; empty if undecided
   * @param reason why it is undecided, or what the result rests on; for display
   */
  public record Verdict(
      long operations, long transactions, Optional<Boolean> valid, String reason) {}

  /**
   * Checks a file.
   *
   * @param found receives each anomaly
   * @throws io.txwatch.history.HistoryFormatException if it is not of that format
   */
  public static Verdict check(
      Path file, ForeignFormat format, CheckOptions options, Consumer<Anomaly> found)
      throws IOException {
    return switch (format) {
      case ELLE_APPEND -> listAppend(file, options, found);
      case ELLE_REGISTER -> register(ElleRegisters.read(file), format, options, found);
      case PLUME -> register(PlumeReader.read(file), format, options, found);
      case AWDIT -> register(AwditReader.read(file), format, options, found);
      case DBCOP -> register(DbcopJsonReader.readAny(file), format, options, found);
      case COBRA -> register(CobraReader.read(file), format, options, found);
    };
  }

  private static Verdict listAppend(Path file, CheckOptions options, Consumer<Anomaly> found)
      throws IOException {
    ListHistory history = ElleLists.read(file);
    ListAppendCheck.Result result =
        ListAppendCheck.check(history, options.level(), options.orders(), options.budget(), found);
    return new Verdict(
        history.operations(), history.transactions(), result.valid(), result.reason());
  }

  private static Verdict register(
      RegisterHistory read, ForeignFormat format, CheckOptions options, Consumer<Anomaly> found) {
    RegisterHistory history =
        options.initialValue().isPresent()
            ? read.withInitialValue(options.initialValue().getAsLong())
            : read;
    RegisterCheck.Result result =
        RegisterCheck.check(
            history,
            new RegisterDemand(
                options.level(),
                options.sessionOrder().orElse(format.requiresSessionOrder()),
                options.realTimeOrder(),
                options.keyOrders(),
                options.budget()),
            found);
    return new Verdict(
        history.operations(), history.transactions(), result.valid(), result.reason());
  }
}
