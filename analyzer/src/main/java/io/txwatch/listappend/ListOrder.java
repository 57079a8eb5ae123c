package io.txwatch.listappend;

import io.txwatch.history.Outcome;
import io.txwatch.listappend.ListHistory.Branch;
import io.txwatch.listappend.ListHistory.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The order of versions as the lists of a history show it: for each key the longest list that was
 * read, with the append of each element, and the appends that no transaction read.
 *
 * <p>A key is unusable if an element was appended twice or occurs twice in its list, since the
 * writer of a version is then ambiguous. Two appends of one element break the rules of the test:
 * nothing is concluded from such a key. An element that was appended once and occurs twice is a
 * fault. Lists that contradict the longest one are faults, too, and ignored; the longest one
 * remains usable.
 */
final class ListOrder {

  enum Fault {
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

  /** The append of an element that no transaction appended. */
  static final int NONE = -1;

  /** The position of an append that no transaction read: behind all others. */
  static final int UNREAD = Integer.MAX_VALUE;

  private final ListHistory history;
  private final int[] owners;
  private final boolean[] unusable;
  private final List<Found> faults = new ArrayList<>();

  /** The first two appends of one element to one key; empty if there are none. */
  private int[] appendedTwice = {};

  /** The appends of each key: those of key k from starts[k] on. */
  private final int[] appendStarts;

  private final int[] appends;

  /** The append of each element of each key's list: that of key k from starts[k] on. */
  private final int[] listStarts;

  private final int[] list;

  /** The position of each append in its key's list, by operation. */
  private final int[] positions;

  /** How many of the appends of each key, moved to the front, no transaction read. */
  private final int[] unread;

  /** For a key with contradictory lists, how much each has in common with the key's list. */
  private final Map<Integer, int[]> common = new HashMap<>();

  private final Map<Integer, Branch> chosen = new HashMap<>();
  private final ElementIndex index = new ElementIndex();

  ListOrder(ListHistory history) {
    this.history = history;
    this.owners = history.owners();
    int keys = history.keys();
    unusable = new boolean[keys];
    unread = new int[keys];
    appendStarts = new int[keys + 1];
    for (int op = 0; op < history.operations(); op++) {
      if (history.kind(op) == Kind.APPEND) {
        appendStarts[history.key(op) + 1]++;
      }
    }
    for (int key = 0; key < keys; key++) {
      appendStarts[key + 1] += appendStarts[key];
    }
    appends = new int[appendStarts[keys]];
    int[] next = Arrays.copyOf(appendStarts, keys);
    for (int op = 0; op < history.operations(); op++) {
      if (history.kind(op) == Kind.APPEND) {
        appends[next[history.key(op)]++] = op;
      }
    }
    listStarts = new int[keys + 1];
    for (int key = 0; key < keys; key++) {
      List<Branch> branches = history.branches(key);
      int longest = 0;
      for (Branch branch : branches) {
        longest = Math.max(longest, branch.length());
      }
      listStarts[key + 1] = listStarts[key] + longest;
    }
    list = new int[listStarts[keys]];
    positions = new int[history.operations()];
    Arrays.fill(positions, UNREAD);
    for (int key = 0; key < keys; key++) {
      order(key);
    }
  }

  private void order(int key) {
    index.clear(appendStarts[key + 1] - appendStarts[key]);
    for (int i = appendStarts[key]; i < appendStarts[key + 1]; i++) {
      long element = history.element(appends[i]);
      if (!index.add(element, appends[i])) {
        unusable[key] = true;
        if (appendedTwice.length == 0) {
          appendedTwice = new int[] {index.append(element), appends[i]};
        }
      }
    }
    if (unusable[key]) {
      return;
    }
    List<Branch> branches = history.branches(key);
    if (!branches.isEmpty()) {
      Branch longest = branches.size() == 1 ? branches.get(0) : choose(key, branches);
      index(key, longest);
    }
    int left = appendStarts[key];
    for (int i = appendStarts[key]; i < appendStarts[key + 1]; i++) {
      if (index.append(history.element(appends[i])) == appends[i]) {
        int append = appends[i];
        appends[i] = appends[left];
        appends[left++] = append;
      }
    }
    unread[key] = left - appendStarts[key];
    Arrays.sort(appends, appendStarts[key], left);
  }

