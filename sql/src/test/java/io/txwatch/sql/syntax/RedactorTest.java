package io.txwatch.sql.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

/** A secret planted anywhere but in a name is in no redacted text; names are. */
class RedactorTest {

  /** In each of these, {@code $} is where the secret stands in what a server takes for a value. */
  private static final List<String> ANYWHERE =
      List.of(
          "'$'",
          "'a''$'",
          "'$''b'",
          "''",
          "N'$'",
          "x'5ec2e75e'",
          "DATE '$'",
          "{d '$'}",
          "- 5327",
          "53.27e5",
          "/* $ */ 1",
          "-- $\n1",
          "/* it's $ */ 1",
          "-- it's $\n 1",
          "\"$\" .c",
          "('$')",
          "CAST('$' AS INT)",
          "f('a', '$')",
          "'$' || '$'",
          "'\n$\n'",
          "‘$’",
          "“$”",
          "'$");

  private static final List<String> POSTGRESQL =
      List.of(
          "E'$'",
          "e'it\\'s $'",
          "U&'$' UESCAPE '!'",
          "$$$secret$$",
          "$tag$ it's $ $tag$",
          "B'1'",
          "'C:\\'",
          "'C:\\' || '$'",
          "'it\\'s $'",
          "'\\\\' || ' $ '",
          "'a'\n'$'",
          "E'a'\n'b\\' $'",
          "/* a /* b */ it's $ */ 1",
          "ARRAY['$']");

  private static final List<String> IN_MYSQL =
      List.of(
          "\"$\"",
          "_utf8'$'",
          "_utf8mb4 x'5ec2e7'",
          "b'01'",
          "0x5ec2e7",
          "# $\n1",
          "# it's $\n1",
          "/*! '$' */",
          "/*!50000 'a */ $' */ 1",
          "/*! /* a */ it's $ */ 1",
          "/*M! '$' */ 1",
          "'C:\\'",
          "'C:\\' OR '$'",
          "'it\\'s $'",
          "'\\\\' OR '$'",
          "\"C:\\\" OR \"$\"",
          "\"it's\" OR '$'",
          "'a\"b' OR '$'",
          "q'[it's $]'",
          "nq'{it's $}'",
          "Q'!it's $!'",
          "[it's] OR '$'",
          "[$]",
          "'$'@'$'",
          "@'it\\'s $'",
          "$$$$$",
          "$a$it's $$a$");

  private static final List<String> TEXTS =
      List.of(
          "SELECT name FROM tab WHERE name = %s AND name = %s",
          "INSERT INTO tab (name) VALUES (%s, %s)",
          "UPDATE tab SET name = %s WHERE name IN (%s)",
          "CREATE USER name IDENTIFIED BY %s, name IDENTIFIED BY %s",
          "ALTER USER name PASSWORD %s; SELECT %s",
          "SET PASSWORD FOR name = %s; SET name = %s",
          "CALL name(%s, %s)",
          "SELEC name FRM (((%s, name %s",
          "XA START %s, %s",
          "SELECT name /* it's secret */ , %s, %s");

  private static final Map<Dialect, List<String>> OWN =
      Map.of(
          Dialect.POSTGRESQL, POSTGRESQL,
          Dialect.MYSQL, IN_MYSQL,
          Dialect.MARIADB, IN_MYSQL,
          Dialect.SQLITE, List.of("\"$\""));

  private record Planted(Dialect dialect, String text) {}

  @Provide
  Arbitrary<Planted> planted() {
    return Arbitraries.of(Dialect.class)
        .flatMap(
            dialect -> {
              List<String> own = OWN.getOrDefault(dialect, List.of("'$'"));
              Arbitrary<String> values =
                  Arbitraries.frequencyOf(
                      Tuple.of(1, Arbitraries.of(ANYWHERE)), Tuple.of(2, Arbitraries.of(own)));
              return Arbitraries.of(TEXTS)
                  .flatMap(
                      text ->
                          values
                              .list()
                              .ofSize(2)
                              .map(two -> new Planted(dialect, filled(text, two))));
            });
  }

  private static String filled(String text, List<String> values) {
    String plain = String.format(text, values.get(0), values.get(1));
    return plain
        .replace("\"$\" .c", "1")
        .replaceAll("(?<![$\\w])\\$(?![$\\w])", "secret")
        .replace("$$$secret$$", "$$secret$$")
        .replace("$$$$$", "$$secret$$")
        .replace("$a$it's $$a$", "$a$it's secret$a$");
  }

  @Property(tries = 3000)
  void noSecretIsLeft(@ForAll("planted") Planted planted) {
    String redacted = Redactor.redact(planted.text, planted.dialect);
    assertThat(redacted)
        .as(planted.dialect + " " + planted.text)
        .doesNotContainIgnoringCase("secret")
        .doesNotContain("5ec2e7", "5327", "53.27");
  }

  @Test
  void valuesThatLookLikeNamesAreReplaced() {
    for (String text :
        List.of(
            "SET app.user TO secret",
            "SET LOCAL app.user = secret, \"secret\"",
            "ALTER ROLE me SET app.token TO secret",
            "SAVEPOINT secret",
            "SELECT 1; SAVEPOINT \"secret\"",
            "ROLLBACK TO SAVEPOINT secret",
            "ROLLBACK WORK TO secret",
            "RELEASE SAVEPOINT secret",
            "RELEASE secret")) {
      assertThat(Redactor.redact(text, Dialect.POSTGRESQL)).as(text).doesNotContain("secret");
    }
    assertThat(Redactor.redact("PRAGMA key = secret", Dialect.SQLITE)).isEqualTo("PRAGMA key = ?");
  }

  @Test
  void namesStay() {
    for (String text :
        List.of(
            "UPDATE \"T\" SET a = b, c = d WHERE e = f",
            "SET search_path TO tenant, public",
            "ALTER TABLE a RENAME TO b",
            "ALTER TABLE a ADD CHECK (b = c)",
            "SAVEPOINT ?; SELECT a FROM b",
            "INSERT INTO a SELECT b FROM c ON CONFLICT DO UPDATE SET d = excluded.d")) {
      assertThat(Redactor.redact(text, Dialect.POSTGRESQL)).isEqualTo(text);
    }
    assertThat(Redactor.redact("SELECT `a` FROM `b`.c AS d, e$f", Dialect.MYSQL))
        .isEqualTo("SELECT `a` FROM `b`.c AS d, e$f");
    assertThat(
            Redactor.redact("SELECT t.\"a\", [b] FROM \"t\" WHERE c = \"secret\"", Dialect.SQLITE))
        .isEqualTo("SELECT t.\"a\", [b] FROM \"t\" WHERE c = ?");
    assertThat(Redactor.redact("SELECT E'it\\'s' FROM a", Dialect.POSTGRESQL))
        .isEqualTo("SELECT ? FROM a");
  }
}
