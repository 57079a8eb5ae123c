package io.txwatch.capture;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.txwatch.history.WriterToken;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text that identifies a row's version, as a statement returned it, as writer tokens.
 *
 * <p>An auxiliary column contains tokens. PostgreSQL's {@code xmin} is a number of 32 bits, unique
 * within its server for some four billion transactions. Its token contains that number, and in the
 * upper 32 bits a hash that identifies the server, so that ids of two servers differ.
 */
public final class WriterTexts {

  /** For tables with auxiliary columns. */
  public static final WriterTexts OF_COLUMNS = new WriterTexts(0, false);

  private static final Cache<String, WriterTexts> BY_SERVER =
      Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

  private static final int MAX_DIGITS = 10;
  private static final int MAX_MOVED_ROWS = 1 << 16;

  private final long upperBits;
  private final boolean areIds;

  /** The first known place of rows that moved, by their present one: tables without a key. */
  private final Cache<Long, Long> firstPlaces =
      Caffeine.newBuilder().maximumSize(MAX_MOVED_ROWS).executor(Runnable::run).build();

  /** True once a row has moved. */
  private volatile boolean haveMoved;

  private WriterTexts(long upperBits, boolean areIds) {
    this.upperBits = upperBits;
    this.areIds = areIds;
  }

  /**
   * For tables whose versions are identified by {@code xmin}. All connections to a server have the
   * same one, whatever their URLs, users and settings are: a row that one of them moves is
   * recognized by the others.
   *
   * @param server identifies the running server: ids of two servers, or of a server and the standby
   *     that replaced it, are never compared
   */
  public static WriterTexts ofIds(String server) {
    return BY_SERVER.get(
        server, s -> new WriterTexts((PredicateHash.value(0, s) | 1L << 63) & -1L << 32, true));
  }

  /**
   * The tokens, oldest first; null if the text is not one that a statement of ours returns.
   *
   * @param text contains the writers from {@code from} to before {@code to}
   */
  public @Nullable String tokens(String text, int from, int to) {
    if (!areIds) {
      boolean whole = (to - from) % WriterToken.LENGTH == 0;
      return whole ? text.substring(from, to) : null;
    }
    int separator = text.indexOf('~', from);
    if (separator < 0 || separator >= to) {
      return token(text, from, to);
    }
    String before = token(text, from, separator);
    String own = token(text, separator + 1, to);
    return before == null || own == null ? null : before + own;
  }

  /**
   * The id of a row: for one without a key the first place that is known of it. If that was
   * evicted, or if another process moved the row, its versions before and after are those of two
   * rows.
   */
  public long row(long place) {
    if (!haveMoved) {
      return place;
    }
    Long first = firstPlaces.getIfPresent(place);
    return first == null ? place : first;
  }

  /** A row without a key has moved. */
  public void moved(long from, long to) {
    firstPlaces.put(to, row(from));
    haveMoved = true;
  }

  /** True if versions are identified by ids that the DBMS gives. */
  public boolean areIds() {
    return areIds;
  }

  /**
   * The id in writer tokens of a transaction.
   *
   * @param epochAndId the text of an {@code xid8}: the id, and in the bits above its 32 how often
   *     the server has used up all ids
   */
  public long id(String epochAndId) {
    return upperBits | Long.parseUnsignedLong(epochAndId) & 0xffff_ffffL;
  }

  private @Nullable String token(String text, int from, int to) {
    if (from == to || to - from > MAX_DIGITS) {
      return null;
    }
    long id = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return null;
      }
      id = 10 * id + digit;
    }
    return WriterToken.of(id == 0 ? 0 : upperBits | id, WriterToken.BY_DBMS);
  }
}
