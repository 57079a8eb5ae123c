package io.txwatch.changes;

/** Stands in a row image where there is no value that can be compared. */
public enum UnknownValue {
  /** The record does not contain the column. */
  ABSENT,
  /** It contains the column, but its value cannot be compared with certainty. */
  NOT_COMPARABLE
}
