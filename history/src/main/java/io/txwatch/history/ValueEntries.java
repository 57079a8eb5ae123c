package io.txwatch.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/** The entries of {@code history.proto} for values, changes and their times. */
final class ValueEntries {

  private ValueEntries() {}

  static io.txwatch.history.wire.ValuesObserved.Builder toWire(
      Event.ValuesObserved event, ToIntFunction<String> texts) {
    var wire =
        io.txwatch.history.wire.ValuesObserved.newBuilder()
            .setSession(event.session())
            .setTransaction(event.transaction())
            .setStatement(event.statement())
            .setSent(event.sent())
            .setReturned(event.returned())
            .setUnread(texts.applyAsInt(event.unread()));
    for (RowValues rows : event.reads()) {
      wire.addReads(toWire(rows, texts));
    }
    for (StatedWrite write : event.writes()) {
      wire.addWrites(
          io.txwatch.history.wire.StatedWrite.newBuilder()
              .setAccess(WireNames.ACCESS.toWire(write.access()))
              .setRows(toWire(write.rows(), texts))
              .setComplete(write.complete()));
    }
    return wire;
  }

  static Event.ValuesObserved toOurs(
      io.txwatch.history.wire.ValuesObserved wire, IntFunction<String> texts) {
    List<RowValues> reads = new ArrayList<>(wire.getReadsCount());
    for (io.txwatch.history.wire.RowValues rows : wire.getReadsList()) {
      reads.add(toOurs(rows, texts));
    }
    List<StatedWrite> writes = new ArrayList<>(wire.getWritesCount());
    for (io.txwatch.history.wire.StatedWrite write : wire.getWritesList()) {
      writes.add(
          new StatedWrite(
              WireNames.ACCESS.toOurs(write.getAccess()),
              toOurs(write.getRows(), texts),
              write.getComplete()));
    }
    return new Event.ValuesObserved(
        wire.getSession(),
        wire.getTransaction(),
        wire.getStatement(),
        wire.getSent(),
        wire.getReturned(),
        List.copyOf(reads),
        List.copyOf(writes),
        texts.apply(wire.getUnread()));
  }

  private static io.txwatch.history.wire.RowValues toWire(
      RowValues rows, ToIntFunction<String> texts) {
    var wire = io.txwatch.history.wire.RowValues.newBuilder();
    wire.setTable(texts.applyAsInt(rows.table()));
    for (String column : rows.columns()) {
      wire.addColumns(texts.applyAsInt(column));
    }
    for (long key : rows.keys()) {
      wire.addKeys(key);
    }
    for (int value : rows.values()) {
      wire.addValues(value);
    }
    return wire.build();
  }

  private static RowValues toOurs(
      io.txwatch.history.wire.RowValues wire, IntFunction<String> texts) {
    return new RowValues(
        texts.apply(wire.getTable()),
        columns(wire.getColumnsList(), texts),
        wire.getKeysList().stream().mapToLong(Long::longValue).toArray(),
        ints(wire.getValuesList()));
  }

  static io.txwatch.history.wire.EndTimed.Builder toWire(Event.EndTimed event) {
    return io.txwatch.history.wire.EndTimed.newBuilder()
        .setSession(event.session())
        .setTransaction(event.transaction())
        .setSent(event.sent())
        .setReturned(event.returned());
  }

  static Event.EndTimed toOurs(io.txwatch.history.wire.EndTimed wire) {
    return new Event.EndTimed(
        wire.getSession(), wire.getTransaction(), wire.getSent(), wire.getReturned());
  }

  static io.txwatch.history.wire.SessionIdentified.Builder toWire(Event.SessionIdentified event) {
    return io.txwatch.history.wire.SessionIdentified.newBuilder()
        .setSession(event.session())
        .setConnection(event.connection());
  }

  static Event.SessionIdentified toOurs(io.txwatch.history.wire.SessionIdentified wire) {
    return new Event.SessionIdentified(wire.getSession(), wire.getConnection());
  }

  static io.txwatch.history.wire.Deadlocked.Builder toWire(Event.Deadlocked event) {
    var wire =
        io.txwatch.history.wire.Deadlocked.newBuilder()
            .setSession(event.session())
            .setTransaction(event.transaction())
            .setStatement(event.statement())
            .setNamed(event.named());
    for (Event.Deadlocked.Waiter other : event.others()) {
      wire.addOthers(
          io.txwatch.history.wire.LockWaiter.newBuilder()
              .setSession(other.session())
              .setTransaction(other.transaction())
              .setStatement(other.statement()));
    }
    return wire;
  }

  static Event.Deadlocked toOurs(io.txwatch.history.wire.Deadlocked wire) {
    return new Event.Deadlocked(
        wire.getSession(),
        wire.getTransaction(),
        wire.getStatement(),
        wire.getNamed(),
        wire.getOthersList().stream()
            .map(
                other ->
                    new Event.Deadlocked.Waiter(
                        other.getSession(), other.getTransaction(), other.getStatement()))
            .toList());
  }

  static io.txwatch.history.wire.Waited.Builder toWire(Event.Waited event) {
    var wire =
        io.txwatch.history.wire.Waited.newBuilder()
            .setSession(event.session())
            .setTransaction(event.transaction())
            .setStatement(event.statement())
            .setMicros(event.micros())
            .setDuration(event.duration());
    for (Event.Waited.Holder holder : event.holders()) {
      wire.addHolders(
          io.txwatch.history.wire.LockHolder.newBuilder()
              .setSession(holder.session())
              .setTransaction(holder.transaction()));
    }
    return wire;
  }

