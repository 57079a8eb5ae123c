package io.txwatch.jdbc.session;

import io.txwatch.history.WriterToken;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Who updated a row by its key last, of the watched sessions of this process. A direct-mapped
 * table, indexed by the key's hash; a collision evicts. For all connections to a database.
 *
 * <p>It only decides whether a row is worth a read: what it does not know is known when the row is
 * next read.
 */
public final class LatestUpdates {

  /** A power of two. */
  private static final int SIZE = 1 << 12;

  private record Update(long key, String token) {}

  private final AtomicReferenceArray<@Nullable Update> updates = new AtomicReferenceArray<>(SIZE);

  /**
   * An UPDATE has found the row of a key.
   *
   * @param key the key's bits; 0 if they are not known
   * @param token the statement's writer token
   */
  public void note(long key, String token) {
    if (key != 0) {
      updates.set(place(key), new Update(key, token));
    }
  }

  /**
   * True if another transaction has updated the row of a key since a version of it was read.
   *
   * @param token a writer token of the transaction that asks
   * @param read the writers of the version
   */
  public boolean isOvertaken(long key, String token, String read) {
    Update last = updates.get(place(key));
    return last != null
        && last.key == key
        && !token.startsWith(transaction(last.token))
        && !read.contains(transaction(last.token));
  }

  private static String transaction(String token) {
    return token.substring(0, WriterToken.TRANSACTION_LENGTH);
  }

  private static int place(long key) {
    return (int) (key >>> 32) & SIZE - 1;
  }
}
