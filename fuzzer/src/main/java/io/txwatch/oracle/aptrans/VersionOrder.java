package io.txwatch.oracle.aptrans;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The versions of one row in the order in which they replaced each other. A version is the number
 * of the step that wrote it, 0 the initial one; a row that does not exist yet, or no longer, is a
 * version as well.
 */
final class VersionOrder {

  /** The version before the row exists. */
  static final int UNBORN = -1;

  /** By version, the write that replaced it. */
  private final Map<Integer, Write> replacedBy = new HashMap<>();

  private boolean isAmbiguous;
  private boolean isBorn;

  /**
   * A write.
   *
   * @param step the step that wrote it
   * @param replaced the version that it replaced
   * @param isDelete true if the row does not exist afterwards
   */
  record Write(int step, int replaced, boolean isDelete) {

    /** The version that it makes; a deleted row has one of its own. */
    int version() {
      return isDelete ? -2 - step : step;
    }
  }

  /** Adds a logged write. Two writes that replace one version make the order unknown. */
  void add(Write write) {
    isBorn |= write.replaced() == UNBORN;
    if (write.version() == write.replaced()) {
      return; // one statement has written the row twice
    }
    Write before = replacedBy.put(write.replaced(), write);
    isAmbiguous |= before != null && !before.equals(write);
  }

  /**
   * The versions, oldest first; the position of a version is its number in patterns. Empty if the
   * log does not give one order.
   */
  Optional<List<Integer>> versions() {
    List<Integer> versions = new ArrayList<>();
    Set<Integer> seen = new HashSet<>();
    int version = isBorn ? UNBORN : 0;
    versions.add(version);
    for (Write next = replacedBy.get(version);
        next != null && seen.add(version);
        next = replacedBy.get(version)) {
      version = next.version();
      versions.add(version);
    }
    return isAmbiguous || versions.size() != replacedBy.size() + 1
        ? Optional.empty()
        : Optional.of(versions);
  }

  /** The writes, in no particular order. */
  List<Write> writes() {
    return List.copyOf(replacedBy.values());
  }
}
