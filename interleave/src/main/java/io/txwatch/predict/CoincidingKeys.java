package io.txwatch.predict;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ProofInstance.Place;
import io.txwatch.predict.ValueOrigin.Returned;
import io.txwatch.predict.ValuePlace.Use;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gives the operations of a candidate the same keys where its cycle needs that, and different ones
 * where they insert rows or choose among the rows that they have read.
 */
public final class CoincidingKeys {

  private static final Predicate<RecordedValue> IS_NONE =
      value ->
          value.type() == RecordedValue.Type.NULL
              || value.text().equals("false")
              || ValueComparison.number(value).filter(one -> one.signum() == 0).isPresent();

  /** A column of a key of an instance. */
  private record Key(int instance, String variable, String column) {}

  private final RaceCandidate candidate;
  private final boolean mayEquate;
  private final boolean mayDiffer;
  private final List<ProofInstance> instances;
  private final Map<Key, List<Place>> places = new LinkedHashMap<>();
  private final Map<Key, Key> parents = new HashMap<>();

  private CoincidingKeys(
      RaceCandidate candidate,
      List<ProofInstance> instances,
      boolean mayEquate,
      boolean mayDiffer) {
    this.candidate = candidate;
    this.mayEquate = mayEquate;
    this.mayDiffer = mayDiffer;
    this.instances = new ArrayList<>(instances);
    for (int i = 0; i < instances.size(); i++) {
      addPlaces(i);
    }
    candidate.conflicts().forEach(this::equateNewRow);
  }

  /** A row that one operation inserts is one that the other one searches for. */
  private void equateNewRow(TemplateConflict conflict) {
    Map<String, Place> compared = places(conflict.from(), conflict.fromStatement(), Use.COMPARED);
    Map<String, Place> inserted = places(conflict.to(), conflict.toStatement(), Use.INSERTED);
    compared.forEach(
        (column, place) -> {
          Place other = inserted.get(column);
          if (other != null) {
            Key one = new Key(conflict.from(), "?" + conflict.fromStatement().number(), column);
            Key two = new Key(conflict.to(), "?" + conflict.toStatement().number(), column);
            places.computeIfAbsent(one, key -> List.of(place));
            places.computeIfAbsent(two, key -> List.of(other));
            parents.put(root(one), root(two));
          }
        });
  }

  /** The values of a statement's first execution, by their columns. */
  private Map<String, Place> places(int instance, TemplateStatement statement, Use use) {
    Map<String, Place> found = new LinkedHashMap<>();
    List<SampledStatement> statements = instances.get(instance).sample().statements();
    for (int i = 0; i < statements.size(); i++) {
      if (statements.get(i).number() == statement.number() && statements.get(i).iteration() == 1) {
        List<ValuePlace> values = statements.get(i).text().values();
        for (int k = 0; k < values.size(); k++) {
          if (values.get(k).use() == use && !values.get(k).column().isEmpty()) {
            found.putIfAbsent(values.get(k).column(), new Place(i, k));
          }
        }
      }
    }
    return found;
  }

  /**
   * Replaces arguments.
   *
   * @param instances the operations of the candidate with the values that were observed
   * @param differently whether an operation that chooses one of the rows that it has read chooses
   *     another one than the operations before it
   * @param mayEquate whether arguments may be replaced to make keys equal. Not where origins are of
   *     namesakes alone: an argument may be used under another name, too
   * @return empty if the keys cannot be made equal, as they come from what was read
   */
  public static Optional<List<ProofInstance>> of(
      RaceCandidate candidate,
      List<ProofInstance> instances,
      boolean differently,
      boolean mayEquate) {
    return new CoincidingKeys(candidate, instances, mayEquate, false).replaced(differently);
  }

  /**
   * Replaces arguments, and leaves keys that come from what was read: with these arguments other
   * rows may be read, and then the keys may be equal. So executions may confirm a race, and refute
   * none.
   */
  public static Optional<List<ProofInstance>> perhaps(
      RaceCandidate candidate, List<ProofInstance> instances) {
    return new CoincidingKeys(candidate, instances, true, true).replaced(false);
  }

