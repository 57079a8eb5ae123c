package io.txwatch.rewrite;

import io.txwatch.history.StatementKind;

/** The two columns that {@code prepare} adds to a table. */
enum AuxiliaryVersionSource implements VersionSource {
  /** They have the same names in every table. */
  INSTANCE;

  @Override
  public String row(String qualifier) {
    return qualifier + Auxiliary.RID;
  }

  @Override
  public String version(String qualifier) {
    return qualifier + Auxiliary.WL;
  }

  @Override
  public String written(StatementKind kind, String qualifier, Written how) {
    return version(qualifier);
  }

  @Override
  public boolean marksWrites() {
    return true;
  }

  @Override
  public String pair(String qualifier) {
    return row(qualifier) + ", " + version(qualifier);
  }
}
