package io.txwatch.predict;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which keys of a template are always equal: two places have one variable as long as they had equal
 * values in every transaction, and in every iteration of their loop. A place without a value in one
 * of them stays with the others that it was equal to.
 */
final class KeySlots {

  /** A column that a statement of the template compares or inserts. */
  record Slot(int statement, String table, String column) {}

  private final List<Slot> slots;
  private int[] classes;
  private final Set<Slot> varying = new HashSet<>();
  private final Set<Slot> known = new HashSet<>();

  KeySlots(List<Slot> slots) {
    this.slots = List.copyOf(slots);
    this.classes = new int[slots.size()];
  }

  List<Slot> slots() {
    return slots;
  }

  /**
   * Separates the places that have different values.
   *
   * @param values the hash of each that is known
   */
  void observe(Map<Slot, Long> values) {
    Map<Integer, Long> ofClass = new HashMap<>();
    for (int i = 0; i < classes.length; i++) {
      Long value = values.get(slots.get(i));
      if (value != null) {
        known.add(slots.get(i));
        ofClass.putIfAbsent(classes[i], value);
      }
    }
    Map<List<Long>, Integer> numbers = new HashMap<>();
    int[] refined = new int[classes.length];
    for (int i = 0; i < classes.length; i++) {
      Long value = values.getOrDefault(slots.get(i), ofClass.getOrDefault(classes[i], 0L));
      int next = numbers.size();
      refined[i] = numbers.computeIfAbsent(List.of((long) classes[i], value), one -> next);
    }
    classes = refined;
  }

  /** The place had different values in two iterations. */
  void varies(Slot slot) {
    varying.add(slot);
  }

  /** The variable of each place, named for its column. */
  Map<Slot, String> variables() {
    Map<Integer, String> names = new HashMap<>();
    Set<String> used = new HashSet<>();
    Map<Slot, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < classes.length; i++) {
      Slot slot = slots.get(i);
      boolean isKnown = known.contains(slot);
      String name = isKnown ? names.get(classes[i]) : null;
      if (name == null) {
        name = slot.column;
        for (int count = 2; !used.add(name); count++) {
          name = slot.column + count;
        }
        if (isKnown) {
          names.put(classes[i], name);
        } else {
          name = KeyTerms.unknown(name);
        }
      }
      variables.put(slot, name);
    }
    return variables;
  }

  /** The variables of which every place varies. */
  Set<String> varying() {
    Map<Slot, String> variables = variables();
    Set<String> names = new HashSet<>();
    varying.forEach(slot -> names.add(variables.getOrDefault(slot, "")));
    variables.forEach(
        (slot, name) -> {
          if (!varying.contains(slot)) {
            names.remove(name);
          }
        });
    return names;
  }
}
