package io.txwatch.jdbc.xa;

import io.txwatch.capture.SessionTracker;
import io.txwatch.history.Outcome;
import io.txwatch.jdbc.log.Faults;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jspecify.annotations.Nullable;

/**
 * Reports to a session the branches of distributed transactions that are started, ended, prepared
 * and decided through its resource (X/Open, <i>The XA Specification</i>, 1991). A branch may be
 * decided through another resource than the one that it was prepared by: it is known by its {@link
 * Xid}.
 */
final class WatchedXaResource implements XAResource {

  private final XAResource delegate;
  private final WatchedPooledConnection connection;

  WatchedXaResource(XAResource delegate, WatchedPooledConnection connection) {
    this.delegate = delegate;
    this.connection = connection;
  }

  private static String id(Xid xid) {
    HexFormat hex = HexFormat.of();
    return xid.getFormatId()
        + ":"
        + hex.formatHex(xid.getGlobalTransactionId())
        + ":"
        + hex.formatHex(xid.getBranchQualifier());
  }

  @Override
  public void start(Xid xid, int flags) throws XAException {
    connection.beforeBranch();
    delegate.start(xid, flags);
    track(tracker -> tracker.branchStarted(id(xid)));
  }

  @Override
  public void end(Xid xid, int flags) throws XAException {
    track(tracker -> connection.beforeBranchEnds());
    try {
      delegate.end(xid, flags);
    } catch (XAException e) {
      if (isRollback(e)) {
        branchEnded(true);
      }
      throw e;
    }
    branchEnded(flags == TMFAIL);
  }

  @Override
  public int prepare(Xid xid) throws XAException {
    int vote;
    try {
      vote = delegate.prepare(xid);
    } catch (XAException e) {
      failed(xid, e);
      throw e;
    }
    if (vote == XA_RDONLY) {
      ended(xid, Outcome.COMMITTED); // and is forgotten by the DBMS
    } else {
      track(tracker -> tracker.prepared(id(xid)));
    }
    return vote;
  }

  @Override
  public void commit(Xid xid, boolean onePhase) throws XAException {
    track(tracker -> tracker.branchEndSent(id(xid)));
    try {
      delegate.commit(xid, onePhase);
    } catch (XAException e) {
      failed(xid, e);
      throw e;
    }
    ended(xid, Outcome.COMMITTED);
  }

  @Override
  public void rollback(Xid xid) throws XAException {
    track(tracker -> tracker.branchEndSent(id(xid)));
    try {
      delegate.rollback(xid);
    } catch (XAException e) {
      failed(xid, e);
      throw e;
    }
    ended(xid, Outcome.ABORTED);
  }

  @Override
  public void forget(Xid xid) throws XAException {
    delegate.forget(xid);
  }

  @Override
  public Xid[] recover(int flag) throws XAException {
    return delegate.recover(flag);
  }

  @Override
  public boolean isSameRM(XAResource other) throws XAException {
    return delegate.isSameRM(other instanceof WatchedXaResource watched ? watched.delegate : other);
  }

  @Override
  public int getTransactionTimeout() throws XAException {
    return delegate.getTransactionTimeout();
  }

  @Override
  public boolean setTransactionTimeout(int seconds) throws XAException {
    return delegate.setTransactionTimeout(seconds);
  }

  // ---------------------------------------------------------------- outcomes

  private void ended(Xid xid, Outcome outcome) {
    track(tracker -> tracker.branchOutcome(id(xid), outcome));
  }

  private void failed(Xid xid, XAException error) {
    outcome(error).ifPresent(outcome -> ended(xid, outcome));
  }

  /** What an error states of the branch; empty if it is as it was, and may be decided again. */
  private static Optional<Outcome> outcome(XAException error) {
    if (isRollback(error)) {
      return Optional.of(Outcome.ABORTED);
    }
    return switch (error.errorCode) {
      case XAException.XA_HEURCOM -> Optional.of(Outcome.COMMITTED);
      case XAException.XA_HEURRB -> Optional.of(Outcome.ABORTED);
      case XAException.XA_HEURMIX,
          XAException.XA_HEURHAZ,
          XAException.XAER_RMERR,
          XAException.XAER_NOTA ->
          Optional.of(Outcome.UNKNOWN);
      default -> Optional.empty(); // XAER_RMFAIL too: it is decided when the DBMS is back
    };
  }

  private static boolean isRollback(XAException error) {
    return error.errorCode >= XAException.XA_RBBASE && error.errorCode <= XAException.XA_RBEND;
  }

  private void branchEnded(boolean failed) {
    track(tracker -> tracker.branchEnded(failed));
    connection.branchEnded();
  }

  private void track(Consumer<SessionTracker> what) {
    try {
      SessionTracker tracker = connection.tracker();
      if (tracker != null) {
        what.accept(tracker);
      }
    } catch (RuntimeException e) {
      Faults.report(e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WatchedXaResource watched
        ? delegate.equals(watched.delegate)
        : delegate.equals(other);
  }

  @Override
  public int hashCode() {
    return delegate.hashCode();
  }
}
