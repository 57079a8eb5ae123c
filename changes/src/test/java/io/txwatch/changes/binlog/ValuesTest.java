package io.txwatch.changes.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ColumnType;
import io.txwatch.changes.JdbcValues;
import io.txwatch.changes.UnknownValue;
import io.txwatch.changes.binlog.LoggedServer.Session;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What drivers read from a column, beside what the log has: the same, or not comparable; never
 * different.
 */
class ValuesTest {

  private static final String KINDS = "io.txwatch.changes.binlog.LoggedServer#kinds";

  /** Types, and literals of edge values. */
  private static Map<String, List<String>> types(ServerKind kind) {
    Map<String, List<String>> types = new LinkedHashMap<>();
    types.put("TINYINT", List.of("-128", "127", "0", "-1"));
    types.put("TINYINT UNSIGNED", List.of("0", "255", "128"));
    types.put("TINYINT(1)", List.of("0", "1", "-1", "-2", "5"));
    types.put("SMALLINT", List.of("-32768", "32767"));
    types.put("SMALLINT UNSIGNED", List.of("65535", "0"));
    types.put("MEDIUMINT", List.of("-8388608", "8388607", "-1"));
    types.put("MEDIUMINT UNSIGNED", List.of("16777215", "8388608"));
    types.put("INT", List.of("-2147483648", "2147483647", "-1"));
    types.put("INT UNSIGNED", List.of("4294967295", "0"));
    types.put("INT(5) ZEROFILL", List.of("7", "4294967295"));
    types.put("BIGINT", List.of("-9223372036854775808", "9223372036854775807", "-1"));
    types.put("BIGINT UNSIGNED", List.of("18446744073709551615", "9223372036854775808", "1"));
    types.put("DECIMAL(10,2)", List.of("0.00", "-0.01", "12345678.90", "-99999999.99", "100"));
    types.put(
        "DECIMAL(65,30)",
        List.of("0.000000000000000000000000000001", "-99999999999999999999999999999999999.5", "7"));
    types.put("DECIMAL(9,9)", List.of("0.123456789", "-0.1"));
    types.put("DECIMAL(18,0)", List.of("-1000000000", "999999999999999999", "0"));
    types.put("FLOAT", List.of("1.1", "16777217", "-0.0"));
    types.put(
        "DOUBLE", List.of("0.1", "1e308", "-2.5e-300", "-0.0", "1e16", "123456789.123456789"));
    types.put("DOUBLE(10,3)", List.of("1.2345", "7"));
    types.put("DATE", List.of("'2026-01-02'", "'1970-01-01'", "'9999-12-31'", "'1400-02-28'"));
    types.put("DATETIME", List.of("'2026-03-29 02:30:00'", "'1583-01-01 00:00:00'"));
    types.put(
        "DATETIME(6)",
        List.of("'2026-01-02 03:04:05.678901'", "'9999-12-31 23:59:59.999999'", "'1000-01-01'"));
    types.put("DATETIME(3)", List.of("'2026-01-02 03:04:05.6'", "'2026-12-31 00:00:00.001'"));
    types.put("TIMESTAMP NULL", List.of("'2026-01-02 03:04:05'", "'1970-01-02 00:00:01'"));
    types.put("TIMESTAMP(6) NULL", List.of("'2026-01-02 03:04:05.000001'"));
    types.put("TIME", List.of("'00:00:00'", "'-12:34:56'", "'838:59:59'", "'-838:59:59'"));
    types.put("TIME(6)", List.of("'-00:00:00.000001'", "'12:34:56.789012'", "'-1:00:00.5'"));
    types.put("TIME(2)", List.of("'-00:00:00.01'", "'-99:59:59.99'", "'1:2:3.4'"));
    types.put("TIME(4)", List.of("'-00:00:00.0001'", "'-00:00:01.0000'", "'30:00:00.9999'"));
    types.put("YEAR", List.of("1901", "2155", "2026"));
    types.put("CHAR(5)", List.of("'ab'", "''", "'é  '", "'a  '"));
    types.put("CHAR(255) CHARACTER SET utf8mb4", List.of("'x'", "'😀'", "REPEAT('é', 255)"));
    types.put("VARCHAR(10) CHARACTER SET latin1", List.of("'é'", "'a '", "'€'", "x'81'", "x'80'"));
    types.put("VARCHAR(300) CHARACTER SET utf8mb4", List.of("'é😀 '", "REPEAT('y', 300)", "''"));
    types.put("VARCHAR(10) CHARACTER SET utf16", List.of("'é😀'", "'ab'"));
    types.put("VARCHAR(10) CHARACTER SET utf32", List.of("'é😀'"));
    types.put("VARCHAR(10) CHARACTER SET cp1250", List.of("'č'"));
    types.put("VARCHAR(10) CHARACTER SET sjis", List.of("'ｱ'"));
    types.put("TEXT", List.of("'t'", "REPEAT('é', 20000)"));
    types.put("LONGTEXT", List.of("'{}'", "''"));
    types.put("BINARY(4)", List.of("x'00ff'", "x'0100'", "x'00000000'"));
    types.put("VARBINARY(5)", List.of("x'0001'", "x''", "x'0100'"));
    types.put("BLOB", List.of("x'00ff80'", "x''"));
    types.put("ENUM('a','b''c','ö','')", List.of("'a'", "'b''c'", "'ö'", "''"));
    types.put("SET('x','y','z w')", List.of("'x,z w'", "''", "'y'"));
    types.put("BIT(1)", List.of("b'1'", "b'0'"));
    types.put("BIT(3)", List.of("b'101'"));
    types.put("BIT(64)", List.of("b'1'", "x'ffffffffffffffff'"));
    types.put("JSON", List.of("'{\"a\": [1, null, 2.0]}'"));
    types.put("GEOMETRY", List.of("ST_GeomFromText('POINT(1 2)')"));
    if (kind == ServerKind.MARIADB) {
      types.put("UUID", List.of("'123e4567-e89b-12d3-a456-426614174000'"));
      types.put("INET6", List.of("'::1'"));
    } else {
      types.put("VECTOR(2)", List.of("STRING_TO_VECTOR('[1, 2]')"));
    }
    return types;
  }

