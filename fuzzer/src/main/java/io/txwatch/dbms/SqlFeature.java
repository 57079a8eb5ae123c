package io.txwatch.dbms;

import java.util.regex.Pattern;

/** A part of SQL that older servers of a product do not have; whether one has it is probed. */
public enum SqlFeature {
  COMMON_TABLE_EXPRESSIONS("\\bWITH\\s+\\w+\\s*(\\(\\w+\\)\\s*)?AS\\b"),
  RECURSION("\\bWITH\\s+RECURSIVE\\b"),
  WINDOW_FUNCTIONS("\\bOVER\\s*\\("),
  /** INTERSECT and EXCEPT. */
  SET_OPERATIONS("\\b(INTERSECT|EXCEPT)\\b"),
  NOWAIT("\\bNOWAIT\\b"),
  SKIP_LOCKED("\\bSKIP\\s+LOCKED\\b"),
  FOR_SHARE("\\bFOR\\s+SHARE\\b"),
  COMPUTED_COLUMNS("\\bGENERATED\\s+ALWAYS\\s+AS\\b"),
  STORED_COLUMNS("\\bSTORED\\b"),
  JSON("\\bJSON\\b"),
  /** A column's default that is an expression in parentheses. */
  COMPUTED_DEFAULTS("\\bDEFAULT\\s*\\("),
  /** An index whose key is an expression in parentheses. */
  INDEXED_EXPRESSIONS("\\bINDEX\\b.*\\(\\("),
  RETURNING_OF_INSERT("\\bINSERT\\b.*\\bRETURNING\\b"),
  RETURNING_OF_DELETE("\\bDELETE\\b.*\\bRETURNING\\b"),
  /** Without invisible columns, a natural join would also join those that oracles add. */
  INVISIBLE_COLUMNS("\\b(INVISIBLE|NATURAL)\\b"),
  /** Table options that decide when statistics are calculated. */
  STATISTICS_OPTIONS("\\bSTATS_PERSISTENT\\b"),
  /** A setting for one statement, in a comment of it. */
  SETTING_HINTS("\\bSET_VAR\\b"),
  LATERAL("\\bLATERAL\\b"),
  MERGE("\\bMERGE\\b"),
  /** Constraints that are checked when a transaction commits. */
  DEFERRED_CONSTRAINTS("\\bINITIALLY\\s+DEFERRED\\b"),
  /** Constraints by which no two rows may, for example, have overlapping ranges. */
  EXCLUSION_CONSTRAINTS("\\bEXCLUDE\\s+USING\\b"),
  ADVISORY_LOCKS("\\bpg_advisory_");

  private final Pattern form;

  SqlFeature(String form) {
    this.form = Pattern.compile(form, Pattern.CASE_INSENSITIVE);
  }

  /** True if a text, or a form of generated statements, has it. */
  public boolean isUsedBy(String sql) {
    return form.matcher(sql).find();
  }
}
