package io.txwatch.history;

import io.txwatch.history.wire.Entry;
import io.txwatch.history.wire.Header;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes entries by protobuf's own classes alone, as a writer in another language would: what {@link
 * EventEncoder} writes is compared with it.
 */
final class PlainEncoder {

  private final Map<String, Integer> texts = new HashMap<>();
  private final Entry.Builder entry = Entry.newBuilder();

  /** The entry that begins a stretch; the dictionary is empty after it. */
  Entry header(String node, long startMicros) {
    texts.clear();
    return entry
        .clear()
        .setHeader(
            Header.newBuilder()
                .setMagic(EventEncoder.MAGIC)
                .setVersion(EventEncoder.VERSION)
                .setNode(node)
                .setStartMicros(startMicros))
        .build();
  }

  /** The entry that ends a file, after so many events. */
  Entry closed(long events) {
    return entry
        .clear()
        .setClosed(io.txwatch.history.wire.Closed.newBuilder().setEvents(events))
        .build();
  }

  Entry encode(Event event) {
    entry.clear();
    if (event instanceof Event.StatementExecuted e) {
      entry.setStatementExecuted(statement(e));
    } else if (event instanceof Event.TransactionBegan e) {
      entry.setTransactionBegan(
          io.txwatch.history.wire.TransactionBegan.newBuilder()
              .setSession(e.session())
              .setTransaction(e.transaction())
              .setLevel(WireNames.LEVEL.toWire(e.level()))
              .setMicros(e.micros())
              .setName(text(e.name()))
              .setShare(e.share().steps())
              .setTraceId(e.traceId()));
    } else if (event instanceof Event.RowsShed e) {
      entry.setRowsShed(
          io.txwatch.history.wire.RowsShed.newBuilder()
              .setSession(e.session())
              .setShare(e.share().steps())
              .setStatements(e.statements())
              .setTransactions(e.transactions()));
    } else if (event instanceof Event.TransactionEnded e) {
      entry.setTransactionEnded(
          io.txwatch.history.wire.TransactionEnded.newBuilder()
              .setSession(e.session())
              .setTransaction(e.transaction())
              .setOutcome(WireNames.OUTCOME.toWire(e.outcome()))
              .setMicros(e.micros())
              .setEvents(e.events()));
    } else if (event instanceof Event.StatementsUndone e) {
      entry.setStatementsUndone(
          io.txwatch.history.wire.StatementsUndone.newBuilder()
              .setSession(e.session())
              .setTransaction(e.transaction())
              .setFirstStatement(e.firstStatement())
              .setLastStatement(e.lastStatement()));
    } else if (event instanceof Event.RowNamed e) {
      entry.setRowNamed(
          io.txwatch.history.wire.RowNamed.newBuilder()
              .setSession(e.session())
              .setTable(text(e.table()))
              .setRow(e.row())
              .setKey(e.key()));
    } else if (event instanceof Event.SessionOpened e) {
      entry.setSessionOpened(
          io.txwatch.history.wire.SessionOpened.newBuilder()
              .setSession(e.session())
              .setName(text(e.name()))
              .setProduct(e.database().product().name())
              .setVersion(e.database().product().version())
              .putAllSettings(e.database().settings())
              .setPlace(text(e.database().place()))
              .setRun(text(e.database().run()))
              .setCluster(text(e.database().cluster().id()))
              .setStandby(e.database().cluster().isStandby()));
    } else if (event instanceof Event.SessionClosed e) {
      entry.setSessionClosed(
          io.txwatch.history.wire.SessionClosed.newBuilder().setSession(e.session()));
    } else if (event instanceof Event.ValuesObserved e) {
      entry.setValuesObserved(ValueEntries.toWire(e, this::text));
    } else if (event instanceof Event.EndTimed e) {
      entry.setEndTimed(ValueEntries.toWire(e));
    } else if (event instanceof Event.Deadlocked e) {
      entry.setDeadlocked(ValueEntries.toWire(e));
    } else if (event instanceof Event.Waited e) {
      entry.setWaited(ValueEntries.toWire(e));
    } else if (event instanceof Event.CommitFailed e) {
      entry.setCommitFailed(ValueEntries.toWire(e));
    } else if (event instanceof Event.SessionIdentified e) {
      entry.setSessionIdentified(ValueEntries.toWire(e));
    } else if (event instanceof Event.WritesStated e) {
      entry.setWritesStated(ValueEntries.toWire(e));
    } else if (event instanceof Event.Changed e) {
      entry.setChanged(ValueEntries.toWire(e, this::text));
    } else if (event instanceof Event.ValuesRecorded e) {
      entry.setValuesRecorded(ValueEntries.toWire(e, this::text));
    } else if (event instanceof Event.ChangesRead e) {
      entry.setChangesRead(ValueEntries.toWire(e));
    } else if (event instanceof Event.Gap e) {
      entry.setGap(
          io.txwatch.history.wire.Gap.newBuilder()
              .setSession(e.session())
              .setTransaction(e.transaction())
              .setReason(WireNames.GAP_REASON.toWire(e.reason()))
              .setDetail(text(e.detail()))
              .setCount(e.count()));
    }
    return entry.build();
  }

  private io.txwatch.history.wire.StatementExecuted.Builder statement(Event.StatementExecuted e) {
    var statement =
        io.txwatch.history.wire.StatementExecuted.newBuilder()
            .setSession(e.session())
            .setTransaction(e.transaction())
            .setStatement(e.statement())
            .setKind(WireNames.STATEMENT_KIND.toWire(e.kind()))
            .setSql(text(e.sql()))
            .setCallSite(text(e.callSite()))
            .setWritesSeen(e.writesSeen());
    String sqlState = e.sqlState();
    if (sqlState != null) {
      statement.setSqlState(sqlState);
    }
    for (RowAccess row : e.rows()) {
      statement.addRows(
          io.txwatch.history.wire.RowAccess.newBuilder()
              .setAccess(WireNames.ACCESS.toWire(row.access()))
              .setTable(text(row.table()))
              .setRow(row.row())
              .setWriters(row.writers().tokens())
              .setCut(!row.writers().complete())
              .setUncertain(!row.certain()));
    }
    for (VersionSet set : e.versionSets()) {
      var encoded =
          io.txwatch.history.wire.VersionSet.newBuilder()
              .setTable(text(set.table()))
              .setPredicate(set.predicate())
              .setWriters(set.writers())
              .setUncertain(!set.certain())
              .setPlaces(set.places());
      for (long row : set.rows()) {
        encoded.addRows(row);
      }
      statement.addVersionSets(encoded);
    }
    statement.setColumns(text(e.columns()));
    for (KeyValues values : e.keyValues()) {
      statement.addKeyValues(
          io.txwatch.history.wire.KeyValues.newBuilder()
              .setTable(text(values.table()))
              .setColumn(text(values.column()))
              .addAllHashes(values.hashes()));
    }
    return statement;
  }

  /** The text's number, adding it to the entry if it is new; 0 for the empty text. */
  private int text(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    Integer known = texts.get(text);
    if (known != null) {
      return known;
    }
    int number = texts.size() + 1;
    texts.put(text, number);
    if (entry.getTextsCount() == 0) {
      entry.setFirstText(number);
    }
    // Through bytes and back: a lone surrogate becomes '?', as it would on any way to UTF-8.
    entry.addTexts(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
    return number;
  }
}
