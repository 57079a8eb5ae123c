package io.txwatch.dependency;

import io.txwatch.history.AccessedColumns;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The columns of a table as the bits of a {@code long}, numbered as they are first named.
 *
 * <p>The lowest bit stands for the existence of the row: every read depends on it, and only INSERT
 * and DELETE, which write all columns, change it. The highest bit stands for all columns beyond the
 * 62nd together.
 */
public final class ColumnBits {

  /** All columns: also those of which nothing is known. */
  public static final long ALL = -1L;

  public static final long EXISTENCE = 1L;

  private static final int MAX_COLUMNS = Long.SIZE - 2;
  private static final long BEYOND = 1L << Long.SIZE - 1;

  /** The texts that are remembered; more come only from histories with generated columns. */
  private static final int MAX_TEXTS = 1 << 10;

  /**
   * What a statement does with the columns of the table.
   *
   * @param read what it reads, the existence of the row included
   * @param predicate what decides which rows it chooses
   * @param written what it assigns; 0 if it assigns none
   * @param key the columns of a unique key by which it chooses one row at most; 0 if none
   * @param unsure those read on which the result may not depend
   */
  public record Used(long read, long predicate, long written, long key, long unsure) {
    static final Used ALL = new Used(ColumnBits.ALL, ColumnBits.ALL, ColumnBits.ALL, 0, 0);
  }

  private final String table;
  private final Granularity granularity;
  private final Map<String, Long> bits = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final Map<String, Used> known = new HashMap<>();

  /** The text of the last call; most calls repeat it. */
  private String lastText = "";

  private Used last = Used.ALL;

  /** Of the table of that name, as in {@link io.txwatch.history.RowAccess#table}. */
  public ColumnBits(String table, Granularity granularity) {
    this.table = table;
    this.granularity = granularity;
  }

  /**
   * What a statement does with the columns.
   *
   * @param text {@link io.txwatch.history.Event.StatementExecuted#columns}
   */
  @SuppressWarnings("ReferenceEquality") // equal texts are one object as a rule
  public Used of(String text) {
    if (text != lastText) {
      last =
          text.isEmpty() || granularity == Granularity.ROW
              ? Used.ALL
              : known.computeIfAbsent(text, this::parse);
      lastText = text;
      if (known.size() > MAX_TEXTS) {
        known.clear();
      }
    }
    return last;
  }

  private Used parse(String text) {
    return AccessedColumns.parse(text)
        .of(table)
        .map(
            used ->
                new Used(
                    mask(used.read()) | EXISTENCE,
                    mask(used.predicate()) | EXISTENCE,
                    mask(used.written()),
                    mask(used.key()),
                    mask(used.some()) & ~EXISTENCE))
        .orElse(Used.ALL);
  }

  private long mask(AccessedColumns.Columns columns) {
    if (columns.all()) {
      return ALL;
    }
    long mask = 0;
    for (String name : columns.names()) {
      mask |= bit(name);
    }
    return mask;
  }

  private long bit(String name) {
    Long known = bits.get(name);
    if (known != null) {
      return known;
    }
    if (names.size() == MAX_COLUMNS) {
      return BEYOND;
    }
    names.add(name);
    long bit = EXISTENCE << names.size();
    bits.put(name, bit);
    return bit;
  }

  /** Whether a mask contains a column. */
  boolean has(long mask, String name) {
    return (mask & bit(name)) != 0;
  }

  /** The names of columns, in the order of their bits; empty for all columns. */
  public List<String> names(long mask) {
    if (mask == ALL) {
      return List.of();
    }
    List<String> found = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if ((mask & EXISTENCE << i + 1) != 0) {
        found.add(names.get(i));
      }
    }
    return found;
  }
}
