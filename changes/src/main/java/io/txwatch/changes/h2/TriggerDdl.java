package io.txwatch.changes.h2;

import java.lang.reflect.Field;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.h2.api.ErrorCode;
import org.h2.api.Trigger;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.message.DbException;
import org.h2.schema.TriggerObject;
import org.h2.table.Table;
import org.jspecify.annotations.Nullable;

/**
 * Creates and drops triggers in a database's system session, while other sessions change rows of
 * the same tables and execute DDL. CREATE TRIGGER and DROP TRIGGER would make these fail (2.5.252):
 *
 * <ul>
 *   <li>DDL takes two locks, the database's monitor and the lock of the catalog's table SYS, in
 *       either order: {@code Database.addSchemaObject}, of a trigger, takes SYS first, {@code
 *       addDatabaseObject}, of a schema, the monitor. Two sessions can so block each other, until
 *       the one that waits for SYS reaches its lock timeout. Here the monitor is taken first, and
 *       released again if the other locks cannot be had at once.
 *   <li>A statement goes through the list of its table's triggers for each row, and fails if the
 *       list changes meanwhile. Here the table gets another list, and the one that is in use stays
 *       as it is.
 *   <li>A statement fails at a trigger that was dropped since it read the list. Here the table is
 *       locked before, as statements that change rows have locked it.
 * </ul>
 */
final class TriggerDdl {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int MAX_LOCK_MILLIS = 32;

  private final Database database;
  private final Field triggersOfTable;

  TriggerDdl(Database database) {
    this.database = database;
    try {
      triggersOfTable = triggersOfTable();
      triggersOfTable.setAccessible(true);
    } catch (NoSuchFieldException e) {
      throw new IllegalArgumentException("not a version of H2 that txwatch knows", e);
    }
  }

  /** Where H2 has the list; it is null while there is no trigger. */
  static Field triggersOfTable() throws NoSuchFieldException {
    Field field = Table.class.getDeclaredField("triggers");
    if (field.getType() != ArrayList.class) {
      throw new NoSuchFieldException("the triggers of a table are not in an ArrayList");
    }
    return field;
  }

  private interface Change {
    void make(SessionLocal session, int lockMillis);
  }

  /**
   * Creates a trigger for each row that is inserted, updated or deleted, or restored by a rollback.
   *
   * @param maxNanos how long it is tried
   * @throws SQLException among others if the table was dropped, or the catalog stays locked
   */
  void create(Table table, String name, Class<? extends Trigger> type, long maxNanos)
      throws SQLException {
    change(
        (session, lockMillis) -> {
          database.lockMeta(session);
          if (!table.isValid()) {
            throw DbException.get(ErrorCode.OBJECT_CLOSED);
          }
          TriggerObject trigger =
              new TriggerObject(table.getSchema(), database.allocateObjectId(), name, table);
          trigger.setTypeMask(Trigger.INSERT | Trigger.UPDATE | Trigger.DELETE);
          trigger.setRowBased(true);
          trigger.setOnRollback(true);
          trigger.setTriggerClassName(type.getName(), false);
          database.addSchemaObject(session, trigger);
          replaceTriggers(table, null, trigger);
        },
        maxNanos);
  }

  /**
   * Drops a trigger, if it was not dropped with its table.
   *
   * @param maxNanos how long it is tried; once at least
   * @throws SQLException among others if the table or the catalog stays locked
   */
  void drop(TriggerObject trigger, long maxNanos) throws SQLException {
    Table table = trigger.getTable();
    if (table == null) {
      return;
    }
    change(
        (session, lockMillis) -> {
          session.setLockTimeout(lockMillis);
          table.lock(session, Table.EXCLUSIVE_LOCK);
          session.setLockTimeout(0);
          database.lockMeta(session);
          if (trigger.isValid()) {
            replaceTriggers(table, trigger, null);
            database.removeSchemaObject(session, trigger);
          }
        },
        maxNanos);
  }

  /** Tries it until that time has passed, waiting for a table's lock longer from time to time. */
  private void change(Change change, long maxNanos) throws SQLException {
    long began = System.nanoTime();
    int lockMillis = 1;
    while (true) {
      try {
        changeAtOnce(change, lockMillis);
        return;
      } catch (DbException e) {
        int code = e.getErrorCode();
        if ((code != ErrorCode.LOCK_TIMEOUT_1 && code != ErrorCode.DEADLOCK_1)
            || System.nanoTime() - began >= maxNanos) {
          throw e.getSQLException();
        }
      }
      lockMillis = Math.min(2 * lockMillis, MAX_LOCK_MILLIS);
      // The session that has the lock may need the monitor.
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
  }

  private void changeAtOnce(Change change, int lockMillis) {
    SessionLocal session = database.getSystemSession();
    synchronized (database) {
      int timeout = session.getLockTimeout();
      session.setLockTimeout(0);
      boolean isMade = false;
      try {
        change.make(session, lockMillis);
        session.commit(true);
        isMade = true;
      } finally {
        if (!isMade) {
          session.rollback();
        }
        session.setLockTimeout(timeout);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private void replaceTriggers(
      Table table, @Nullable TriggerObject removed, @Nullable TriggerObject added) {
    try {
      List<TriggerObject> present = (List<TriggerObject>) triggersOfTable.get(table);
      ArrayList<TriggerObject> changed =
          present == null ? new ArrayList<>() : new ArrayList<>(present);
      if (removed != null) {
        changed.remove(removed);
      }
      if (added != null) {
        changed.add(added);
      }
      triggersOfTable.set(table, changed);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
