package io.txwatch.interleave.run;

import io.txwatch.interleave.explore.CallFootprint;
import io.txwatch.interleave.run.TableUse.Uses;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedCall.Type;
import io.txwatch.jdbc.gate.GatedConnection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The footprints of an operation's calls. What ends a transaction makes all of it visible, or
 * releases its locks, and so uses what the transaction has used. What begins one that reads from a
 * snapshot determines all that it will read. A call that waits for a lock depends on what its
 * transaction has locked before, for others may wait for that: which of them is the victim of the
 * deadlock depends on who waits first.
 */
final class TransactionFootprints {

  private final List<GatedCall> calls;
  private final List<CallFootprint> own;

  private final BitSet blocked;

  private TransactionFootprints(
      List<GatedCall> calls, BitSet blocked, GatedProgram.Observer observer) {
    this.calls = calls;
    this.blocked = blocked;
    this.own = calls.stream().map(call -> footprint(call, observer)).toList();
  }

  private static CallFootprint footprint(GatedCall call, GatedProgram.Observer observer) {
    return switch (observer.extent(call)) {
      case NOTHING -> CallFootprint.NOTHING;
      case ITS_TABLES -> TableUse.of(call, table -> observer.constraints(call.connection(), table));
      case EVERYTHING -> CallFootprint.EVERYTHING;
    };
  }

  /**
   * The footprints of an operation's calls, in their order.
   *
   * @param blocked the calls, by their places, that have waited for a lock
   * @param observer knows the constraints of tables
   */
  static List<CallFootprint> of(
      List<GatedCall> calls, BitSet blocked, GatedProgram.Observer observer) {
    return new TransactionFootprints(calls, blocked, observer).compute();
  }

  private List<CallFootprint> compute() {
    List<CallFootprint> result = new ArrayList<>(own);
    Map<GatedConnection, List<Integer>> open = new HashMap<>();
    for (int i = 0; i < calls.size(); i++) {
      GatedCall call = calls.get(i);
      if (call.isAutocommit() && call.type() == Type.STATEMENT) {
        continue;
      }
      List<Integer> transaction = open.computeIfAbsent(call.connection(), one -> new ArrayList<>());
      if (call.type() == Type.STATEMENT) {
        transaction.add(i);
      } else {
        end(transaction, i, result);
        transaction.clear();
      }
    }
    open.values().forEach(transaction -> end(transaction, -1, result));
    return result;
  }

  /**
   * A transaction has ended.
   *
   * @param end the call that has ended it; -1 if none has
   */
  private void end(List<Integer> transaction, int end, List<CallFootprint> result) {
    CallFootprint all = CallFootprint.NOTHING;
    for (int call : transaction) {
      all = union(all, own.get(call));
      if (blocked.get(call)) {
        result.set(call, all);
      }
    }
    if (end >= 0) {
      result.set(end, calls.get(end).statements().isEmpty() ? all : union(all, own.get(end)));
    }
    if (!transaction.isEmpty() && calls.get(transaction.get(0)).keepsSnapshot()) {
      int first = transaction.get(0);
      result.set(first, union(own.get(first), reads(all)));
    }
  }

  private static CallFootprint union(CallFootprint one, CallFootprint other) {
    if (one == CallFootprint.NOTHING) {
      return other;
    } else if (other == CallFootprint.NOTHING) {
      return one;
    } else if (one instanceof Uses uses && other instanceof Uses others) {
      List<TableUse> both = new ArrayList<>(uses.tables());
      both.addAll(others.tables());
      return new Uses(both);
    }
    return CallFootprint.EVERYTHING;
  }

  /** What is read of it. */
  private static CallFootprint reads(CallFootprint footprint) {
    return footprint instanceof Uses uses
        ? new Uses(uses.tables().stream().map(TableUse::asRead).toList())
        : footprint;
  }
}
