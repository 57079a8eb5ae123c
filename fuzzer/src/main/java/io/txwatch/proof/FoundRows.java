package io.txwatch.proof;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ProofInstance;
import io.txwatch.predict.SampledStatement;
import io.txwatch.predict.TemplateAccess;
import io.txwatch.predict.TemplateAccess.Effect;
import io.txwatch.predict.ValuePlace;
import io.txwatch.predict.ValuePlace.Use;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Changes copied rows back to what a transaction found, as far as its statements show that: those
 * that it inserted are removed, and those that it read have the values that it read.
 */
final class FoundRows {

  /** Where rows are chosen that do not have the values that they are compared with. */
  private static final Pattern OTHER_CONDITION =
      Pattern.compile("(?i)\\b(or|not|in|exists|case|union)\\b|<>|!=");

  private final List<TableCopy> tables;

  FoundRows(List<TableCopy> tables) {
    this.tables = tables;
  }

  /** Takes back what a transaction did, its last statement first. */
  void restore(ProofInstance instance) {
    List<SampledStatement> statements = instance.sample().statements();
    for (int i = statements.size() - 1; i >= 0; i--) {
      SampledStatement statement = statements.get(i);
      List<TemplateAccess> accesses =
          instance.template().statements().get(statement.number() - 1).accesses();
      if (accesses.size() == 1) {
        table(accesses.get(0).table())
            .ifPresent(table -> restore(table, accesses.get(0), statement));
      }
    }
  }

  private Optional<TableCopy> table(String name) {
    String plain = name.substring(name.lastIndexOf('.') + 1);
    return tables.stream().filter(one -> one.name().equalsIgnoreCase(plain)).findFirst();
  }

  private static void restore(TableCopy table, TemplateAccess access, SampledStatement statement) {
    if (access.effect() == Effect.INSERTED) {
      Map<String, RecordedValue> row = values(table, statement, Use.INSERTED);
      if (!statement.rows().isEmpty()) {
        row.putAll(returned(table, statement, 0)); // generated keys
      }
      if (!row.isEmpty()) {
        table.remove(row);
      }
    } else if (access.effect() == Effect.NONE && statement.updateCount() < 0) {
      Map<String, RecordedValue> compared = values(table, statement, Use.COMPARED);
      boolean isConjunction =
          statement.text().parts().stream().noneMatch(part -> OTHER_CONDITION.matcher(part).find());
      for (int i = 0; i < statement.rows().size(); i++) {
        Map<String, RecordedValue> row = returned(table, statement, i);
        if (isConjunction) {
          compared.forEach(row::putIfAbsent);
        }
        table.restore(row);
      }
    }
  }

  private static Map<String, RecordedValue> values(
      TableCopy table, SampledStatement statement, Use use) {
    Map<String, RecordedValue> values = new LinkedHashMap<>();
    for (ValuePlace place : statement.text().values()) {
      if (place.use() == use) {
        table.column(place.column()).ifPresent(column -> values.put(column, place.value()));
      }
    }
    return values;
  }

  private static Map<String, RecordedValue> returned(
      TableCopy table, SampledStatement statement, int row) {
    Map<String, RecordedValue> values = new LinkedHashMap<>();
    for (int i = 0; i < statement.columns().size(); i++) {
      RecordedValue value = statement.rows().get(row).get(i);
      table.column(statement.columns().get(i)).ifPresent(column -> values.put(column, value));
    }
    return values;
  }
}
