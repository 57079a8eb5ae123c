package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The sources that the names in a query can refer to, and those of the queries around it. */
final class Scope {

  /** A table under the name by which expressions refer to it. */
  record Named(String exposed, ColumnSets sets) {}

  private final @Nullable Scope outer;
  private final List<Named> tables = new ArrayList<>();

  /** The names of derived tables, common tables and functions, whose columns are not known here. */
  private final Set<String> others = new HashSet<>();

  private boolean hasOthers;

  /** The names that the select list gives to its items. */
  private final Set<String> aliases = new HashSet<>();

  Scope(@Nullable Scope outer) {
    this.outer = outer;
  }

  void add(Source.Table source, ColumnSets sets) {
    tables.add(new Named(Identifiers.fold(source.exposedName()), sets));
  }

  /** Adds a source whose columns are not known. */
  void addOther(Optional<String> alias) {
    hasOthers = true;
    alias.map(Identifiers::fold).ifPresent(others::add);
  }

  void addAlias(String alias) {
    aliases.add(Identifiers.fold(alias));
  }

  /** The tables of this query, without those around it. */
  List<Named> tables() {
    return tables;
  }

  /** The tables of this query and of those around it. */
  List<Named> visible() {
    List<Named> all = new ArrayList<>(tables);
    for (Scope scope = outer; scope != null; scope = scope.outer) {
      all.addAll(scope.tables);
    }
    return all;
  }

  /**
   * The tables that an unqualified name can be a column of.
   *
   * @return empty if nothing that is visible has that name
   */
  Optional<List<Named>> owners(String column) {
    boolean known = false;
    for (Scope scope = this; scope != null; scope = scope.outer) {
      List<Named> owners = scope.tables.stream().filter(one -> one.sets().has(column)).toList();
      if (!owners.isEmpty()) {
        return Optional.of(owners);
      }
      known |= scope.hasOthers || scope.aliases.contains(column);
    }
    return known ? Optional.of(List.of()) : Optional.empty();
  }

  /**
   * The tables that a qualifier can name, in the innermost query that has any.
   *
   * @return empty if nothing that is visible has that name
   */
  Optional<List<Named>> named(String qualifier) {
    for (Scope scope = this; scope != null; scope = scope.outer) {
      List<Named> named =
          scope.tables.stream().filter(one -> one.exposed().equals(qualifier)).toList();
      if (!named.isEmpty()) {
        return Optional.of(named);
      }
      if (scope.others.contains(qualifier)) {
        return Optional.of(List.of());
      }
    }
    return Optional.empty();
  }
}
