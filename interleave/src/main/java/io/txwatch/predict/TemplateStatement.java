package io.txwatch.predict;

import io.txwatch.history.StatementKind;
import java.util.List;

/**
 * A statement of a template.
 *
 * @param number its place in the template, from 1
 * @param kind its kind
 * @param sql its text, with one value for all literals of a kind
 * @param callSite where the application executes it; empty if unknown
 * @param loop the loop that it is part of, from 1; 0 if it is executed once
 * @param accesses what it does with each table
 */
public record TemplateStatement(
    int number,
    StatementKind kind,
    String sql,
    String callSite,
    int loop,
    List<TemplateAccess> accesses) {

  public TemplateStatement {
    accesses = List.copyOf(accesses);
  }

  @Override
  public String toString() {
    return number + ": " + sql;
  }
}
