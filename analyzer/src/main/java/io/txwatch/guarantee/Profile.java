package io.txwatch.guarantee;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.util.List;
import java.util.Locale;

/**
 * The guarantees of each DBMS, level by level, with the place in its documentation. A DBMS or fork
 * without a profile promises nothing that could be broken.
 */
enum Profile {
  /** PostgreSQL. READ UNCOMMITTED behaves as READ COMMITTED. */
  POSTGRESQL("PostgreSQL", "retry on SQLSTATE 40001") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      String chapter = "PostgreSQL documentation, 13.2 Transaction Isolation: ";
      return switch (level) {
        case UNKNOWN -> Guarantee.none("");
        case READ_UNCOMMITTED, READ_COMMITTED ->
            Guarantee.committedByStatement(chapter + "13.2.1 Read Committed");
        case REPEATABLE_READ, SNAPSHOT -> Guarantee.snapshot(chapter + "13.2.2 Repeatable Read");
        case SERIALIZABLE -> Guarantee.serializable(chapter + "13.2.3 Serializable");
      };
    }
  },
  /** CockroachDB: SERIALIZABLE by default, READ COMMITTED since 23.2, weaker names are upgraded. */
  COCKROACHDB("CockroachDB", "retry on SQLSTATE 40001") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      return switch (level) {
        case UNKNOWN -> Guarantee.none("");
        case READ_UNCOMMITTED, READ_COMMITTED ->
            Guarantee.committedByStatement(
                "CockroachDB documentation, Read Committed Transactions");
        case REPEATABLE_READ, SNAPSHOT ->
            Guarantee.snapshotReads("CockroachDB documentation, SET TRANSACTION, isolation levels");
        case SERIALIZABLE ->
            Guarantee.serializable("CockroachDB documentation, Serializable Transactions");
      };
    }
  },
  /** openGauss: SERIALIZABLE is not supported and equals REPEATABLE READ. */
  OPENGAUSS("openGauss", "") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      return switch (level) {
        case UNKNOWN -> Guarantee.none("");
        case READ_UNCOMMITTED, READ_COMMITTED ->
            Guarantee.committed("openGauss documentation, SET TRANSACTION, READ COMMITTED");
        case REPEATABLE_READ, SNAPSHOT, SERIALIZABLE ->
            Guarantee.snapshotReads(
                "openGauss documentation, SET TRANSACTION: SERIALIZABLE is equivalent to REPEATABLE"
                    + " READ");
      };
    }
  },
  /** MySQL with InnoDB. */
  MYSQL("MySQL", "retry on deadlock (error 1213)") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      return innodb("MySQL Reference Manual, 17.7.2.1 Transaction Isolation Levels", level);
    }
  },
  /**
   * MariaDB with InnoDB; from 11.6.2 on writes at REPEATABLE READ are checked against the snapshot.
   */
  MARIADB("MariaDB", "retry on deadlock (error 1213)") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      if (level == IsolationLevel.REPEATABLE_READ && checksSnapshots(database)) {
        return Guarantee.snapshot(
            "MariaDB documentation, InnoDB System Variables: innodb_snapshot_isolation");
      }
      return innodb("MariaDB documentation, SET TRANSACTION, Isolation Levels", level);
    }
  },
  /** H2 2.x with its multi-version store. */
  H2("H2", "") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      String chapter = "H2 documentation, Advanced, Transaction Isolation: ";
      return switch (level) {
        case UNKNOWN -> Guarantee.none("");
        case READ_UNCOMMITTED -> Guarantee.dirty(chapter + "Read uncommitted");
        case READ_COMMITTED -> Guarantee.committed(chapter + "Read committed");
        case REPEATABLE_READ -> Guarantee.repeatable(chapter + "Repeatable read");
        case SNAPSHOT -> Guarantee.consistentReads(chapter + "Snapshot");
        case SERIALIZABLE ->
            // "currently doesn't ensure equivalence of concurrent and serializable execution of
            // transactions that perform write operations"
            Guarantee.repeatable(chapter + "Serializable");
      };
    }
  },
  /** SQLite: always serializable, but for shared cache with read_uncommitted. */
  SQLITE("SQLite", "") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      if (!level.isKnown()) {
        return Guarantee.none("");
      }
      if (level == IsolationLevel.READ_UNCOMMITTED) {
        return Guarantee.dirty("SQLite documentation, PRAGMA read_uncommitted");
      }
      return Guarantee.serializable("SQLite documentation, Isolation In SQLite");
    }
  },
  /**
   * TiDB: REPEATABLE READ is snapshot isolation, but in pessimistic mode writes read the newest.
   */
  TIDB("TiDB", "") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      String chapter = "TiDB documentation, Transaction Isolation Levels: ";
      return switch (level) {
        case UNKNOWN -> Guarantee.none("");
        case READ_UNCOMMITTED, READ_COMMITTED ->
            Guarantee.committedByStatement(chapter + "Read Committed");
        case REPEATABLE_READ, SNAPSHOT, SERIALIZABLE ->
            Guarantee.consistentReads(chapter + "Repeatable Read, difference to MySQL");
      };
    }
  },
  /** OceanBase in either mode: SERIALIZABLE is snapshot isolation. */
  OCEANBASE("OceanBase", "") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      String chapter = "OceanBase documentation, Transaction isolation levels: ";
      return switch (level) {
        case UNKNOWN -> Guarantee.none("");
        case READ_UNCOMMITTED, READ_COMMITTED -> Guarantee.committed(chapter + "Read Committed");
        case REPEATABLE_READ, SNAPSHOT, SERIALIZABLE ->
            Guarantee.snapshotReads(chapter + "Repeatable Read and Serializable");
      };
    }
  },
  /** Anything else. */
  UNKNOWN("", "") {
    @Override
    Guarantee at(IsolationLevel level, Database database) {
      return Guarantee.none("");
    }
  };

  private final String product;
  private final String retry;

  Profile(String product, String retry) {
    this.product = product;
    this.retry = retry;
  }

  /** The guarantee of a level, in that version and with those settings. */
  abstract Guarantee at(IsolationLevel level, Database database);

  /** What an application must handle at SERIALIZABLE; empty if nothing. */
  String retry() {
    return retry;
  }

  static Profile of(Database database) {
    for (Profile profile : values()) {
      if (profile.product.equalsIgnoreCase(database.product().name())) {
        return profile;
      }
    }
    return UNKNOWN;
  }

  private static Guarantee innodb(String chapter, IsolationLevel level) {
    return switch (level) {
      case UNKNOWN -> Guarantee.none("");
      case READ_UNCOMMITTED -> Guarantee.dirty(chapter + ", READ UNCOMMITTED");
      case READ_COMMITTED -> Guarantee.committedByStatement(chapter + ", READ COMMITTED");
      case REPEATABLE_READ, SNAPSHOT ->
          Guarantee.consistentReads(chapter + ", REPEATABLE READ; Consistent Nonlocking Reads");
      case SERIALIZABLE -> Guarantee.serializable(chapter + ", SERIALIZABLE");
    };
  }

  private static boolean checksSnapshots(Database database) {
    String setting = database.settings().get("innodb_snapshot_isolation");
    if (setting != null) {
      return List.of("on", "1", "true").contains(setting.toLowerCase(Locale.ROOT));
    }
    return VersionNumbers.atLeast(database.product().version(), 11, 6, 2);
  }
}
