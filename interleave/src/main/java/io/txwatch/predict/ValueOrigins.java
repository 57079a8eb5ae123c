package io.txwatch.predict;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ValueOrigin.Given;
import io.txwatch.predict.ValueOrigin.Returned;
import io.txwatch.predict.ValueOrigin.Same;
import io.txwatch.predict.ValuePlace.Use;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the values of a transaction came from.
 *
 * <p>A value that equals an earlier one, or a value returned before, in every transaction of the
 * template has that origin: if their values differ from transaction to transaction, or both belong
 * to columns of one name. So have parameters that are equal in the only transaction: an argument
 * that is used twice, such as for a lock and for a row, must not be replaced in one place alone. A
 * number that is assigned to a column that was read before, of the same table, is what was read and
 * a difference.
 */
public final class ValueOrigins {

  private static final Given GIVEN = new Given();

  private final OperationTemplate template;
  private final OperationSample sample;
  private final AlignedSamples alike;
  private final boolean namesakesAlone;
  private final List<List<ValueOrigin>> origins = new ArrayList<>();

  private ValueOrigins(
      OperationTemplate template,
      OperationSample sample,
      List<OperationSample> samples,
      boolean namesakesAlone) {
    this.namesakesAlone = namesakesAlone;
    this.template = template;
    this.sample = sample;
    this.alike = new AlignedSamples(sample, samples);
  }

  /**
   * The origins of the values of one sample.
   *
   * @param samples those of the template, this one included
   * @param namesakesAlone whether only columns of one name are compared: values of others may be
   *     equal in all samples by chance
   * @return one for each value of each statement
   */
  public static List<List<ValueOrigin>> of(
      OperationTemplate template,
      OperationSample sample,
      List<OperationSample> samples,
      boolean namesakesAlone) {
    return new ValueOrigins(template, sample, samples, namesakesAlone).find();
  }

  private List<List<ValueOrigin>> find() {
    for (int i = 0; i < sample.statements().size(); i++) {
      origins.add(new ArrayList<>());
      List<ValuePlace> places = sample.statements().get(i).text().values();
      for (int k = 0; k < places.size(); k++) {
        origins.get(i).add(origin(i, k));
      }
    }
    return origins.stream().map(List::copyOf).toList();
  }

  private ValueOrigin origin(int statement, int place) {
    ValuePlace own = place(sample, statement, place);
    if (!ValueComparison.isValue(own.value())) {
      return GIVEN;
    }
    Same same = same(statement, place, own);
    if (same != null) {
      return same;
    }
    if (!own.literal().isEmpty() && !varies(statement, place, statement)) {
      return GIVEN;
    }
    Returned returned = returned(statement, place, own);
    return returned != null ? returned : GIVEN;
  }

  private static ValuePlace place(OperationSample one, int statement, int place) {
    return one.statements().get(statement).text().values().get(place);
  }

  /** Whether the value differs among the transactions that executed another statement, too. */
  private boolean varies(int statement, int place, int other) {
    Set<RecordedValue> values = new HashSet<>();
    alike.with(statement, other).forEach(one -> values.add(one.place(statement, place).value()));
    return values.size() > 1;
  }

  // ---------------------------------------------------------------- an earlier value

  private @Nullable Same same(int statement, int place, ValuePlace own) {
    Same found = null;
    for (int i = 0; i <= statement; i++) {
      List<ValuePlace> places = sample.statements().get(i).text().values();
      for (int k = 0; k < (i < statement ? places.size() : place); k++) {
        boolean isNamesake = !own.column().isEmpty() && own.column().equals(places.get(k).column());
        boolean areArguments = own.literal().isEmpty() && places.get(k).literal().isEmpty();
        if ((isNamesake || !namesakesAlone)
            && isAlwaysEqual(statement, place, i, k)
            && (isNamesake || areArguments || varies(statement, place, i))) {
          Same candidate = origins.get(i).get(k) instanceof Same root ? root : new Same(i, k);
          if (isNamesake) {
            return candidate;
          }
          found = found == null ? candidate : found;
        }
      }
    }
    return found;
  }

