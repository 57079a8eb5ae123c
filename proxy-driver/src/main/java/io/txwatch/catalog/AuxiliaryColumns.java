package io.txwatch.catalog;

/** The names of what is added to a table. Stored as the DBMS folds unquoted names. */
public final class AuxiliaryColumns {

  /** The row's id: unique, given once, never changed. */
  public static final String ROW_ID = "txw_rid";

  /** The writers of this version of the row ({@link io.txwatch.history.WriterList}). */
  public static final String WRITERS = "txw_wl";

  /** The sequence that gives row ids where the DBMS has sequences: one in each schema. */
  public static final String SEQUENCE = "txw_rid_seq";

  private AuxiliaryColumns() {}

  /** True if a column of that name is one of the two, in any case. */
  public static boolean isAuxiliary(String column) {
    return ROW_ID.equalsIgnoreCase(column) || WRITERS.equalsIgnoreCase(column);
  }
}
