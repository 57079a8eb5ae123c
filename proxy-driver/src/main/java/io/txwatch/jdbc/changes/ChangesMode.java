package io.txwatch.jdbc.changes;

import io.txwatch.catalog.CatalogMode.Versions;
import io.txwatch.history.Database;
import org.jspecify.annotations.Nullable;

/**
 * A source of row versions where they are known by value: a record that some DBMSs keep of all
 * changes, or that is made by means of theirs. Each lies in a package of its own, and {@code
 * modes.ChangesModes} alone names it.
 */
public interface ChangesMode {

  /** The value of the setting that asks for it. */
  Versions versions();

  /** What it is for people: "a log". */
  String noun();

  /** True if that DBMS may have such a record. */
  boolean serves(Database database);

  /** Why there is none on a DBMS that it does not serve. */
  String whyNot(Database database);

  /**
   * The lines that explain what is missing where it was chosen.
   *
   * @param why what is missing
   */
  String consequence(String why);

  /**
   * Distinguishes databases of the same place for which a source is chosen again; empty if nothing
   * does.
   */
  default String run(Database database) {
    return "";
  }

  /** The record for a connection. Nothing is executed on the connection. Never throws. */
  Candidate find(ChangesRequest request);

  /** A connection's share in the reading of a record that was found for it. */
  default ChangeReading reading(ChangeReader.Lease lease, ChangesRequest request) {
    return lease;
  }

  /**
   * A record of changes.
   *
   * @param key equal for connections that share a reader
   * @param record null if there is none
   * @param missing why there is none
   */
  record Candidate(String key, @Nullable ChangeRecord record, String missing) {

    /** A record. */
    public static Candidate of(String key, ChangeRecord record) {
      return new Candidate(key, record, "");
    }

    /** There is none. */
    public static Candidate missing(String why) {
      return new Candidate("", null, why);
    }
  }
}