  private void index(int key, Branch longest) {
    for (int i = 0; i < longest.length(); i++) {
      int append = index.take(longest.element(i));
      list[listStarts[key] + i] = append;
      if (append >= 0) {
        positions[append] = i;
      }
      if (append == ElementIndex.TAKEN) {
        faults.add(new Found(Fault.DUPLICATE, key, longest.element(i), 0));
        unusable[key] = true;
        return;
      }
    }
  }

  /** Chooses among contradictory lists, and records that they are. */
  private Branch choose(int key, List<Branch> branches) {
    Branch longest = longest(branches);
    chosen.put(key, longest);
    int[] same = new int[branches.size()];
    common.put(key, same);
    for (int b = 0; b < branches.size(); b++) {
      Branch branch = branches.get(b);
      while (same[b] < Math.min(branch.length(), longest.length())
          && branch.element(same[b]) == longest.element(same[b])) {
        same[b]++;
      }
      if (branch != longest) {
        long element =
            same[b] < branch.length() ? branch.element(same[b]) : longest.element(same[b]);
        faults.add(new Found(Fault.INCOMPATIBLE, key, element, b));
      }
    }
    return longest;
  }

  /** The longest list without aborted elements; if there is none, the longest. */
  private Branch longest(List<Branch> branches) {
    Branch longest = branches.get(0);
    boolean clean = abortedFrom(longest, 0) < 0;
    for (Branch branch : branches.subList(1, branches.size())) {
      boolean better = abortedFrom(branch, 0) < 0;
      if (better && !clean || better == clean && branch.length() > longest.length()) {
        longest = branch;
        clean = better;
      }
    }
    return longest;
  }

  /** The position of the first element, from a position on, whose transaction aborted, or -1. */
  private int abortedFrom(Branch branch, int from) {
    for (int i = from; i < branch.length(); i++) {
      int append = index.append(branch.element(i));
      if (append >= 0 && history.outcome(owners[append]) == Outcome.ABORTED) {
        return i;
      }
    }
    return -1;
  }

  /**
   * The append, of a transaction that aborted, of the first such element of a branch behind what it
   * has in common with the key's list; {@link #NONE} if there is none. Slow: only for faults.
   */
  int abortedAppend(int key, int branch) {
    Branch of = history.branches(key).get(branch);
    index.clear(appendStarts[key + 1] - appendStarts[key]);
    for (int i = appendStarts[key]; i < appendStarts[key + 1]; i++) {
      index.add(history.element(appends[i]), appends[i]);
    }
    int at = abortedFrom(of, common(key, branch));
    return at < 0 ? NONE : index.append(of.element(at));
  }

  /** The transaction of an operation. */
  int owner(int op) {
    return owners[op];
  }

  List<Found> faults() {
    return faults;
  }

  /**
   * Two appends of one element to one key, which make what is read of it ambiguous; empty if there
   * are none.
   */
  int[] appendedTwice() {
    return appendedTwice;
  }

  /** Whether nothing can be concluded from a key. */
  boolean isUnusable(int key) {
    return unusable[key];
  }

  /** The number of elements of the key's list. */
  int length(int key) {
    Branch branch = chosen.get(key);
    return branch == null ? listStarts[key + 1] - listStarts[key] : branch.length();
  }

  /** The append of the element at a position of the key's list, or {@link #NONE}. */
  int append(int key, int position) {
    return list[listStarts[key] + position];
  }

  /** The position of an append in its key's list, or {@link #UNREAD}. */
  int position(int append) {
    return positions[append];
  }

  /** The number of appends to a key that no transaction read. */
  int unread(int key) {
    return unread[key];
  }

  /** One of the appends to a key that no transaction read, in the order of the file. */
  int unread(int key, int i) {
    return appends[appendStarts[key] + i];
  }

  /** The branch that is the key's list. */
  int branch(int key) {
    Branch branch = chosen.get(key);
    return branch == null ? 0 : history.branches(key).indexOf(branch);
  }

  private int common(int key, int branch) {
    int[] same = common.get(key);
    return same == null ? Integer.MAX_VALUE : same[branch];
  }

  /** Whether a read agrees with the key's list. */
  boolean agrees(int read) {
    int key = history.key(read);
    return !unusable[key]
        && (common.isEmpty() || history.length(read) <= common(key, history.branch(read)));
  }
}
