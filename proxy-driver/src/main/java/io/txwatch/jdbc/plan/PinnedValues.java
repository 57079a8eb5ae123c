package io.txwatch.jdbc.plan;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of a prepared statement that are values of keys, as the application has set them
 * last. It may set others while it reads a result: {@link #changes} shows that.
 */
public interface PinnedValues {

  /** Those of a statement without parameters. */
  PinnedValues NONE =
      new PinnedValues() {
        @Override
        public int changes() {
          return 0;
        }

        @Override
        public @Nullable Object value(int parameter) {
          return null;
        }

        @Override
        public boolean isInteger(int parameter) {
          return false;
        }

        @Override
        public long integer(int parameter) {
          return 0;
        }
      };

  /** How often a value was set. */
  int changes();

  /** A value that is an object: null if it is not known, NULL, or an integer. */
  @Nullable Object value(int parameter);

  /** True if the value is an integer. */
  boolean isInteger(int parameter);

  /** The value of a parameter that is an {@linkplain #isInteger integer}. */
  long integer(int parameter);
}