  /**
   * Whether two operations insert an equal value in a column of a key though the cycle does not
   * need that: they may insert the same row where different ones would show a race.
   */
  public static boolean insertEqualKeys(RaceCandidate candidate, List<ProofInstance> instances) {
    CoincidingKeys keys = new CoincidingKeys(candidate, instances, true, true);
    keys.equate();
    Map<String, Map<RecordedValue, Integer>> used = new HashMap<>();
    return keys.insertedKeys().stream().anyMatch(key -> keys.isOfOther(key, used));
  }

  private Optional<List<ProofInstance>> replaced(boolean differently) {
    if (!equate()) {
      return Optional.empty();
    }
    separateInserted();
    if (differently) {
      separateChosen();
    }
    return Optional.of(List.copyOf(instances));
  }

  private void addPlaces(int instance) {
    ProofInstance one = instances.get(instance);
    List<SampledStatement> statements = one.sample().statements();
    for (int i = 0; i < statements.size(); i++) {
      SampledStatement statement = statements.get(i);
      List<ValuePlace> values = statement.text().values();
      for (TemplateAccess access :
          one.template().statements().get(statement.number() - 1).accesses()) {
        for (Map.Entry<String, String> term : access.key().variables().entrySet()) {
          for (String column : term.getKey().split(",")) {
            for (int k = 0; k < values.size(); k++) {
              Use use = values.get(k).use();
              if (values.get(k).column().equals(column)
                  && (use == Use.COMPARED || use == Use.INSERTED)) {
                String variable = variable(one.template(), statement, term.getValue());
                places
                    .computeIfAbsent(new Key(instance, variable, column), key -> new ArrayList<>())
                    .add(new Place(i, k));
              }
            }
          }
        }
      }
    }
  }

  /**
   * As in {@link Instance}: what varies in a loop has a variable of its own in its second round.
   */
  private static String variable(
      OperationTemplate template, SampledStatement statement, String variable) {
    if (statement.iteration() == 1 || !template.varying().contains(variable)) {
      return variable;
    }
    return variable + "'".repeat(statement.iteration() - 1);
  }

  // ---------------------------------------------------------------- equal keys

  private boolean equate() {
    for (KeyEquality equality : candidate.keys()) {
      for (String column : equality.column().split(",")) {
        Key one = root(new Key(equality.first(), equality.firstVariable(), column));
        parents.put(one, root(new Key(equality.second(), equality.secondVariable(), column)));
      }
    }
    Map<Key, List<Key>> classes = new LinkedHashMap<>();
    for (Key key : places.keySet()) {
      classes.computeIfAbsent(root(key), root -> new ArrayList<>()).add(key);
    }
    return classes.values().stream().allMatch(this::equate);
  }

  /**
   * The key whose value the others are given: one that is computed; else one of an operation that
   * computes another one, which it would compute otherwise with other arguments. Of these, first
   * one of an operation that writes: it has to find as many rows as it was observed to.
   */
  private Key anchor(List<Key> keys) {
    Set<Integer> computing = new HashSet<>();
    for (Key key : places.keySet()) {
      if (isEquated(key) && isComputed(key)) {
        computing.add(key.instance);
      }
    }
    return keys.stream()
        .filter(this::isComputed)
        .findFirst()
        .or(
            () ->
                keys.stream()
                    .filter(key -> computing.contains(key.instance))
                    .min(Comparator.comparing(key -> !writes(key.instance))))
        .orElse(keys.get(0));
  }

  private boolean writes(int instance) {
    return instances.get(instance).sample().statements().stream()
        .anyMatch(statement -> statement.updateCount() >= 0);
  }

  private Key root(Key key) {
    Key root = key;
    for (Key parent = parents.get(root);
        parent != null && !parent.equals(root);
        parent = parents.get(root)) {
      root = parent;
    }
    return root;
  }

