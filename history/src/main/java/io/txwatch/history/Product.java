package io.txwatch.history;

/**
 * A DBMS in a version. A fork has guarantees of its own, and so a name of its own: nothing that
 * asks for "MySQL" is answered by TiDB.
 *
 * @param name its normalised name: "PostgreSQL", "TiDB"; as the driver reports it if it is not
 *     among those that are known; empty if unknown
 * @param version its reported version: "18.6"; empty if unknown
 */
public record Product(String name, String version) {
  /** Nothing is known about it. */
  public static final Product UNKNOWN = new Product("", "");

  /** True if this is the DBMS of this name, in any version. */
  public boolean is(String other) {
    return name.equals(other);
  }

  /** Name and version: "PostgreSQL 18.6". */
  public String displayName() {
    return version.isEmpty() ? name : name + " " + version;
  }
}
