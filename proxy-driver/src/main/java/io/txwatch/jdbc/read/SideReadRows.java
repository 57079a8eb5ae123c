package io.txwatch.jdbc.read;

import io.txwatch.capture.PredicateHash;
import io.txwatch.history.Access;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.PlannedReads;
import io.txwatch.jdbc.plan.PlannedReads.One;
import io.txwatch.jdbc.session.ConnectionState;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a side read shows of a statement: the rows that it read or wrote, or the version set of its
 * predicate. What the statement's own transaction wrote meanwhile is left out.
 */
final class SideReadRows {

  /** Characters of a writer token that number the statement; tokens sort as the numbers do. */
  private static final int STATEMENT_LENGTH = 3;

  private static final String NO_WRITER = WriterToken.of(0, 0);

  private final ConnectionState connection;

  SideReadRows(ConnectionState connection) {
    this.connection = connection;
  }

  /** Notes the rows that a read has brought; gives their number, or -1 if there are too many. */
  long rows(One one, ResultSet rows, StatementReads reads, boolean certain) throws SQLException {
    List<String> tables = one.read.tables();
    int most = connection.database().mostSideRows();
    long count = 0;
    while (rows.next()) {
      if (++count > most) {
        one.rest();
        reads.tooLarge(one);
        return -1;
      }
      for (int i = 0; i < tables.size(); i++) {
        long row = rows.getLong(2 * i + 1);
        if (!rows.wasNull()) {
          String writers = writers(rows, 2 * i + 2);
          if (writers == null) {
            reads.missing(one, "returned no version");
          } else {
            long known = connection.writerTexts().row(row);
            note(one, reads, tables.get(i), known, writers, certain);
          }
        }
      }
    }
    if (count > 0) {
      connection.earlier().rowSeen(StatementKind.SELECT, reads.transaction());
    }
    return count;
  }

  /** The writers that a column names; null if it does not contain any. */
  private @Nullable String writers(ResultSet rows, int column) throws SQLException {
    String text = rows.getString(column);
    return text == null ? "" : connection.writerTexts().tokens(text, 0, text.length());
  }

  private static void note(
      One one, StatementReads reads, String table, long row, String writers, boolean certain) {
    switch (one.read.purpose()) {
      case BEFORE_WRITE -> reads.row(Access.DELETE, table, row, writers, certain);
      case AFTER_WRITE, CONTENDED -> {
        // The token proves who wrote; what was written on top of it is not this statement's.
        int own = writers.lastIndexOf(reads.token());
        if (own >= 0 && one.read.purpose() == Purpose.CONTENDED && reads.returnsWrites()) {
          return; // the read of what was written returns it
        }
        if (own >= 0) {
          String upTo = writers.substring(0, own + WriterToken.LENGTH);
          reads.row(reads.access(row, upTo), table, row, upTo, true);
        } else if (one.read.purpose() == Purpose.CONTENDED) {
          reads.row(Access.TARGET, table, row, writers, false);
        }
      }
      case SKIPPED_BY_DELETE -> {
        if (one.read.moment() == Moment.BEFORE) {
          reads.skippedUnlessDeleted(table, row, writers);
        } else if (certain) {
          reads.row(Access.SKIPPED_BY_DELETE, table, row, writers, true);
        }
      }
      case MISSED_BY_DELETE -> reads.row(Access.MISSED_BY_DELETE, table, row, writers, true);
      case READ, VERSION_SET -> {
        int length = lengthBefore(writers, reads.token(), 0);
        if (length > 0 || writers.isEmpty()) {
          String before = writers.substring(0, length);
          reads.row(Access.READ, table, row, before, certain);
        }
      }
    }
  }

  /** Notes the version set that a read has brought; gives its size, or -1 if it is too large. */
  long versionSet(
      One one, ResultSet rows, StatementReads reads, Parameters parameters, boolean certain)
      throws SQLException {
    int most = connection.database().mostSideRows();
    long[] ids = new long[Math.min(most, 64)];
    StringBuilder writers = new StringBuilder();
    int count = 0;
    while (rows.next()) {
      long row = rows.getLong(1);
      if (rows.wasNull()) {
        continue;
      }
      if (count == most) {
        connection.database().memory().tooLarge(one.table());
        reads.tooLarge(one);
        return -1;
      }
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, Math.min(most, 2 * count));
      }
      String list = writers(rows, 2);
      int length = list == null ? 0 : lengthBefore(list, reads.token(), 1);
      if (length == 0 && list != null && !list.isEmpty()) {
        if (list.length() > WriterToken.LENGTH) {
          reads.missing(one, "came too late");
          return -1; // who wrote the row before its own transaction did was cut off
        }
        continue; // a row of the transaction's own, inserted after the statement
      }
      ids[count++] = connection.writerTexts().row(row);
      if (list == null
          || length < WriterToken.LENGTH
          || list.charAt(length - 1) == WriterList.FILLER) {
        writers.append(NO_WRITER);
      } else {
        writers.append(list, length - WriterToken.LENGTH, length);
      }
    }
    if (count > 0) {
      connection.earlier().rowSeen(StatementKind.SELECT, reads.transaction());
    }
    reads.versionSet(
        new VersionSet(
            one.table(),
            predicate(reads, parameters),
            Arrays.copyOf(ids, count),
            writers.toString(),
            certain,
            one.read.places()));
    return count;
  }

  /**
   * The length of a list of writers without what the transaction wrote from a statement on.
   *
   * @param after 0 to leave out what the statement itself wrote, 1 to leave out what came after it
   */
  private static int lengthBefore(String list, String token, int after) {
    int length = list.length();
    int transaction = WriterToken.LENGTH - STATEMENT_LENGTH;
    while (length >= WriterToken.LENGTH
        && list.regionMatches(length - WriterToken.LENGTH, token, 0, transaction)
        && list.substring(length - WriterToken.LENGTH, length).compareTo(token) >= after) {
      length -= WriterToken.LENGTH;
    }
    return length;
  }

  private static long predicate(StatementReads reads, Parameters parameters) {
    PlannedReads planned = reads.cached().sideReads();
    long[] values = parameters.values();
    return planned == null || planned.predicateText == 0 || values == null
        ? 0
        : PredicateHash.predicate(planned.predicateText, values);
  }
}