  private boolean equate(List<Key> keys) {
    if (keys.size() == 1) {
      return true;
    }
    Key anchor = anchor(keys);
    RecordedValue value = value(anchor);
    for (Key key : keys) {
      if (!ValueComparison.areEqual(value(key), value)) {
        if (!mayEquate) {
          return false;
        } else if (!isComputed(key) || mayChoose(key, value)) {
          replace(key, value);
        } else if (!searchAlike(key, anchor) && !mayDiffer) {
          return false;
        }
      }
    }
    return true;
  }

  private List<Place> placesOf(Key key) {
    return places.getOrDefault(key, List.of());
  }

  private RecordedValue value(Key key) {
    return instances.get(key.instance()).value(placesOf(key).get(0));
  }

  private boolean isComputed(Key key) {
    return instances.get(key.instance).rootOrigin(placesOf(key).get(0)) instanceof Returned;
  }

  /** Whether the value is in another row of the result that the key was taken from. */
  private boolean mayChoose(Key key, RecordedValue value) {
    return choices(key).stream().anyMatch(other -> ValueComparison.areEqual(other, value));
  }

  private List<RecordedValue> choices(Key key) {
    ProofInstance instance = instances.get(key.instance);
    if (!(instance.rootOrigin(placesOf(key).get(0)) instanceof Returned returned)
        || returned.difference() != null) {
      return List.of();
    }
    return instance.sample().statements().get(returned.statement()).rows().stream()
        .map(row -> row.get(returned.column()))
        .toList();
  }

  /**
   * Gives the query that a key was taken from the arguments of the query that another key was taken
   * from, if they are the same query: then it returns the same.
   */
  private boolean searchAlike(Key key, Key anchor) {
    ProofInstance instance = instances.get(key.instance);
    ProofInstance other = instances.get(anchor.instance);
    if (!(instance.rootOrigin(placesOf(key).get(0)) instanceof Returned returned)
        || !(other.rootOrigin(placesOf(anchor).get(0)) instanceof Returned example)
        || returned.column() != example.column()
        || returned.row() != example.row()) {
      return false;
    }
    SampledStatement query = instance.sample().statements().get(returned.statement());
    SampledStatement model = other.sample().statements().get(example.statement());
    if (!query.text().parts().equals(model.text().parts())) {
      return false;
    }
    Map<Place, RecordedValue> replaced = new HashMap<>();
    for (int k = 0; k < query.text().values().size(); k++) {
      Place place = new Place(returned.statement(), k);
      if (instance.rootOrigin(place) instanceof Returned) {
        return false;
      }
      replaced.put(instance.root(place), other.value(new Place(example.statement(), k)));
    }
    replaced.putAll(returnedBy(instance, returned.statement(), model));
    instances.set(key.instance, instance.replacing(replaced));
    return true;
  }

  /** The values that were taken from a query, as the other query has returned them. */
  private static Map<Place, RecordedValue> returnedBy(
      ProofInstance instance, int query, SampledStatement model) {
    Map<Place, RecordedValue> values = new HashMap<>();
    List<SampledStatement> statements = instance.sample().statements();
    for (int i = 0; i < statements.size(); i++) {
      for (int k = 0; k < statements.get(i).text().values().size(); k++) {
        Place place = instance.root(new Place(i, k));
        if (instance.rootOrigin(place) instanceof Returned returned
            && returned.statement() == query
            && returned.difference() == null
            && returned.row() < model.rows().size()) {
          values.put(place, model.rows().get(returned.row()).get(returned.column()));
        }
      }
    }
    return values;
  }

  private void replace(Key key, RecordedValue value) {
    ProofInstance instance = instances.get(key.instance);
    Map<Place, RecordedValue> replaced = new HashMap<>();
    for (Place place : placesOf(key)) {
      replaced.put(instance.root(place), value);
    }
    instances.set(key.instance, instance.replacing(replaced));
  }

  // ---------------------------------------------------------------- different keys

  private boolean isEquated(Key key) {
    return parents.containsKey(key) || parents.containsValue(key);
  }