  private boolean isAlwaysEqual(int statement, int place, int other, int otherPlace) {
    return alike
        .with(statement, other)
        .allMatch(
            one ->
                ValueComparison.areEqual(
                    one.place(statement, place).value(), one.place(other, otherPlace).value()));
  }

  // ---------------------------------------------------------------- a value returned before

  private @Nullable Returned returned(int statement, int place, ValuePlace own) {
    Returned other = null;
    for (int i = statement - 1; i >= 0; i--) {
      SampledStatement query = sample.statements().get(i);
      for (int column = 0; column < query.columns().size(); column++) {
        boolean isNamesake = isNamed(query, column, own.column());
        int row = row(query, column, own.value());
        if (row >= 0
            && (isNamesake || !namesakesAlone)
            && isAlwaysReturned(statement, place, i, column)) {
          boolean varies = varies(statement, place, i);
          if (!isNamesake && !varies) {
            continue;
          }
          Returned found = new Returned(i, row, column, null, varies);
          if (isNamesake) {
            return found;
          }
          other = other == null ? found : other;
        }
      }
    }
    return other != null ? other : changed(statement, place, own);
  }

  private static boolean isNamed(SampledStatement query, int column, String name) {
    return query.columns().get(column).toLowerCase(Locale.ROOT).equals(name);
  }

  private static int row(SampledStatement query, int column, RecordedValue value) {
    for (int row = 0; row < query.rows().size(); row++) {
      if (ValueComparison.areEqual(query.rows().get(row).get(column), value)) {
        return row;
      }
    }
    return -1;
  }

  private boolean isAlwaysReturned(int statement, int place, int query, int column) {
    return alike
        .with(statement, query)
        .allMatch(
            one -> {
              SampledStatement executed = one.statement(query);
              return column < executed.columns().size()
                  && row(executed, column, one.place(statement, place).value()) >= 0;
            });
  }

  /** A number that replaces one that was read. */
  private @Nullable Returned changed(int statement, int place, ValuePlace own) {
    if (own.use() != Use.ASSIGNED || ValueComparison.number(own.value()).isEmpty()) {
      return null;
    }
    for (int i = statement - 1; i >= 0; i--) {
      SampledStatement query = sample.statements().get(i);
      for (int column = 0; column < query.columns().size(); column++) {
        if (query.rows().size() == 1
            && isNamed(query, column, own.column())
            && haveTableInCommon(query.number(), sample.statements().get(statement).number())) {
          BigDecimal difference = difference(own, query, column);
          if (difference != null) {
            return new Returned(
                i, 0, column, difference, isConstant(statement, place, i, column, difference));
          }
        }
      }
    }
    return null;
  }

  private boolean haveTableInCommon(int one, int other) {
    Set<String> tables = new HashSet<>();
    template.statements().get(one - 1).accesses().forEach(access -> tables.add(access.table()));
    return template.statements().get(other - 1).accesses().stream()
        .anyMatch(access -> tables.contains(access.table()));
  }

  private static @Nullable BigDecimal difference(
      ValuePlace assigned, SampledStatement query, int column) {
    if (query.rows().size() != 1 || column >= query.columns().size()) {
      return null;
    }
    Optional<BigDecimal> read = ValueComparison.number(query.rows().get(0).get(column));
    return ValueComparison.number(assigned.value())
        .flatMap(written -> read.map(written::subtract))
        .orElse(null);
  }

  /** Whether all transactions add that, to different values. */
  private boolean isConstant(
      int statement, int place, int query, int column, BigDecimal difference) {
    return varies(statement, place, query)
        && alike
            .with(statement, query)
            .map(one -> difference(one.place(statement, place), one.statement(query), column))
            .allMatch(other -> other != null && other.compareTo(difference) == 0);
  }
}
