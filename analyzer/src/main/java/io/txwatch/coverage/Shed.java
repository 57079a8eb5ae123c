package io.txwatch.coverage;

import io.txwatch.history.RowShare;

/**
 * What was not observed because of overload. The number of statements is among the gaps, as {@link
 * io.txwatch.history.GapReason#SHED}.
 *
 * @param share the rows that are observed now
 * @param smallest the least that was ever observed; everything is known about these rows
 * @param transactions the transactions of which nothing was observed
 */
public record Shed(RowShare share, RowShare smallest, long transactions) {

  public static final Shed NOTHING = new Shed(RowShare.ALL, RowShare.ALL, 0);

  Shed plus(Shed other) {
    return new Shed(
        share.and(other.share), smallest.and(other.smallest), transactions + other.transactions);
  }
}
