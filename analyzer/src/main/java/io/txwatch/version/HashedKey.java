package io.txwatch.version;

/**
 * A row by its key.
 *
 * @param table the table's name
 * @param key the hash of the primary key, not 0
 */
record HashedKey(String table, long key) {

  @Override
  public int hashCode() {
    return 31 * table.hashCode() + Long.hashCode(key);
  }
}
