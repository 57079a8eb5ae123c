package io.txwatch.dependency;

import io.txwatch.dependency.Simulation.Mode;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Provide;

/** The modes of simulated histories in which no lists of writers contradict each other. */
interface SimulatedModes {

  @Provide
  default Arbitrary<Mode> modes() {
    return Arbitraries.of(Mode.SERIAL, Mode.SNAPSHOT, Mode.READ_COMMITTED, Mode.READ_UNCOMMITTED);
  }

  @Provide
  default Arbitrary<Mode> modesWithoutDirtyReads() {
    return Arbitraries.of(Mode.SERIAL, Mode.SNAPSHOT, Mode.READ_COMMITTED);
  }
}
