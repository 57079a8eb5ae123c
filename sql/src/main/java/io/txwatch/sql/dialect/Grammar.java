package io.txwatch.sql.dialect;

import java.util.Set;

/** What the texts of a DBMS may contain, of all that not every DBMS has. */
public abstract class Grammar {

  /** By ordinal: a parser reads it at each token. */
  private final boolean[] syntax = new boolean[Syntax.values().length];

  Grammar(Set<Syntax> syntax) {
    syntax.forEach(one -> this.syntax[one.ordinal()] = true);
  }

  /** True if texts may contain it. */
  public boolean has(Syntax one) {
    return syntax[one.ordinal()];
  }
}
