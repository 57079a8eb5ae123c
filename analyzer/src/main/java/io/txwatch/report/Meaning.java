package io.txwatch.report;

import io.txwatch.anomaly.Phenomenon;

/** What a phenomenon means for the application, in one or two sentences without terms of theory. */
public final class Meaning {

  private Meaning() {}

  /** The sentence for a phenomenon. T1 and T2 are transactions. */
  public static String of(Phenomenon phenomenon) {
    return switch (phenomenon) {
      case DIRTY_WRITE ->
          "Two transactions overwrote each other before either had committed: the rows now hold a"
              + " mixture of both.";
      case ABORTED_READ ->
          "A transaction used data that another one wrote and then rolled back: it used what never"
              + " existed.";
      case INTERMEDIATE_READ ->
          "A transaction used a value that its writer replaced before it committed: it used a state"
              + " that was never final.";
      case CIRCULAR_INFORMATION_FLOW ->
          "Each of these transactions used what another of them wrote: none of them can have been"
              + " the first.";
      case INTERNAL ->
          "A transaction did not see a row that it had written itself a moment before.";
      case GARBAGE_READ -> "A transaction read a value that no transaction of the history wrote.";
      case DUPLICATE_WRITE ->
          "A transaction read a list in which an element stands twice that was appended once.";
      case INCOMPATIBLE_ORDER ->
          "Two reads saw the writes of one row in orders that contradict each other.";
      case LOST_UPDATE ->
          "Two transactions read the same row, and then both wrote it. The second overwrote the"
              + " first without having seen it: that update is lost.";
      case READ_WRITE_SKEW ->
          "A transaction decided by a row that another one was changing, and then overwrote what"
              + " that one wrote elsewhere.";
      case READ_SKEW ->
          "A transaction read one row from before a change and another row from after it: what it"
              + " read never was true at the same time.";
      case FRACTURED_READ ->
          "A transaction saw one part of what another one wrote, and not the other part.";
      case NON_REPEATABLE_READ -> "A transaction read a row twice and found it changed in between.";
      case PHANTOM ->
          "A transaction ran a query twice, and in between another one added, removed or changed"
              + " rows that the query looks for.";
      case WRITE_SKEW ->
          "Two transactions each checked what the other was about to change, and both went ahead."
              + " Either alone would have been right; together they break the rule that they"
              + " checked.";
      case LONG_FORK ->
          "Two readers saw two independent writes in opposite orders: they disagree about what"
              + " happened first.";
      case G_SINGLE ->
          "A transaction missed a change, and nevertheless saw something that came after it.";
      case G_NONADJACENT ->
          "Several transactions missed each other's changes in a circle: they cannot have run one"
              + " after another.";
      case G2_ITEM ->
          "These transactions each missed a change by the next one: they cannot have run one after"
              + " another.";
      case TRANSACTION_INVERSION ->
          "A transaction missed what had already been committed before it began.";
      case G2 ->
          "These transactions each checked by a query what another one was about to change, and all"
              + " went ahead.";
      case STALE_WRITE ->
          "A row was read in one transaction and written in a later one. In between, another"
              + " transaction wrote it: that update is lost if the later one used what had been read"
              + " before.";
      case STALE_READ ->
          "A request read a row on a standby in an older version than it had already written or read:"
              + " the standby had not replayed that commit yet.";
      case DEADLOCK ->
          "Two transactions or more waited for each other's locks. The DBMS rolled one of them back:"
              + " its work is lost unless the application repeats it. No data is wrong.";
    };
  }
}