  /**
   * Two operations do not insert the same row, unless the cycle is about that, or another value
   * would select none of the rows that an operation needs.
   */
  private void separateInserted() {
    Map<String, Map<RecordedValue, Integer>> used = new HashMap<>();
    for (Key key : insertedKeys()) {
      if (!isOfOther(key, used) || selectsRows(key)) {
        continue;
      }
      Map<RecordedValue, Integer> known =
          used.computeIfAbsent(key.column, column -> new HashMap<>());
      for (int i = 1; i <= instances.size(); i++) {
        Optional<RecordedValue> fresh = ValueComparison.another(value(key), i);
        if (fresh.isPresent() && known.putIfAbsent(fresh.get(), key.instance) == null) {
          replace(key, fresh.get());
          break;
        }
      }
    }
  }

  /** The keys of rows that are inserted, without those that are computed. */
  private List<Key> insertedKeys() {
    return places.keySet().stream()
        .filter(key -> use(key.instance, placesOf(key).get(0)) == Use.INSERTED)
        .filter(key -> !isEquated(key) && !isComputed(key))
        .toList();
  }

  /** Whether another operation inserts the value in the column; else it is now this one's. */
  private boolean isOfOther(Key key, Map<String, Map<RecordedValue, Integer>> used) {
    Integer other =
        used.computeIfAbsent(key.column, column -> new HashMap<>())
            .putIfAbsent(value(key), key.instance);
    return other != null && other != key.instance;
  }

  /**
   * Whether a value chooses rows that are there before the operation begins: with another value it
   * would find none. Where origins are of namesakes alone, an equal value may be the same argument.
   */
  private boolean selectsRows(Key key) {
    ProofInstance instance = instances.get(key.instance);
    Set<Place> roots = new HashSet<>();
    placesOf(key).forEach(place -> roots.add(instance.root(place)));
    List<SampledStatement> statements = instance.sample().statements();
    Set<String> inserted = new HashSet<>();
    for (int i = 0; i < statements.size(); i++) {
      SampledStatement statement = statements.get(i);
      boolean hasFound = hasFoundRows(statement);
      for (int k = 0; k < statement.text().values().size(); k++) {
        ValuePlace value = statement.text().values().get(k);
        Place place = new Place(i, k);
        boolean isSame =
            roots.contains(instance.root(place))
                || (!mayEquate && ValueComparison.areEqual(instance.value(place), value(key)));
        if (!isSame) {
          continue;
        }
        if (value.use() == Use.INSERTED) {
          inserted.add(value.column());
        } else if (value.use() == Use.COMPARED && hasFound && !inserted.contains(value.column())) {
          return true;
        }
      }
    }
    return false;
  }

  /** One row of zeros, or of what else is false, is what {@code count(*)} returns for no row. */
  private static boolean hasFoundRows(SampledStatement statement) {
    List<List<RecordedValue>> rows = statement.rows();
    boolean isNone = rows.isEmpty() || (rows.size() == 1 && rows.get(0).stream().allMatch(IS_NONE));
    return !isNone || statement.updateCount() > 0;
  }

  private Use use(int instance, Place place) {
    return instances
        .get(instance)
        .sample()
        .statements()
        .get(place.statement())
        .text()
        .values()
        .get(place.index())
        .use();
  }

  private void separateChosen() {
    Map<String, Set<RecordedValue>> used = new HashMap<>();
    for (Key key : places.keySet()) {
      List<RecordedValue> choices = choices(key);
      if (isEquated(key) || choices.size() < 2) {
        continue;
      }
      Set<RecordedValue> known = used.computeIfAbsent(key.column, column -> new HashSet<>());
      RecordedValue own = value(key);
      if (!known.add(own)) {
        RecordedValue other = first(choices, known);
        if (other != null) {
          known.add(other);
          replace(key, other);
        }
      }
    }
  }

  private static @Nullable RecordedValue first(
      List<RecordedValue> choices, Set<RecordedValue> except) {
    return choices.stream().filter(one -> !except.contains(one)).findFirst().orElse(null);
  }
}
