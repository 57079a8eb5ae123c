package io.txwatch.history;

import io.txwatch.history.wire.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * From entries of {@code history.proto} back to events, with the dictionary of the stretch. For one
 * thread.
 */
final class EventDecoder {

  private final Dictionary texts = new Dictionary();
  private final FrequentEntries frequent = new FrequentEntries(texts);

  /** Begins a stretch: forgets the dictionary. */
  void restart() {
    texts.clear();
  }

  /** Takes in what an entry adds to the dictionary. */
  void learn(Entry entry) {
    for (int i = 0; i < entry.getTextsCount(); i++) {
      texts.put(entry.getFirstText() + i, entry.getTexts(i));
    }
  }

  /** The event of an encoded entry, if it is of those that occur most and adds no texts. */
  @Nullable Event decode(byte[] encoded, int from, int length) {
    return frequent.decode(encoded, from, length);
  }

  /**
   * The event of an entry whose texts were {@linkplain #learn learnt}.
   *
   * @throws IllegalArgumentException if it has none that is known here, names a text that stood in
   *     a lost record, or is not well formed; the message says which
   */
  Event decode(Entry entry) {
    return switch (entry.getWhatCase()) {
      case STATEMENT_EXECUTED -> statement(entry.getStatementExecuted());
      case TRANSACTION_BEGAN -> {
        var e = entry.getTransactionBegan();
        yield new Event.TransactionBegan(
            e.getSession(),
            e.getTransaction(),
            WireNames.LEVEL.toOurs(e.getLevel()),
            e.getMicros());
      }
      case TRANSACTION_ENDED -> {
        var e = entry.getTransactionEnded();
        yield new Event.TransactionEnded(
            e.getSession(),
            e.getTransaction(),
            WireNames.OUTCOME.toOurs(e.getOutcome()),
            e.getMicros(),
            e.getEvents());
      }
      case STATEMENTS_UNDONE -> {
        var e = entry.getStatementsUndone();
        yield new Event.StatementsUndone(
            e.getSession(), e.getTransaction(), e.getFirstStatement(), e.getLastStatement());
      }
      case SESSION_OPENED -> {
        var e = entry.getSessionOpened();
        yield new Event.SessionOpened(
            e.getSession(),
            text(e.getName()),
            new Database(e.getProduct(), e.getVersion(), e.getSettingsMap(), text(e.getPlace())));
      }
      case SESSION_CLOSED -> new Event.SessionClosed(entry.getSessionClosed().getSession());
      case GAP -> {
        var e = entry.getGap();
        yield new Event.Gap(
            e.getSession(),
            e.getTransaction(),
            WireNames.GAP_REASON.toOurs(e.getReason()),
            text(e.getDetail()),
            e.getCount());
      }
      case HEADER, CLOSED, ORIGIN, WHAT_NOT_SET ->
          throw new IllegalArgumentException("no event that this version knows");
    };
  }

  /** The gap that is left where an event is too large to be written. */
  static Event.Gap gapOf(Event event, String detail) {
    return new Event.Gap(event.session(), event.transaction(), GapReason.OVERFLOW, detail, 1);
  }

  /** The gap that is left where an entry cannot be: of its transaction, if it has one. */
  static Event.Gap gapOf(Entry entry, GapReason reason, String detail) {
    long session = 0;
    long transaction = 0;
    switch (entry.getWhatCase()) {
      case STATEMENT_EXECUTED -> {
        session = entry.getStatementExecuted().getSession();
        transaction = entry.getStatementExecuted().getTransaction();
      }
      case TRANSACTION_BEGAN -> {
        session = entry.getTransactionBegan().getSession();
        transaction = entry.getTransactionBegan().getTransaction();
      }
      case TRANSACTION_ENDED -> {
        session = entry.getTransactionEnded().getSession();
        transaction = entry.getTransactionEnded().getTransaction();
      }
      default -> {}
    }
    return new Event.Gap(session, transaction, reason, detail, 1);
  }

  private Event.StatementExecuted statement(io.txwatch.history.wire.StatementExecuted e) {
    List<RowAccess> rows = new ArrayList<>(e.getRowsCount());
    for (io.txwatch.history.wire.RowAccess row : e.getRowsList()) {
      rows.add(
          new RowAccess(
              WireNames.ACCESS.toOurs(row.getAccess()),
              text(row.getTable()),
              row.getRow(),
              writers(row),
              !row.getUncertain()));
    }
    List<VersionSet> versionSets = new ArrayList<>(e.getVersionSetsCount());
    for (io.txwatch.history.wire.VersionSet set : e.getVersionSetsList()) {
      versionSets.add(
          new VersionSet(
              text(set.getTable()),
              set.getPredicate(),
              set.getRowsList().stream().mapToLong(Long::longValue).toArray(),
              set.getWriters(),
              !set.getUncertain()));
    }
    return new Event.StatementExecuted(
        e.getSession(),
        e.getTransaction(),
        e.getStatement(),
        WireNames.STATEMENT_KIND.toOurs(e.getKind()),
        text(e.getSql()),
        text(e.getCallSite()),
        rows,
        e.getWritesSeen(),
        e.hasSqlState() ? e.getSqlState() : null,
        List.copyOf(versionSets));
  }

  private static WriterList writers(io.txwatch.history.wire.RowAccess row) {
    return row.getWriters().isEmpty() && !row.getCut()
        ? WriterList.INITIAL
        : new WriterList(row.getWriters(), !row.getCut());
  }

  private String text(int number) {
    if (number == 0) {
      return "";
    }
    String text = texts.get(number);
    if (text == null) {
      throw new IllegalArgumentException("a text that stood in a lost record");
    }
    return text;
  }
}
