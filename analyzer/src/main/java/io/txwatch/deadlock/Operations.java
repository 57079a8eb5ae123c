package io.txwatch.deadlock;

import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.dependency.OperationName;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.CallSite;
import java.util.stream.Stream;

/**
 * The names of operations: what the application calls a transaction, or, if it has no name, the
 * source file of its first statement.
 */
final class Operations {

  static final String NOT_KNOWN = "not known";

  private Operations() {}

  static String of(Transaction transaction) {
    return of(
        transaction.name(), transaction.statements().stream().map(Transaction.Statement::callSite));
  }

  static String of(ObservedTransaction transaction) {
    return of(
        transaction.name(), transaction.statements().stream().map(ObservedStatement::callSite));
  }

  private static String of(String name, Stream<String> callSites) {
    if (!name.isEmpty()) {
      return OperationName.withoutPackages(name);
    }
    return callSites
        .filter(site -> !site.isEmpty())
        .map(site -> CallSite.place(site).replaceFirst(":\\d+$", ""))
        .findFirst()
        .orElse(NOT_KNOWN);
  }
}
