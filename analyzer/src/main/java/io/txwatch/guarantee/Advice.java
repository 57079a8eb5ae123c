package io.txwatch.guarantee;

import io.txwatch.anomaly.ContextRead;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.OperationName;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.CallSite;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.registry.RulesRegistry;
import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What would prevent an anomaly, in a sentence or two for the developer of the code: lock the read,
 * at its line; write in one statement; or the weakest level of this DBMS that prevents it.
 *
 * <p>For a lost update the advice depends on the overwriting statement. A statement that sets a
 * value computed by the application loses the other's value. One that computes the new value from
 * the row ({@code SET bal = bal - ?}) loses nothing; only the decision that rests on the earlier
 * read is stale.
 */
public final class Advice {

  /** More methods than this do not help to recognize transactions. */
  private static final int MAX_METHODS = 2;

  private Advice() {}

  public static String on(Finding finding, Verdict verdict, Database database) {
    DbmsRules rules = RulesRegistry.of(database.product());
    if (verdict == Verdict.VIOLATION) {
      String source = Guarantee.of(database, finding.level()).source();
      return database.product().displayName()
          + " should not show this at "
          + words(finding.level())
          + (source.isEmpty() ? "" : " (" + source + ")")
          + ": report it to the vendor.";
    }
    List<String> sentences = new ArrayList<>();
    String lock = lock(finding, rules, database);
    if (!lock.isEmpty()) {
      sentences.add(lock);
    }
    weakestLevel(finding, rules, database)
        .ifPresent(
            level ->
                sentences.add(
                    (sentences.isEmpty() ? "Run" : "Or run")
                        + " "
                        + operations(finding, consequences(finding))
                        + " at "
                        + words(level)
                        + settings(rules, level)
                        + "."));
    if (sentences.isEmpty() && finding.edges().size() > 1) {
      return Measure.LOCK_ALL_READS.text() + places(finding) + " with " + rules.lockClause() + ".";
    }
    return String.join(" ", sentences);
  }

  /** How an application locks what it reads, on that DBMS. */
  public static String lockClause(Database database) {
    return RulesRegistry.of(database.product()).lockClause();
  }

  private static String lock(Finding finding, DbmsRules rules, Database database) {
    String lock = rules.lockClause();
    return switch (finding.phenomenon()) {
      case LOST_UPDATE -> lostUpdate(finding, database, lock);
      case READ_WRITE_SKEW, WRITE_SKEW, G2_ITEM ->
          Measure.LOCK_DECISION.text() + places(finding) + " with " + lock + ".";
      case G2, PHANTOM ->
          "No lock on the rows that were read keeps others from adding rows to them: "
              + Measure.CONSTRAINT.text()
              + ", or "
              + Measure.WRITE_REPRESENTATIVE.text()
              + places(finding)
              + ".";
      case NON_REPEATABLE_READ, READ_SKEW, FRACTURED_READ, INTERMEDIATE_READ ->
          finding
              .affectedReader()
              .filter(Advice::writes)
              .map(reader -> lockOfWriter(finding, reader, lock))
              .orElse("");
      default -> "";
    };
  }

  /** A lock on one's reads alone does not keep what another one has read from becoming stale. */
  private static String lockOfWriter(Finding finding, Transaction reader, String lock) {
    return othersRead(finding, reader)
        ? "The transactions read and write: "
            + Measure.LOCK_READS_OF_BOTH.text()
            + " ("
            + lock
            + ")."
        : "The transaction writes as well: "
            + Measure.LOCK_READS_OF_WRITER.text()
            + places(finding)
            + " with "
            + lock
            + ".";
  }

  private static boolean othersRead(Finding finding, Transaction reader) {
    return finding.transactions().stream().anyMatch(one -> one != reader && selects(one));
  }

