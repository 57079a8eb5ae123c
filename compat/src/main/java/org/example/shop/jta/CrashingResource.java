package org.example.shop.jta;

import java.io.Serializable;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A branch that ends the process as soon as all branches are prepared. */
final class CrashingResource implements XAResource, Serializable {

  private static final long serialVersionUID = 1;

  /** Whether it does; false in the process that recovers. */
  private static volatile boolean crashes;

  static CrashingResource create() {
    crashes = true;
    return new CrashingResource();
  }

  @Override
  public void commit(Xid xid, boolean onePhase) {
    if (crashes) {
      Runtime.getRuntime().halt(0);
    }
  }

  @Override
  public int prepare(Xid xid) {
    return XA_OK;
  }

  @Override
  public void rollback(Xid xid) {}

  @Override
  public void start(Xid xid, int flags) {}

  @Override
  public void end(Xid xid, int flags) {}

  @Override
  public void forget(Xid xid) {}

  @Override
  public Xid[] recover(int flag) {
    return new Xid[0];
  }

  @Override
  public boolean isSameRM(XAResource other) {
    return other == this;
  }

  @Override
  public int getTransactionTimeout() {
    return 0;
  }

  @Override
  public boolean setTransactionTimeout(int seconds) {
    return false;
  }
}
