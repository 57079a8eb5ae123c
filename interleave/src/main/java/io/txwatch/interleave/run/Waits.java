package io.txwatch.interleave.run;

import java.util.Set;

/** Reports which connections are blocked. */
@FunctionalInterface
public interface Waits {

  /** The DBMS's numbers of the connections that wait for a lock now. */
  Set<Long> blocked();
}