  private static String lostUpdate(Finding finding, Database database, String lock) {
    List<Transaction.Statement> writes = overwriting(finding);
    String lockTheRead = Measure.LOCK_READ.text() + places(finding) + " with " + lock;
    if (!writes.isEmpty() && writes.stream().allMatch(w -> w.kind() == StatementKind.DELETE)) {
      return lockTheRead + ", or " + Measure.CONDITION_IN_DELETE.text() + ".";
    }
    Dialect dialect = Dialect.of(database.product().name());
    List<UpdateAssignments> texts =
        writes.stream().flatMap(w -> UpdateAssignments.of(w.sql(), dialect).stream()).toList();
    if (texts.isEmpty() || texts.size() < writes.size()) {
      return lockTheRead + ".";
    }
    Set<String> computed = new LinkedHashSet<>();
    Set<String> overwritten = new LinkedHashSet<>();
    texts.forEach(text -> computed.addAll(text.computed()));
    texts.forEach(text -> overwritten.addAll(text.overwritten()));
    if (computed.isEmpty()) {
      return lockTheRead + ", or " + Measure.COMPUTE_IN_UPDATE.text() + ".";
    } else if (!overwritten.isEmpty()) {
      return lockTheRead
          + ", or compute "
          + listed(overwritten)
          + " "
          + Measure.COMPUTE_REST_IN_UPDATE.text()
          + ", as it does "
          + listed(computed)
          + ".";
    }
    String update = "The UPDATE" + at(writes) + " computes " + listed(computed) + " from the row";
    return texts.stream().allMatch(UpdateAssignments::checksComputed)
        ? update
            + " and checks it in its WHERE: nothing is lost if the application looks at its update"
            + " count. What else rests on the read"
            + places(finding)
            + " "
            + Measure.LOCK_WHAT_ELSE_IS_READ.text()
            + " ("
            + lock
            + ")."
        : update
            + ", so no value is lost; what may be stale is the decision that rests on the read"
            + places(finding)
            + ". "
            + Measure.CONDITION_IN_UPDATE.text()
            + ", or lock that read ("
            + lock
            + ").";
  }

  /** The statements that overwrote versions that their transactions had not read. */
  private static List<Transaction.Statement> overwriting(Finding finding) {
    List<Transaction.Statement> writes = new ArrayList<>();
    for (Edge edge : finding.edges()) {
      boolean missed =
          finding.edges().stream()
              .anyMatch(rw -> rw.kind() == DependencyKind.RW && rw.from() == edge.to());
      if (missed) {
        edge.to().statement(edge.toStatement()).ifPresent(writes::add);
      }
    }
    return writes;
  }

  private static String at(List<Transaction.Statement> statements) {
    List<String> places =
        statements.stream()
            .map(Transaction.Statement::callSite)
            .filter(site -> !site.isEmpty())
            .map(CallSite::shown)
            .distinct()
            .sorted()
            .toList();
    return places.isEmpty() ? "" : " at " + String.join(" and ", places);
  }

  /**
   * The operations whose level matters, that of the reader if it alone is affected and the others'
   * decisions do not rest on what it writes: by the names that the application gives them, else by
   * the methods that executed the statements, if these are known and few.
   */
  private static String operations(Finding finding, Set<Phenomenon> consequences) {
    Set<Transaction> affected =
        finding
            .affectedReader()
            .filter(reader -> !consequences.contains(Phenomenon.WRITE_SKEW))
            .map(Set::of)
            .orElseGet(() -> new LinkedHashSet<>(finding.transactions()));
    List<String> names =
        affected.stream()
            .map(transaction -> OperationName.withoutPackages(transaction.name()))
            .distinct()
            .sorted()
            .toList();
    if (!names.contains("")) {
      return String.join(" and ", names);
    }
    List<String> methods = methods(finding, affected);
    return methods.contains("") || methods.size() > MAX_METHODS
        ? "these transactions"
        : "the "
            + (affected.size() == 1 ? "transaction" : "transactions")
            + " of "
            + String.join(" and ", methods);
  }

