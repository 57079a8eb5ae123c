package io.txwatch.sql.dialect;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What the texts of a DBMS may contain, of all that not every DBMS has. */
public abstract class Grammar {

  private final Set<Syntax> syntax;

  Grammar(Set<Syntax> syntax) {
    this.syntax = Collections.unmodifiableSet(EnumSet.copyOf(syntax));
  }

  /** True if texts may contain it. */
  public boolean has(Syntax one) {
    return syntax.contains(one);
  }
}
