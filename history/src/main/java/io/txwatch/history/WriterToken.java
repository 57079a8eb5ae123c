package io.txwatch.history;

/**
 * Identifies one write: node, transaction and statement, in a fixed width of {@value #LENGTH}
 * characters.
 *
 * <p>Eleven characters hold the transaction's 64 bits (the node's 32, then the node's count of
 * transactions), three the number of the statement in its transaction, six bits a character, most
 * significant first, in the order-preserving alphabet {@code -0-9A-Z_a-z}. The fixed width makes
 * the bounded window a plain {@code RIGHT(list || token, n)} in every dialect; the alphabet needs
 * no quoting in any of them. Tokens are compared as bytes: the column must not be case insensitive.
 *
 * <p>Where the DBMS itself records the writer of each version (PostgreSQL's {@code xmin}), a token
 * contains the id that the DBMS gave to the transaction, or to the part of it that began with a
 * savepoint, and the statement's number is {@link #BY_DBMS}.
 */
public final class WriterToken {

  /** The length of a token in characters. */
  public static final int LENGTH = 14;

  /**
   * The greatest statement number that a token can carry; later statements of a transaction share
   * it.
   */
  public static final int MAX_STATEMENT = (1 << 18) - 1;

  /**
   * Takes the place of the statement's number if the DBMS gave the id. Such a token identifies all
   * that a transaction wrote to a row as one version. Which observed transaction it is follows from
   * that transaction's own INSERT and UPDATE events, whose last token is always its own.
   */
  public static final int BY_DBMS = 0;

  /** The characters that name the transaction; they come first. */
  public static final int TRANSACTION_LENGTH = 11;

  private static final String ALPHABET =
      "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  private static final byte[] VALUE = new byte[128];

  static {
    java.util.Arrays.fill(VALUE, (byte) -1);
    for (int i = 0; i < ALPHABET.length(); i++) {
      VALUE[ALPHABET.charAt(i)] = (byte) i;
    }
  }

  private WriterToken() {}

  /**
   * The token of a statement.
   *
   * @param transaction the transaction's id, any 64 bits
   * @param statement the statement's number in its transaction, from 1, or {@link #BY_DBMS}; above
   *     {@link #MAX_STATEMENT} it saturates
   */
  public static String of(long transaction, int statement) {
    byte[] text = new byte[LENGTH];
    long rest = transaction;
    for (int i = TRANSACTION_LENGTH - 1; i >= 0; i--) {
      text[i] = (byte) ALPHABET.charAt((int) (rest & 63));
      rest >>>= 6;
    }
    int number = Math.min(statement, MAX_STATEMENT);
    for (int i = LENGTH - 1; i >= TRANSACTION_LENGTH; i--) {
      text[i] = (byte) ALPHABET.charAt(number & 63);
      number >>>= 6;
    }
    return new String(text, java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  /**
   * The transaction that the token at {@code offset} names.
   *
   * @throws IllegalArgumentException if a character is not of the alphabet
   */
  public static long transaction(String text, int offset) {
    long id = 0;
    for (int i = 0; i < TRANSACTION_LENGTH; i++) {
      id = id << 6 | digit(text, offset + i);
    }
    return id;
  }

  /**
   * The statement number that the token at {@code offset} names.
   *
   * @throws IllegalArgumentException if a character is not of the alphabet
   */
  public static int statement(String text, int offset) {
    int number = 0;
    for (int i = TRANSACTION_LENGTH; i < LENGTH; i++) {
      number = number << 6 | digit(text, offset + i);
    }
    return number;
  }

  /** True if the last of some tokens has an id that the DBMS gave. */
  static boolean isByDbms(String tokens) {
    int last = tokens.length() - LENGTH;
    return last >= 0 && statement(tokens, last) == BY_DBMS;
  }

  private static int digit(String text, int index) {
    char c = text.charAt(index);
    if (!isInAlphabet(c)) {
      throw new IllegalArgumentException("not a writer token: character " + (int) c);
    }
    return VALUE[c];
  }

  /** True if tokens may contain that character. */
  static boolean isInAlphabet(char c) {
    return c < VALUE.length && VALUE[c] >= 0;
  }
}
