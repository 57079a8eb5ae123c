package io.txwatch.catalog;

/** A user of a DBMS and the password. Never shown: {@link #toString} names the user alone. */
public record Login(String user, String password) {

  @Override
  public String toString() {
    return user;
  }
}
