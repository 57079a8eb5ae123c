package io.txwatch.interleave.provoke;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A session that is held before a call. Guarded by the gate's lock. */
final class HeldSession {

  private final SessionRun session;
  private final Map<SoughtRace, List<CalledStatement>> races;
  private final boolean isFirst;
  private @Nullable SessionRun partner;
  private boolean isReleased;

  /**
   * A session that is about to be held.
   *
   * @param races with what it has read of each, or is about to write
   * @param isFirst true if it is the one that has read, false if it is the one that writes
   */
  HeldSession(SessionRun session, Map<SoughtRace, List<CalledStatement>> races, boolean isFirst) {
    this.session = session;
    this.races = races;
    this.isFirst = isFirst;
  }

  SessionRun session() {
    return session;
  }

  boolean isFirst() {
    return isFirst;
  }

  /** What it has read of a race, or is about to write; null if it is not held for that race. */
  @Nullable List<CalledStatement> statements(SoughtRace race) {
    return races.get(race);
  }

  /** True if it has read, and another session may be about to write that, now or later. */
  boolean needs(SessionRun other, CalledStatement next) {
    return isFirst
        && races.entrySet().stream()
            .anyMatch(
                race ->
                    race.getKey().isOfPartner(next.place())
                        && mayMeet(race.getValue(), other, next, race.getKey().table()));
  }

  private static boolean mayMeet(
      List<CalledStatement> read, SessionRun other, CalledStatement next, String table) {
    List<CalledStatement> all =
        Stream.concat(other.statements().stream(), Stream.of(next)).toList();
    return CalledStatement.mayBeEqual(read, all, table);
  }

  /** True if it has read what a statement writes, as the race needs. */
  boolean isFor(CalledStatement write) {
    return isFirst
        && races.entrySet().stream()
            .anyMatch(
                race ->
                    race.getKey().write().matches(write.place())
                        && CalledStatement.mayBeEqual(
                            race.getValue(), List.of(write), race.getKey().table()));
  }

  void partner(SessionRun executing) {
    partner = executing;
  }

  /** The session that has executed the statement that this one is held for ends its transaction. */
  void partnerEnded(SessionRun ended, boolean hasCommitted) {
    if (partner == ended) {
      partner = null;
      isReleased |= hasCommitted;
    }
  }

  void release() {
    isReleased = true;
  }

  boolean isReleased() {
    return isReleased;
  }
}
