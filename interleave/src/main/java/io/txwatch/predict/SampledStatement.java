package io.txwatch.predict;

import io.txwatch.history.RecordedValue;
import java.util.List;

/**
 * A statement of a transaction that was observed, with its values.
 *
 * @param number its place in the template, as {@link TemplateStatement#number}; the same in each
 *     iteration of a loop
 * @param iteration the iteration of its loop, from 1; 1 outside of loops
 * @param text what was executed
 * @param updateCount how many rows it changed; -1 if unknown, or for a query
 * @param columns the labels of what it returned
 * @param rows the first rows that it returned
 * @param complete whether these are all of them, with all of their values
 */
public record SampledStatement(
    int number,
    int iteration,
    ExecutedText text,
    long updateCount,
    List<String> columns,
    List<List<RecordedValue>> rows,
    boolean complete) {

  public SampledStatement {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
  }
}
