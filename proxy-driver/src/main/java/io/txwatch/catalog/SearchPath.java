package io.txwatch.catalog;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where a session that is not queried looks unqualified names up, followed through its statements.
 * Where changes belong to the transaction (PostgreSQL), ROLLBACK undoes them, and the end of the
 * transaction those that are local to it.
 */
final class SearchPath {

  /**
   * The state of a session.
   *
   * @param schemas where names are looked up, first first; empty if that is not known
   * @param otherRole true if the session has taken a role, which may not see all of them
   * @param otherUser true if the session has become another user
   */
  record State(List<String> schemas, boolean otherRole, boolean otherUser) {

    State in(List<String> others) {
      return new State(others, otherRole, otherUser);
    }

    State role(boolean isOther) {
      return new State(schemas, isOther, otherUser);
    }

    State ofOtherUser() {
      return new State(schemas, otherRole, true);
    }
  }

  private State now;

  /** What a COMMIT of the open transaction makes of it. */
  private State committed;

  /** The state before the open transaction; null if that has changed nothing. */
  private @Nullable State before;

  private boolean changesRole;

  SearchPath(List<String> first) {
    this.now = new State(first, false, false);
    this.committed = now;
  }

  /** The schemas, first first; empty if they are not known. */
  List<String> schemas() {
    return isOtherUsers() ? List.of() : now.schemas;
  }

  /** True if the session may see other tables, and have other rights, than its own user. */
  boolean isOtherUsers() {
    return now.otherRole || now.otherUser;
  }

  /**
   * A statement changes it.
   *
   * @param inTransaction true if a transaction is open that may undo it
   * @param local true if it holds until that transaction ends
   */
  void change(UnaryOperator<State> change, boolean inTransaction, boolean local) {
    if (inTransaction && before == null) {
      before = now;
    }
    if (!inTransaction && local) {
      return; // its transaction is over
    }
    State changed = change.apply(now);
    changesRole |= changed.otherRole != now.otherRole || changed.otherUser != now.otherUser;
    committed = local ? committed : change.apply(committed);
    now = changed;
  }

  /** The transaction goes on from a savepoint: which changes that undoes is not known. */
  void rolledBackToSavepoint() {
    if (before != null) {
      now = new State(List.of(), now.otherRole || changesRole, now.otherUser || changesRole);
      committed = now;
    }
  }

  /** The transaction has ended. */
  void ended(boolean isCommitted) {
    if (before != null) {
      now = isCommitted ? committed : before;
      committed = now;
      before = null;
    }
    changesRole = false;
  }
}