  /**
   * Types that are of use only if they are comparable, by both drivers, as text or as an object.
   */
  private static final Set<ColumnType> MUST_COMPARE =
      EnumSet.complementOf(EnumSet.of(ColumnType.OTHER, ColumnType.INSTANT));

  @ParameterizedTest
  @MethodSource(KINDS)
  void driversReadWhatTheLogHas(ServerKind kind) throws Exception {
    List<String> types = new ArrayList<>(types(kind).keySet());
    int rows = types(kind).values().stream().mapToInt(List::size).max().orElseThrow();
    List<String> inserts = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      List<String> values = new ArrayList<>();
      values.add(Integer.toString(row));
      for (String type : types) {
        List<String> literals = types(kind).getOrDefault(type, List.of());
        values.add(row < literals.size() ? literals.get(row) : "NULL");
      }
      inserts.add("INSERT INTO t VALUES (" + String.join(", ", values) + ")");
    }
    try (Session session = new Session(LoggedServer.of(kind), table(types))) {
      session.execute(inserts.toArray(String[]::new));

      Set<ColumnType> same = compare(kind, session);

      assertThat(same).containsAll(MUST_COMPARE);
    }
  }

  private static String table(List<String> types) {
    StringBuilder text = new StringBuilder("CREATE TABLE t(id INT PRIMARY KEY");
    for (int i = 0; i < types.size(); i++) {
      text.append(", c").append(i).append(' ').append(types.get(i));
    }
    return text.append(") CHARACTER SET utf8mb4").toString();
  }

  /** Each cell by each getter in each protocol; the types of which a value was the same. */
  private static Set<ColumnType> compare(ServerKind kind, Session session) throws Exception {
    List<ChangedRow> logged = session.await().rows();
    assertThat(session.collected.gaps).isEmpty();
    Set<ColumnType> same = EnumSet.noneOf(ColumnType.class);
    for (String options : List.of("", "&useServerPrepStmts=true", "&tinyInt1isBit=false")) {
      try (Connection connection = DriverManager.getConnection(session.url + options);
          PreparedStatement statement = connection.prepareStatement("SELECT * FROM t ORDER BY id");
          ResultSet read = statement.executeQuery()) {
        for (ChangedRow row : logged) {
          assertThat(read.next()).isTrue();
          compareRow(kind + options, row, read, same);
        }
      }
    }
    return same;
  }

  private static void compareRow(
      String where, ChangedRow row, ResultSet read, Set<ColumnType> same) {
    for (int i = 0; i < row.table().columns().size(); i++) {
      ChangedTable.Column column = row.table().columns().get(i);
      Object log = Objects.requireNonNull(row.after())[i];
      Map<String, Object> values = new LinkedHashMap<>();
      int index = i + 1;
      values.put("getObject", get(() -> read.getObject(index)));
      values.put("getString", get(() -> read.getString(index)));
      values.put("getLong", get(() -> read.getObject(index) == null ? null : read.getLong(index)));
      values.put("getBytes", get(() -> read.getBytes(index)));
      values.forEach(
          (getter, value) -> {
            if (value == UnknownValue.ABSENT) {
              return; // the getter threw
            }
            Object jdbc = JdbcValues.normalized(column.type(), value);
            assertThat(JdbcValues.mayBeSame(log, jdbc))
                .as(
                    "%s %s %s: log %s, read %s",
                    where, column.declared(), getter, text(log), text(value))
                .isTrue();
            if (log != null && JdbcValues.isSame(log, jdbc)) {
              same.add(column.type());
            }
          });
    }
  }

  private static String text(@Nullable Object value) {
    return value instanceof byte[] bytes
        ? Arrays.toString(bytes)
        : value == null ? "null" : value + " (" + value.getClass().getSimpleName() + ")";
  }

  /** A getter, which may refuse a type. */
  private interface Getter {
    @Nullable Object get() throws SQLException;
  }

  private static @Nullable Object get(Getter getter) {
    try {
      return getter.get();
    } catch (SQLException | RuntimeException e) {
      return UnknownValue.ABSENT;
    }
  }

  private static final Map<ServerKind, Session> RANDOM = new EnumMap<>(ServerKind.class);

  @AfterContainer
  static void close() {
    RANDOM.values().forEach(Session::close);
  }

  private static final Map<String, Function<Random, String>> RANDOM_TYPES = randomTypes();

  private static Map<String, Function<Random, String>> randomTypes() {
    Map<String, Function<Random, String>> types = new LinkedHashMap<>();
    types.put("INT", random -> Integer.toString(random.nextInt()));
    types.put("MEDIUMINT", random -> Integer.toString(random.nextInt() >> 8));
    types.put("BIGINT", random -> Long.toString(random.nextLong()));
    types.put("BIGINT UNSIGNED", random -> Long.toUnsignedString(random.nextLong()));
    for (int scale : new int[] {0, 1, 5, 9, 10, 17}) {
      types.put("DECIMAL(" + (scale + 13) + "," + scale + ")", random -> decimal(random, scale));
    }
    types.put(
        "DOUBLE",
        random -> Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20)));
    for (int digits = 0; digits <= 6; digits++) {
      String fraction = "(" + digits + ")";
      types.put(
          "DATETIME" + fraction, random -> "'" + date(random) + " " + clock(random, 24) + "'");
      types.put(
          "TIME" + fraction,
          random -> "'" + (random.nextBoolean() ? "-" : "") + clock(random, 838) + "'");
    }
    types.put("DATE", random -> "'" + date(random) + "'");
    types.put("YEAR", random -> Integer.toString(1901 + random.nextInt(255)));
    types.put("CHAR(20)", ValuesTest::text);
    types.put("VARCHAR(20)", ValuesTest::text);
    types.put("BINARY(9)", ValuesTest::bytes);
    types.put("VARBINARY(9)", ValuesTest::bytes);
    types.put("BIT(33)", random -> Long.toString(random.nextLong() >>> 31));
    types.put(
        "SET('a','b','c','d','e','f','g','h','i')",
        random -> Integer.toString(random.nextInt(512)));
    return types;
  }

  private static String decimal(Random random, int scale) {
    String whole = Long.toString(random.nextLong() % (long) Math.pow(10, random.nextInt(13)));
    return whole
        + "."
        + Long.toString(Math.abs(random.nextLong())).substring(0, Math.min(5, scale));
  }

  private static String date(Random random) {
    return "%04d-%02d-%02d"
        .formatted(1583 + random.nextInt(8000), 1 + random.nextInt(12), 1 + random.nextInt(28));
  }

  private static String clock(Random random, int hours) {
    return "%d:%02d:%02d.%06d"
        .formatted(
            random.nextInt(hours),
            random.nextInt(60),
            random.nextInt(60),
            random.nextInt(1_000_000));
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder("'");
    for (int i = random.nextInt(10); i > 0; i--) {
      text.append(List.of("a", " ", "é", "😀", "Ж", "''", "\n", "ß").get(random.nextInt(8)));
    }
    return text.append("'").toString();
  }

  private static String bytes(Random random) {
    StringBuilder text = new StringBuilder("x'");
    for (int i = random.nextInt(10); i > 0; i--) {
      text.append("%02x".formatted(random.nextInt(3) == 0 ? 0 : random.nextInt(256)));
    }
    return text.append("'").toString();
  }

  @Property(tries = 6, shrinking = ShrinkingMode.OFF)
  void randomValuesAreNeverDifferent(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    for (ServerKind kind : LoggedServer.kinds().toList()) {
      Session session = RANDOM.get(kind);
      if (session == null) {
        session = new Session(LoggedServer.of(kind), table(List.copyOf(RANDOM_TYPES.keySet())));
        RANDOM.put(kind, session);
      }
      session.await();
      session.collected.transactions.clear();
      List<String> statements = new ArrayList<>(List.of("DELETE FROM t"));
      for (int row = 0; row < 40; row++) {
        StringBuilder insert = new StringBuilder("INSERT INTO t VALUES (" + row);
        RANDOM_TYPES.values().forEach(type -> insert.append(", ").append(type.apply(random)));
        statements.add(insert.append(")").toString());
      }
      session.execute(statements.subList(0, 1).toArray(String[]::new));
      session.await();
      session.collected.transactions.clear();
      session.execute(statements.subList(1, statements.size()).toArray(String[]::new));

      assertThat(compare(kind, session)).hasSizeGreaterThan(9);
    }
  }
}