  /** The methods that executed its statements; an empty one if that of a statement is unknown. */
  private static List<String> methods(Finding finding, Set<Transaction> of) {
    return of.stream()
        .flatMap(
            transaction -> finding.statements(transaction).stream().map(transaction::statement))
        .map(statement -> statement.map(Transaction.Statement::callSite).orElse(""))
        .map(site -> OperationName.withoutPackages(CallSite.method(site)))
        .distinct()
        .sorted()
        .toList();
  }

  private static String listed(Set<String> columns) {
    return String.join(", ", columns);
  }

  /**
   * The call sites of the reads that missed a write, and of those that the others had read before
   * they wrote: a lock keeps out those alone that lock, too, or write.
   */
  private static String places(Finding finding) {
    Stream<String> missed =
        finding.edges().stream()
            .filter(edge -> edge.kind() == DependencyKind.RW)
            .map(Advice::callSite)
            .flatMap(Optional::stream);
    Stream<String> before =
        finding.transactions().stream()
            .flatMap(transaction -> finding.context(transaction).stream())
            .map(ContextRead::statement)
            .filter(statement -> statement.kind() == StatementKind.SELECT)
            .map(ObservedStatement::callSite)
            .filter(site -> !site.isEmpty());
    List<String> places =
        Stream.concat(missed, before).map(CallSite::shown).distinct().sorted().toList();
    return places.isEmpty() ? "" : " at " + String.join(" and ", places);
  }

  private static Optional<String> callSite(Edge edge) {
    return edge.from()
        .statement(edge.fromStatement())
        .filter(statement -> statement.kind() == StatementKind.SELECT)
        .map(Transaction.Statement::callSite)
        .filter(site -> !site.isEmpty());
  }

  private static Optional<IsolationLevel> weakestLevel(
      Finding finding, DbmsRules rules, Database database) {
    for (IsolationLevel level : IsolationLevel.known()) {
      boolean named = level != IsolationLevel.SNAPSHOT || rules.namesSnapshot();
      if (named
          && level.compareTo(finding.level()) > 0
          && Guarantee.of(database, level).isBrokenBy(finding)
          && Guarantee.of(database, level).prevents().containsAll(consequences(finding))) {
        return Optional.of(level);
      }
    }
    return Optional.empty();
  }

  /**
   * What the same schedule would give instead, at a level at which its reads are older: a
   * transaction that writes may then overwrite what it has not read, and where others read as well,
   * all of them may decide by what is outdated. A level is of use only if it prevents that, too.
   */
  private static Set<Phenomenon> consequences(Finding finding) {
    List<Transaction> readers =
        switch (finding.judgedAs()) {
          case NON_REPEATABLE_READ,
              PHANTOM,
              READ_SKEW,
              FRACTURED_READ,
              INTERMEDIATE_READ,
              CIRCULAR_INFORMATION_FLOW,
              LONG_FORK,
              G_SINGLE,
              G_NONADJACENT ->
              finding.affectedReader().map(List::of).orElseGet(finding::transactions);
          default -> List.of();
        };
    Set<Phenomenon> consequences = EnumSet.noneOf(Phenomenon.class);
    for (Transaction reader : readers) {
      if (writes(reader)) {
        consequences.add(Phenomenon.LOST_UPDATE);
        consequences.add(Phenomenon.READ_WRITE_SKEW);
        if (othersRead(finding, reader)) {
          consequences.add(Phenomenon.WRITE_SKEW);
          consequences.add(Phenomenon.G2);
        }
      }
    }
    return consequences;
  }

  private static boolean writes(Transaction transaction) {
    return transaction.statements().stream().anyMatch(statement -> statement.kind().mayWrite());
  }

  private static boolean selects(Transaction transaction) {
    return transaction.statements().stream()
        .anyMatch(statement -> statement.kind() == StatementKind.SELECT);
  }

  private static String settings(DbmsRules rules, IsolationLevel level) {
    return level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0 && !rules.retry().isEmpty()
        ? " and " + rules.retry()
        : "";
  }

  private static String words(IsolationLevel level) {
    return level.words();
  }
}
