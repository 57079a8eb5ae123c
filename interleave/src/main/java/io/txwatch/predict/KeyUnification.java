package io.txwatch.predict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which keys of some instances have to be equal for their dependencies: the fewest equalities, so
 * that what follows from them holds in every execution of the cycle.
 */
final class KeyUnification {

  private record Variable(int instance, String name) {}

  private final Map<Variable, Variable> parents = new HashMap<>();
  private final List<KeyEquality> equalities = new ArrayList<>();

  /** Makes the rows of two accesses equal, in the columns that both compare. */
  void equate(int first, TemplateAccess one, int second, TemplateAccess other) {
    one.key()
        .variables()
        .forEach(
            (column, variable) -> {
              String equal = other.key().variables().get(column);
              if (equal != null) {
                parents.put(root(new Variable(first, variable)), root(new Variable(second, equal)));
                KeyEquality equality =
                    new KeyEquality(one.table(), column, first, variable, second, equal);
                if (!equalities.contains(equality)) {
                  equalities.add(equality);
                }
              }
            });
  }

  /** Whether two accesses use the same single row. */
  boolean isSameRow(int first, TemplateAccess one, int second, TemplateAccess other) {
    Map<String, String> variables = one.key().variables();
    Map<String, String> others = other.key().variables();
    return one.table().equals(other.table())
        && one.key().unique()
        && other.key().unique()
        && variables.keySet().equals(others.keySet())
        && variables.keySet().stream()
            .allMatch(
                column ->
                    root(new Variable(first, String.valueOf(variables.get(column))))
                        .equals(root(new Variable(second, String.valueOf(others.get(column))))));
  }

  /**
   * Whether two variables of one instance would be equal. They were seen with different values, so
   * that is not assumed.
   */
  boolean mergesVariables() {
    Set<Variable> variables = new HashSet<>(parents.keySet());
    variables.addAll(parents.values());
    Map<Variable, Set<Integer>> instancesOf = new HashMap<>();
    return variables.stream()
        .filter(variable -> !KeyTerms.isUnknown(variable.name()))
        .anyMatch(
            variable ->
                !instancesOf
                    .computeIfAbsent(root(variable), root -> new HashSet<>())
                    .add(variable.instance()));
  }

  List<KeyEquality> equalities() {
    return List.copyOf(equalities);
  }

  private Variable root(Variable variable) {
    Variable root = variable;
    while (true) {
      Variable parent = parents.get(root);
      if (parent == null || parent.equals(root)) {
        return root;
      }
      root = parent;
    }
  }
}