  static Event.Waited toOurs(io.txwatch.history.wire.Waited wire) {
    return new Event.Waited(
        wire.getSession(),
        wire.getTransaction(),
        wire.getStatement(),
        wire.getHoldersList().stream()
            .map(holder -> new Event.Waited.Holder(holder.getSession(), holder.getTransaction()))
            .toList(),
        wire.getMicros(),
        wire.getDuration());
  }

  static io.txwatch.history.wire.CommitFailed.Builder toWire(Event.CommitFailed event) {
    return io.txwatch.history.wire.CommitFailed.newBuilder()
        .setSession(event.session())
        .setTransaction(event.transaction())
        .setSqlState(event.sqlState());
  }

  static Event.CommitFailed toOurs(io.txwatch.history.wire.CommitFailed wire) {
    return new Event.CommitFailed(wire.getSession(), wire.getTransaction(), wire.getSqlState());
  }

  static io.txwatch.history.wire.WritesStated.Builder toWire(Event.WritesStated event) {
    return io.txwatch.history.wire.WritesStated.newBuilder().setSession(event.session());
  }

  static Event.WritesStated toOurs(io.txwatch.history.wire.WritesStated wire) {
    return new Event.WritesStated(wire.getSession());
  }

  static io.txwatch.history.wire.Changed.Builder toWire(
      Event.Changed event, ToIntFunction<String> texts) {
    var wire =
        io.txwatch.history.wire.Changed.newBuilder()
            .setSession(event.session())
            .setConnection(event.connection())
            .setPosition(event.position())
            .setReceived(event.received())
            .setMicros(event.micros());
    for (RowChange change : event.changes()) {
      var row =
          io.txwatch.history.wire.RowChange.newBuilder()
              .setAccess(WireNames.ACCESS.toWire(change.access()))
              .setTable(texts.applyAsInt(change.table()))
              .setKeyBefore(change.keyBefore())
              .setKeyAfter(change.keyAfter())
              .setGroup(change.group());
      for (String column : change.columns()) {
        row.addColumns(texts.applyAsInt(column));
      }
      for (int value : change.before()) {
        row.addBefore(value);
      }
      for (int value : change.after()) {
        row.addAfter(value);
      }
      wire.addChanges(row);
    }
    return wire;
  }

  static Event.Changed toOurs(io.txwatch.history.wire.Changed wire, IntFunction<String> texts) {
    List<RowChange> changes = new ArrayList<>(wire.getChangesCount());
    for (io.txwatch.history.wire.RowChange row : wire.getChangesList()) {
      changes.add(
          new RowChange(
              WireNames.ACCESS.toOurs(row.getAccess()),
              texts.apply(row.getTable()),
              columns(row.getColumnsList(), texts),
              row.getKeyBefore(),
              row.getKeyAfter(),
              ints(row.getBeforeList()),
              ints(row.getAfterList()),
              row.getGroup()));
    }
    return new Event.Changed(
        wire.getSession(),
        wire.getConnection(),
        wire.getPosition(),
        wire.getReceived(),
        wire.getMicros(),
        List.copyOf(changes));
  }

  static io.txwatch.history.wire.ChangesRead.Builder toWire(Event.ChangesRead event) {
    return io.txwatch.history.wire.ChangesRead.newBuilder()
        .setSession(event.session())
        .setThrough(event.through());
  }

  static Event.ChangesRead toOurs(io.txwatch.history.wire.ChangesRead wire) {
    return new Event.ChangesRead(wire.getSession(), wire.getThrough());
  }

  static io.txwatch.history.wire.ValuesRecorded.Builder toWire(
      Event.ValuesRecorded event, ToIntFunction<String> texts) {
    var wire =
        io.txwatch.history.wire.ValuesRecorded.newBuilder()
            .setSession(event.session())
            .setTransaction(event.transaction())
            .setStatement(event.statement())
            .setSql(texts.applyAsInt(event.sql()))
            .setUpdateCount(event.updateCount())
            .setComplete(event.complete());
    for (RecordedValue parameter : event.parameters()) {
      wire.addParameters(toWire(parameter));
    }
    for (String column : event.columns()) {
      wire.addColumns(texts.applyAsInt(column));
    }
    for (List<RecordedValue> values : event.rows()) {
      var row = io.txwatch.history.wire.RecordedRow.newBuilder();
      for (RecordedValue value : values) {
        row.addValues(toWire(value));
      }
      wire.addRows(row);
    }
    return wire;
  }

  static Event.ValuesRecorded toOurs(
      io.txwatch.history.wire.ValuesRecorded wire, IntFunction<String> texts) {
    return new Event.ValuesRecorded(
        wire.getSession(),
        wire.getTransaction(),
        wire.getStatement(),
        texts.apply(wire.getSql()),
        values(wire.getParametersList()),
        wire.getUpdateCount(),
        columns(wire.getColumnsList(), texts),
        wire.getRowsList().stream().map(row -> values(row.getValuesList())).toList(),
        wire.getComplete());
  }

  private static io.txwatch.history.wire.RecordedValue toWire(RecordedValue value) {
    return io.txwatch.history.wire.RecordedValue.newBuilder()
        .setType(WireNames.RECORDED_TYPE.toWire(value.type()))
        .setText(value.text())
        .build();
  }

  private static List<RecordedValue> values(List<io.txwatch.history.wire.RecordedValue> values) {
    return values.stream()
        .map(
            value ->
                new RecordedValue(WireNames.RECORDED_TYPE.toOurs(value.getType()), value.getText()))
        .toList();
  }

  private static List<String> columns(List<Integer> numbers, IntFunction<String> texts) {
    return numbers.stream().map(texts::apply).toList();
  }

  private static int[] ints(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).toArray();
  }
}
