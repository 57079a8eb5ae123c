package io.txwatch.format;

import io.txwatch.format.ListHistory.Branch;
import io.txwatch.format.ListHistory.Kind;
import io.txwatch.history.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * The order of versions as the lists of a history show it: for each key the longest list that was
 * read, and the writer of each element.
 *
 * <p>A key is unusable if an element was appended twice or occurs twice in its list, since the
 * writer of a version is then ambiguous. These are recorded as faults. Lists that contradict the
 * longest one are faults, too, and ignored; the longest one remains usable.
 */
final class ListOrder {

  enum Fault {
    /** Two transactions appended the same element: the file breaks the rules of the test. */
    APPENDED_TWICE,
    /** An element occurs twice in a list. */
    DUPLICATE,
    /** Two lists of which neither is a prefix of the other. */
    INCOMPATIBLE
  }

  /**
   * A fault.
   *
   * @param element the element concerned; for incompatible lists, the first difference
   * @param branch for incompatible lists, the branch that is not the longest
   */
  record Found(Fault fault, int key, long element, int branch) {}

  private final ListHistory history;
  private final ElementTable elements = new ElementTable();
  private final Branch[] main;
  private final int[][] common;
  private final boolean[] unusable;
  private final List<Found> faults = new ArrayList<>();

  private static final Branch NONE = new Branch();

  ListOrder(ListHistory history) {
    this.history = history;
    int keys = history.names().keys();
    main = new Branch[keys];
    common = new int[keys][];
    unusable = new boolean[keys];
    for (int t = 0; t < history.transactions(); t++) {
      for (int op = history.firstOp(t); op < history.endOp(t); op++) {
        if (history.kind(op) == Kind.APPEND) {
          appended(t, op);
        }
      }
    }
    for (int key = 0; key < keys; key++) {
      order(key);
    }
  }

  private void appended(int transaction, int op) {
    int key = history.key(op);
    long element = history.element(op);
    if (elements.find(key, element) < 0) {
      elements.add(key, element, transaction, op - history.firstOp(transaction) + 1);
    } else {
      faults.add(new Found(Fault.APPENDED_TWICE, key, element, 0));
      unusable[key] = true;
    }
  }

  private void order(int key) {
    List<Branch> branches = history.branches(key);
    Branch longest = longest(key, branches);
    main[key] = longest;
    common[key] = new int[branches.size()];
    for (int b = 0; b < branches.size(); b++) {
      Branch branch = branches.get(b);
      int same = 0;
      while (same < branch.length() && branch.element(same) == longest.element(same)) {
        same++;
      }
      common[key][b] = same;
      if (branch != longest && same < branch.length()) {
        faults.add(new Found(Fault.INCOMPATIBLE, key, branch.element(same), b));
      }
    }
    for (int i = 0; i < longest.length(); i++) {
      long element = longest.element(i);
      int entry = elements.find(key, element);
      if (entry < 0) {
        entry = elements.add(key, element, ElementTable.NO_WRITER, 0);
      } else if (elements.position(entry) >= 0) {
        faults.add(new Found(Fault.DUPLICATE, key, element, 0));
        unusable[key] = true;
        return;
      }
      elements.setPosition(entry, i);
    }
  }

  /** The longest list without aborted elements; if there is none, the longest. */
  private Branch longest(int key, List<Branch> branches) {
    Branch longest = NONE;
    boolean clean = false;
    for (Branch branch : branches) {
      boolean better = branches.size() == 1 || isClean(key, branch);
      if (better && !clean || better == clean && branch.length() > longest.length()) {
        longest = branch;
        clean = better;
      }
    }
    return longest;
  }

  private boolean isClean(int key, Branch branch) {
    return abortedFrom(key, branch, 0) < 0;
  }

  /**
   * The position of the first element, from a position on, whose transaction aborted; -1 if there
   * is none.
   */
  int abortedFrom(int key, Branch branch, int from) {
    for (int i = from; i < branch.length(); i++) {
      int entry = elements.find(key, branch.element(i));
      int writer = entry < 0 ? ElementTable.NO_WRITER : elements.writer(entry);
      if (writer >= 0 && history.outcome(writer) == Outcome.ABORTED) {
        return i;
      }
    }
    return -1;
  }

  /** The length of the common prefix of a branch and the key's list. */
  int common(int key, int branch) {
    return common[key][branch];
  }

  ElementTable elements() {
    return elements;
  }

  List<Found> faults() {
    return faults;
  }

  /** Whether nothing can be concluded from a key. */
  boolean isUnusable(int key) {
    return unusable[key];
  }

  Branch list(int key) {
    return main[key];
  }

  /** The entry of the element at a position of the key's list. */
  int entry(int key, int position) {
    return elements.find(key, main[key].element(position));
  }

  /** Whether a read agrees with the key's list. */
  boolean agrees(int read) {
    int key = history.key(read);
    int[] agreed = common[key];
    return !unusable[key]
        && (agreed.length == 0 || history.length(read) <= agreed[history.branch(read)]);
  }
}
